//! Logistic regression by Newton's method, on the sentences that compete for each answer.

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

struct Row {
    values: [f64; SIZE],
    is_right: f64,
    weight: f64,
}

/// Fits the bias and weights to `sets`, each of which weighs the same; `start` gives the threshold and the
/// first choice of sentences.
pub(crate) fn fit(sets: &[&[Asked]], start: Decision) -> Decision {
    let mut decision = start;
    for _ in 0..ROUNDS {
        let rows: Vec<Row> = sets.iter().flat_map(|set| rows(set, &decision)).collect();
        let solved = newton(&rows);
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

fn rows(set: &[Asked], decision: &Decision) -> Vec<Row> {
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
            let is_right = *is_right && asked.answerable;
            found.push(Row {
                values,
                is_right: if is_right { 1.0 } else { 0.0 },
                weight,
            });
        }
    }
    found
}

fn newton(rows: &[Row]) -> [f64; SIZE] {
    let mut solution = [0.0; SIZE];
    for _ in 0..30 {
        let mut gradient = [0.0; SIZE];
        let mut hessian = [[0.0; SIZE]; SIZE];
        for (index, value) in solution.iter().enumerate() {
            hessian[index][index] = RIDGE;
            gradient[index] = RIDGE * value;
        }
        for row in rows {
            let odds: f64 = row
                .values
                .iter()
                .zip(solution)
                .map(|(value, weight)| value * weight)
                .sum();
            let probability = 1.0 / (1.0 + (-odds).exp());
            let curvature = row.weight * probability * (1.0 - probability);
            for (line, value) in row.values.iter().enumerate() {
                gradient[line] += row.weight * (probability - row.is_right) * value;
                for (cell, other) in hessian[line].iter_mut().zip(row.values) {
                    *cell += curvature * value * other;
                }
            }
        }
        let step = solve(hessian, gradient);
        for (value, step) in solution.iter_mut().zip(step) {
            *value -= step;
        }
    }
    solution
}

/// Gaussian elimination; the matrix is positive definite thanks to the ridge, so no pivot is zero.
fn solve(mut matrix: [[f64; SIZE]; SIZE], mut right: [f64; SIZE]) -> [f64; SIZE] {
    for pivot in 0..SIZE {
        for row in pivot + 1..SIZE {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            for (value, above) in matrix[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for pivot in (0..SIZE).rev() {
        let known: f64 = (pivot + 1..SIZE)
            .map(|column| matrix[pivot][column] * right[column])
            .sum();
        right[pivot] = (right[pivot] - known) / matrix[pivot][pivot];
    }
    right
}
