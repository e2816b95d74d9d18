//! Two systems' values on the same questions: the difference, how sure it is, and what could have been seen.

use serde::{Deserialize, Serialize};

use super::bootstrap::{Interval, interval};
use super::pairs::{LeftOut, Pairs, Values, mean};
use super::randomisation::two_sided_p;

/// Most samples that are drawn, whatever is asked for.
const MAX_SAMPLES: u32 = 1_000_000;

/// Standard errors between no difference and one that a two-sided test at the level 0.05 finds with
/// probability 0.8: the normal distribution's 0.975 and 0.8 quantiles, 1.959964 + 0.841621.
const DETECTABLE_STANDARD_ERRORS: f64 = 2.801_585;

/// How comparisons are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignificanceConfig {
    /// Samples of the randomisation test (where not every swap is looked at) and of the bootstrap; at
    /// most a million are drawn. Default: 10,000, which puts a p-value of 0.05 within 0.004.
    pub samples: u32,
    /// The interval holds the share `1 - alpha` of the resamples. Default: 0.05.
    pub alpha: f64,
    /// Default: 1. The same seed gives the same figures.
    pub seed: u64,
}

impl Default for SignificanceConfig {
    fn default() -> Self {
        Self {
            samples: 10_000,
            alpha: 0.05,
            seed: 1,
        }
    }
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestMethod {
    /// Every swap was looked at.
    Exact,
    /// Random swaps were.
    Sampled,
}

/// A candidate compared with a baseline on the questions that both have a value for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Number of questions that both have a value for.
    pub pairs: usize,
    /// The questions that are in no pair.
    pub left_out: LeftOut,
    /// The baseline's mean over the pairs.
    pub baseline: Option<f64>,
    /// The candidate's mean over the pairs.
    pub candidate: Option<f64>,
    /// Candidate minus baseline.
    pub difference: Option<f64>,
    /// Bootstrap percentile interval of the difference; `None` for fewer than two pairs.
    pub interval: Option<Interval>,
    /// Two-sided p-value of the paired randomisation test.
    pub p: Option<f64>,
    /// How it was found.
    pub method: Option<TestMethod>,
    /// The p-value corrected by Holm for the comparisons that this one is read with; `None` until
    /// [`correct`](super::correct) was called.
    #[serde(default)]
    pub p_corrected: Option<f64>,
    /// Questions on which the candidate is better.
    pub wins: usize,
    /// Questions on which both are the same.
    pub ties: usize,
    /// Questions on which the candidate is worse.
    pub losses: usize,
    /// Standard deviation of the differences (n - 1); `None` for fewer than two pairs.
    pub deviation: Option<f64>,
    /// The smallest true difference that this many pairs with this deviation would show at the level
    /// 0.05 with probability 0.8, by the normal approximation; too small a figure below some 20 pairs.
    pub detectable: Option<f64>,
}

/// Compares `candidate` with `baseline`, question by question.
pub fn compare(baseline: &Values, candidate: &Values, config: &SignificanceConfig) -> Comparison {
    let pairs = Pairs::new(baseline, candidate);
    let differences = pairs.differences();
    let samples = config.samples.min(MAX_SAMPLES);
    let p = two_sided_p(&differences, samples, config.seed);
    let deviation = deviation(&differences);
    let count = |holds: fn(f64) -> bool| differences.iter().filter(|&&d| holds(d)).count();
    Comparison {
        pairs: differences.len(),
        baseline: mean(&pairs.baseline),
        candidate: mean(&pairs.candidate),
        difference: mean(&differences),
        interval: interval(&differences, samples, config.alpha, config.seed),
        p: p.map(|(p, _)| p),
        method: p.map(|(_, is_exact)| {
            if is_exact {
                TestMethod::Exact
            } else {
                TestMethod::Sampled
            }
        }),
        p_corrected: None,
        wins: count(|d| d > 0.0),
        ties: count(|d| d == 0.0),
        losses: count(|d| d < 0.0),
        deviation,
        detectable: deviation
            .map(|deviation| DETECTABLE_STANDARD_ERRORS * deviation / (differences.len() as f64).sqrt()),
        left_out: pairs.left_out,
    }
}

impl Comparison {
    /// The p-value to go by: corrected where the comparison is one of many.
    pub fn decisive_p(&self) -> Option<f64> {
        self.p_corrected.or(self.p)
    }
}

fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(all: &[f64]) -> Values {
        all.iter()
            .enumerate()
            .map(|(n, &value)| (format!("q{n:03}"), Some(value)))
            .collect()
    }

    #[test]
    fn nothing_to_compare_is_not_zero() {
        let none = compare(&Values::new(), &values(&[1.0]), &SignificanceConfig::default());
        assert_eq!((none.pairs, none.left_out.candidate_only.len()), (0, 1));
        assert_eq!((none.baseline, none.difference, none.p), (None, None, None));
        assert_eq!((none.method, none.interval, none.detectable), (None, None, None));
        let one = compare(&values(&[0.5]), &values(&[1.0]), &SignificanceConfig::default());
        assert_eq!((one.difference, one.p), (Some(0.5), Some(1.0)));
        assert_eq!((one.interval, one.deviation, one.detectable), (None, None, None));
    }

    #[test]
    fn the_detectable_difference_shrinks_with_the_root_of_the_pairs() {
        let detectable = |pairs: usize| {
            let candidate: Vec<f64> = (0..pairs).map(|n| if n % 2 == 0 { 0.1 } else { -0.1 }).collect();
            compare(
                &values(&vec![0.0; pairs]),
                &values(&candidate),
                &SignificanceConfig::default(),
            )
            .detectable
            .unwrap()
        };
        // 2.801585 x 0.1 / sqrt(100), but for n - 1.
        assert!((detectable(100) - 0.028_157).abs() < 1e-5, "{}", detectable(100));
        assert!((detectable(100) / detectable(400) - 2.0).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn the_other_way_round_is_the_negative(pairs in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0), 1..40), seed: u64) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let config = SignificanceConfig { samples: 200, seed, ..SignificanceConfig::default() };
            let there = compare(&values(&a), &values(&b), &config);
            let back = compare(&values(&b), &values(&a), &config);
            prop_assert_eq!(there.p, back.p);
            prop_assert_eq!((there.wins, there.losses), (back.losses, back.wins));
            prop_assert!((there.difference.unwrap() + back.difference.unwrap()).abs() < 1e-12);
            prop_assert_eq!(&there, &compare(&values(&a), &values(&b), &config));
        }
    }
}
