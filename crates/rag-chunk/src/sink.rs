//! Writing the stage's files, document by document, and counting.

use rag_core::document::SOURCES_FILE;
use std::collections::HashSet;

use rag_core::artifact::{ArtifactWriter, jsonl};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic, Severity};
use rag_core::id::DocumentId;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::stage::Outcome;

use crate::chunk::Chunked;
use crate::counts::Counts;
use crate::error::ChunkError;
use crate::reuse::{Cuttable, Source};

/// What became of a document.
pub(crate) enum Fate {
    Reused(Chunked),
    Cut(Chunked),
    Refused(ChunkError),
}

/// Writes what becomes of each document.
pub(crate) struct Sink {
    passages: jsonl::Writer<Passage>,
    sources: jsonl::Writer<Source>,
    diagnostics: jsonl::Writer<Diagnostic>,
    seen_ids: HashSet<DocumentId>,
    outcome: Outcome,
    counts: Counts,
}

impl Sink {
    pub(crate) fn create(writer: &ArtifactWriter) -> Result<Self, ChunkError> {
        Ok(Self {
            passages: writer.json_lines(PASSAGES_FILE)?,
            sources: writer.json_lines(SOURCES_FILE)?,
            diagnostics: writer.json_lines(DIAGNOSTICS_FILE)?,
            seen_ids: HashSet::new(),
            outcome: Outcome::default(),
            counts: Counts::default(),
        })
    }

    pub(crate) fn write(&mut self, document: &Cuttable, fate: Fate) -> Result<(), ChunkError> {
        self.outcome.seen += 1;
        let id = &document.document.id;
        if !self.seen_ids.insert(id.clone()) {
            let message = format!("the id {id} is already taken by another document; this one was left out");
            return self.refuse(document, "duplicate-id", message);
        }
        let chunked = match fate {
            Fate::Refused(error) => return self.refuse(document, "bad-block", error.to_string()),
            Fate::Reused(chunked) => {
                self.outcome.reused += 1;
                chunked
            }
            Fate::Cut(chunked) => {
                self.outcome.written += 1;
                chunked
            }
        };
        for passage in &chunked.passages {
            self.passages.write(passage)?;
        }
        self.counts += chunked.counts;
        if chunked.counts.lost_wholeness() {
            self.warn_of_splits(document, chunked.counts)?;
        }
        self.sources.write(&Source {
            document: id.clone(),
            made_from: document.made_from,
            counts: chunked.counts,
        })?;
        Ok(())
    }

    fn refuse(&mut self, document: &Cuttable, reason: &str, message: String) -> Result<(), ChunkError> {
        self.outcome.quarantined += 1;
        self.diagnose(document, Severity::Quarantined, reason, message)
    }

    fn warn_of_splits(&mut self, document: &Cuttable, counts: Counts) -> Result<(), ChunkError> {
        let message = format!(
            "longer than a passage may be and split: {} sentences, {} table rows; context lines shortened: {}",
            counts.split_sentences, counts.split_rows, counts.shortened_contexts
        );
        self.diagnose(document, Severity::Warning, "split", message)
    }

    fn diagnose(
        &mut self,
        document: &Cuttable,
        severity: Severity,
        reason: &str,
        message: String,
    ) -> Result<(), ChunkError> {
        Ok(self.diagnostics.write(&Diagnostic {
            source: document.document.source.clone(),
            severity,
            reason: reason.to_owned(),
            message,
        })?)
    }

    pub(crate) fn finish(self) -> Result<(Outcome, Counts), ChunkError> {
        self.passages.finish()?;
        self.sources.finish()?;
        self.diagnostics.finish()?;
        Ok((self.outcome, self.counts))
    }
}
