//! Why a question could not be searched for.

use rag_core::artifact::ArtifactError;
use rag_core::setting::SettingError;
use rag_index::IndexError;
use rag_models::ModelError;

/// Errors of retrieval.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No mode has this name.
    #[error("no mode is called `{name}`: choose bm25, dense or hybrid")]
    UnknownMode {
        /// The name given.
        name: String,
    },
    /// The question is empty or too long.
    #[error("question {id} has {bytes} bytes; ask something, in at most {most}")]
    Question {
        /// The question's id.
        id: String,
        /// Its length.
        bytes: usize,
        /// The greatest length.
        most: usize,
    },
    /// Drafts are asked for and nobody writes them.
    #[error(
        "retrieve.{{rewrite, hyde, phrasings}} need drafts: name a language model (models.language_model) or a file (models.drafts)"
    )]
    NoDrafter,
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}
