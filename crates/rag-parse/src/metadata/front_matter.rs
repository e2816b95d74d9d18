//! Front matter: a block of YAML (`---`) or TOML (`+++`) at the beginning of a text file.
//!
//! Whatever looks like front matter may hold an access list, so it is read or the file is refused; it
//! never becomes text. [`stray`](super::stray) looks for access lists where no front matter is.

use serde_json::Value;

use super::names::is_invisible;
use super::sidecar::toml_fields;
use super::stray::stray_access;
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

/// Cuts front matter off `text`. Blank lines, HTML comments and characters that cannot be seen may stand
/// before it.
///
/// A text whose first line begins with a fence, or with `%YAML`, must hold front matter that is a mapping.
/// A text without it must not begin with what looks like an access list.
pub(crate) fn split_front_matter(text: &str) -> Result<FrontMatter<'_>, MetadataError> {
    let start = skip_comments(text);
    let Some(fence) = opening(start)? else {
        refuse_stray(text)?;
        let metadata = Metadata::default();
        return Ok(FrontMatter { metadata, body: text });
    };
    let (_, rest) = first_line(start);
    let (inner, body) = close(fence, indent_before(text, start), rest).ok_or_else(|| {
        syntax(format!(
            "it does not end; add a line `{fence}` behind it, or begin the text with another line"
        ))
    })?;
    if inner.len() > MAX_BYTES {
        return Err(syntax(format!("it is longer than {MAX_BYTES} bytes")));
    }
    let inner = inner.replace("\r\n", "\n").replace('\r', "\n");
    let fields = match fence {
        TOML_FENCE => toml_fields(&inner),
        _ => yaml_fields(&inner),
    };
    let metadata = Metadata::from_fields(fields.map_err(syntax)?)?;
    if metadata.access.is_none() {
        refuse_stray(body)?;
    }
    Ok(FrontMatter { metadata, body })
}

const YAML_FENCE: &str = "---";
const TOML_FENCE: &str = "+++";

fn syntax(reason: impl Into<String>) -> MetadataError {
    MetadataError::Syntax {
        what: "the front matter".to_owned(),
        reason: reason.into(),
    }
}

fn refuse_stray(text: &str) -> Result<(), MetadataError> {
    stray_access(text).map_or(Ok(()), |line| Err(MetadataError::Stray { line }))
}

/// The fence that the first line of `text` is; an error when the line only begins like one. A longer
/// row of its character is a rule of the text.
fn opening(text: &str) -> Result<Option<&'static str>, MetadataError> {
    let line = visible(first_line(text).0);
    let is_directive = line.starts_with("%YAML") || line.starts_with("%TAG");
    let fence = [YAML_FENCE, TOML_FENCE].into_iter().find(|&fence| {
        let behind = line.strip_prefix(fence);
        behind.is_some_and(|behind| !behind.starts_with(&fence[..1]))
    });
    match fence {
        Some(fence) if is_bare(&line[fence.len()..]) => Ok(Some(fence)),
        None if !is_directive => Ok(None),
        _ => {
            let shown: String = line.chars().take(super::MAX_SHOWN_CHARACTERS).collect();
            Err(syntax(format!(
                "its first line is `{shown}`, but must be `---` or `+++` alone; if it is no front matter, begin the text with another line"
            )))
        }
    }
}

/// True for what may stand behind a fence: nothing, or a comment.
fn is_bare(behind: &str) -> bool {
    behind.is_empty() || (behind.starts_with([' ', '\t']) && behind.trim_start().starts_with('#'))
}

/// What stands before the closing line, and what behind it. The closing line is indented as the opening one
/// is: one that is indented further belongs to a value.
fn close<'t>(fence: &str, indent: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, next) = first_line(rest);
        let unindented = line.strip_prefix(indent).unwrap_or(line).trim_end();
        if unindented == fence || (fence == YAML_FENCE && unindented == "...") {
            return Some((&text[..text.len() - rest.len()], next));
        }
        rest = next;
    }
    None
}

/// The white space between the beginning of a line and `start`, a later part of `text`.
fn indent_before<'t>(text: &'t str, start: &str) -> &'t str {
    let before = &text[..text.len() - start.len()];
    &before[before.trim_end_matches([' ', '\t']).len()..]
}

/// The first line without its end, and what follows. Lines end as on any system.
pub(super) fn first_line(text: &str) -> (&str, &str) {
    let Some(at) = text.find(['\n', '\r']) else {
        return (text, "");
    };
    let end = if text[at..].starts_with("\r\n") {
        at + 2
    } else {
        at + 1
    };
    (&text[..at], &text[end..])
}

/// A line as people see it.
pub(super) fn visible(line: &str) -> String {
    let seen: String = line.chars().filter(|&c| c == '\t' || !is_invisible(c)).collect();
    seen.trim().to_owned()
}

/// The text without blank lines and characters that cannot be seen at its beginning.
pub(super) fn skip_unseen(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

/// Likewise without HTML comments.
pub(super) fn skip_comments(text: &str) -> &str {
    let mut rest = skip_unseen(text);
    while let Some((_, behind)) = rest
        .strip_prefix("<!--")
        .and_then(|inner| inner.split_once("-->"))
    {
        rest = skip_unseen(behind);
    }
    rest
}

/// The fields of a YAML mapping; none when there is no text.
fn yaml_fields(text: &str) -> Result<Vec<(String, Value)>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    match serde_saphyr::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => Ok(fields.into_iter().collect()),
        Ok(_) => Err("it is not a list of `name: value` lines; a text may not begin with `---`".to_owned()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
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
    fn a_text_without_front_matter_is_kept_whole() {
        for text in [
            "text\n---\nid: a\n---\n",
            "----\nTitle\n----\n",
            "# Title\n---\n\nMore",
            "Access to the building: by badge.\n",
            "<!-- by Ada -->\nText",
            "- one\n- two\n",
            "",
        ] {
            let found = split_front_matter(text).unwrap();
            assert_eq!((found.metadata, found.body), (Metadata::default(), text));
        }
    }

    #[test]
    fn an_access_list_is_read_whatever_stands_before_and_whatever_ends_the_lines() {
        for text in [
            "---\raccess: [hr]\rid: a\r---\rBody",
            "--- # note\nid: a\naccess: hr\n---\nBody",
            "\u{200b}\u{feff}\n \t\n---\nid: a\naccess: hr\n---\nBody",
            "<!-- licence -->\n<!-- more\n -->\n---\nid: a\naccess: hr\n---\nBody",
            "-\u{200b}--\nid: a\naccess: hr\n---\nBody",
            "  ---\n  id: a\n  access: hr\n  ---\nBody",
            "---\nid: a\nnote: |\n  x\n  ---\n  y\naccess: hr\n---\nBody",
        ] {
            let found = split_front_matter(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(
                (found.metadata.id.as_deref(), found.body),
                (Some("a"), "Body"),
                "{text:?}"
            );
            assert!(found.metadata.access.is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_only_looks_like_front_matter_does_not_become_public_text() {
        for text in [
            "---yaml\naccess: hr\n---\nSecret",
            "---x\naccess: hr\n---\nSecret",
            "--- {access: hr}\nSecret",
            "%YAML 1.2\n---\naccess: hr\n---\nSecret",
            "---\naccess: hr\nSecret without an end",
            "+++\naccess = 'hr'\nSecret without an end",
            "---\n- access: hr\n---\nSecret",
            "---\nA paragraph.\n---\nMore",
            "---\u{2028}access: hr\u{2028}---\u{2028}Secret",
            "---\nmeta:\n  access: hr\n---\nSecret",
            "---\nacess: hr\n---\nSecret",
            "+++\n[meta]\naccess = 'hr'\n+++\nSecret",
            "---\ntitle: a\n---\n---\naccess: hr\n---\nSecret",
        ] {
            assert!(split_front_matter(text).is_err(), "{text:?}");
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
