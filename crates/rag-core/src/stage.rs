//! The stages' names, and what every stage's batch entry point returns.

use serde::{Deserialize, Serialize};

/// Files to documents.
pub const PARSE: &str = "parse";
/// Documents to passages.
pub const CHUNK: &str = "chunk";
/// Passages to an index generation.
pub const INDEX: &str = "index";
/// Passages to a graph.
pub const GRAPH: &str = "graph";
/// Questions to ranked passages.
pub const RETRIEVE: &str = "retrieve";
/// Ranked passages to better ranked passages.
pub const RERANK: &str = "rerank";
/// Ranked passages to the same with what stands around them.
pub const EXPAND: &str = "expand";
/// Ranked passages to answers.
pub const GENERATE: &str = "generate";

/// Counts of one run of a stage. `seen = reused + written + quarantined`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Items of the input.
    pub seen: u64,
    /// Items whose earlier result was taken over.
    pub reused: u64,
    /// Items computed in this run.
    pub written: u64,
    /// Items left out with a diagnostic.
    pub quarantined: u64,
}
