//! The `[graph]` table of `rag.toml`.

use std::path::PathBuf;

use rag_graph::SearchConfig;
use serde::{Deserialize, Serialize};

/// Settings of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphSettings {
    /// Names that are known beforehand (`entities.toml`). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<PathBuf>,
    /// Answers that a language model gave about passages, to be checked against them. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drafts: Option<PathBuf>,
    /// Passages of the other legs that a walk starts from. Default: 5.
    pub seeds: usize,
    /// Passages that the walk brings to the fusion. Default: 30, as many as the reranker reads.
    pub candidates: usize,
    /// Settings of searches.
    pub search: SearchConfig,
}

impl Default for GraphSettings {
    fn default() -> Self {
        Self {
            entities: None,
            drafts: None,
            seeds: 5,
            candidates: 30,
            search: SearchConfig::default(),
        }
    }
}
