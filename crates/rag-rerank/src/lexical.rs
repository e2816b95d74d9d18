//! The reranker without weights: how much of the question a passage covers, rare words counting more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rag_core::artifact::Digest;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::text::{Analyzer, query_terms};

use crate::error::RerankError;
use crate::reranker::{Reranker, Scores};

/// Scores by the share of the question's terms, weighted by inverse document frequency, that the passage
/// has itself or as a synonym: from 0 to 1.
///
/// ```
/// use rag_rerank::{LexicalCoverageReranker, Synonyms};
///
/// let synonyms = Synonyms::from_groups([["refused", "declined", "rejected"]]);
/// let reranker = LexicalCoverageReranker::new(synonyms);
/// # let _ = reranker;
/// ```
#[derive(Default)]
pub struct LexicalCoverageReranker<'i> {
    synonyms: Synonyms,
    collection: Option<Collection<'i>>,
}

/// Inverse document frequencies of a whole collection, and what names them.
struct Collection<'i> {
    idf: &'i (dyn Fn(&str) -> f32 + Send + Sync),
    identity: String,
}

impl<'i> LexicalCoverageReranker<'i> {
    /// A reranker that takes document frequencies from the candidates themselves.
    pub fn new(synonyms: Synonyms) -> Self {
        Self {
            synonyms,
            collection: None,
        }
    }

    /// Weighs terms by `idf`, which looks an analysed term up in a collection (a term that occurs nowhere
    /// has the highest value), instead of by the candidates. `identity` names the collection, such as the
    /// key of its index.
    #[must_use]
    pub fn with_idf(self, idf: &'i (dyn Fn(&str) -> f32 + Send + Sync), identity: &str) -> Self {
        Self {
            collection: Some(Collection {
                idf,
                identity: identity.to_owned(),
            }),
            ..self
        }
    }
}

impl Reranker for LexicalCoverageReranker<'_> {
    fn name(&self) -> String {
        let frequencies = self
            .collection
            .as_ref()
            .map_or("of the candidates", |collection| &collection.identity);
        let synonyms = self.synonyms.digest().short();
        format!("lexical-coverage, frequencies {frequencies}, synonyms {synonyms}")
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
                let weight = self.collection.as_ref().map_or_else(
                    || idf_among(&term, &found, &self.synonyms),
                    |collection| (collection.idf)(&term),
                );
                (term, weight)
            })
            .collect();
        let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let coverage = |terms: &HashSet<String>| {
            let covered = weights
                .iter()
                .filter(|(term, _)| self.synonyms.covers(terms, term));
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
    texts
        .flat_map(|text| analyzer.terms(text))
        .map(|term| term.text)
        .collect()
}

/// BM25's inverse document frequency, over the candidates.
fn idf_among(term: &str, found: &[HashSet<String>], synonyms: &Synonyms) -> f32 {
    let having = found.iter().filter(|terms| synonyms.covers(terms, term)).count() as f32;
    ((found.len() as f32 - having + 0.5) / (having + 0.5)).ln_1p()
}

/// Groups of words that may stand for each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups: Vec<Vec<String>>,
    groups_of: HashMap<String, Vec<usize>>,
}

impl Synonyms {
    /// Takes groups of English or Arabic words; a word may be in several. Words are compared after
    /// stemming, so one form of each is enough.
    pub fn from_groups<G, W>(groups: impl IntoIterator<Item = G>) -> Self
    where
        G: IntoIterator<Item = W>,
        W: AsRef<str>,
    {
        let analyzer = Analyzer::new(Language::ENGLISH);
        let mut made = Self::default();
        for group in groups {
            let terms: Vec<String> = group
                .into_iter()
                .flat_map(|word| analyzer.terms(word.as_ref()))
                .map(|term| term.text)
                .collect();
            for term in &terms {
                made.groups_of
                    .entry(term.clone())
                    .or_default()
                    .push(made.groups.len());
            }
            made.groups.push(terms);
        }
        made
    }

    /// True when `terms` has `term` or a word that may stand for it.
    fn covers(&self, terms: &HashSet<String>, term: &str) -> bool {
        terms.contains(term)
            || self
                .groups_of
                .get(term)
                .into_iter()
                .flatten()
                .flat_map(|&group| &self.groups[group])
                .any(|other| terms.contains(other))
    }

    fn digest(&self) -> Digest {
        let sorted: BTreeMap<&str, Vec<&Vec<String>>> = self
            .groups_of
            .iter()
            .map(|(term, groups)| {
                (
                    term.as_str(),
                    groups.iter().map(|&group| &self.groups[group]).collect(),
                )
            })
            .collect();
        Digest::of(&serde_json::to_vec(&sorted).expect("words are plain data"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;

    fn scores(reranker: &LexicalCoverageReranker<'_>, question: &str, texts: &[&str]) -> Vec<f32> {
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
        let synonyms = Synonyms::from_groups([["refused", "declined"]]);
        let texts = ["the card was declined", "the card is blue"];
        let plain = scores(&LexicalCoverageReranker::default(), "card refused", &texts);
        assert_eq!(plain[0], plain[1]);
        let expanded = scores(&LexicalCoverageReranker::new(synonyms), "card refused", &texts);
        assert!(expanded[0] > expanded[1], "{expanded:?}");
    }

    #[test]
    fn frequencies_can_come_from_the_collection() {
        let idf = |term: &str| if term == "vpn" { 5.0 } else { 1.0 };
        let reranker = LexicalCoverageReranker::default().with_idf(&idf, "test");
        let found = scores(&reranker, "vpn fault", &["vpn", "fault"]);
        assert!((found[0] - 5.0 / 6.0).abs() < 1e-6 && (found[1] - 1.0 / 6.0).abs() < 1e-6);
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
        let with = LexicalCoverageReranker::new(Synonyms::from_groups([["a1", "b1"]]));
        assert_ne!(with.name(), LexicalCoverageReranker::default().name());
    }
}
