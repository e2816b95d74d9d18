//! Settings of building and of searching a generation.

use rag_core::setting::{SettingError, in_range};
use serde::{Deserialize, Serialize};

use crate::error::IndexError;

/// Settings of the stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Passages embedded in one call. A killed run loses at most this much embedding; fewer make more
    /// calls and pad worse. 256 passages are one to three seconds of work.
    pub batch_passages: u32,
    /// The HNSW graph.
    pub graph: GraphConfig,
    /// How a generation is searched. Changing it rebuilds nothing.
    pub search: SearchConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            batch_passages: 256,
            graph: GraphConfig::default(),
            search: SearchConfig::default(),
        }
    }
}

impl Config {
    /// Checks every value against its range.
    pub(crate) fn check(&self) -> Result<(), IndexError> {
        in_range("index.batch_passages", self.batch_passages, 1..=65_536)?;
        in_range("index.graph.connections", self.graph.connections, 2..=128)?;
        in_range(
            "index.graph.ef_construction",
            self.graph.ef_construction,
            8..=4_096,
        )?;
        Ok(self.search.check()?)
    }
}

/// Settings of the HNSW graph (Malkov and Yashunin, 2018).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// Passages from which on a graph is built; smaller generations are scanned, which is exact.
    pub min_passages: u32,
    /// Neighbours of a passage in the upper layers (M); twice as many in the lowest.
    pub connections: u32,
    /// Candidates kept while a passage is inserted. More make a better graph and a slower build.
    pub ef_construction: u32,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            min_passages: 50_000,
            connections: 16,
            ef_construction: 200,
        }
    }
}

/// Settings of the two legs.
///
/// `k1` and `b` are the customary 1.2 and 0.75: against 0.9 and 0.4 they gain 0.005 to 0.024 of nDCG@10 on
/// SciFact's test split, Cranfield, Medline, SQuAD, HotpotQA, XQuAD (Arabic) and ARCD, and lose 0.002 on
/// SciFact's train split and PubMedQA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// BM25: how soon a repeated term stops adding to the score.
    pub k1: f32,
    /// BM25: how much a long passage is held back; 0 not at all, 1 in proportion to its length.
    pub b: f32,
    /// Candidates kept while the graph is searched where all passages are allowed; divided by the square of the share
    /// that is, and raised to the number of results asked for.
    pub ef: u32,
    /// Distances that the graph search computes per kept candidate, measured in units of one scanned
    /// passage. The planner scans when that is cheaper; see [`crate::Generation::dense`].
    pub graph_cost: f32,
}

/// Which passages may have a say in the score of another: those that a score is relative to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistics {
    /// All passages of the generation. Their counts are ready, and the graph serves broad filters; but how often a
    /// word occurs in passages that the asker may not read shows in the scores of those that they may.
    #[default]
    All,
    /// The passages that the asker may read, and no other: hits and scores are what they would be if the others did
    /// not exist. Document frequencies, the average length and the languages of the question's terms are counted per
    /// question, and vectors are always scanned, since the graph's paths lead over all passages.
    Readable,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            ef: 200,
            graph_cost: 40.0,
        }
    }
}

impl SearchConfig {
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        in_range("index.search.ef", self.ef, 1..=65_536)?;
        in_range("index.search.k1", self.k1, 0.0..=10.0)?;
        in_range("index.search.b", self.b, 0.0..=1.0)?;
        in_range("index.search.graph_cost", self.graph_cost, 0.0..=1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_and_named() {
        type Change = (&'static str, fn(&mut Config));
        let cases: &[Change] = &[
            ("batch_passages", |c| c.batch_passages = 0),
            ("graph.connections", |c| c.graph.connections = 1_000),
            ("graph.ef_construction", |c| c.graph.ef_construction = 0),
            ("search.k1", |c| c.search.k1 = f32::NAN),
            ("search.b", |c| c.search.b = 1.5),
            ("search.ef", |c| c.search.ef = 0),
        ];
        Config::default().check().unwrap();
        for (name, change) in cases {
            let mut config = Config::default();
            change(&mut config);
            let error = config.check().unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
