//! The questions that two systems both have a value for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Value by question id; `None` where it could not be computed.
pub type Values = BTreeMap<String, Option<f64>>;

/// Ids of the questions that are in no pair, in order. A value that is not finite counts as none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Only the baseline has a value.
    pub baseline_only: Vec<String>,
    /// Only the candidate has a value.
    pub candidate_only: Vec<String>,
    /// Neither has one.
    pub neither: Vec<String>,
}

impl LeftOut {
    /// How many questions are left out.
    pub fn len(&self) -> usize {
        self.baseline_only.len() + self.candidate_only.len() + self.neither.len()
    }

    /// True when every question is in a pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values side by side, in order of the question's id.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) baseline: Vec<f64>,
    pub(super) candidate: Vec<f64>,
    pub(super) left_out: LeftOut,
}

impl Pairs {
    pub(super) fn new(baseline: &Values, candidate: &Values) -> Self {
        let mut pairs = Self::default();
        let questions: BTreeSet<&String> = baseline.keys().chain(candidate.keys()).collect();
        for question in questions {
            match (value(baseline, question), value(candidate, question)) {
                (Some(before), Some(after)) => {
                    pairs.baseline.push(before);
                    pairs.candidate.push(after);
                }
                (Some(_), None) => pairs.left_out.baseline_only.push(question.clone()),
                (None, Some(_)) => pairs.left_out.candidate_only.push(question.clone()),
                (None, None) => pairs.left_out.neither.push(question.clone()),
            }
        }
        pairs
    }

    /// Candidate minus baseline.
    pub(super) fn differences(&self) -> Vec<f64> {
        let both = self.candidate.iter().zip(&self.baseline);
        both.map(|(after, before)| after - before).collect()
    }
}

fn value(values: &Values, question: &str) -> Option<f64> {
    values
        .get(question)
        .copied()
        .flatten()
        .filter(|value| value.is_finite())
}

/// The mean, or `None` of nothing.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_in_a_pair_or_left_out() {
        let values = |all: &[(&str, Option<f64>)]| -> Values {
            all.iter().map(|&(id, value)| (id.to_owned(), value)).collect()
        };
        let baseline = values(&[
            ("a", Some(0.5)),
            ("b", None),
            ("c", Some(1.0)),
            ("d", None),
            ("f", Some(0.0)),
        ]);
        let candidate = values(&[
            ("a", Some(0.75)),
            ("b", Some(0.0)),
            ("d", None),
            ("e", Some(0.1)),
            ("f", Some(f64::NAN)),
        ]);
        let pairs = Pairs::new(&baseline, &candidate);
        assert_eq!(pairs.differences(), [0.25]);
        assert_eq!(pairs.left_out.baseline_only, ["c", "f"]);
        assert_eq!(pairs.left_out.candidate_only, ["b", "e"]);
        assert_eq!(pairs.left_out.neither, ["d"]);
        assert_eq!(pairs.left_out.len(), 5);
    }
}
