//! The graph beside the index: building it from a store's passages, searching it together with the legs, and
//! measuring it.

mod build;
mod connections;
mod evaluate;
mod routing;
mod search;
mod settings;
mod themes;

use std::path::PathBuf;

use rag_core::artifact::Artifact;
use rag_graph::{Graph, GraphError};

use crate::error::PipelineError;
use crate::settings::Settings;
use crate::store::Store;

pub use build::{Readers, build_graph, graph, graph_cost};
pub(crate) use build::{refresh_graph, update_graph};
pub use connections::{ConnectionLabel, ConnectionReport, ConnectionVerdict, evaluate_connections};
pub use evaluate::{GraphEvaluation, GraphTimings, evaluate_graph, evaluate_labels};
pub use routing::RouteGains;
pub(crate) use routing::RoutedGraph;
pub use search::GraphSearch;
pub use settings::GraphSettings;
pub use themes::answer_themes;

/// Where a store's graph stands.
pub fn graph_path(store: &Store) -> PathBuf {
    store.root().join("graph")
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
