//! Why candidates could not be reranked.

use rag_core::artifact::ArtifactError;
use rag_models::ModelError;

/// Errors of reranking.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// A setting is outside its range.
    #[error("rerank.{name} is {value}: {allowed}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// Its value.
        value: String,
        /// Which values are allowed.
        allowed: &'static str,
    },
    /// A reranker did not score each passage with a finite number.
    #[error(
        "reranker `{reranker}` on question {question}: {reason}; choose another reranker or leave it out"
    )]
    Scores {
        /// The reranker.
        reranker: String,
        /// The question's id.
        question: String,
        /// What is wrong.
        reason: String,
    },
    /// The model failed.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl From<ModelError> for RerankError {
    /// Boxed, since model errors are large and seldom.
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}
