//! The trait behind which every reranker stands.

use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_models::Reading;

use crate::error::RerankError;

/// Scores passages against a question, reading both.
pub trait Reranker: Send + Sync {
    /// Names the reranker and all that decides its scores (weights, settings): part of an artifact's key.
    fn name(&self) -> String;

    /// Whether its scores mean anything for questions in `language`. An unknown language is served.
    fn serves(&self, language: Language) -> bool;

    /// Scores each passage against `question`, in the order given.
    fn score(&self, question: &str, passages: &[&Passage]) -> Result<Scores, RerankError>;

    /// How much of each pair it reads. By default all of it, in one window, of a length that it does not count.
    fn reading(&self, _question: &str, passages: &[&Passage]) -> Vec<Reading> {
        let whole = Reading {
            windows: 1,
            ..Reading::default()
        };
        vec![whole; passages.len()]
    }
}

/// What a reranker found, in the order of the passages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// Per passage: higher is better, the scale is the reranker's own.
    pub values: Vec<f32>,
    /// Per passage, tokens that the reranker did not read.
    pub truncated_tokens: Vec<usize>,
    /// Tokens of the question that the reranker did not read.
    pub truncated_query_tokens: usize,
}
