//! The settings of the stage, with their defaults and why.

use serde::{Deserialize, Serialize};

use crate::error::RerankError;

/// Most candidates that can be asked for: a cross-encoder takes milliseconds for each.
const MOST_CANDIDATES: usize = 1000;

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
}

/// One order from the reranker's scores and the places that the candidates had before.
///
/// Chosen on SciFact's train queries, checked on its test queries and on HotpotQA (200), nDCG@10 with the
/// default models and 30 candidates: fused order 0.728, 0.715, 0.834; [`Rule::Replace`] 0.737, 0.715, 0.874;
/// [`Rule::Fuse`] with weight 2 and k = 60 0.746, 0.726, 0.860; [`Rule::Standardise`] with weight 2
/// 0.762, 0.732, 0.868.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
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
        let refuse = |name, value: String, allowed| Err(RerankError::Setting { name, value, allowed });
        if !(1..=MOST_CANDIDATES).contains(&self.candidates) {
            return refuse(
                "candidates",
                self.candidates.to_string(),
                "choose a value from 1 to 1000",
            );
        }
        if self.keep == 0 {
            return refuse("keep", self.keep.to_string(), "choose at least 1");
        }
        match self.combine {
            Rule::Fuse { weight, .. } | Rule::Standardise { weight }
                if !(weight.is_finite() && weight >= 0.0) =>
            {
                refuse("combine.weight", weight.to_string(), "choose 0 or more")
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
