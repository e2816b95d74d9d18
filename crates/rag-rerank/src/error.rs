//! Why candidates could not be reranked.

use rag_core::artifact::ArtifactError;
use rag_core::setting::SettingError;
use rag_models::ModelError;

/// Errors of reranking.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
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
