//! The settings of the stage, with their defaults and why.

use rag_core::setting::{SettingError, in_range};
use serde::{Deserialize, Serialize};

use crate::error::RerankError;

/// Most candidates that can be asked for: a cross-encoder takes milliseconds for each.
const MOST_CANDIDATES: usize = 1000;

/// Most passages that can be kept.
const MOST_KEPT: usize = 10_000;

/// How candidates are reranked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How many of the best fused passages the reranker reads. Default: 30, which holds a relevant
    /// passage for nine questions in ten of SciFact.
    pub candidates: usize,
    /// How many passages are kept. Default: 5. Passages beyond the candidates follow them in their
    /// fused order when more are asked for.
    pub keep: usize,
    /// How the reranker's order and the legs' become one. Default: [`Rule::default`].
    pub combine: Rule,
    /// Puts a passage of a newer document before the version that it replaces. Default: on.
    pub newest_first: bool,
    /// Weight of relevance against likeness to passages placed before, from 0 to 1: maximal marginal
    /// relevance. Default: 1, relevance alone.
    pub diversity_weight: f32,
}

/// One order from the reranker's scores and the places that the candidates had before.
///
/// The default and its weight were chosen on SciFact's train queries. With the default models and 30 candidates
/// it takes nDCG@10 from 0.710 to 0.729 on SciFact's test queries and from 0.832 to 0.868 on HotpotQA (200);
/// `eval retrieval --mode hybrid,hybrid+rerank` prints both, for any rule that `rag.toml` names.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// The fused order as it is; nothing is read.
    Fused,
    /// The reranker's score alone.
    Replace,
    /// Reciprocal rank fusion of each leg's order and the reranker's: `Σ 1/(k + rank) + weight/(k + rank
    /// by the reranker)`, ranks from 1 (Cormack, Clarke and Büttcher 2009).
    Fuse {
        /// How many legs the reranker counts for.
        weight: f32,
        /// The constant of the formula; larger values flatten the difference between ranks.
        k: u32,
    },
    /// The sum of standard scores: what each leg and the reranker gave a candidate, less the mean over the
    /// candidates, divided by the standard deviation. A candidate that a leg did not find has its lowest.
    Standardise {
        /// How many legs the reranker counts for.
        weight: f32,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self {
            candidates: 30,
            keep: 5,
            combine: Rule::default(),
            newest_first: true,
            diversity_weight: 1.0,
        }
    }
}

impl Default for Rule {
    fn default() -> Self {
        Self::Standardise { weight: 2.0 }
    }
}

impl Config {
    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), RerankError> {
        in_range("rerank.candidates", self.candidates, 1..=MOST_CANDIDATES)?;
        in_range("rerank.keep", self.keep, 1..=MOST_KEPT)?;
        in_range("rerank.diversity_weight", self.diversity_weight, 0.0..=1.0)?;
        match self.combine {
            Rule::Fuse { weight, .. } | Rule::Standardise { weight }
                if !(weight.is_finite() && weight >= 0.0) =>
            {
                Err(SettingError::new("rerank.combine.weight", weight, "choose 0 or more").into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        assert!(Config::default().check().is_ok());
        for bad in [
            r#"{"candidates":0}"#,
            r#"{"candidates":1001}"#,
            r#"{"keep":0}"#,
            r#"{"combine":{"rule":"fuse","weight":-1.0,"k":60}}"#,
        ] {
            let config: Config = serde_json::from_str(bad).unwrap();
            assert!(config.check().is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Config>(r#"{"candidate":3}"#).is_err());
    }
}
