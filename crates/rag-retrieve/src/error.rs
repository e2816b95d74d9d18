//! Why a question could not be searched for.

use rag_core::artifact::ArtifactError;
use rag_index::IndexError;
use rag_models::ModelError;

/// Errors of retrieval.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    /// A setting is outside its range.
    #[error("retrieve.{name} is {value}: choose a value from 1 to {most}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// Its value.
        value: usize,
        /// The largest one accepted.
        most: usize,
    },
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
