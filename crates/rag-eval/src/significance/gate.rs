//! Whether a change may pass: the rule by which continuous integration says no.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::comparison::Comparison;

/// With fewer pairs no difference can be significant at 0.05: five that all point one way have a
/// p-value of 2 / 2^5 = 0.0625.
const MIN_PAIRS: usize = 6;

/// The rule, applied in this order:
///
/// 1. [`Incomplete`](GateVerdict::Incomplete) when the candidate has no value for a question that the
///    baseline has one for: a loss could hide there. Also when there is no pair at all, which blocks nothing.
/// 2. [`Fail`](GateVerdict::Fail) when the mean drop exceeds `max_drop` **and** p < `alpha` (the corrected
///    p where the comparison is one of many).
/// 3. [`Pass`](GateVerdict::Pass) when there are at least six pairs and the interval of the difference
///    excludes a drop greater than `max_drop`.
/// 4. [`TooFew`](GateVerdict::TooFew) otherwise: these questions are too few, or too uneven, to tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// The greatest mean drop that is let through, in the metric's unit. Default: 0.01.
    pub max_drop: f64,
    /// The level of significance. Default: 0.05.
    pub alpha: f64,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            max_drop: 0.01,
            alpha: 0.05,
        }
    }
}

/// What a [`Gate`] says of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum GateVerdict {
    /// No drop greater than allowed.
    Pass {
        /// Candidate minus baseline.
        difference: f64,
    },
    /// A significant drop greater than allowed.
    Fail {
        /// Baseline minus candidate.
        drop: f64,
        /// The p-value that decided.
        p: f64,
    },
    /// Too few questions, or too uneven ones, to tell.
    TooFew {
        /// Number of pairs.
        pairs: usize,
        /// Candidate minus baseline.
        difference: f64,
        /// The smallest difference that these pairs could show, where there are at least two.
        detectable: Option<f64>,
    },
    /// The candidate lacks values that the baseline has, or there is nothing to compare.
    Incomplete {
        /// Number of questions that only the baseline has a value for.
        lacking: usize,
    },
}

impl Gate {
    /// Applies the rule.
    pub fn judge(&self, comparison: &Comparison) -> GateVerdict {
        let lacking = comparison.left_out.baseline_only.len();
        let (Some(difference), Some(p), 0) = (comparison.difference, comparison.decisive_p(), lacking) else {
            return GateVerdict::Incomplete { lacking };
        };
        if -difference > self.max_drop && p < self.alpha {
            return GateVerdict::Fail { drop: -difference, p };
        }
        let excludes_drop = comparison
            .interval
            .is_some_and(|interval| interval.low >= -self.max_drop);
        if comparison.pairs >= MIN_PAIRS && excludes_drop {
            return GateVerdict::Pass { difference };
        }
        GateVerdict::TooFew {
            pairs: comparison.pairs,
            difference,
            detectable: comparison.detectable,
        }
    }
}

impl GateVerdict {
    /// True when the change must not go on: a failure, or values that are lacking. Too few questions to
    /// tell, or none that have a value, do not block, but are worth a warning.
    pub fn blocks(&self) -> bool {
        matches!(self, Self::Fail { .. } | Self::Incomplete { lacking: 1.. })
    }
}

impl fmt::Display for GateVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass { difference } => write!(f, "pass: difference {difference:+.4}"),
            Self::Fail { drop, p } => write!(f, "fail: significant drop of {drop:.4} (p = {p:.4})"),
            Self::TooFew {
                pairs,
                difference,
                detectable,
            } => {
                write!(f, "cannot tell: difference {difference:+.4} on {pairs} questions")?;
                match detectable {
                    // Where no two values differ, nothing says how small a difference would show.
                    Some(least) if *least > 0.0 => write!(f, ", which show differences from {least:.4}"),
                    _ => Ok(()),
                }
            }
            Self::Incomplete { lacking: 0 } => f.write_str("incomplete: there is nothing to compare"),
            Self::Incomplete { lacking } => {
                write!(
                    f,
                    "incomplete: {lacking} questions have a value only in the baseline"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SignificanceConfig, Values, compare};
    use super::*;

    fn judged(baseline: &[f64], candidate: &[Option<f64>]) -> GateVerdict {
        let values = |all: Vec<Option<f64>>| -> Values {
            all.into_iter()
                .enumerate()
                .map(|(n, value)| (format!("q{n}"), value))
                .collect()
        };
        let baseline = values(baseline.iter().map(|&value| Some(value)).collect());
        let comparison = compare(
            &baseline,
            &values(candidate.to_vec()),
            &SignificanceConfig::default(),
        );
        Gate::default().judge(&comparison)
    }

    #[test]
    fn a_drop_fails_only_when_it_is_large_and_sure() {
        let all = |value: f64, n: usize| vec![Some(value); n];
        let one_lost = |n: usize| [all(0.5, n - 1), all(0.0, 1)].concat();
        let cases = [
            ("the same", all(0.5, 10), "pass", false),
            ("better", all(0.6, 10), "pass", false),
            ("a sure small drop", all(0.495, 10), "pass", false),
            ("a sure large drop", all(0.3, 10), "fail", true),
            ("a large drop on one question", one_lost(10), "cannot tell", false),
            ("a drop on one of many", one_lost(300), "pass", false),
            ("few questions, all lost", all(0.0, 5), "cannot tell", false),
            ("few questions, the same", all(0.5, 5), "cannot tell", false),
            ("nothing", Vec::new(), "incomplete", false),
            (
                "values lacking",
                [all(0.5, 9), vec![None]].concat(),
                "incomplete",
                true,
            ),
        ];
        for (name, candidate, expected, blocks) in cases {
            let verdict = judged(&vec![0.5; candidate.len()], &candidate);
            assert!(verdict.to_string().starts_with(expected), "{name}: {verdict}");
            assert_eq!(verdict.blocks(), blocks, "{name}");
        }
    }

    #[test]
    fn verdicts_say_why() {
        let verdict = judged(&[0.5; 8], &[Some(0.25); 8]);
        assert_eq!(
            verdict.to_string(),
            "fail: significant drop of 0.2500 (p = 0.0078)"
        );
    }
}
