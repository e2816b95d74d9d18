//! Why no answer could be made.

use rag_core::artifact::ArtifactError;
use rag_models::ModelError;

/// Errors of generating answers.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A setting is outside its range.
    #[error("generate.{name} is {value}: {allowed}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// Its value.
        value: String,
        /// Which values are allowed.
        allowed: &'static str,
    },
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
