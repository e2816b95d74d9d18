//! The trait behind which every text-to-vector model stands, and what it returns.

use rag_core::language::Language;
use rag_core::progress::Progress;

use crate::error::ModelError;
use crate::identity::ModelIdentity;

/// Turns texts into vectors of one fixed length.
///
/// The same text gives the same bytes whatever else is in the call and however many threads work.
pub trait Embedder: Send + Sync {
    /// What makes this model this model.
    fn identity(&self) -> &ModelIdentity;

    /// Numbers per vector.
    fn dimension(&self) -> usize {
        self.identity().dimension
    }

    /// Tokens of a passage's own text that fit: the limit without special tokens and passage prefix.
    fn max_tokens(&self) -> usize;

    /// Tokens of `text` alone, without special tokens, prefixes or truncation.
    fn count_tokens(&self, text: &str) -> usize;

    /// Byte range of each token of `text`, in order, for splitting between tokens.
    ///
    /// Ranges lie on character boundaries and do not run backwards. Normalisation may leave gaps, and
    /// several tokens of one character share its range.
    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)>;

    /// Whether the model was made for `language`. An unknown language is served.
    fn serves(&self, language: Language) -> bool;

    /// What the embedder learned from the collection, as the file that opens it again; `None` when it is the
    /// same for every collection. The index keeps it beside the vectors made with it.
    fn learned(&self) -> Result<Option<Vec<u8>>, ModelError> {
        Ok(None)
    }

    /// Embeds passages, in the order given. Longer ones are cut at the limit and the cut is counted.
    fn embed_passages(&self, texts: &[&str], progress: &dyn Progress) -> Result<Embeddings, ModelError>;

    /// Embeds one question, with the model's question prefix. A longer one is cut at the limit.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError>;
}

/// Vectors of a batch of texts, in the order of the texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embeddings {
    /// Numbers per vector.
    pub dimension: usize,
    /// All vectors one after the other: `dimension` numbers per text. A text without any token the
    /// model knows has the zero vector when the model has no other answer (TF-IDF); never NaN.
    pub values: Vec<f32>,
    /// Per text, how many of its tokens lay beyond the model's limit and had no influence.
    pub truncated_tokens: Vec<usize>,
}

impl Embeddings {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.truncated_tokens.len()
    }

    /// True when no text was embedded.
    pub fn is_empty(&self) -> bool {
        self.truncated_tokens.is_empty()
    }

    /// The vector of text number `index`.
    pub fn vector(&self, index: usize) -> &[f32] {
        &self.values[index * self.dimension..(index + 1) * self.dimension]
    }

    /// The vectors in order.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension.max(1))
    }
}
