//! Logistic regression by Newton's method, for the few numbers that our decisions are fitted with.

/// Rounds of Newton's method; it settles within ten when the values are of similar size.
const ROUNDS: usize = 30;

/// One observation of `N` values; give a value that is always 1 for the bias.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<const N: usize> {
    /// What was measured.
    pub values: [f64; N],
    /// What was seen.
    pub is_positive: bool,
    /// How much it counts; 1 is once.
    pub weight: f64,
}

/// The weight of each value under which the labels of `rows` are most likely, with a penalty of `ridge` rows
/// on large weights (greater than 0, which keeps values that never vary from failing the fit).
///
/// ```
/// use rag_eval::logistic::{Row, fit};
///
/// let row = |value: f64, is_positive| Row { values: [value, 1.0], is_positive, weight: 1.0 };
/// let [slope, bias] = fit(&[row(0.0, false), row(1.0, false), row(2.0, true), row(3.0, true)], 0.1);
/// assert!(slope > 0.0 && (bias + 1.5 * slope).abs() < 0.5);
/// ```
pub fn fit<const N: usize>(rows: &[Row<N>], ridge: f64) -> [f64; N] {
    let mut solution = [0.0; N];
    for _ in 0..ROUNDS {
        let (hessian, gradient) = slopes(rows, &solution, ridge);
        let step = solve(hessian, gradient);
        for (value, step) in solution.iter_mut().zip(step) {
            *value -= step;
        }
    }
    solution
}

/// The second and the first derivative of the penalised loss at `solution`.
fn slopes<const N: usize>(rows: &[Row<N>], solution: &[f64; N], ridge: f64) -> ([[f64; N]; N], [f64; N]) {
    let mut gradient = solution.map(|value| ridge * value);
    let mut hessian = [[0.0; N]; N];
    for (index, line) in hessian.iter_mut().enumerate() {
        line[index] = ridge;
    }
    for row in rows {
        let odds: f64 = row
            .values
            .iter()
            .zip(solution)
            .map(|(value, weight)| value * weight)
            .sum();
        let probability = 1.0 / (1.0 + (-odds).exp());
        let seen = if row.is_positive { 1.0 } else { 0.0 };
        let curvature = row.weight * probability * (1.0 - probability);
        for (line, value) in row.values.iter().enumerate() {
            gradient[line] += row.weight * (probability - seen) * value;
            for (cell, other) in hessian[line].iter_mut().zip(row.values) {
                *cell += curvature * value * other;
            }
        }
    }
    (hessian, gradient)
}

/// Gaussian elimination; the matrix is positive definite thanks to the ridge, so no pivot is zero.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        for row in pivot + 1..N {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            for (value, above) in matrix[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for pivot in (0..N).rev() {
        let known: f64 = (pivot + 1..N)
            .map(|column| matrix[pivot][column] * right[column])
            .sum();
        right[pivot] = (right[pivot] - known) / matrix[pivot][pivot];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_bias_is_the_log_odds_of_the_labels() {
        let row = |is_positive, weight| Row {
            values: [1.0],
            is_positive,
            weight,
        };
        let [bias] = fit(&[row(true, 300.0), row(false, 100.0)], 1e-6);
        assert!((bias - 3.0_f64.ln()).abs() < 1e-6, "{bias}");
    }

    #[test]
    fn a_value_that_never_varies_gets_no_weight() {
        let row = |value, is_positive| Row {
            values: [value, 0.0, 1.0],
            is_positive,
            weight: 1.0,
        };
        let [slope, idle, _] = fit(&[row(0.0, false), row(1.0, true)], 1.0);
        assert!(slope > 0.0 && idle.abs() < 1e-12);
        assert_eq!(fit::<2>(&[], 1.0), [0.0, 0.0]);
    }
}
