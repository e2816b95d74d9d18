//! Rotary positions (Su et al. 2021): pairs of a head's numbers are turned by angles that grow with the
//! token's position.

use super::shape::{Family, Rotation};

/// Angles per position of one kind of layer.
#[derive(Debug)]
pub(super) struct Rotary {
    /// Radians per position, one per pair.
    steps: Vec<f32>,
    /// True when pairs are neighbours; else a number's partner is half a head away.
    is_interleaved: bool,
}

impl Rotary {
    /// The rotation of heads of `head_size` numbers. `factors` divide the frequencies, one per pair.
    pub(super) fn new(family: Family, head_size: usize, rotation: Rotation, factors: Option<&[f32]>) -> Self {
        let step = |pair: usize| {
            let power = (2 * pair) as f32 / head_size as f32;
            let factor = factors.and_then(|factors| factors.get(pair)).unwrap_or(&1.0);
            1.0 / (rotation.base.powf(power) * rotation.stretch * factor)
        };
        Self {
            steps: (0..head_size / 2).map(step).collect(),
            // Converters permute the queries and keys of this family so.
            is_interleaved: family == Family::Llama,
        }
    }

    /// Turns the heads of consecutive tokens, the first at `position`; a token has `token_size` numbers.
    pub(super) fn turn(&self, rows: &mut [f32], token_size: usize, position: usize) {
        let pairs = self.steps.len();
        for (row, token) in rows.chunks_exact_mut(token_size).enumerate() {
            let at = (position + row) as f32;
            let turns: Vec<(f32, f32)> = self.steps.iter().map(|step| (at * step).sin_cos()).collect();
            for head in token.chunks_exact_mut(2 * pairs) {
                for (pair, &(sine, cosine)) in turns.iter().enumerate() {
                    let (first, second) = if self.is_interleaved {
                        (2 * pair, 2 * pair + 1)
                    } else {
                        (pair, pair + pairs)
                    };
                    let (a, b) = (head[first], head[second]);
                    head[first] = a * cosine - b * sine;
                    head[second] = a * sine + b * cosine;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROTATION: Rotation = Rotation {
        base: 100.0,
        stretch: 1.0,
    };

    #[test]
    fn pairs_are_neighbours_or_half_a_head_apart() {
        for (family, expected) in [
            (Family::Llama, [0.0f32, 0.0, 1.0f32.cos(), 1.0f32.sin()]),
            (Family::Qwen2, [0.0, 0.0, -0.1f32.sin(), 0.1f32.cos()]),
        ] {
            let rotary = Rotary::new(family, 4, ROTATION, None);
            let mut rows = vec![0.0; 8];
            match family {
                Family::Llama => rows[4] = 1.0,
                _ => rows[7] = 1.0,
            }
            rotary.turn(&mut rows, 4, 0);
            let found: Vec<f32> = match family {
                Family::Llama => vec![rows[6], rows[7], rows[4], rows[5]],
                _ => vec![rows[4], rows[6], rows[5], rows[7]],
            };
            assert!(
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6),
                "{found:?}"
            );
        }
    }

    #[test]
    fn turning_keeps_lengths_and_depends_on_the_distance_alone() {
        let rotary = Rotary::new(Family::Qwen3, 8, ROTATION, None);
        let product = |query: usize, key: usize| {
            let (mut a, mut b) = (vec![0.3; 8], vec![0.7, -0.1, 0.2, 0.5, 0.1, 0.9, -0.4, 0.6]);
            rotary.turn(&mut a, 8, query);
            rotary.turn(&mut b, 8, key);
            super::super::arithmetic::dot(&a, &b)
        };
        assert!((product(7, 4) - product(103, 100)).abs() < 1e-4);
        assert!((product(7, 4) - product(7, 1)).abs() > 1e-3);
    }
}
