//! A data set's document ids as ours and back, without loss.

use std::fmt::Write;

use rag_core::id::{DocumentId, IdError};

/// The document id for a data set's `original` id: characters that an id may not have, and `%`, are
/// written as the `%XX` of their UTF-8 bytes.
///
/// ```
/// use rag_eval::data::{document_id, original_id};
///
/// let id = document_id("Rule 7 [b]")?;
/// assert_eq!(id.as_str(), "Rule%207%20%5Bb%5D");
/// assert_eq!(original_id(&id), "Rule 7 [b]");
/// # Ok::<(), rag_core::id::IdError>(())
/// ```
pub fn document_id(original: &str) -> Result<DocumentId, IdError> {
    let mut written = String::with_capacity(original.len());
    let mut buffer = [0; 4];
    for c in original.chars() {
        let is_plain = c != '%' && DocumentId::new(c).is_ok();
        if is_plain {
            written.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut buffer).bytes() {
            write!(written, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    DocumentId::new(written)
}

/// The data set's own id of a document whose id [`document_id`] made.
pub fn original_id(id: &DocumentId) -> String {
    let written = id.as_str().as_bytes();
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((&first, tail)) = rest.split_first() {
        if let Some(byte) = escaped_byte(rest) {
            bytes.push(byte);
            rest = &rest[3..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte written as `%XX` at the start of `text`.
fn escaped_byte(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"%")?.get(..2)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_come_back_as_they_were(original in "\\PC{1,20}|[a-f%#\\[\\] 0-9\n]{1,40}") {
            let id = document_id(&original).unwrap();
            prop_assert_eq!(original_id(&id), original);
        }
    }

    #[test]
    fn ids_that_are_fine_stay_as_they_are() {
        for id in ["4983", "sq2-000-001", "doc:3/a", "سياسة"] {
            assert_eq!(document_id(id).unwrap().as_str(), id);
        }
        assert!(document_id("").is_err());
    }
}
