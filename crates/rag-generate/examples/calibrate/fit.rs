//! Logistic regression on the sentences that compete for each answer.

use rag_eval::logistic::{self, Row};
use rag_generate::{Decision, Features};

use crate::data::Asked;

/// Weights and bias.
const SIZE: usize = 8;

/// Strength of the penalty on weights, in rows.
const RIDGE: f64 = 1.0;

/// Sentences of a question that are learned from: its best ones decide, the others are easy.
const SENTENCES: usize = 3;

/// Rounds of choosing the best sentences by the present fit and fitting to them.
const ROUNDS: usize = 4;

/// Fits the bias and weights to `sets`, each of which weighs the same; `start` gives the threshold and the
/// first choice of sentences.
pub(crate) fn fit(sets: &[&[Asked]], start: Decision) -> Decision {
    let mut decision = start;
    for _ in 0..ROUNDS {
        let rows: Vec<Row<SIZE>> = sets.iter().flat_map(|set| rows(set, &decision)).collect();
        let solved = logistic::fit(&rows, RIDGE);
        let mut weights = [0.0; SIZE - 1];
        for (weight, value) in weights.iter_mut().zip(solved) {
            *weight = value as f32;
        }
        decision = Decision {
            bias: solved[SIZE - 1] as f32,
            weights: Features::from_values(weights),
            ..decision
        };
    }
    decision
}

fn rows(set: &[Asked], decision: &Decision) -> Vec<Row<SIZE>> {
    let weight = 1000.0 / set.len().max(1) as f64;
    let mut found = Vec::new();
    for asked in set {
        let mut order: Vec<&(Features, bool)> = asked.sentences.iter().collect();
        order.sort_by(|a, b| decision.log_odds(&b.0).total_cmp(&decision.log_odds(&a.0)));
        for (features, is_right) in order.into_iter().take(SENTENCES) {
            let mut values = [1.0; SIZE];
            for (value, feature) in values.iter_mut().zip(features.values()) {
                *value = f64::from(feature);
            }
            found.push(Row {
                values,
                is_positive: *is_right && asked.answerable,
                weight,
            });
        }
    }
    found
}
