//! The stage as a batch: one artifact in, one artifact out, unchanged documents taken over.

use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactWriter, StageKey, already_done};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::progress::{Progress, Unit};
use rag_core::stage::{self, Outcome};
use rayon::prelude::*;

use crate::chunk::{Chunked, chunk_document};
use crate::config::{Config, ContextLine};
use crate::counts::Counts;
use crate::describe::{Describer, Descriptions};
use crate::error::ChunkError;
use crate::reuse::{Cuttable, Finished};
use crate::sink::{Fate, Sink};
use crate::tokens::TokenCounter;

/// The stage's name.
pub const STAGE: &str = stage::CHUNK;

/// Raised whenever this crate cuts differently.
pub const STAGE_VERSION: u32 = 3;

/// Documents cut at a time: enough to keep every core busy, few enough to lose to a kill.
const BATCH: usize = 64;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// Counts tokens as the embedder does.
    pub counter: &'t dyn TokenCounter,
    /// Names the tokenizer behind `counter` by its digest; part of the artifact's key.
    pub counter_identity: &'t str,
    /// Describes passages; needed for [`ContextLine::Described`], not asked otherwise.
    pub describer: Option<&'t dyn Describer>,
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
/// present access list and date; so does one that a killed run had finished. Documents that cannot be
/// cut are left out with a diagnostic.
pub fn run(config: &Config, input: &Path, output: &Path, tools: &Tools<'_>) -> Result<Outcome, ChunkError> {
    config.check()?;
    let documents = Artifact::open(input, stage::PARSE)?;
    let describer = describer(config, tools)?;
    let mut key = StageKey::new(STAGE, STAGE_VERSION, config)
        .input("documents", &documents.manifest().key)
        .model("tokenizer", tools.counter_identity);
    if let Some(describer) = describer {
        key = key.model("describer", &describer.name());
    }
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        tools.progress.note("chunk: nothing changed, kept the passages");
        return Ok(outcome);
    }
    let mut finished = Finished::open(tools.previous.unwrap_or(output), output, &key)?;
    let mut descriptions = describer
        .map(|describer| Descriptions::open(describer, output, tools.progress))
        .transpose()?;
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
        for (document, mut fate) in cut_batch(batch, config, tools.counter, &mut finished) {
            if let Some(descriptions) = &mut descriptions {
                descriptions.of_fate(&document.document, &mut fate, config, tools.counter)?;
            }
            if let Fate::Cut(chunked) = &fate {
                finished.record(&document, chunked)?;
            }
            sink.write(&document, fate)?;
        }
        tools.progress.advance(STAGE, count);
    }
    tools.progress.finish(STAGE);
    let (outcome, counts) = sink.finish()?;
    report(counts, tools.progress);
    writer.timing("cut", started.elapsed().as_secs_f64() * 1e3);
    writer.publish(outcome)?;
    finished.close()?;
    descriptions.map(Descriptions::close).transpose()?;
    Ok(outcome)
}

/// Who describes passages, if they are to be described.
fn describer<'t>(config: &Config, tools: &Tools<'t>) -> Result<Option<&'t dyn Describer>, ChunkError> {
    match (config.context, tools.describer) {
        (ContextLine::Described, None) => Err(ChunkError::NoDescriber),
        (ContextLine::Described, describer) => Ok(describer),
        _ => Ok(None),
    }
}

/// Cuts documents side by side and returns them in their order.
fn cut_batch(
    batch: Vec<Document>,
    config: &Config,
    counter: &dyn TokenCounter,
    finished: &mut Finished,
) -> Vec<(Cuttable, Fate)> {
    let known: Vec<(Cuttable, Option<Chunked>)> = batch
        .into_iter()
        .map(|document| {
            let document = Cuttable::new(document);
            let chunked = finished.take(&document);
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
