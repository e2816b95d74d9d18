//! The ingest row: files to documents to passages to an index generation, each step skipped when its
//! result is already there.

use std::path::Path;

use rag_core::artifact::Artifact;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::id::DocumentId;
use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_parse::{Runtime, WorkerCommand};
use serde::Serialize;

use crate::error::PipelineError;
use crate::exclusions::{Exclusions, has_document};
use crate::graph::update_graph;
use crate::settings::Settings;
use crate::stages::{chunk, parse_runtime};
use crate::store::Store;

/// What an ingest did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct IngestReport {
    /// Counts of the parse stage, by file.
    pub documents: Outcome,
    /// Counts of the chunk stage, by document.
    pub passages: Outcome,
    /// Counts of the index stage, by passage: `reused` kept their vector, `written` were embedded.
    pub vectors: Outcome,
    /// Counts of the graph stage, by passage, where the store has a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Outcome>,
    /// Documents left out because they were deleted from the store.
    pub deleted: usize,
    /// What went wrong with documents.
    pub diagnostics: Vec<Diagnostic>,
}

/// Brings `store` up to date with the folder `source`.
///
/// Files are read in processes started by `worker`, or in this process when there is none. A run that is
/// killed at any moment leaves the store answering as before, and the next run does only what is left.
pub fn ingest(
    settings: &Settings,
    source: &Path,
    store: &Store,
    worker: Option<WorkerCommand>,
    progress: &dyn Progress,
) -> Result<IngestReport, PipelineError> {
    let _lock = store.lock()?;
    store.remove_remains()?;
    store.hold_default_access(&settings.parse.default_access)?;
    refuse_emptied(source, store)?;
    let runtime = Runtime {
        state_dir: Some(store.work()),
        exclude: vec![store.root().to_owned()],
        ..parse_runtime(settings, worker)?
    };
    let documents = rag_parse::run(&settings.parse, source, &store.parsed(), &runtime, progress)?;
    let mut report = index_documents(settings, store, progress)?;
    report.documents = documents;
    report.diagnostics = Artifact::open(&store.parsed(), rag_parse::STAGE)?
        .json_lines(DIAGNOSTICS_FILE)?
        .collect::<Result<_, _>>()?;
    Ok(report)
}

/// A folder that lost all its files is more often a lost mount than a wish.
fn refuse_emptied(source: &Path, store: &Store) -> Result<(), PipelineError> {
    let parsed = Artifact::open(&store.parsed(), rag_parse::STAGE);
    let documents = parsed.map_or(0, |parsed| parsed.manifest().counts.seen);
    if documents > 0 && fs_err::read_dir(source)?.next().is_none() {
        return Err(PipelineError::Emptied {
            source_folder: source.to_owned(),
            store: store.root().to_owned(),
            documents,
        });
    }
    Ok(())
}

/// Takes a document out of the store. It stays out until [`restore`], whatever is ingested.
pub fn delete(
    settings: &Settings,
    store: &Store,
    id: &DocumentId,
    progress: &dyn Progress,
) -> Result<(), PipelineError> {
    let _lock = store.lock()?;
    let mut exclusions = Exclusions::load(store.root())?;
    if !has_document(&store.parsed(), id)? || !exclusions.insert(id.clone()) {
        return Err(PipelineError::NoDocument { id: id.to_string() });
    }
    exclusions.save(store.root())?;
    index_documents(settings, store, progress).map(|_| ())
}

/// Takes the deletion of a document back.
pub fn restore(
    settings: &Settings,
    store: &Store,
    id: &DocumentId,
    progress: &dyn Progress,
) -> Result<(), PipelineError> {
    let _lock = store.lock()?;
    let mut exclusions = Exclusions::load(store.root())?;
    if !exclusions.remove(id) {
        return Err(PipelineError::NotDeleted { id: id.to_string() });
    }
    exclusions.save(store.root())?;
    index_documents(settings, store, progress).map(|_| ())
}

/// From the parsed documents on: leaves deleted ones out, chunks, indexes, switches the store over, and brings its graph
/// up to date, if it has one.
fn index_documents(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<IngestReport, PipelineError> {
    let exclusions = Exclusions::load(store.root())?;
    let documents = exclusions.apply(&store.parsed(), &store.kept())?;
    let passages = chunk(settings, &documents, &store.chunked(), progress)?;
    let vectors = index_store(settings, store, progress)?;
    Ok(IngestReport {
        passages,
        vectors,
        graph: update_graph(settings, store, progress)?,
        deleted: exclusions.len(),
        ..IngestReport::default()
    })
}

/// Indexes the store's passages into a generation named by its key, and answers from it from then on.
pub(crate) fn index_store(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let chunked = store.chunked();
    let embedder = settings.models.open_for_ingest(&chunked, progress)?;
    let passages = Artifact::open(&chunked, rag_chunk::STAGE)?.manifest().key;
    let name = rag_index::stage_key(&settings.index, passages, embedder.identity())
        .digest()
        .short();
    let previous: Vec<_> = store.current()?.into_iter().collect();
    let tools = rag_index::Tools {
        embedder: embedder.as_ref(),
        previous: &previous,
        journal: &store.work().join("vectors.journal"),
        progress,
    };
    let outcome = rag_index::run(&settings.index, &chunked, &store.generation(&name), &tools)?;
    store.switch_to(&name)?;
    Ok(outcome)
}
