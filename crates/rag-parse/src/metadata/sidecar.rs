//! Sidecars (`<file>.meta.toml`) and the defaults of a folder (`_defaults.meta.toml`).

use serde_json::Value;

use super::{Metadata, MetadataError};

/// Ending of a sidecar's name, behind the whole name of its file.
pub const SIDECAR_SUFFIX: &str = ".meta.toml";

/// Name of the file whose metadata holds for every document in and below its folder.
pub const DEFAULTS_FILE: &str = "_defaults.meta.toml";

/// Reads the text of a sidecar; `name` is its path, for the error.
pub fn read_sidecar(name: &str, text: &[u8]) -> Result<Metadata, MetadataError> {
    let syntax = |reason: String| MetadataError::Syntax {
        what: format!("`{name}`"),
        reason,
    };
    let text = std::str::from_utf8(text).map_err(|_| syntax("it is not UTF-8".to_owned()))?;
    let fields = toml_fields(text.trim_start_matches('\u{FEFF}')).map_err(syntax)?;
    Metadata::from_fields(fields)
}

/// The top-level fields of a TOML text.
pub(super) fn toml_fields(text: &str) -> Result<Vec<(String, Value)>, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(table
        .into_iter()
        .map(|(name, value)| (name, json_of(value)))
        .collect())
}

fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(json_of).collect()),
        toml::Value::Table(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name, json_of(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_is_read_and_a_broken_one_is_named() {
        let text = "id = \"a\"\nupdated = 2026-04-10\naccess = [\"hr\"]\npages = 3\n";
        let metadata = read_sidecar("a.pdf.meta.toml", text.as_bytes()).unwrap();
        assert_eq!(metadata.updated.as_deref(), Some("2026-04-10"));
        assert_eq!(metadata.other["pages"], "3");
        let bad: [&[u8]; 4] = [
            b"access = [\"hr\"",
            b"access = 3",
            b"\xff\xfe",
            b"access = \"a\"\naccess = \"b\"",
        ];
        for text in bad {
            let error = read_sidecar("x.meta.toml", text).unwrap_err();
            assert!(!error.to_string().is_empty());
        }
    }
}
