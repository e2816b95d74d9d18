//! The settings of the stage.

use serde::{Deserialize, Serialize};

use crate::context::ContextConfig;
use crate::error::GenerateError;
use crate::extract::{Decision, ExtractConfig};
use crate::verify::VerifyConfig;

/// Least budget that is accepted, in tokens: less holds no passage.
const LEAST_TOKENS: usize = 64;

/// How answers are made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How much of the ranking becomes context.
    pub context: ContextConfig,
    /// How sentences are chosen and when we decline.
    pub extract: ExtractConfig,
    /// When a passage supports a sentence.
    pub verify: VerifyConfig,
}

impl Config {
    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), GenerateError> {
        let refuse = |name, value: String, allowed| Err(GenerateError::Setting { name, value, allowed });
        if self.context.max_tokens < LEAST_TOKENS {
            return refuse(
                "context.max_tokens",
                self.context.max_tokens.to_string(),
                "choose at least 64",
            );
        }
        let is_share = |value: f32| (0.0..=1.0).contains(&value);
        if !is_share(self.verify.min_support) {
            return refuse(
                "verify.min_support",
                self.verify.min_support.to_string(),
                "choose from 0 to 1",
            );
        }
        let decisions = [
            ("extract.with_cross_encoder", &self.extract.with_cross_encoder),
            (
                "extract.without_cross_encoder",
                &self.extract.without_cross_encoder,
            ),
        ];
        for (name, decision) in decisions {
            if !(is_share(decision.threshold) && is_finite(decision)) {
                return refuse(
                    name,
                    format!("{decision:?}"),
                    "choose finite weights and a threshold from 0 to 1",
                );
            }
        }
        Ok(())
    }
}

fn is_finite(decision: &Decision) -> bool {
    decision.bias.is_finite() && decision.weights.values().iter().all(|weight| weight.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        assert!(Config::default().check().is_ok());
        for bad in [
            r#"{"context":{"max_tokens":3}}"#,
            r#"{"verify":{"min_support":1.5}}"#,
            r#"{"extract":{"with_cross_encoder":{"bias":0.0,"weights":{},"threshold":7.0}}}"#,
        ] {
            let config: Config = serde_json::from_str(bad).unwrap();
            assert!(config.check().is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Config>(r#"{"extracted":{}}"#).is_err());
    }
}
