//! The settings of the stage.

use rag_core::setting::{SettingError, in_range};
use serde::{Deserialize, Serialize};

use crate::agent::AgentConfig;
use crate::context::ContextConfig;
use crate::error::GenerateError;
use crate::extract::{Decision, ExtractConfig};
use crate::model::ModelConfig;
use crate::verify::{SupportDecision, VerifyConfig};

/// Least budget that is accepted, in tokens: less holds no passage.
const LEAST_TOKENS: usize = 64;

/// Greatest budget that is accepted: more than any model reads.
const MOST_TOKENS: usize = 10_000_000;

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
    /// Who writes. Default: [`Writer::Extractive`].
    pub writer: Writer,
    /// How a language model writes.
    pub model: ModelConfig,
    /// How far an agent may search.
    pub agent: AgentConfig,
}

/// Who writes answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    /// Nobody: answers are sentences of the sources.
    #[default]
    Extractive,
    /// The language model of the settings.
    Model,
}

impl Config {
    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), GenerateError> {
        in_range(
            "generate.context.max_tokens",
            self.context.max_tokens,
            LEAST_TOKENS..=MOST_TOKENS,
        )?;
        in_range("generate.verify.min_support", self.verify.min_support, 0.0..=1.0)?;
        check_support(&self.verify.models)?;
        in_range(
            "generate.model.max_tokens",
            self.model.max_tokens,
            1..=MOST_TOKENS,
        )?;
        in_range("generate.agent.max_searches", self.agent.max_searches, 1..=100)?;
        in_range(
            "generate.agent.hits_per_search",
            self.agent.hits_per_search,
            1..=100,
        )?;
        let decisions = [
            (
                "generate.extract.with_cross_encoder",
                &self.extract.with_cross_encoder,
            ),
            (
                "generate.extract.without_cross_encoder",
                &self.extract.without_cross_encoder,
            ),
        ];
        for (name, decision) in decisions {
            if !((0.0..=1.0).contains(&decision.threshold) && is_finite(decision)) {
                let allowed = "choose finite weights and a threshold from 0 to 1";
                return Err(SettingError::new(name, format!("{decision:?}"), allowed).into());
            }
        }
        Ok(())
    }
}

fn check_support(decision: &SupportDecision) -> Result<(), SettingError> {
    let mut numbers = decision.weights.values().into_iter().chain([decision.bias]);
    let in_range = (0.0..=1.0).contains(&decision.min_terms);
    // A threshold of 0 would let everything hold whose facts agree.
    let is_usable =
        in_range && decision.threshold > 0.0 && decision.threshold <= 1.0 && numbers.all(f32::is_finite);
    if is_usable {
        return Ok(());
    }
    let allowed = "choose finite weights, min_terms from 0 to 1 and a threshold above 0 and at most 1";
    Err(SettingError::new(
        "generate.verify.models",
        format!("{decision:?}"),
        allowed,
    ))
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
            r#"{"verify":{"models":{"cross_encoder":"a","embedder":"b","min_terms":0.25,"bias":0.0,"weights":{},"threshold":0.0}}}"#,
            r#"{"extract":{"with_cross_encoder":{"bias":0.0,"weights":{},"threshold":7.0}}}"#,
        ] {
            let config: Config = serde_json::from_str(bad).unwrap();
            assert!(config.check().is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Config>(r#"{"extracted":{}}"#).is_err());
    }
}
