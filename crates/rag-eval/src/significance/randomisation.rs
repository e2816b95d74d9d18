//! The paired randomisation test: how often chance alone would make a difference this large.
//!
//! If the two systems were alike, each question's two values could as well be swapped. The test counts
//! the swaps whose mean difference is at least as far from 0 as the observed one (Fisher, 1935; for
//! retrieval Smucker, Allan and Carterette, 2007).

use rag_core::random::Random;

/// Up to this many differing pairs every swap is looked at: 2^20 sums.
const MAX_EXACT: usize = 20;

/// Sums that differ by less than this share of all differences are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// The two-sided p-value, and whether every swap was looked at. `None` without pairs.
///
/// Pairs that tie change no sum and are left aside. With at most [`MAX_EXACT`] others p is exact; else
/// it is `(b + 1) / (samples + 1)` for the `b` random swaps that reach the observed sum, so never 0.
pub(super) fn two_sided_p(differences: &[f64], samples: u32, seed: u64) -> Option<(f64, bool)> {
    if differences.is_empty() {
        return None;
    }
    let sizes: Vec<f64> = differences
        .iter()
        .map(|d| d.abs())
        .filter(|&size| size > 0.0)
        .collect();
    let slack = ROUNDING * sizes.iter().sum::<f64>();
    let least = differences.iter().sum::<f64>().abs() - slack;
    Some(if sizes.len() <= MAX_EXACT {
        (exact(&sizes, least), true)
    } else {
        (sampled(&sizes, least, samples, seed), false)
    })
}

/// The share of all signs of `sizes` whose sum is at least `least` away from 0.
fn exact(sizes: &[f64], least: f64) -> f64 {
    // Sums of both halves, so that each total is one addition and rounding does not pile up.
    let (low, high) = sizes.split_at(sizes.len() / 2);
    let (low, high) = (signed_sums(low), signed_sums(high));
    let reaching = low
        .iter()
        .map(|a| high.iter().filter(|&b| (a + b).abs() >= least).count());
    reaching.sum::<usize>() as f64 / (low.len() * high.len()) as f64
}

/// The sums of `sizes` under each choice of signs.
fn signed_sums(sizes: &[f64]) -> Vec<f64> {
    sizes.iter().fold(vec![0.0], |sums, size| {
        sums.iter().flat_map(|sum| [sum - size, sum + size]).collect()
    })
}

fn sampled(sizes: &[f64], least: f64, samples: u32, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let mut reaching = 0u32;
    for _ in 0..samples {
        let mut sum = 0.0;
        for block in sizes.chunks(64) {
            let mut signs = random.bits();
            for size in block {
                sum += if signs & 1 == 0 { *size } else { -size };
                signs >>= 1;
            }
        }
        reaching += u32::from(sum.abs() >= least);
    }
    f64::from(reaching + 1) / f64::from(samples + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact_p(differences: &[f64]) -> f64 {
        let (p, is_exact) = two_sided_p(differences, 10, 0).unwrap();
        assert!(is_exact);
        p
    }

    #[test]
    fn exact_values_are_those_of_scipy() {
        // scipy 1.17.1: permutation_test((b, a), lambda b, a: np.mean(b - a),
        // permutation_type="samples", n_resamples=np.inf).pvalue
        let cases: [(&[f64], f64); 3] = [
            (&[0.1, -0.2, 0.3, 0.4, 0.05, -0.15, 0.25, 0.6], 0.140_625),
            (
                &[0.0, 0.5, 0.5, 0.0, -0.25, 0.75, 0.5, 0.0, 0.25, -0.5],
                0.265_625,
            ),
            (
                &[
                    0.013, -0.002, 0.4, 0.11, -0.07, 0.09, 0.31, -0.22, 0.005, 0.18, 0.27, -0.033, 0.081,
                    0.142,
                ],
                0.058_105_468_75,
            ),
        ];
        for (differences, expected) in cases {
            assert!(
                (exact_p(differences) - expected).abs() < 1e-12,
                "{differences:?}: {}",
                exact_p(differences)
            );
        }
    }

    #[test]
    fn edges() {
        assert_eq!(two_sided_p(&[], 10, 0), None);
        assert_eq!(exact_p(&[0.0, 0.0]), 1.0);
        assert_eq!(exact_p(&[0.3]), 1.0);
        assert_eq!(exact_p(&[0.1; 10]), 2.0 / 1024.0);
        // Equal but for rounding: 0.1 + 0.2 against 0.3.
        assert_eq!(exact_p(&[0.1, 0.2, -0.3]), 1.0);
        // More than twenty differing pairs are sampled, and p is never 0.
        assert_eq!(two_sided_p(&[1.0; 40], 999, 0), Some((0.001, false)));
    }

    #[test]
    fn sampling_comes_close_to_the_exact_value() {
        let differences: Vec<f64> = (0..18)
            .map(|n| f64::from(n % 5) * 0.1 - 0.13 + f64::from(n) * 0.005)
            .collect();
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let least = differences.iter().sum::<f64>().abs() - 1e-12;
        let (exact, sampled) = (exact(&sizes, least), sampled(&sizes, least, 20_000, 3));
        assert!((exact - sampled).abs() < 0.01, "{exact} {sampled}");
    }

    proptest! {
        #[test]
        fn p_is_a_probability_that_ignores_order_and_direction(mut differences in prop::collection::vec(-1.0f64..1.0, 1..12)) {
            let p = exact_p(&differences);
            prop_assert!(p > 0.0 && p <= 1.0);
            differences.reverse();
            prop_assert_eq!(exact_p(&differences), p);
            for difference in &mut differences {
                *difference = -*difference;
            }
            prop_assert_eq!(exact_p(&differences), p);
        }
    }
}
