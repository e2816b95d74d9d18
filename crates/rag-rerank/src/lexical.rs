//! The reranker without weights: how much of the question a passage covers, rare words counting more.

use std::collections::{BTreeSet, HashSet};

use rag_core::artifact::Digest;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::text::{Analyzer, query_terms};
use rag_models::tfidf::Synonyms;

use crate::error::RerankError;
use crate::reranker::{Reranker, Scores};

/// Scores by the share of the question's terms that the passage has itself or as a synonym, from 0 to 1.
/// Terms are weighed by their inverse document frequency among the candidates.
#[derive(Default)]
pub struct LexicalCoverageReranker {
    synonyms: Synonyms,
}

impl LexicalCoverageReranker {
    /// A reranker that lets words of `synonyms` stand for each other.
    pub fn new(synonyms: Synonyms) -> Self {
        Self { synonyms }
    }

    /// True when `terms` has `term` or a word that may stand for it.
    fn covers(&self, terms: &HashSet<String>, term: &str) -> bool {
        terms.contains(term) || self.synonyms.of(term).any(|other| terms.contains(other))
    }

    /// BM25's inverse document frequency, over the candidates.
    fn idf_among(&self, term: &str, found: &[HashSet<String>]) -> f32 {
        let having = found.iter().filter(|terms| self.covers(terms, term)).count() as f32;
        ((found.len() as f32 - having + 0.5) / (having + 0.5)).ln_1p()
    }
}

impl Reranker for LexicalCoverageReranker {
    fn name(&self) -> String {
        let synonyms = serde_json::to_vec(&self.synonyms).expect("words are plain data");
        format!("lexical-coverage, synonyms {}", Digest::of(&synonyms).short())
    }

    fn serves(&self, _: Language) -> bool {
        true
    }

    fn score(&self, question: &str, passages: &[&Passage]) -> Result<Scores, RerankError> {
        let found: Vec<HashSet<String>> = passages.iter().map(|passage| passage_terms(passage)).collect();
        let languages: Vec<Language> = passages.iter().map(|passage| passage.language).collect();
        let asked: BTreeSet<String> = query_terms(question, &languages)
            .into_iter()
            .map(|term| term.text)
            .collect();
        let weights: Vec<(String, f32)> = asked
            .into_iter()
            .map(|term| {
                let weight = self.idf_among(&term, &found);
                (term, weight)
            })
            .collect();
        let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let coverage = |terms: &HashSet<String>| {
            let covered = weights.iter().filter(|(term, _)| self.covers(terms, term));
            covered.map(|(_, weight)| weight).sum::<f32>() / total.max(f32::MIN_POSITIVE)
        };
        Ok(Scores {
            values: found.iter().map(coverage).collect(),
            truncated_tokens: vec![0; passages.len()],
            truncated_query_tokens: 0,
        })
    }
}

/// The terms of a passage, of its title and of its headings.
fn passage_terms(passage: &Passage) -> HashSet<String> {
    let analyzer = Analyzer::new(passage.language);
    let texts = [&passage.title, &passage.text]
        .into_iter()
        .chain(&passage.section);
    texts.flat_map(|text| analyzer.term_set(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;

    fn scores(reranker: &LexicalCoverageReranker, question: &str, texts: &[&str]) -> Vec<f32> {
        let passages: Vec<Passage> = texts.iter().map(|text| passage("a#0", text)).collect();
        let passages: Vec<&Passage> = passages.iter().collect();
        reranker.score(question, &passages).unwrap().values
    }

    #[test]
    fn a_rare_word_outweighs_common_ones() {
        let texts = [
            "ERR-4012 appears",
            "what does the error mean",
            "error meaning",
            "an error",
        ];
        let found = scores(
            &LexicalCoverageReranker::default(),
            "What does error ERR-4012 mean?",
            &texts,
        );
        assert!(found[0] > found[1], "{found:?}");
        assert!(found.iter().all(|score| (0.0..=1.0).contains(score)), "{found:?}");
    }

    #[test]
    fn a_synonym_covers() {
        let synonyms = Synonyms::parse("refused, declined");
        let texts = ["the card was declined", "the card is blue"];
        let without = LexicalCoverageReranker::new(Synonyms::none());
        let plain = scores(&without, "card refused", &texts);
        assert_eq!(plain[0], plain[1]);
        let expanded = scores(&LexicalCoverageReranker::new(synonyms), "card refused", &texts);
        assert!(expanded[0] > expanded[1], "{expanded:?}");
    }

    #[test]
    fn a_question_without_terms_scores_nothing() {
        assert_eq!(
            scores(&LexicalCoverageReranker::default(), "the of", &["text"]),
            [0.0]
        );
    }

    #[test]
    fn the_name_changes_with_the_synonyms() {
        let with = LexicalCoverageReranker::new(Synonyms::parse("hat, cap"));
        assert_ne!(with.name(), LexicalCoverageReranker::default().name());
    }
}
