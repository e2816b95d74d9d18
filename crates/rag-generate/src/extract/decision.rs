//! From features to a probability that a sentence answers, and the threshold below which we decline.

use serde::{Deserialize, Serialize};

use super::features::Features;

/// Number of features.
const FEATURES: usize = 7;

/// A logistic model: the log-odds that a sentence answers are `bias` plus the features, each times its
/// weight.
///
/// The defaults were fitted by the example program `calibrate` of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Log-odds when every feature is 0.
    pub bias: f32,
    /// Weight of each feature.
    pub weights: Features,
    /// Probability from which an answer is given.
    pub threshold: f32,
}

impl Decision {
    /// The log-odds that a sentence with these features answers.
    pub fn log_odds(&self, features: &Features) -> f32 {
        let (weights, found) = (self.weights.values(), features.values());
        self.bias
            + weights
                .iter()
                .zip(found)
                .map(|(weight, value)| weight * value)
                .sum::<f32>()
    }

    /// True when log-odds suffice for an answer.
    pub(super) fn accepts(&self, log_odds: f32) -> bool {
        probability(log_odds) >= self.threshold
    }
}

impl Features {
    /// The features in the order of their fields.
    pub fn values(&self) -> [f32; FEATURES] {
        [
            self.logit,
            self.coverage,
            self.number_missing,
            self.denial_missing,
            self.figure_missing,
            self.opens_passage,
            self.lead,
        ]
    }

    /// The features from their values in the order of the fields.
    pub fn from_values(values: [f32; FEATURES]) -> Self {
        let [
            logit,
            coverage,
            number_missing,
            denial_missing,
            figure_missing,
            opens_passage,
            lead,
        ] = values;
        Self {
            logit,
            coverage,
            number_missing,
            denial_missing,
            figure_missing,
            opens_passage,
            lead,
        }
    }
}

/// The probability of log-odds.
pub(super) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_add_up() {
        let decision = Decision {
            bias: -1.0,
            weights: Features {
                logit: 0.5,
                denial_missing: -3.0,
                ..Features::default()
            },
            threshold: 0.5,
        };
        let mut features = Features {
            logit: 4.0,
            ..Features::default()
        };
        assert_eq!(decision.log_odds(&features), 1.0);
        assert!(decision.accepts(1.0));
        features.denial_missing = 1.0;
        assert!(!decision.accepts(decision.log_odds(&features)));
        assert_eq!(Features::from_values(features.values()), features);
    }
}
