//! The arithmetic between matrix products, on rows of f32. Loops have sixteen independent lanes, which the
//! compiler turns into vector instructions.

const LANES: usize = 16;

/// a · b.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f32 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// to += from.
pub(super) fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// to += factor · from.
pub(super) fn add_scaled(to: &mut [f32], factor: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// Divides each row of `weight.len()` numbers by the root of its mean square and multiplies it by `weight`
/// (Zhang and Sennrich 2019).
pub(super) fn root_mean_square_norm(rows: &mut [f32], weight: &[f32], epsilon: f32) {
    for row in rows.chunks_exact_mut(weight.len()) {
        let mean = dot(row, row) / row.len() as f32;
        let scale = 1.0 / (mean + epsilon).sqrt();
        for (value, weight) in row.iter_mut().zip(weight) {
            *value *= scale * weight;
        }
    }
}

/// Makes scores weights that add up to 1.
pub(super) fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    let scale = 1.0 / sum;
    for score in scores {
        *score *= scale;
    }
}

/// gate = SiLU(gate) · up.
pub(super) fn silu_gate(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate *= up / (1.0 + (-*gate).exp());
    }
}

/// gate = GELU(gate) · up, in the approximation by tanh.
pub(super) fn gelu_gate(gate: &mut [f32], up: &[f32]) {
    const ROOT: f32 = 0.797_884_6;
    for (gate, up) in gate.iter_mut().zip(up) {
        let inner = ROOT * (*gate + 0.044_715 * gate.powi(3));
        *gate *= 0.5 * (1.0 + inner.tanh()) * up;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_length_are_sums_of_products() {
        for length in [0, 1, 15, 16, 17, 64, 100] {
            let a: Vec<f32> = (0..length).map(|n| n as f32).collect();
            let expected: f32 = a.iter().map(|n| n * n).sum();
            assert_eq!(dot(&a, &a), expected, "{length}");
        }
    }

    #[test]
    fn softmax_adds_up_to_one_whatever_the_size_of_scores() {
        for scores in [&[0.0, 0.0][..], &[1e30, -1e30, 0.0], &[-1e4, -1e4 + 1.0], &[5.0]] {
            let mut weights = scores.to_vec();
            softmax(&mut weights);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{weights:?}");
        }
    }

    #[test]
    fn activations_have_their_known_values() {
        for (gate, silu, gelu) in [
            (0.0, 0.0, 0.0),
            (1.0, 0.731_059, 0.841_192),
            (-2.0, -0.238_406, -0.045_402),
        ] {
            let (mut a, mut b) = ([gate], [gate]);
            silu_gate(&mut a, &[1.0]);
            gelu_gate(&mut b, &[1.0]);
            assert!(
                (a[0] - silu).abs() < 1e-5 && (b[0] - gelu).abs() < 1e-5,
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn norms_make_the_mean_square_one() {
        let mut rows = vec![3.0, 4.0, 30.0, 40.0];
        root_mean_square_norm(&mut rows, &[1.0, 2.0], 0.0);
        let expected = [0.848_528, 2.262_742, 0.848_528, 2.262_742];
        assert!(
            rows.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5),
            "{rows:?}"
        );
    }
}
