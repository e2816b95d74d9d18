//! Documents that were deleted from a store and stay out of it while their files are still there.

use rag_core::diagnostic::DIAGNOSTICS_FILE;
use rag_core::document::DOCUMENTS_FILE;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactWriter, Digest};
use rag_core::id::DocumentId;
use rag_core::stage::{self, Outcome};
use serde::Deserialize;

use crate::error::PipelineError;
use crate::state;

const FILE: &str = "deleted.json";
/// The ids of the deleted documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    ids: BTreeSet<DocumentId>,
}

#[derive(Deserialize)]
struct IdOnly {
    id: DocumentId,
}

/// True when the parse artifact at `parsed` has a document `id`.
pub(crate) fn has_document(parsed: &Path, id: &DocumentId) -> Result<bool, PipelineError> {
    let documents = Artifact::open(parsed, stage::PARSE)?;
    for document in documents.json_lines::<IdOnly>(DOCUMENTS_FILE)? {
        if document?.id == *id {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Exclusions {
    /// Reads the exclusions of the store at `root`; none when the file is not there.
    pub(crate) fn load(root: &Path) -> Result<Self, PipelineError> {
        let ids = state::read(&root.join(FILE))?.unwrap_or_default();
        Ok(Self { ids })
    }

    /// Writes the exclusions of the store at `root`.
    pub(crate) fn save(&self, root: &Path) -> Result<(), PipelineError> {
        state::write(&root.join(FILE), &self.ids)
    }

    /// Adds `id`; false when it was there.
    pub(crate) fn insert(&mut self, id: DocumentId) -> bool {
        self.ids.insert(id)
    }

    /// Removes `id`; false when it was not there.
    pub(crate) fn remove(&mut self, id: &DocumentId) -> bool {
        self.ids.remove(id)
    }

    /// Number of deleted documents.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The parse artifact to go on with: `parsed` itself, or a copy at `kept` without the deleted documents.
    pub(crate) fn apply(&self, parsed: &Path, kept: &Path) -> Result<PathBuf, PipelineError> {
        if self.ids.is_empty() {
            return Ok(parsed.to_owned());
        }
        let input = Artifact::open(parsed, stage::PARSE)?;
        let ids: Vec<&[u8]> = self.ids.iter().map(|id| id.as_str().as_bytes()).collect();
        let mut key = input.manifest().made_from.clone();
        key.inputs
            .insert("documents".to_owned(), input.manifest().key.to_string());
        key.inputs
            .insert("deleted".to_owned(), Digest::of_parts(ids).to_string());
        let is_up_to_date =
            Artifact::open(kept, stage::PARSE).is_ok_and(|old| old.manifest().key == key.digest());
        if !is_up_to_date {
            let writer = ArtifactWriter::begin(kept, key)?;
            let counts = self.copy_documents(&input, &writer.path(DOCUMENTS_FILE))?;
            fs_err::copy(input.file(DIAGNOSTICS_FILE)?, writer.path(DIAGNOSTICS_FILE))?;
            writer.publish(counts)?;
        }
        Ok(kept.to_owned())
    }

    fn copy_documents(&self, input: &Artifact, output: &Path) -> Result<Outcome, PipelineError> {
        let path = input.file(DOCUMENTS_FILE)?;
        let reader = BufReader::new(fs_err::File::open(&path)?);
        let mut writer = BufWriter::new(fs_err::File::create(output)?);
        let mut counts = Outcome::default();
        for line in reader.lines() {
            let line = line?;
            let IdOnly { id } = serde_json::from_str(&line).map_err(|error| PipelineError::DamagedStore {
                path: path.clone(),
                reason: error.to_string(),
            })?;
            if !self.ids.contains(&id) {
                counts.seen += 1;
                counts.reused += 1;
                writeln!(writer, "{line}")?;
            }
        }
        writer.flush()?;
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rag_core::artifact::StageKey;

    #[test]
    fn deleted_documents_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let parsed = folder.path().join("parsed");
        let writer = ArtifactWriter::begin(&parsed, StageKey::new(stage::PARSE, 1, &0)).unwrap();
        fs_err::write(writer.path(DOCUMENTS_FILE), "{\"id\":\"a\"}\n{\"id\":\"b\"}\n").unwrap();
        fs_err::write(writer.path(DIAGNOSTICS_FILE), "").unwrap();
        writer.publish(Outcome::default()).unwrap();

        let mut exclusions = Exclusions::load(folder.path()).unwrap();
        let kept = folder.path().join("kept");
        assert_eq!(exclusions.apply(&parsed, &kept).unwrap(), parsed);
        assert!(exclusions.insert("a".parse().unwrap()));
        exclusions.save(folder.path()).unwrap();
        let exclusions = Exclusions::load(folder.path()).unwrap();
        let kept = exclusions.apply(&parsed, &kept).unwrap();
        assert_eq!(
            fs_err::read_to_string(kept.join(DOCUMENTS_FILE)).unwrap(),
            "{\"id\":\"b\"}\n"
        );
    }
}
