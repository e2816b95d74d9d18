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
    /// Let the language model of the settings say what passages state; believed as far as they bear it out. `drafts`
    /// take its place. Default: false.
    pub model: bool,
    /// Walk along the graph when a question is asked of whose sort `graph eval` measured a gain on the store. Default:
    /// true; without such a measurement nothing is walked.
    pub ask: bool,
    /// Passages of the other legs that a walk starts from. Default: 3; with 5, fewer questions of
    /// HotpotQA had both their passages among the first five.
    pub seeds: usize,
    /// Passages of the walk that take part in the fusion. Default: 100.
    pub candidates: usize,
    /// Passages of the walk that the reranker reads beside those of the other legs. Default: 10.
    pub reranked: usize,
    /// How many legs the walk counts for. Default: 2, as the reranker does.
    pub weight: f32,
    /// Settings of searches.
    pub search: SearchConfig,
}

impl Default for GraphSettings {
    fn default() -> Self {
        Self {
            entities: None,
            drafts: None,
            model: false,
            ask: true,
            seeds: 3,
            candidates: 100,
            reranked: 10,
            weight: 2.0,
            search: SearchConfig::default(),
        }
    }
}
