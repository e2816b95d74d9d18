//! Taking over the passages of documents that are still what they were.

use std::collections::HashMap;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactError, ArtifactKey, Digest, Journal, StageKey};
use rag_core::document::{Document, SOURCES_FILE};
use rag_core::id::DocumentId;
use rag_core::passage::{PASSAGES_FILE, Passage};
use serde::{Deserialize, Serialize};

use crate::batch::STAGE;
use crate::chunk::Chunked;
use crate::counts::Counts;
use crate::error::ChunkError;

/// A document with the digest of all in it that decides how it is cut.
pub(crate) struct Cuttable {
    pub(crate) document: Document,
    pub(crate) made_from: Digest,
}

impl Cuttable {
    pub(crate) fn new(document: Document) -> Self {
        let decisive = (
            &document.title,
            &document.source,
            &document.department,
            &document.language,
            &document.text,
            &document.blocks,
        );
        let bytes = serde_json::to_vec(&decisive).expect("documents are plain data");
        Self {
            made_from: Digest::of(&bytes),
            document,
        }
    }
}

/// Results that need not be computed again: those of an earlier artifact, and those of a run that was
/// killed.
pub(crate) struct Finished {
    earlier: HashMap<DocumentId, (Source, Vec<Passage>)>,
    /// Passages as JSON, since bincode cannot read back fields that were left out.
    journal: Journal<String>,
    /// Digest of how documents are cut, so that a journal of other settings gives nothing.
    way: ArtifactKey,
}

impl Finished {
    /// Looks into the artifact at `previous` and the journal beside `output`. An artifact that was made
    /// with other settings, or that is not there or damaged, gives nothing.
    pub(crate) fn open(previous: &Path, output: &Path, key: &StageKey) -> Result<Self, ChunkError> {
        let mut way = key.clone();
        way.inputs.clear();
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let journal = output.with_file_name(format!(".{name}.journal"));
        if let Some(parent) = journal.parent() {
            fs_err::create_dir_all(parent).map_err(ArtifactError::from)?;
        }
        Ok(Self {
            earlier: read_earlier(previous, &way).unwrap_or_default(),
            journal: Journal::open(&journal)?,
            way: way.digest(),
        })
    }

    /// Takes the passages of `document`, if they were made from the same, and gives them its present
    /// access list and date.
    pub(crate) fn take(&mut self, document: &Cuttable) -> Option<Chunked> {
        let mut chunked = self
            .take_earlier(document)
            .or_else(|| self.take_journaled(document))?;
        for passage in &mut chunked.passages {
            passage.access.clone_from(&document.document.access);
            passage.updated = document.document.updated;
        }
        Some(chunked)
    }

    fn take_earlier(&mut self, document: &Cuttable) -> Option<Chunked> {
        let (source, passages) = self.earlier.remove(&document.document.id)?;
        (source.made_from == document.made_from).then_some(Chunked {
            passages,
            counts: source.counts,
        })
    }

    fn take_journaled(&mut self, document: &Cuttable) -> Option<Chunked> {
        let key = self.journal_key(document);
        let (counts, passages) = serde_json::from_str(&self.journal.take(&key)?).ok()?;
        Some(Chunked { passages, counts })
    }

    /// Remembers what `document` became, should this run be killed.
    pub(crate) fn record(&mut self, document: &Cuttable, chunked: &Chunked) -> Result<(), ChunkError> {
        let key = self.journal_key(document);
        let line = serde_json::to_string(&(chunked.counts, &chunked.passages));
        Ok(self
            .journal
            .record(key, &line.expect("passages are plain data"))?)
    }

    /// Forgets the journal, once the artifact is published.
    pub(crate) fn close(self) -> Result<(), ChunkError> {
        Ok(self.journal.remove()?)
    }

    fn journal_key(&self, document: &Cuttable) -> Digest {
        let id = document.document.id.as_str().as_bytes();
        Digest::of_parts([self.way.0.as_slice(), id, document.made_from.0.as_slice()])
    }
}

fn read_earlier(path: &Path, way: &StageKey) -> Option<HashMap<DocumentId, (Source, Vec<Passage>)>> {
    let artifact = Artifact::open(path, STAGE).ok()?;
    let mut made_from = artifact.manifest().made_from.clone();
    made_from.inputs.clear();
    if made_from != *way {
        return None;
    }
    artifact.verify().ok()?;
    let mut passages = artifact.json_lines::<Passage>(PASSAGES_FILE).ok()?;
    let sources = artifact.json_lines::<Source>(SOURCES_FILE).ok()?;
    let mut found = HashMap::new();
    for source in sources {
        let source = source.ok()?;
        let own = passages.by_ref().take(source.counts.passages as usize);
        let own = own.collect::<Result<Vec<_>, _>>().ok()?;
        found.insert(source.document.clone(), (source, own));
    }
    Some(found)
}

/// One line of `sources.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) document: DocumentId,
    /// Digest of all in the document that decides how it is cut.
    pub(crate) made_from: Digest,
    #[serde(flatten)]
    pub(crate) counts: Counts,
}
