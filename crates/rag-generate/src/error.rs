//! Why no answer could be made.

use rag_core::artifact::ArtifactError;
use rag_core::setting::SettingError;
use rag_models::ModelError;

/// Errors of generating answers.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A search of an agent failed.
    #[error(transparent)]
    Search(Box<dyn std::error::Error + Send + Sync>),
    /// A generator outside this crate failed.
    #[error(transparent)]
    Generator(Box<dyn std::error::Error + Send + Sync>),
    /// The model failed.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl From<ModelError> for GenerateError {
    /// Boxed, since model errors are large and seldom.
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}
