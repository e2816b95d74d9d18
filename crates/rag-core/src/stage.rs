//! What every stage's batch entry point returns.

use serde::{Deserialize, Serialize};

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
