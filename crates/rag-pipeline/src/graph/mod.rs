//! The graph beside the index: building it from a store's passages, searching it together with the legs, and
//! measuring it.

mod connections;
mod evaluate;
mod search;
mod settings;

use std::path::{Path, PathBuf};

use rag_core::artifact::Artifact;
use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_graph::{
    Both, DraftFile, DraftedExtractor, Extractor, Gazetteer, Graph, GraphError, RuleExtractor, Tools,
};

use crate::error::PipelineError;
use crate::settings::Settings;
use crate::store::Store;

pub use connections::{ConnectionLabel, ConnectionReport, ConnectionVerdict, evaluate_connections};
pub use evaluate::{GraphTimings, evaluate_graph};
pub use search::GraphSearch;
pub use settings::GraphSettings;

/// Where a store's graph stands.
pub fn graph_path(store: &Store) -> PathBuf {
    store.root().join("graph")
}

/// Brings the graph of `store` up to date with its passages.
pub fn build_graph(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let _lock = store.lock()?;
    let parsed = store.parsed();
    graph(
        settings,
        &store.chunked(),
        Some(&parsed),
        &graph_path(store),
        progress,
    )
}

/// The stage alone: the graph of the chunk artifact at `input`, and of what the parse artifact at `documents`
/// says of superseded documents, at `output`.
pub fn graph(
    settings: &Settings,
    input: &Path,
    documents: Option<&Path>,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let run = |extractor: &dyn Extractor| {
        let tools = Tools {
            extractor,
            documents,
            progress,
        };
        Ok(rag_graph::run(input, output, &tools)?)
    };
    let own = &settings.graph;
    let gazetteer = own
        .entities
        .as_deref()
        .map(Gazetteer::read)
        .transpose()?
        .unwrap_or_default();
    let rules = RuleExtractor::new(gazetteer);
    match &own.drafts {
        Some(drafts) => run(&Both(&rules, &DraftedExtractor::new(DraftFile::read(drafts)?))),
        None => run(&rules),
    }
}

/// Opens the graph of `store`, if it was made from the passages that the store holds now: an older one would
/// show deleted documents and withdrawn permissions.
pub fn open_graph(settings: &Settings, store: &Store) -> Result<Graph, PipelineError> {
    let path = graph_path(store);
    let passages = Artifact::open(&store.chunked(), rag_chunk::STAGE)?.manifest().key;
    if rag_graph::made_from_passages(&path)? != passages.to_string() {
        return Err(GraphError::Stale { path }.into());
    }
    Ok(Graph::open(&path, &settings.graph.search)?)
}
