//! Decides whether a passage supports a claim: by its own words, by models that read both, or by shared terms.

use rag_core::answer::{Citation, SupportBasis, SupportScore};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::span::Span;
use rag_models::{CrossEncoder, Embedder, ModelError};
use serde::{Deserialize, Serialize};

use super::VerifyConfig;
use super::features::{Compared, SupportFeatures};
use super::support::{Support, support, weakest_support};

/// The models that read a claim beside its source. Without both, shared terms decide.
#[derive(Clone, Copy, Default)]
pub struct SupportModels<'m> {
    /// Reads claim and source together.
    pub cross_encoder: Option<&'m dyn CrossEncoder>,
    /// Compares claim and source by their vectors.
    pub embedder: Option<&'m dyn Embedder>,
}

impl SupportModels<'_> {
    /// Names the models: part of the key of an artifact that they decided about.
    pub fn name(&self) -> String {
        let reader = self.cross_encoder.map(|model| model.identity().key().to_string());
        let embedder = self.embedder.map(|model| model.identity().key().to_string());
        format!("{} {}", reader.unwrap_or_default(), embedder.unwrap_or_default())
    }
}

/// A logistic model of [`SupportFeatures`] and the models whose output it was fitted to.
///
/// The defaults are refitted by `rag eval support --refit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportDecision {
    /// Name of the cross-encoder. Numbers fitted to one model say nothing about another's output, so with other
    /// models, or none, shared terms decide.
    pub cross_encoder: String,
    /// Name of the embedder.
    pub embedder: String,
    /// Least share of the terms of each sentence, from 0 to 1, from which the models are asked: what they say of a
    /// whole claim must not carry a sentence that the passage does not speak of.
    pub min_terms: f32,
    /// Log-odds when every feature is 0.
    pub bias: f32,
    /// Weight of each feature.
    pub weights: SupportFeatures,
    /// Probability from which a passage supports a claim.
    pub threshold: f32,
}

impl SupportDecision {
    /// The probability that a passage with these features supports the claim.
    pub fn probability(&self, features: &SupportFeatures) -> f32 {
        let pairs = self.weights.values().into_iter().zip(features.values());
        let log_odds = self.bias + pairs.map(|(weight, value)| weight * value).sum::<f32>();
        1.0 / (1.0 + (-log_odds).exp())
    }
}

/// Decides whether passages support claims.
#[derive(Clone, Copy)]
pub struct SupportScorer<'m> {
    config: &'m VerifyConfig,
    reading: Reading<'m>,
}

/// Where the scores of models come from.
#[derive(Clone, Copy)]
enum Reading<'m> {
    Models(SupportModels<'m>),
    /// What was found when there were models.
    Recorded(&'m [Citation]),
}

/// What was found about a claim and a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The place of the passage that comes closest to the claim, within its text.
    pub quote: Span,
    /// How far it supports the claim.
    pub support: SupportScore,
    /// Whether the facts agree and the support is enough.
    pub holds: bool,
    /// Whether the passage has enough of the claim's terms in one place, whatever models make of it.
    pub says_so: bool,
}

impl<'m> SupportScorer<'m> {
    /// A scorer that reads with `models`.
    pub fn new(config: &'m VerifyConfig, models: SupportModels<'m>) -> Self {
        Self {
            config,
            reading: Reading::Models(models),
        }
    }

    /// A scorer without models that believes the scores which models gave to `citations`, and nothing else.
    pub(crate) fn recorded(config: &'m VerifyConfig, citations: &'m [Citation]) -> Self {
        Self {
            config,
            reading: Reading::Recorded(citations),
        }
    }

    /// Compares `claim` with `passage`; `None` when the passage has no sentence.
    ///
    /// The quote is chosen by shared terms, so that it can be found again without models. A claim that stands in
    /// the passage word for word needs no models; one of which a sentence disagrees in its facts, or shares next to no
    /// terms with the passage, is not saved by them.
    pub fn judge(&self, claim: &str, passage: &Passage) -> Result<Option<Judged>, ModelError> {
        let Some(found) = weakest_support(claim, passage) else {
            return Ok(None);
        };
        let may_read =
            found.facts_agree && found.lexical >= self.config.models.min_terms && !found.names_only;
        let read = if may_read && !found.is_verbatim {
            self.read(claim, passage)?
        } else {
            None
        };
        let (basis, score, least) = match read {
            Some(score) => (SupportBasis::Models, score, self.config.models.threshold),
            None if found.is_verbatim => (SupportBasis::Verbatim, 1.0, 0.0),
            None => (SupportBasis::SharedTerms, found.lexical, self.config.min_support),
        };
        Ok(Some(Judged {
            quote: found.quote,
            support: SupportScore { score, basis },
            holds: found.facts_agree && score >= least,
            says_so: found.facts_agree && found.lexical >= self.config.min_support,
        }))
    }

    /// What the models see in `claim`, taken as one sentence, and `passage`; `None` when they are not those of the
    /// settings, do not serve the language, or there is nothing to compare.
    pub fn features(&self, claim: &str, passage: &Passage) -> Result<Option<SupportFeatures>, ModelError> {
        let (Some(models), Some(found)) = (self.models_for(claim, passage), support(claim, passage)) else {
            return Ok(None);
        };
        measure(claim, passage, &found, models).map(Some)
    }

    /// The models' score of the claim, from 0 to 1, if they are asked.
    fn read(&self, claim: &str, passage: &Passage) -> Result<Option<f32>, ModelError> {
        let models = match self.reading {
            Reading::Recorded(citations) => return Ok(recorded(claim, passage, citations)),
            Reading::Models(_) => self.models_for(claim, passage),
        };
        let Some(models) = models else {
            return Ok(None);
        };
        let Some(found) = support(claim, passage) else {
            return Ok(None);
        };
        let features = measure(claim, passage, &found, models)?;
        Ok(Some(self.config.models.probability(&features)))
    }

    fn models_for(&self, claim: &str, passage: &Passage) -> Option<(&'m dyn CrossEncoder, &'m dyn Embedder)> {
        let Reading::Models(models) = self.reading else {
            return None;
        };
        let (cross_encoder, embedder) = (models.cross_encoder?, models.embedder?);
        let decision = &self.config.models;
        let is_fitted = cross_encoder.identity().name == decision.cross_encoder
            && embedder.identity().name == decision.embedder;
        let serves = |language| cross_encoder.serves(language) && embedder.serves(language);
        (is_fitted && serves(passage.language) && serves(Language::detect(claim)))
            .then_some((cross_encoder, embedder))
    }
}

fn measure(
    claim: &str,
    passage: &Passage,
    found: &Support,
    (cross_encoder, embedder): (&dyn CrossEncoder, &dyn Embedder),
) -> Result<SupportFeatures, ModelError> {
    let compared = Compared {
        claim,
        passage,
        quote: found.quote,
        lexical: found.lexical,
    };
    compared.features(cross_encoder, embedder)
}

/// The score that models gave to this claim and passage.
fn recorded(claim: &str, passage: &Passage, citations: &[Citation]) -> Option<f32> {
    citations
        .iter()
        .filter(|citation| citation.id == passage.id && citation.claim == claim)
        .filter_map(|citation| citation.support)
        .filter(|support| support.basis == SupportBasis::Models)
        .map(|support| support.score)
        .find(|score| (0.0..=1.0).contains(score))
}

#[cfg(test)]
#[path = "scorer_tests.rs"]
mod tests;
