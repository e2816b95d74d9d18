//! Test doubles and made-up passages for the unit tests of this crate.

use std::collections::{BTreeMap, HashSet};

use rag_core::access::{AccessList, Principal};
use rag_core::hit::{Hit, Leg, Placement, Ranking};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::question::Question;
use rag_models::{CrossEncoder, ModelError, ModelIdentity, Pooling, Precision};

use crate::error::RerankError;
use crate::reranker::{Reranker, Scores};

/// An English passage that everyone may read.
pub(crate) fn passage(id: &str, text: &str) -> Passage {
    Passage {
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id.parse().unwrap(), text)
    }
}

/// A hit at `rank`.
pub(crate) fn hit(id: &str, text: &str, rank: u32) -> Hit {
    Hit::new(rank, 1.0 / rank as f32, passage(id, text))
}

/// A ranking of the passages `d0#0`, `d1#0`, … found by one leg.
pub(crate) fn ranking(question: &str, hits: usize) -> Ranking {
    let placed = |index: usize| {
        let rank = index as u32 + 1;
        let place = Placement { rank, score: 0.0 };
        Hit {
            legs: BTreeMap::from([(Leg::Bm25, place)]),
            ..hit(&format!("d{index}#0"), "text", rank)
        }
    };
    let question = Question::new("q1", question, Principal::everyone());
    Ranking::new(question, (0..hits).map(placed).collect())
}

/// A reranker that answers with given scores.
pub(crate) struct Fixed {
    pub(crate) scores: Vec<f32>,
    pub(crate) truncated: usize,
    pub(crate) languages: Vec<Language>,
}

impl Fixed {
    pub(crate) fn new(scores: &[f32]) -> Self {
        Self {
            scores: scores.to_vec(),
            truncated: 0,
            languages: Vec::new(),
        }
    }
}

impl Reranker for Fixed {
    fn name(&self) -> String {
        "fixed".into()
    }

    fn serves(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }

    fn score(&self, _: &str, passages: &[&Passage]) -> Result<Scores, RerankError> {
        Ok(Scores {
            values: self.scores.clone(),
            truncated_tokens: vec![self.truncated; passages.len()],
            truncated_query_tokens: 0,
        })
    }
}

/// A cross-encoder that counts the words that question and passage share.
pub(crate) struct WordOverlap(ModelIdentity);

impl Default for WordOverlap {
    fn default() -> Self {
        Self(ModelIdentity {
            name: "word-overlap".into(),
            weights: "00".into(),
            tokenizer: "00".into(),
            dimension: 1,
            pooling: Pooling::None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            normalised: false,
            max_tokens: 512,
            precision: Precision::F32,
        })
    }
}

impl CrossEncoder for WordOverlap {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn serves(&self, language: Language) -> bool {
        [Language::ENGLISH, Language::UNKNOWN].contains(&language)
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<rag_models::Scores, ModelError> {
        let asked: HashSet<&str> = query.split_whitespace().collect();
        let shared = |text: &&str| {
            text.split_whitespace()
                .filter(|word| asked.contains(word))
                .count()
        };
        Ok(rag_models::Scores {
            logits: passages.iter().map(|text| shared(text) as f32).collect(),
            windows: vec![1; passages.len()],
            truncated_tokens: vec![0; passages.len()],
            truncated_query_tokens: 0,
        })
    }

    fn reading(&self, query: &str, passages: &[&str]) -> Vec<rag_models::Reading> {
        let words = |text: &str| text.split_whitespace().count();
        let of = |passage: &&str| rag_models::Reading {
            pair_tokens: words(query) + words(passage),
            windows: 1,
            ..rag_models::Reading::default()
        };
        passages.iter().map(of).collect()
    }
}
