//! What speaks for a passage supporting a claim, as numbers that a fitted decision weighs.

use std::cmp::Reverse;
use std::collections::HashSet;

use rag_core::passage::Passage;
use rag_core::progress::Silent;
use rag_core::span::Span;
use rag_core::text::{Analyzer, sentences};
use rag_models::{CrossEncoder, Embedder, ModelError};
use serde::{Deserialize, Serialize};

/// Pairs of neighbouring sentences that the cross-encoder reads beside the quote, those with most of the claim's
/// terms first.
const READ_WINDOWS: usize = 3;

/// Sentences that are embedded, chosen likewise.
const EMBEDDED_SENTENCES: usize = 16;

/// Number of features.
const FEATURES: usize = 5;

/// What speaks for a passage supporting a claim; also the weights of a
/// [`SupportDecision`](super::SupportDecision).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SupportFeatures {
    /// Share of the claim's terms in the quote, the title and the headings, from 0 to 1.
    pub lexical: f32,
    /// Share of the claim's pairs of neighbouring terms that are neighbours in the passage too, from 0 to 1.
    pub term_pairs: f32,
    /// Capitalised words of the claim, its first left out, that the passage does not have.
    pub missing_names: f32,
    /// The cross-encoder's output for the claim and the window of the passage that it likes best.
    pub logit: f32,
    /// Cosine of the claim and its closest sentence, or the quote, from -1 to 1.
    pub cosine: f32,
}

impl SupportFeatures {
    /// The features in the order of their fields.
    pub fn values(&self) -> [f32; FEATURES] {
        [
            self.lexical,
            self.term_pairs,
            self.missing_names,
            self.logit,
            self.cosine,
        ]
    }

    /// The features from their values in the order of the fields.
    pub fn from_values(values: [f32; FEATURES]) -> Self {
        let [lexical, term_pairs, missing_names, logit, cosine] = values;
        Self {
            lexical,
            term_pairs,
            missing_names,
            logit,
            cosine,
        }
    }
}

/// A claim, a passage and the place of it that comes closest.
pub(super) struct Compared<'t> {
    pub(super) claim: &'t str,
    pub(super) passage: &'t Passage,
    pub(super) quote: Span,
    pub(super) lexical: f32,
}

impl Compared<'_> {
    /// Asks both models; each reads a bounded number of sentences, however long the passage is.
    pub(super) fn features(
        &self,
        cross_encoder: &dyn CrossEncoder,
        embedder: &dyn Embedder,
    ) -> Result<SupportFeatures, ModelError> {
        let analyzer = Analyzer::new(self.passage.language);
        let spans = sentences(&self.passage.text);
        let pairs = spans.windows(2).map(|pair| Span::new(pair[0].start, pair[1].end));
        let windows = self.closest(pairs, READ_WINDOWS, &analyzer);
        let sentences = self.closest(spans.iter().copied(), EMBEDDED_SENTENCES, &analyzer);
        Ok(SupportFeatures {
            lexical: self.lexical,
            term_pairs: self.term_pairs(&analyzer),
            missing_names: self.missing_names() as f32,
            logit: self.logit(cross_encoder, &windows)?,
            cosine: self.cosine(embedder, &sentences)?,
        })
    }

    /// The quote, and those `most` of `places` that share most terms with the claim.
    fn closest(&self, places: impl Iterator<Item = Span>, most: usize, analyzer: &Analyzer) -> Vec<&str> {
        let terms = analyzer.term_set(self.claim);
        let text = |span: Span| span.slice(&self.passage.text).unwrap_or_default();
        let mut ranked: Vec<(usize, &str)> = places
            .map(text)
            .map(|text| (analyzer.term_set(text).intersection(&terms).count(), text))
            .collect();
        ranked.sort_by_key(|(shared, _)| Reverse(*shared));
        let best = ranked.into_iter().take(most).map(|(_, text)| text);
        std::iter::once(text(self.quote)).chain(best).collect()
    }

    fn term_pairs(&self, analyzer: &Analyzer) -> f32 {
        let terms = |text: &str| -> Vec<String> {
            let terms = analyzer.terms(text).into_iter();
            terms.map(|term| term.text).collect()
        };
        let (own, other) = (terms(self.claim), terms(&self.passage.text));
        let known: HashSet<&[String]> = other.windows(2).collect();
        let asked: HashSet<&[String]> = own.windows(2).collect();
        let shared = asked.intersection(&known).count();
        shared as f32 / asked.len().max(1) as f32
    }

    fn missing_names(&self) -> usize {
        let passage = self.passage;
        let known = std::iter::once(passage.text.as_str())
            .chain(passage.headings())
            .map(str::to_lowercase)
            .collect::<Vec<_>>()
            .join("\n");
        let words = self.claim.split_whitespace().skip(1);
        words
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .map(|word| word.trim_end_matches("'s").trim_end_matches("’s"))
            .filter(|word| word.starts_with(char::is_uppercase) && !known.contains(&word.to_lowercase()))
            .count()
    }

    fn logit(&self, model: &dyn CrossEncoder, texts: &[&str]) -> Result<f32, ModelError> {
        let logits = model.score(self.claim, texts)?.logits;
        Ok(logits.into_iter().fold(f32::NEG_INFINITY, f32::max))
    }

    fn cosine(&self, model: &dyn Embedder, texts: &[&str]) -> Result<f32, ModelError> {
        let all: Vec<&str> = std::iter::once(self.claim).chain(texts.iter().copied()).collect();
        let vectors = model.embed_passages(&all, &Silent)?;
        let claim = vectors.vector(0);
        let dot = |other: &[f32]| claim.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
        Ok(vectors.vectors().skip(1).map(dot).fold(-1.0, f32::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Letters, WordOverlap, hit};

    fn features(claim: &str, text: &str) -> SupportFeatures {
        let passage = hit("a#0", text).passage;
        let compared = Compared {
            claim,
            passage: &passage,
            quote: Span::new(0, text.len()),
            lexical: 0.5,
        };
        compared
            .features(&WordOverlap::default(), &Letters::default())
            .unwrap()
    }

    #[test]
    fn words_in_their_order_and_names_are_looked_for_in_the_whole_passage() {
        let text = "The blue tunnel failed. Later Mira called the desk.";
        let same = features("Later Mira called the desk.", text);
        assert_eq!((same.term_pairs, same.missing_names), (1.0, 0.0));
        let swapped = features("The desk called Mira’s tunnel blue.", text);
        assert!(swapped.term_pairs < 0.5, "{swapped:?}");
        assert_eq!(features("Later Jonas and Ava called.", text).missing_names, 2.0);
    }

    #[test]
    fn the_models_read_the_place_that_is_closest() {
        let far = "Cats purr. ".repeat(40);
        let near = features(
            "Mira called the desk",
            &format!("{far}Mira called the desk. {far}"),
        );
        assert_eq!(near.logit, 10.0);
        assert!(near.cosine > 0.99, "{near:?}");
        assert!(features("Mira called the desk", &far).logit < 0.0);
    }

    #[test]
    fn values_keep_their_places() {
        let features = SupportFeatures::from_values([1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((features.lexical, features.cosine), (1.0, 5.0));
        assert_eq!(features.values(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}
