//! Front matter: a block of YAML (`---`) or TOML (`+++`) at the beginning of a text file.

use serde_json::Value;

use super::sidecar::toml_fields;
use super::{Metadata, MetadataError};

/// Longest front matter that is read, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// A text cut into its metadata and its body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter<'t> {
    /// What the front matter says; nothing when there is none.
    pub(crate) metadata: Metadata,
    /// The text behind it.
    pub(crate) body: &'t str,
}

/// Cuts front matter off `text`.
///
/// A block that is no mapping, such as a paragraph between two rules, belongs to the text. A block that
/// looks like a mapping but cannot be read is an error, since it may hold an access list.
pub(crate) fn split_front_matter(text: &str) -> Result<FrontMatter<'_>, MetadataError> {
    let whole = || FrontMatter {
        metadata: Metadata::default(),
        body: text,
    };
    let start = text
        .trim_start_matches('\u{FEFF}')
        .trim_start_matches(['\n', '\r']);
    let Some((fence, inner, body)) = fenced(start) else {
        return Ok(whole());
    };
    if inner.len() > MAX_BYTES {
        return Err(syntax(format!("it is longer than {MAX_BYTES} bytes")));
    }
    let fields = match fence {
        "+++" => toml_fields(inner).map_err(syntax)?,
        _ => match yaml_fields(inner) {
            Ok(Some(fields)) => fields,
            Err(reason) if has_field_line(inner) => return Err(syntax(reason)),
            Ok(None) | Err(_) => return Ok(whole()),
        },
    };
    let metadata = Metadata::from_fields(fields)?;
    Ok(FrontMatter { metadata, body })
}

fn syntax(reason: impl Into<String>) -> MetadataError {
    MetadataError::Syntax {
        what: "the front matter".to_owned(),
        reason: reason.into(),
    }
}

/// The fence, what stands between the two fences, and what follows them.
fn fenced(text: &str) -> Option<(&'static str, &str, &str)> {
    let fence = ["---", "+++"].into_iter().find(|fence| text.starts_with(fence))?;
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != fence {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let is_end = line.trim_end() == fence || (fence == "---" && line.trim_end() == "...");
        if is_end {
            return Some((fence, &rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// The fields of a YAML mapping; `None` when it is something else, such as plain text.
fn yaml_fields(text: &str) -> Result<Option<Vec<(String, Value)>>, String> {
    if text.trim().is_empty() {
        return Ok(Some(Vec::new()));
    }
    match serde_saphyr::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => Ok(Some(fields.into_iter().collect())),
        Ok(_) => Ok(None),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}

/// True when a line begins like `name: value`.
fn has_field_line(text: &str) -> bool {
    text.lines().any(|line| {
        let name = line
            .split_once(':')
            .map_or("", |(name, _)| name.trim_matches(['"', '\'', ' ']));
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_cut_off() {
        let cases = [
            ("---\nid: a\naccess: [hr]\n---\nBody", Some("a"), "Body"),
            ("\u{FEFF}---\r\nid: a\r\n---\r\nBody", Some("a"), "Body"),
            ("+++\nid = \"a\"\n+++\nBody", Some("a"), "Body"),
            ("---\nid: a\n...\nBody", Some("a"), "Body"),
            ("\n---\nid: a\n---\n", Some("a"), ""),
            ("---\n---\nBody", None, "Body"),
        ];
        for (text, id, body) in cases {
            let found = split_front_matter(text).unwrap();
            assert_eq!((found.metadata.id.as_deref(), found.body), (id, body), "{text:?}");
        }
    }

    #[test]
    fn rules_and_open_blocks_are_text() {
        for text in [
            "---\nA paragraph.\n---\nMore",
            "---\nid: a\nno end",
            "text\n---\nid: a\n---\n",
            "----\nid: a\n----\n",
            "",
        ] {
            let found = split_front_matter(text).unwrap();
            assert_eq!((found.metadata, found.body), (Metadata::default(), text));
        }
    }

    #[test]
    fn unreadable_front_matter_fails_closed() {
        let cases = [
            "---\naccess: [hr\n---\nSecret",
            "---\naccess: {hr: 1}\n---\nSecret",
            "---\naccess:\n---\nSecret",
            "---\naccess: hr\naccess: everyone\n---\nSecret",
            "---\ntitle: a: b: [\naccess: hr\n---\nSecret",
            "+++\naccess = \n+++\nSecret",
        ];
        for text in cases {
            assert!(split_front_matter(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn aliases_do_not_explode() {
        let mut yaml = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..12 {
            let before = n - 1;
            let aliases = vec![format!("*a{before}"); 10].join(", ");
            yaml.extend([format!("a{n}: &a{n} [{aliases}]"), "\n".to_owned()]);
        }
        yaml.push_str("---\nBody");
        assert!(split_front_matter(&yaml).is_err());
    }
}
