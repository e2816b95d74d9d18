//! Taking over the passages of documents that are still what they were.

use std::collections::HashMap;
use std::path::Path;

use rag_core::artifact::{Artifact, Digest, StageKey};
use rag_core::document::Document;
use rag_core::id::DocumentId;
use rag_core::passage::Passage;
use serde::{Deserialize, Serialize};

use crate::batch::{PASSAGES_FILE, SOURCES_FILE, STAGE};
use crate::chunk::Chunked;
use crate::counts::Counts;

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

/// The passages of an earlier artifact, by document.
#[derive(Default)]
pub(crate) struct Earlier(HashMap<DocumentId, (Source, Vec<Passage>)>);

impl Earlier {
    /// Reads the artifact at `path`, unless it was made with other settings or is not there or damaged:
    /// then there is nothing to take over, and everything is cut again.
    pub(crate) fn open(path: &Path, key: &StageKey) -> Self {
        Self::read(path, key).unwrap_or_default()
    }

    fn read(path: &Path, key: &StageKey) -> Option<Self> {
        let artifact = Artifact::open(path, STAGE).ok()?;
        let made_from = &artifact.manifest().made_from;
        let is_same_way = made_from.stage_version == key.stage_version
            && made_from.config == key.config
            && made_from.models == key.models;
        if !is_same_way {
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
        Some(Self(found))
    }

    /// Takes the passages of `document`, if they were made from the same, and gives them its present
    /// access list and date.
    pub(crate) fn take(&mut self, document: &Cuttable) -> Option<Chunked> {
        let id = &document.document.id;
        let is_same = self
            .0
            .get(id)
            .is_some_and(|(source, _)| source.made_from == document.made_from);
        let (source, mut passages) = self.0.remove(id).filter(|_| is_same)?;
        for passage in &mut passages {
            passage.access.clone_from(&document.document.access);
            passage.updated = document.document.updated;
        }
        Some(Chunked {
            passages,
            counts: source.counts,
        })
    }
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
