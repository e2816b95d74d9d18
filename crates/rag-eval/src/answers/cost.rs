//! What answers cost: time per step and tokens, over a set of questions.

use std::collections::BTreeMap;

use rag_core::answer::Answer;
use serde::{Deserialize, Serialize};

/// How a quantity is spread over the questions that have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of questions that have it.
    pub count: usize,
    /// Sum.
    pub total: f64,
    /// Mean.
    pub mean: f64,
    /// The smallest value that half of the questions do not exceed.
    pub median: f64,
    /// The smallest value that 95 % of the questions do not exceed.
    pub p95: f64,
    /// Greatest value.
    pub max: f64,
}

/// Time and tokens of a set of answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Milliseconds by step, over the questions in which the step ran.
    pub steps_ms: BTreeMap<String, Spread>,
    /// Tokens of the context; `None` without answers.
    pub context_tokens: Option<Spread>,
    /// Tokens that a language model wrote; `None` without answers.
    pub written_tokens: Option<Spread>,
    /// Passages that the context's budget left out; `None` without answers.
    pub passages_left_out: Option<Spread>,
}

/// Sums up what `answers` cost.
pub fn costs(answers: &[Answer]) -> Costs {
    let mut steps: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (step, &milliseconds) in answers.iter().flat_map(|answer| &answer.timings_ms) {
        steps.entry(step).or_default().push(milliseconds);
    }
    let of = |quantity: fn(&Answer) -> f64| Spread::of(answers.iter().map(quantity));
    Costs {
        steps_ms: steps
            .into_iter()
            .filter_map(|(step, times)| Some((step.to_owned(), Spread::of(times)?)))
            .collect(),
        context_tokens: of(|answer| f64::from(answer.usage.context_tokens)),
        written_tokens: of(|answer| answer.usage.written_tokens as f64),
        passages_left_out: of(|answer| f64::from(answer.usage.passages_left_out)),
    }
}

impl Spread {
    /// The spread of `values`; those that are not finite are left out. `None` when none is left.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let max = *sorted.last()?;
        let count = sorted.len();
        let total: f64 = sorted.iter().sum();
        // Ranks in whole numbers, so that no rounding moves them.
        let at = |percent: usize| sorted[(count * percent).div_ceil(100).max(1) - 1];
        Some(Self {
            count,
            total,
            mean: total / count as f64,
            median: at(50),
            p95: at(95),
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::answer;
    use super::*;

    #[test]
    fn ranks_are_the_nearest_ones() {
        let spread = |n: u32| Spread::of((1..=n).map(f64::from)).unwrap();
        for (n, median, p95) in [
            (1, 1.0, 1.0),
            (2, 1.0, 2.0),
            (3, 2.0, 3.0),
            (20, 10.0, 19.0),
            (100, 50.0, 95.0),
        ] {
            assert_eq!((spread(n).median, spread(n).p95), (median, p95), "{n}");
        }
        assert_eq!((spread(4).mean, spread(4).total, spread(4).max), (2.5, 10.0, 4.0));
        assert_eq!(Spread::of([f64::NAN]), None);
    }

    #[test]
    fn a_step_is_measured_over_the_questions_in_which_it_ran() {
        let mut answers = vec![answer("a", "A.", &[]), answer("b", "B.", &[])];
        answers[0].timings_ms = BTreeMap::from([("search".to_owned(), 4.0), ("rerank".to_owned(), 9.0)]);
        answers[1].timings_ms = BTreeMap::from([("search".to_owned(), 2.0)]);
        answers[1].usage.context_tokens = 600;
        let costs = costs(&answers);
        assert_eq!(
            (costs.steps_ms["search"].mean, costs.steps_ms["rerank"].count),
            (3.0, 1)
        );
        assert_eq!(costs.context_tokens.unwrap().total, 600.0);
        assert_eq!(super::costs(&[]), Costs::default());
    }
}
