//! The stage as a batch: one artifact in, one artifact out, unchanged documents taken over.

use std::collections::HashSet;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactWriter, StageKey, already_done, jsonl};
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::document::Document;
use rag_core::id::DocumentId;
use rag_core::passage::Passage;
use rag_core::progress::{Progress, Unit};
use rag_core::stage::Outcome;
use rayon::prelude::*;

use crate::chunk::{Chunked, chunk_document};
use crate::config::Config;
use crate::counts::Counts;
use crate::error::ChunkError;
use crate::reuse::{Cuttable, Earlier, Source};
use crate::tokens::TokenCounter;

/// The stage's name.
pub const STAGE: &str = "chunk";

/// Raised whenever this crate cuts differently.
pub const STAGE_VERSION: u32 = 2;

/// The passages, in the order of the documents.
pub const PASSAGES_FILE: &str = "passages.jsonl";

/// One line per document: what its passages were made from, and what had to be split.
pub const SOURCES_FILE: &str = "sources.jsonl";

const DIAGNOSTICS_FILE: &str = "diagnostics.jsonl";
const PARSE_STAGE: &str = "parse";
const DOCUMENTS_FILE: &str = "documents.jsonl";

/// Documents cut at a time: enough to keep every core busy, few enough to hold in memory.
const BATCH: usize = 256;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// Counts tokens as the embedder does.
    pub counter: &'t dyn TokenCounter,
    /// Names the tokenizer behind `counter` by its digest; part of the artifact's key.
    pub counter_identity: &'t str,
    /// An earlier artifact of this stage whose unchanged documents are taken over; by default what
    /// stands at the output.
    pub previous: Option<&'t Path>,
    /// Told how far the run is.
    pub progress: &'t dyn Progress,
}

/// Cuts the documents of the artifact at `input` (stage `parse`) into the artifact at `output`.
///
/// When `output` already holds the result of the same documents, settings and tokenizer, nothing is
/// done. Otherwise a document whose text and headings are unchanged keeps its passages, with its
/// present access list and date. Documents that cannot be cut are left out with a diagnostic.
pub fn run(config: &Config, input: &Path, output: &Path, tools: &Tools<'_>) -> Result<Outcome, ChunkError> {
    config.check()?;
    let documents = Artifact::open(input, PARSE_STAGE)?;
    let key = StageKey::new(STAGE, STAGE_VERSION, config)
        .input("documents", &documents.manifest().key)
        .model("tokenizer", tools.counter_identity);
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        tools.progress.note("chunk: nothing changed, kept the passages");
        return Ok(outcome);
    }
    let mut earlier = Earlier::open(tools.previous.unwrap_or(output), &key);
    let mut writer = ArtifactWriter::begin(output, key)?;
    let started = std::time::Instant::now();
    let mut sink = Sink::create(&writer)?;
    tools
        .progress
        .start(STAGE, Some(documents.manifest().counts.seen), Unit::Items);
    let mut reader = documents.json_lines::<Document>(DOCUMENTS_FILE)?;
    loop {
        let batch: Vec<Document> = reader.by_ref().take(BATCH).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        let count = batch.len() as u64;
        for (document, cut) in cut_batch(batch, config, tools.counter, &mut earlier) {
            sink.write(&document, cut)?;
        }
        tools.progress.advance(STAGE, count);
    }
    tools.progress.finish(STAGE);
    let (outcome, counts) = sink.finish()?;
    report(counts, tools.progress);
    writer.timing("cut", started.elapsed().as_secs_f64() * 1e3);
    writer.publish(outcome)?;
    Ok(outcome)
}

/// What became of a document.
enum Fate {
    Reused(Chunked),
    Cut(Chunked),
    Refused(ChunkError),
}

/// Cuts documents side by side and returns them in their order.
fn cut_batch(
    batch: Vec<Document>,
    config: &Config,
    counter: &dyn TokenCounter,
    earlier: &mut Earlier,
) -> Vec<(Cuttable, Fate)> {
    let known: Vec<(Cuttable, Option<Chunked>)> = batch
        .into_iter()
        .map(|document| {
            let document = Cuttable::new(document);
            let chunked = earlier.take(&document);
            (document, chunked)
        })
        .collect();
    known
        .into_par_iter()
        .map(|(document, chunked)| {
            let fate = match chunked {
                Some(chunked) => Fate::Reused(chunked),
                None => match chunk_document(&document.document, config, counter) {
                    Ok(chunked) => Fate::Cut(chunked),
                    Err(error) => Fate::Refused(error),
                },
            };
            (document, fate)
        })
        .collect()
}

/// Writes what becomes of each document.
struct Sink {
    passages: jsonl::Writer<Passage>,
    sources: jsonl::Writer<Source>,
    diagnostics: jsonl::Writer<Diagnostic>,
    seen_ids: HashSet<DocumentId>,
    outcome: Outcome,
    counts: Counts,
}

impl Sink {
    fn create(writer: &ArtifactWriter) -> Result<Self, ChunkError> {
        Ok(Self {
            passages: writer.json_lines(PASSAGES_FILE)?,
            sources: writer.json_lines(SOURCES_FILE)?,
            diagnostics: writer.json_lines(DIAGNOSTICS_FILE)?,
            seen_ids: HashSet::new(),
            outcome: Outcome::default(),
            counts: Counts::default(),
        })
    }

    fn write(&mut self, document: &Cuttable, fate: Fate) -> Result<(), ChunkError> {
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

    fn finish(self) -> Result<(Outcome, Counts), ChunkError> {
        self.passages.finish()?;
        self.sources.finish()?;
        self.diagnostics.finish()?;
        Ok((self.outcome, self.counts))
    }
}

fn report(counts: Counts, progress: &dyn Progress) {
    if counts.lost_wholeness() {
        progress.note(&format!(
            "chunk: {} sentences and {} table rows were longer than a passage and split, {} context lines shortened",
            counts.split_sentences, counts.split_rows, counts.shortened_contexts
        ));
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
