//! The passages to index, read in place in the order of their ids, so that memory stays flat.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactError, Digest};
use rag_core::id::PassageId;
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rayon::prelude::*;

use crate::error::IndexError;
use crate::mmap::Map;

/// The passages of a chunk artifact.
pub(crate) struct Input {
    /// Held open, so that the artifact is not removed while it is read.
    _artifact: Artifact,
    map: Map,
    path: PathBuf,
    rows: Vec<Row>,
}

/// What is kept of each passage while others are read. Rows are in the order of their ids: a row's place
/// is the passage's ordinal.
pub(crate) struct Row {
    id: PassageId,
    line: Line,
    language: Language,
    /// Digest of the index text.
    pub(crate) text: Digest,
}

/// A line of the file.
#[derive(Clone)]
struct Line {
    number: usize,
    bytes: Range<usize>,
}

impl Input {
    /// Reads the chunk artifact once and sorts its passages.
    pub(crate) fn read(artifact: Artifact) -> Result<Self, IndexError> {
        let path = artifact.file(PASSAGES_FILE)?;
        let map = Map::open(&path)?;
        let lines = lines(map.bytes());
        let mut rows: Vec<Row> = lines
            .into_par_iter()
            .map(|line| Row::read(line, &map, &path))
            .collect::<Result<_, _>>()?;
        rows.par_sort_unstable_by(|a, b| a.id.cmp(&b.id));
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(IndexError::DuplicatePassage {
                id: pair[0].id.clone(),
            });
        }
        if u32::try_from(rows.len()).is_err() {
            return Err(IndexError::TooManyPassages { passages: rows.len() });
        }
        Ok(Self {
            _artifact: artifact,
            map,
            path,
            rows,
        })
    }

    /// The rows, by ordinal.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Digest over ids, languages and index texts in order.
    pub(crate) fn content(&self) -> Digest {
        let mut parts = Vec::with_capacity(self.rows.len() * 64);
        for row in &self.rows {
            parts.extend_from_slice(row.id.to_string().as_bytes());
            parts.push(b' ');
            parts.extend_from_slice(row.language.code().as_bytes());
            parts.extend_from_slice(&row.text.0);
        }
        Digest::of(&parts)
    }

    /// The passages with the ordinals `range`, in order.
    pub(crate) fn passages(&self, range: Range<usize>) -> Result<Vec<Passage>, IndexError> {
        self.rows[range]
            .par_iter()
            .map(|row| row.line.parse(&self.map, &self.path))
            .collect()
    }
}

impl Row {
    fn read(line: Line, map: &Map, path: &Path) -> Result<Self, IndexError> {
        let passage = line.parse(map, path)?;
        Ok(Self {
            text: Digest::of(passage.index_text().as_bytes()),
            language: passage.language,
            id: passage.id,
            line,
        })
    }
}

impl Line {
    fn parse(&self, map: &Map, path: &Path) -> Result<Passage, IndexError> {
        let parsed = serde_json::from_slice(&map.bytes()[self.bytes.clone()]);
        parsed.map_err(|source| {
            IndexError::Artifact(ArtifactError::Line {
                path: path.to_owned(),
                line: self.number,
                source,
            })
        })
    }
}

/// The lines that are not blank.
fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            lines.push(Line {
                number: index + 1,
                bytes: start..start + line.len(),
            });
        }
        start += line.len() + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use rag_core::stage;

    use super::*;
    use crate::testing::{passage, publish};

    fn read(path: &Path) -> Result<Input, IndexError> {
        Input::read(Artifact::open(path, stage::CHUNK)?)
    }

    #[test]
    fn passages_come_in_the_order_of_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chunked");
        publish(
            &path,
            &[passage("b", 10, "x"), passage("b", 2, "y"), passage("a", 0, "z")],
        );
        let input = read(&path).unwrap();
        let ids: Vec<String> = input
            .passages(0..3)
            .unwrap()
            .iter()
            .map(|p| p.id.to_string())
            .collect();
        assert_eq!(ids, ["a#0", "b#2", "b#10"]);
    }

    #[test]
    fn an_id_given_twice_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chunked");
        publish(&path, &[passage("a", 0, "x"), passage("a", 0, "y")]);
        let error = read(&path).err().unwrap().to_string();
        assert!(error.contains("a#0"), "{error}");
    }

    #[test]
    fn empty_lines_are_skipped_and_counted() {
        assert_eq!(
            lines(b"a\n\n b\n").iter().map(|l| l.number).collect::<Vec<_>>(),
            [1, 3]
        );
    }
}
