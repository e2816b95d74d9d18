//! What a document says about itself: front matter, `<meta>` elements, sidecars and folder defaults.
//!
//! A value closer to the document wins, field by field: the sidecar, then the file itself, then the
//! `_defaults.meta.toml` of the nearest folder, then the configuration. Whatever cannot be read for
//! sure fails closed: the file is quarantined rather than shown to the wrong readers. So is what may be an
//! access list without being one: a name near `access`, or a line like it where no front matter is read.

mod front_matter;
mod names;
mod sidecar;
mod stray;

pub(crate) use front_matter::split_front_matter;
pub(crate) use names::{ACCESS, fold, is_near_access};
pub use sidecar::{DEFAULTS_FILE, SIDECAR_SUFFIX, read_sidecar};

use std::collections::BTreeMap;

use rag_core::access::AccessList;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest single value that is accepted, in bytes.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// Longest part of a text that a message shows.
const MAX_SHOWN_CHARACTERS: usize = 60;

/// Most fields that are accepted.
const MAX_FIELDS: usize = 256;

/// Metadata of a document, as far as a source of it says anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// Unique in the collection; the relative path when nobody says.
    pub id: Option<String>,
    /// Shown to people.
    pub title: Option<String>,
    /// Department that owns the document.
    pub department: Option<String>,
    /// Day of the last change, `YYYY-MM-DD`.
    pub updated: Option<String>,
    /// Language code, such as `en`.
    pub language: Option<String>,
    /// Groups that may read it.
    pub access: Option<AccessList>,
    /// Id of the document that this one replaces.
    pub supersedes: Option<String>,
    /// Everything else, as text.
    pub other: BTreeMap<String, String>,
}

/// Why metadata cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The text is not what its syntax allows.
    #[error("{what} cannot be read: {reason}")]
    Syntax {
        /// Front matter or the sidecar's name.
        what: String,
        /// What the reader said.
        reason: String,
    },
    /// The access list is there but is not a list of group names.
    #[error("`access` is {found}, but must be a list of group names, or one text with commas between them")]
    Access {
        /// What stands there.
        found: String,
    },
    /// A field is most likely meant as the access list, but is not named so.
    #[error("unknown metadata key `{field}`: did you mean `access`? Rename it, or remove it")]
    Unknown {
        /// The field.
        field: String,
    },
    /// An access list stands at the beginning of the text, but not in front matter that can be read.
    #[error("`{line}` looks like an access list outside of front matter; put it between two lines `---`")]
    Stray {
        /// The line.
        line: String,
    },
    /// A field that must be unique is there twice.
    #[error("`{field}` is there more than once")]
    Repeated {
        /// The field.
        field: String,
    },
    /// There is more than a document's metadata should hold.
    #[error("`{field}` is larger than {MAX_VALUE_BYTES} bytes, or there are more than {MAX_FIELDS} fields")]
    TooLarge {
        /// The field that passed the limit.
        field: String,
    },
}

impl Metadata {
    /// Makes metadata of named values. Names are compared without regard to case, and `-` and spaces
    /// are read as `_`, so that `Access` cannot be overlooked. A name near `access`, and `access` in a
    /// table inside the metadata, are refused.
    pub fn from_fields(fields: impl IntoIterator<Item = (String, Value)>) -> Result<Self, MetadataError> {
        let mut metadata = Self::default();
        for (count, (name, value)) in fields.into_iter().enumerate() {
            let inside = names::access_inside(&value);
            if let Some(near) = inside.or(Some(name.as_str()).filter(|name| is_near_access(name))) {
                let field = near.chars().take(MAX_SHOWN_CHARACTERS).collect();
                return Err(MetadataError::Unknown { field });
            }
            let name = names::field_name(&name);
            let text = plain_text(&value);
            if count >= MAX_FIELDS || text.as_ref().is_some_and(|text| text.len() > MAX_VALUE_BYTES) {
                return Err(MetadataError::TooLarge { field: name });
            }
            metadata.set(name, &value, text)?;
        }
        Ok(metadata)
    }

    fn set(&mut self, name: String, value: &Value, text: Option<String>) -> Result<(), MetadataError> {
        let field = match name.as_str() {
            ACCESS => {
                let list = access_list(value)?;
                return match self.access.replace(list) {
                    None => Ok(()),
                    Some(_) => Err(MetadataError::Repeated { field: name }),
                };
            }
            "id" => &mut self.id,
            "title" => &mut self.title,
            "department" => &mut self.department,
            "updated" => &mut self.updated,
            "language" => &mut self.language,
            "supersedes" => &mut self.supersedes,
            _ => {
                self.other.extend(text.map(|text| (name, text)));
                return Ok(());
            }
        };
        match (field.is_some(), text) {
            (true, _) => Err(MetadataError::Repeated { field: name }),
            (false, text) => {
                *field = text.filter(|text| !text.is_empty());
                Ok(())
            }
        }
    }

    /// Fills what is not said here from `fallback`.
    #[must_use]
    pub fn or(mut self, fallback: Self) -> Self {
        for (name, value) in fallback.other {
            self.other.entry(name).or_insert(value);
        }
        Self {
            id: self.id.or(fallback.id),
            title: self.title.or(fallback.title),
            department: self.department.or(fallback.department),
            updated: self.updated.or(fallback.updated),
            language: self.language.or(fallback.language),
            access: self.access.or(fallback.access),
            supersedes: self.supersedes.or(fallback.supersedes),
            other: self.other,
        }
    }
}

/// The groups of an `access` value: a list of names, or names with commas between them.
fn access_list(value: &Value) -> Result<AccessList, MetadataError> {
    let refused = || MetadataError::Access {
        found: value.to_string().chars().take(MAX_SHOWN_CHARACTERS).collect(),
    };
    match value {
        Value::String(text) => Ok(text.split(',').collect()),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().ok_or_else(refused))
            .collect::<Result<AccessList, _>>(),
        _ => Err(refused()),
    }
}

/// A value as one text; nothing for null.
fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(plain_text).collect();
            Some(items.join(", "))
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Metadata, MetadataError> {
        let Value::Object(fields) = value else {
            panic!("an object")
        };
        Metadata::from_fields(fields)
    }

    #[test]
    fn access_is_a_list_or_one_text() {
        let cases = [
            (json!(["hr", "exec"]), vec!["exec", "hr"]),
            (json!("hr, exec"), vec!["exec", "hr"]),
            (json!("hr"), vec!["hr"]),
            (json!([]), vec![]),
            (json!(""), vec![]),
        ];
        for (value, groups) in cases {
            let access = read(json!({ "Access": value })).unwrap().access.unwrap();
            assert_eq!(access.groups().collect::<Vec<_>>(), groups);
        }
    }

    #[test]
    fn doubtful_access_is_an_error() {
        for value in [
            json!(null),
            json!(3),
            json!(true),
            json!({"hr": true}),
            json!(["hr", 3]),
            json!([["hr"]]),
        ] {
            assert!(read(json!({ "access": value })).is_err());
        }
        assert!(read(json!({ "access": "hr", "Access": "everyone" })).is_err());
    }

    #[test]
    fn a_misspelt_or_nested_access_list_does_not_make_a_document_public() {
        for value in [
            json!({"acess": "hr"}),
            json!({"groups": ["hr"]}),
            json!({"ACL": null}),
            json!({"title": "x", "read permissions": "hr"}),
            json!({"meta": {"access": ["hr"]}}),
            json!({"title": [{"deep": {"Access": "hr"}}]}),
            json!({"access": "everyone", "access_groups": "hr"}),
        ] {
            let error = read(value.clone()).unwrap_err().to_string();
            assert!(error.contains("did you mean `access`?"), "{value}: {error}");
        }
        let unseen = read(json!({"acc\u{200b}ess": "hr"})).unwrap().access.unwrap();
        assert_eq!(unseen.groups().collect::<Vec<_>>(), ["hr"]);
    }

    #[test]
    fn other_fields_become_text() {
        let metadata =
            read(json!({"id": 7, "owner": ["a", "b"], "note": null, "draft": true, "title": ""})).unwrap();
        assert_eq!(metadata.id.as_deref(), Some("7"));
        assert_eq!(metadata.title, None);
        assert_eq!(metadata.other["owner"], "a, b");
        assert_eq!(metadata.other["draft"], "true");
        assert!(!metadata.other.contains_key("note"));
    }

    #[test]
    fn the_closer_source_wins_field_by_field() {
        let near = read(json!({"title": "Near", "access": []})).unwrap();
        let far = read(json!({"title": "Far", "access": "everyone", "department": "HR", "x": "1"})).unwrap();
        let both = near.or(far);
        assert_eq!(both.title.as_deref(), Some("Near"));
        assert_eq!(both.department.as_deref(), Some("HR"));
        assert!(both.access.unwrap().is_empty());
        assert_eq!(both.other["x"], "1");
    }

    #[test]
    fn oversized_metadata_is_refused() {
        assert!(read(json!({ "x": "y".repeat(MAX_VALUE_BYTES + 1) })).is_err());
        let many: serde_json::Map<_, _> = (0..300).map(|n| (format!("f{n}"), json!("v"))).collect();
        assert!(read(Value::Object(many)).is_err());
    }
}
