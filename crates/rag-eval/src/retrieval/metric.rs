//! The metrics of a ranked list, as trec_eval computes them, named as in ir-measures.
//!
//! A document is relevant when its gain is at least 1. Gains are used as they are (linear), the
//! discount of rank r is `log2(r + 1)`, and negative gains count as 0. [`Metric::AllGold`] is ours.

use std::fmt;
use std::str::FromStr;

use crate::error::EvalError;

/// A metric; `k` is how many documents from the top count, `None` all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// `nDCG@k`: discounted gain over the best possible one (Järvelin and Kekäläinen, 2002).
    Ndcg(Option<usize>),
    /// `R@k`: share of the relevant documents that are in the top k.
    Recall(usize),
    /// `P@k`: share of the top k that is relevant; a shorter list counts as filled up with irrelevant ones.
    Precision(usize),
    /// `RR`, `RR@k`: 1 / rank of the first relevant document, 0 when there is none.
    ReciprocalRank(Option<usize>),
    /// `AP`, `AP@k`: mean over the relevant documents of the precision at their ranks.
    AveragePrecision(Option<usize>),
    /// `Success@k`: 1 when a relevant document is in the top k.
    Success(usize),
    /// `AllGold@k`: 1 when every relevant document is in the top k.
    AllGold(usize),
}

/// The metrics reported when none are asked for.
pub fn default_metrics() -> Vec<Metric> {
    vec![
        Metric::Ndcg(Some(10)),
        Metric::Recall(10),
        Metric::Recall(30),
        Metric::Recall(100),
        Metric::ReciprocalRank(Some(10)),
        Metric::AveragePrecision(None),
        Metric::Success(1),
        Metric::Success(3),
        Metric::Success(5),
        Metric::AllGold(5),
    ]
}

/// What a metric looks at: the gain of each retrieved document, and the gains there were to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    /// Gain of each retrieved document, best ranked first; 0 for one that was not judged.
    retrieved: Vec<u32>,
    /// The positive gains of the query's judgements, greatest first.
    ideal: Vec<u32>,
}

impl Judged {
    pub(super) fn new(
        retrieved: impl IntoIterator<Item = i32>,
        judged: impl IntoIterator<Item = i32>,
    ) -> Self {
        let positive = |gain: i32| gain.max(0).unsigned_abs();
        let mut ideal: Vec<u32> = judged
            .into_iter()
            .map(positive)
            .filter(|&gain| gain > 0)
            .collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            retrieved: retrieved.into_iter().map(positive).collect(),
            ideal,
        }
    }

    fn top(&self, k: Option<usize>) -> &[u32] {
        let length = self.retrieved.len();
        &self.retrieved[..k.unwrap_or(length).min(length)]
    }

    fn relevant_in_top(&self, k: usize) -> usize {
        self.top(Some(k)).iter().filter(|&&gain| gain > 0).count()
    }
}

impl Metric {
    /// The value for one query, or `None` when the query has no relevant document: there is then
    /// nothing to measure.
    pub(super) fn value(self, judged: &Judged) -> Option<f64> {
        let relevant = judged.ideal.len();
        if relevant == 0 {
            return None;
        }
        let one_if = |holds: bool| if holds { 1.0 } else { 0.0 };
        Some(match self {
            Self::Ndcg(k) => {
                let ideal = &judged.ideal[..k.unwrap_or(relevant).min(relevant)];
                discounted_gain(judged.top(k)) / discounted_gain(ideal)
            }
            Self::Recall(k) => judged.relevant_in_top(k) as f64 / relevant as f64,
            Self::Precision(k) => judged.relevant_in_top(k) as f64 / k as f64,
            Self::ReciprocalRank(k) => {
                let first = judged.top(k).iter().position(|&gain| gain > 0);
                first.map_or(0.0, |index| 1.0 / (index + 1) as f64)
            }
            Self::AveragePrecision(k) => precision_sum(judged.top(k)) / relevant as f64,
            Self::Success(k) => one_if(judged.relevant_in_top(k) > 0),
            Self::AllGold(k) => one_if(judged.relevant_in_top(k) == relevant),
        })
    }
}

fn discounted_gain(gains: &[u32]) -> f64 {
    let discounted = |(index, &gain): (usize, &u32)| f64::from(gain) / ((index + 2) as f64).log2();
    gains.iter().enumerate().map(discounted).sum()
}

/// Sum of the precision at each relevant document's rank.
fn precision_sum(gains: &[u32]) -> f64 {
    let mut found = 0u32;
    let mut sum = 0.0;
    for (index, _) in gains.iter().enumerate().filter(|&(_, &gain)| gain > 0) {
        found += 1;
        sum += f64::from(found) / (index + 1) as f64;
    }
    sum
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, k) = match *self {
            Self::Ndcg(k) => ("nDCG", k),
            Self::Recall(k) => ("R", Some(k)),
            Self::Precision(k) => ("P", Some(k)),
            Self::ReciprocalRank(k) => ("RR", k),
            Self::AveragePrecision(k) => ("AP", k),
            Self::Success(k) => ("Success", Some(k)),
            Self::AllGold(k) => ("AllGold", Some(k)),
        };
        match k {
            Some(k) => write!(f, "{name}@{k}"),
            None => f.write_str(name),
        }
    }
}

impl FromStr for Metric {
    type Err = EvalError;

    /// Reads a name as [`Metric`] is written, such as `nDCG@10` or `AP`, or as ir-measures also takes it:
    /// `NDCG`, `MAP`, `MRR`, `Recall`, `Precision`.
    fn from_str(name: &str) -> Result<Self, EvalError> {
        let refused = || EvalError::Metric {
            name: name.to_owned(),
        };
        let (family, k) = match name.split_once('@') {
            Some((family, k)) => (
                family,
                Some(k.parse().ok().filter(|&k| k > 0).ok_or_else(refused)?),
            ),
            None => (name, None),
        };
        match (family, k) {
            ("nDCG" | "NDCG", k) => Ok(Self::Ndcg(k)),
            ("RR" | "MRR", k) => Ok(Self::ReciprocalRank(k)),
            ("AP" | "MAP", k) => Ok(Self::AveragePrecision(k)),
            ("R" | "Recall", Some(k)) => Ok(Self::Recall(k)),
            ("P" | "Precision", Some(k)) => Ok(Self::Precision(k)),
            ("Success", Some(k)) => Ok(Self::Success(k)),
            ("AllGold", Some(k)) => Ok(Self::AllGold(k)),
            _ => Err(refused()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Retrieved gains 0, 2, 0, 1; judged 2, 1, 1 and an irrelevant one.
    fn sample() -> Judged {
        Judged::new([0, 2, 0, 1], [1, 0, 2, 1])
    }

    #[test]
    fn values_agree_with_those_computed_by_hand() {
        // DCG = 2/log2(3) + 1/log2(5) = 1.692536; ideal = 2 + 1/log2(3) + 1/2 = 3.130930.
        let cases = [
            ("nDCG", 0.540_586),
            ("nDCG@10", 0.540_586),
            // 2/log2(3) = 1.261860 over 2 + 1/log2(3) = 2.630930.
            ("nDCG@2", 0.479_625),
            ("R@1", 0.0),
            ("R@2", 1.0 / 3.0),
            ("R@100", 2.0 / 3.0),
            ("P@2", 0.5),
            ("P@10", 0.2),
            ("RR", 0.5),
            ("RR@1", 0.0),
            ("AP", (1.0 / 2.0 + 2.0 / 4.0) / 3.0),
            ("AP@3", (1.0 / 2.0) / 3.0),
            ("Success@1", 0.0),
            ("Success@2", 1.0),
            ("AllGold@10", 0.0),
        ];
        for (name, expected) in cases {
            let metric: Metric = name.parse().unwrap();
            let value = metric.value(&sample()).unwrap();
            assert!((value - expected).abs() < 1e-6, "{name}: {value} != {expected}");
            assert_eq!(metric.to_string(), name);
        }
    }

    #[test]
    fn all_gold_needs_every_relevant_document() {
        let judged = Judged::new([1, 0, 1], [1, 1]);
        assert_eq!(Metric::AllGold(2).value(&judged), Some(0.0));
        assert_eq!(Metric::AllGold(3).value(&judged), Some(1.0));
    }

    #[test]
    fn a_query_without_relevant_documents_has_no_value() {
        let judged = Judged::new([0, 0], [0, -1]);
        for metric in default_metrics() {
            assert_eq!(metric.value(&judged), None, "{metric}");
        }
    }

    #[test]
    fn an_empty_list_scores_nothing() {
        for metric in default_metrics() {
            assert_eq!(metric.value(&Judged::new([], [1])), Some(0.0), "{metric}");
        }
    }

    #[test]
    fn names_that_ir_measures_also_takes_are_read() {
        for (name, written) in [
            ("NDCG@5", "nDCG@5"),
            ("MAP", "AP"),
            ("MRR@10", "RR@10"),
            ("Recall@3", "R@3"),
        ] {
            assert_eq!(name.parse::<Metric>().unwrap().to_string(), written);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["ndcg@10", "R", "R@0", "RR@x", "F1", "nDCG@10@3", ""] {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn values_lie_between_0_and_1(retrieved in prop::collection::vec(0i32..4, 0..20), more in prop::collection::vec(0i32..4, 0..20)) {
            // Everything retrieved is judged, as in any run and its qrels.
            let judged = Judged::new(retrieved.clone(), retrieved.into_iter().chain(more));
            for metric in default_metrics() {
                if let Some(value) = metric.value(&judged) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{}: {}", metric, value);
                }
            }
        }
    }
}
