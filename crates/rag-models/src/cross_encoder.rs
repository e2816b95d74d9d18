//! The trait behind which every pair-scoring model stands, and what it returns.

use rag_core::language::Language;

use crate::error::ModelError;
use crate::identity::ModelIdentity;

/// Scores how well passages answer a question, reading both together.
///
/// The same pair gives the same score whatever else is in the call and however many threads work.
pub trait CrossEncoder: Send + Sync {
    /// What makes this model this model.
    fn identity(&self) -> &ModelIdentity;

    /// Longest pair in tokens, special tokens included.
    fn max_tokens(&self) -> usize {
        self.identity().max_tokens
    }

    /// Whether the model was made for `language`. An unknown language is served.
    fn serves(&self, language: Language) -> bool;

    /// Scores each passage against `query`, in the order given.
    ///
    /// Only the passage is ever shortened. One that does not fit is read in overlapping windows and
    /// keeps the best window's score; text beyond the last window is counted in
    /// [`Scores::truncated_tokens`].
    fn score(&self, query: &str, passages: &[&str]) -> Result<Scores, ModelError>;

    /// How much of each pair [`CrossEncoder::score`] reads; weights are not needed for that.
    fn reading(&self, query: &str, passages: &[&str]) -> Vec<Reading>;
}

/// How much of a question and a passage is read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Tokens of both with special tokens, before anything is cut.
    pub pair_tokens: usize,
    /// Windows that the passage is read in; 1 when the pair fits.
    pub windows: usize,
    /// Tokens of the passage that no window covers.
    pub truncated_tokens: usize,
    /// Tokens of the question that are dropped.
    pub truncated_query_tokens: usize,
}

/// Scores of a batch of pairs, in the order of the passages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// The model's raw output per passage: higher is better, the scale is the model's own.
    pub logits: Vec<f32>,
    /// Per passage, how many windows it took to read it (1 when it fits).
    pub windows: Vec<usize>,
    /// Per passage, how many of its tokens no window covered.
    pub truncated_tokens: Vec<usize>,
    /// How many tokens of the question were dropped because it alone filled its share of the limit.
    pub truncated_query_tokens: usize,
}
