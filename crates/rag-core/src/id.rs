//! Identifiers of documents and passages, checked once where they enter the system.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest document id accepted, in bytes.
pub const MAX_DOCUMENT_ID_BYTES: usize = 256;

/// Why a text is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The id is empty.
    #[error("an id must not be empty")]
    Empty,
    /// The id is longer than [`MAX_DOCUMENT_ID_BYTES`].
    #[error("id of {bytes} bytes is longer than {MAX_DOCUMENT_ID_BYTES}")]
    TooLong {
        /// Length of the refused id.
        bytes: usize,
    },
    /// The id has a character that would be ambiguous in a citation or a TREC run file.
    #[error(
        "id `{id}` contains {character:?}: white space, control characters, `#`, `[` and `]` are not allowed"
    )]
    Character {
        /// The refused id.
        id: String,
        /// The first refused character.
        character: char,
    },
    /// A passage id is not of the form `document#position`.
    #[error("passage id `{id}` is not of the form document#position")]
    NotAPassage {
        /// The refused id.
        id: String,
    },
}

/// Identifies a document: non-empty, at most 256 bytes, without white space, `#`, `[` or `]`.
///
/// The excluded characters are those that would make `[id#3]` in an answer, or a column of a TREC
/// run file, ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DocumentId(String);

impl DocumentId {
    /// Checks `id` and wraps it.
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        let id = id.into();
        if id.is_empty() {
            return Err(IdError::Empty);
        }
        if id.len() > MAX_DOCUMENT_ID_BYTES {
            return Err(IdError::TooLong { bytes: id.len() });
        }
        match id.chars().find(|&c| is_refused(c)) {
            Some(character) => Err(IdError::Character { id, character }),
            None => Ok(Self(id)),
        }
    }

    /// Makes an id from any text, such as a file path: refused characters become `-`, and text over
    /// the limit keeps its end (the file name) behind a digest of the whole.
    pub fn from_path_like(text: &str) -> Self {
        let cleaned: String = text
            .chars()
            .map(|c| if is_refused(c) { '-' } else { c })
            .collect();
        if cleaned.is_empty() {
            return Self("unnamed".to_owned());
        }
        if cleaned.len() <= MAX_DOCUMENT_ID_BYTES {
            return Self(cleaned);
        }
        let digest = blake3::hash(text.as_bytes()).to_hex();
        let mut start = cleaned.len() - 200;
        while !cleaned.is_char_boundary(start) {
            start += 1;
        }
        Self(format!("{}-{}", &digest[..16], &cleaned[start..]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_refused(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '#' | '[' | ']')
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for DocumentId {
    type Error = IdError;

    fn try_from(id: String) -> Result<Self, IdError> {
        Self::new(id)
    }
}

impl From<DocumentId> for String {
    fn from(id: DocumentId) -> Self {
        id.0
    }
}

impl FromStr for DocumentId {
    type Err = IdError;

    fn from_str(id: &str) -> Result<Self, IdError> {
        Self::new(id)
    }
}

/// Identifies a passage: its document and its position there, counted from 0. Written `document#position`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PassageId {
    /// The document that the passage is a part of.
    pub document: DocumentId,
    /// Position among the document's passages, from 0.
    pub position: u32,
}

impl fmt::Display for PassageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.document, self.position)
    }
}

impl FromStr for PassageId {
    type Err = IdError;

    fn from_str(id: &str) -> Result<Self, IdError> {
        let not_a_passage = || IdError::NotAPassage { id: id.to_owned() };
        let (document, position) = id.rsplit_once('#').ok_or_else(not_a_passage)?;
        let plain = !position.is_empty() && position.bytes().all(|b| b.is_ascii_digit());
        let position = plain
            .then(|| position.parse().ok())
            .flatten()
            .ok_or_else(not_a_passage)?;
        Ok(Self {
            document: DocumentId::new(document)?,
            position,
        })
    }
}

impl TryFrom<String> for PassageId {
    type Error = IdError;

    fn try_from(id: String) -> Result<Self, IdError> {
        id.parse()
    }
}

impl From<PassageId> for String {
    fn from(id: PassageId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_ids_are_checked() {
        for good in ["it-004", "hr/leave.md", "سياسة", "a.b_c"] {
            assert_eq!(DocumentId::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a#1", "a[1]", "a\n", &"x".repeat(257)] {
            assert!(DocumentId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn passage_ids_round_trip() {
        let id: PassageId = "hr/leave.md#12".parse().unwrap();
        assert_eq!((id.document.as_str(), id.position), ("hr/leave.md", 12));
        assert_eq!(id.to_string(), "hr/leave.md#12");
        for bad in ["a", "a#", "#1", "a#x", "a#+1", "a#-1", "a#99999999999"] {
            assert!(bad.parse::<PassageId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn path_like_text_becomes_an_id() {
        assert_eq!(DocumentId::from_path_like("a b#c.md").as_str(), "a-b-c.md");
        let long = format!("{}/file.md", "é".repeat(400));
        let id = DocumentId::from_path_like(&long);
        assert!(id.as_str().ends_with("/file.md"));
        assert_eq!(DocumentId::new(id.as_str()).unwrap(), id);
    }
}
