//! `passages.bin`: every passage in a frame of its own, read one by one at no cost of opening.
//!
//! ```text
//! frames, in the order of the passages' ids · offset of each frame and of their end, u64 · count u64 · magic
//! ```
//! Since the order is that of the ids, a document is found by bisection and its passages are neighbours.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rag_core::access::AccessList;
use rag_core::artifact::codec;
use rag_core::date::Date;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::span::{BoundingBox, Span};
use serde::{Deserialize, Serialize};

use crate::error::IndexError;
use crate::mmap::Map;

/// Name of the file in a generation.
pub(crate) const PASSAGES_FILE: &str = "passages.bin";

const KIND: codec::Kind = *b"PASG";
const MAGIC: [u8; 8] = *b"RAGPASS2";
const TRAILER_BYTES: usize = 16;

/// Largest passage that is read: one is a few kilobytes.
const MAX_PASSAGE_BYTES: u64 = 256 << 20;

/// A passage as it is stored. [`Passage`] leaves empty fields out, which bincode cannot read back.
#[derive(Serialize, Deserialize)]
struct Stored {
    id: PassageId,
    title: String,
    source: String,
    section: Vec<String>,
    page: Option<u32>,
    bounding_box: Option<BoundingBox>,
    updated: Option<Date>,
    supersedes: Option<DocumentId>,
    department: Option<String>,
    language: Language,
    access: AccessList,
    span: Span,
    parent: Span,
    text: String,
    context: String,
    tokens: u32,
}

/// Writes passages in the order of their ids.
pub(crate) struct Writer {
    file: BufWriter<fs_err::File>,
    path: PathBuf,
    offsets: Vec<u64>,
    end: u64,
}

impl Writer {
    /// Creates the file at `path`.
    pub(crate) fn create(path: &Path) -> Result<Self, IndexError> {
        Ok(Self {
            file: BufWriter::new(fs_err::File::create(path)?),
            path: path.to_owned(),
            offsets: Vec::new(),
            end: 0,
        })
    }

    /// Appends the passage with the next ordinal.
    pub(crate) fn push(&mut self, passage: Passage) -> Result<(), IndexError> {
        let frame = codec::encode(KIND, &Stored::from(passage)).map_err(|error| {
            rag_core::artifact::ArtifactError::Encode {
                path: self.path.clone(),
                reason: error.to_string(),
            }
        })?;
        self.file.write_all(&frame)?;
        self.offsets.push(self.end);
        self.end += frame.len() as u64;
        Ok(())
    }

    /// Writes the table of offsets and closes the file.
    pub(crate) fn finish(mut self) -> Result<(), IndexError> {
        for offset in self.offsets.iter().chain([&self.end]) {
            self.file.write_all(&offset.to_le_bytes())?;
        }
        self.file.write_all(&(self.offsets.len() as u64).to_le_bytes())?;
        self.file.write_all(&MAGIC)?;
        Ok(self.file.flush()?)
    }
}

/// Reads passages by ordinal.
#[derive(Debug)]
pub(crate) struct Reader {
    map: Map,
    path: PathBuf,
    count: usize,
}

impl Reader {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let map = Map::open(path)?;
        let count = count_of(map.bytes());
        let count = count.ok_or_else(|| IndexError::damaged(path, "its table of offsets does not fit"))?;
        Ok(Self {
            map,
            path: path.to_owned(),
            count,
        })
    }

    /// Number of passages.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The passage with this ordinal, or `None` beyond the last.
    pub(crate) fn get(&self, ordinal: u32) -> Result<Option<Passage>, IndexError> {
        let ordinal = ordinal as usize;
        if ordinal >= self.count {
            return Ok(None);
        }
        let damaged =
            |reason: String| IndexError::damaged(&self.path, format!("passage {ordinal}: {reason}"));
        let frame = self
            .map
            .bytes()
            .get(self.offset(ordinal)..self.offset(ordinal + 1));
        let frame = frame.ok_or_else(|| damaged("its offset lies outside".to_owned()))?;
        let stored: Stored =
            codec::decode(KIND, frame, MAX_PASSAGE_BYTES).map_err(|error| damaged(error.to_string()))?;
        Ok(Some(stored.into()))
    }

    /// The first ordinal whose passage's id is not less than `id`.
    pub(crate) fn lower_bound(&self, id: &PassageId) -> Result<u32, IndexError> {
        let (mut low, mut high) = (0, self.count as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            let is_less = self.get(middle)?.is_some_and(|passage| passage.id < *id);
            if is_less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The ordinals of a document's passages; empty when it has none.
    pub(crate) fn of_document(&self, document: &DocumentId) -> Result<std::ops::Range<u32>, IndexError> {
        let mut id = PassageId {
            document: document.clone(),
            position: 0,
        };
        let start = self.lower_bound(&id)?;
        id.position = u32::MAX;
        let mut end = self.lower_bound(&id)?;
        if self.get(end)?.is_some_and(|passage| passage.id == id) {
            end += 1;
        }
        Ok(start..end)
    }

    fn offset(&self, index: usize) -> usize {
        let table = self.map.bytes().len() - TRAILER_BYTES - (self.count + 1) * 8;
        read_u64(self.map.bytes(), table + index * 8).map_or(usize::MAX, |offset| offset as usize)
    }
}

/// The number of passages that the trailer names, when the table it implies fits in the file.
fn count_of(bytes: &[u8]) -> Option<usize> {
    let trailer = bytes.len().checked_sub(TRAILER_BYTES)?;
    if bytes[trailer + 8..] != MAGIC {
        return None;
    }
    let count = usize::try_from(read_u64(bytes, trailer)?).ok()?;
    let table = count.checked_add(1)?.checked_mul(8)?;
    (table <= trailer && u32::try_from(count).is_ok()).then_some(count)
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*eight))
}

impl From<Passage> for Stored {
    fn from(p: Passage) -> Self {
        Self {
            id: p.id,
            title: p.title,
            source: p.source,
            section: p.section,
            page: p.page,
            bounding_box: p.bounding_box,
            updated: p.updated,
            supersedes: p.supersedes,
            department: p.department,
            language: p.language,
            access: p.access,
            span: p.span,
            parent: p.parent,
            text: p.text,
            context: p.context,
            tokens: p.tokens,
        }
    }
}

impl From<Stored> for Passage {
    fn from(s: Stored) -> Self {
        Self {
            id: s.id,
            title: s.title,
            source: s.source,
            section: s.section,
            page: s.page,
            bounding_box: s.bounding_box,
            updated: s.updated,
            supersedes: s.supersedes,
            department: s.department,
            language: s.language,
            access: s.access,
            span: s.span,
            parent: s.parent,
            text: s.text,
            context: s.context,
            tokens: s.tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;
    use rag_core::access::AccessList;

    fn written(passages: &[Passage]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PASSAGES_FILE);
        let mut writer = Writer::create(&path).unwrap();
        for p in passages {
            writer.push(p.clone()).unwrap();
        }
        writer.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn passages_come_back_as_they_were() {
        let full = Passage {
            page: Some(3),
            bounding_box: Some(BoundingBox {
                left: 1.0,
                top: 2.0,
                right: 3.0,
                bottom: 4.0,
            }),
            updated: Some("2026-04-10".parse().unwrap()),
            supersedes: Some(DocumentId::new("a").unwrap()),
            department: Some("IT".to_owned()),
            access: AccessList::from_iter(["it", "hr"]),
            context: "Title > Section".to_owned(),
            ..passage("b", 0, "Reboot it.")
        };
        let passages = [passage("a", 0, ""), full];
        let (_folder, path) = written(&passages);
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.get(0).unwrap().as_ref(), Some(&passages[0]));
        assert_eq!(reader.get(1).unwrap().as_ref(), Some(&passages[1]));
        assert_eq!(reader.get(2).unwrap(), None);
    }

    #[test]
    fn documents_are_found_by_bisection() {
        let ids = [("a", 0), ("a", 1), ("b", 3), ("b", u32::MAX), ("d", 0)];
        let passages: Vec<Passage> = ids.iter().map(|&(d, p)| passage(d, p, "x")).collect();
        let (_folder, path) = written(&passages);
        let reader = Reader::open(&path).unwrap();
        for (document, range) in [("a", 0..2), ("b", 2..4), ("c", 4..4), ("d", 4..5), ("z", 5..5)] {
            assert_eq!(
                reader.of_document(&DocumentId::new(document).unwrap()).unwrap(),
                range,
                "{document}"
            );
        }
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let (_folder, path) = written(&[passage("a", 0, "one"), passage("a", 1, "two")]);
        let whole = fs_err::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            fs_err::write(&path, &bytes).unwrap();
            let result = Reader::open(&path).and_then(|reader| Ok((reader.get(0)?, reader.get(1)?)));
            assert!(result.is_err(), "byte {at}");
        }
        for length in 0..whole.len() {
            fs_err::write(&path, &whole[..length]).unwrap();
            assert!(Reader::open(&path).is_err(), "cut at {length}");
        }
    }
}
