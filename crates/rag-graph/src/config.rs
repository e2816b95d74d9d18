//! Settings of the stage and of searches.

use serde::{Deserialize, Serialize};

use crate::error::GraphError;

/// Settings of graph searches: `[graph]` in `rag.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Longest path looked for, in edges. Beyond four, most things are connected to most others.
    pub max_hops: usize,
    /// Quotations shown per edge; all of them are counted.
    pub evidence_per_edge: usize,
    /// Share of the walk's probability that returns to where the question starts, at each step. 0.5 as in
    /// HippoRAG (Gutiérrez et al. 2024), which keeps the walk near.
    pub restart: f64,
    /// The walk goes on from a node while more than this much probability per edge waits there. Smaller is
    /// more exact and slower.
    pub tolerance: f64,
    /// Most nodes that a walk is pushed from.
    pub max_pushes: usize,
    /// Names that occur in more than this share of the readable passages start no walk and lead no path:
    /// they connect everything with everything.
    pub hub_share: f64,
    /// Communities are sought at this resolution; higher gives more and smaller ones.
    pub resolution: f64,
    /// Seed of the communities' random order.
    pub seed: u64,
    /// Views kept open, one per set of readable passages.
    pub views: usize,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            max_hops: 4,
            evidence_per_edge: 3,
            restart: 0.5,
            tolerance: 1e-5,
            max_pushes: 200_000,
            hub_share: 0.2,
            resolution: 1.0,
            seed: 7,
            views: 16,
        }
    }
}

impl SearchConfig {
    /// Refuses values that cannot work.
    pub fn check(&self) -> Result<(), GraphError> {
        let refuse = |name, reason: &str| {
            Err(GraphError::Config {
                name,
                reason: reason.to_owned(),
            })
        };
        if !(0.01..=0.99).contains(&self.restart) {
            return refuse("restart", "must lie between 0.01 and 0.99");
        }
        if !(1e-9..=0.1).contains(&self.tolerance) {
            return refuse("tolerance", "must lie between 1e-9 and 0.1");
        }
        if !(0.0..=1.0).contains(&self.hub_share) {
            return refuse("hub_share", "must lie between 0 and 1");
        }
        if !(0.01..=100.0).contains(&self.resolution) {
            return refuse("resolution", "must lie between 0.01 and 100");
        }
        if !(1..=10).contains(&self.max_hops) {
            return refuse("max_hops", "must lie between 1 and 10");
        }
        Ok(())
    }
}

/// Whether documents that a newer one supersedes count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Currency {
    /// Only documents that no readable document supersedes.
    #[default]
    Current,
    /// Superseded documents as well.
    All,
}
