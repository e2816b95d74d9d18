//! Between which values the mean difference lies: the bootstrap's percentile interval.

use rag_core::random::Random;
use serde::{Deserialize, Serialize};

use super::pairs::mean;

/// Told apart from the randomisation test's numbers, which have the same seed.
const STREAM: u64 = 0x626F_6F74;

/// An interval of a mean difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The interval that holds the share `1 - alpha` of the means of `samples` resamples with replacement
/// (Efron, 1979). `None` for fewer than two differences or without samples.
pub(super) fn interval(differences: &[f64], samples: u32, alpha: f64, seed: u64) -> Option<Interval> {
    if differences.len() < 2 || samples == 0 {
        return None;
    }
    let mut random = Random::new(seed ^ STREAM);
    let mut resample = vec![0.0; differences.len()];
    let mut means: Vec<f64> = (0..samples)
        .filter_map(|_| {
            resample.fill_with(|| differences[random.below(differences.len())]);
            mean(&resample)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some(Interval {
        low: quantile(&means, alpha / 2.0),
        high: quantile(&means, 1.0 - alpha / 2.0),
    })
}

/// The value below which the share `q` of `sorted` lies, between two neighbours in proportion.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        for (q, expected) in [(0.0, 1.0), (0.5, 2.5), (0.25, 1.75), (1.0, 4.0)] {
            assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], q), expected);
        }
    }

    #[test]
    fn the_interval_comes_close_to_scipys() {
        // scipy 1.17.1: bootstrap((d,), np.mean, method="percentile", n_resamples=200_000)
        let differences: Vec<f64> = (0..50).map(|n| f64::from(n * 37 % 50) / 100.0 - 0.2).collect();
        let interval = interval(&differences, 20_000, 0.05, 1).unwrap();
        assert!((interval.low - 0.0048).abs() < 0.002, "{interval:?}");
        assert!((interval.high - 0.0848).abs() < 0.002, "{interval:?}");
    }

    #[test]
    fn too_little_has_no_interval() {
        for differences in [&[][..], &[0.1]] {
            assert_eq!(interval(differences, 100, 0.05, 0), None);
        }
        assert_eq!(interval(&[0.1, 0.2], 0, 0.05, 0), None);
    }

    proptest! {
        #[test]
        fn the_interval_lies_within_the_differences(differences in prop::collection::vec(-1.0f64..1.0, 2..30), seed: u64) {
            let found = interval(&differences, 200, 0.05, seed).unwrap();
            let least = differences.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(least - 1e-12 <= found.low && found.low <= found.high && found.high <= greatest + 1e-12);
            prop_assert_eq!(interval(&differences, 200, 0.05, seed), Some(found));
        }
    }
}
