//! What can go wrong with a graph. Every message names the thing and the next step.

use std::path::PathBuf;

use rag_core::artifact::ArtifactError;
use rag_core::id::PassageId;

/// Why a graph could not be built, opened or searched.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// A file of names or drafts cannot be used.
    #[error("{path}: {reason}")]
    Input {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to write instead.
        reason: String,
    },
    /// The setting has a value that cannot work.
    #[error("graph setting `{name}`: {reason}")]
    Config {
        /// The setting.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A name in the question or on the command line is no entity of what the asker may read.
    #[error("no entity `{name}` in what you may read; `graph search {name:?}` looks for names like it")]
    NoEntity {
        /// The name given.
        name: String,
    },
    /// A language model could not be asked, or its answer was unusable as a whole.
    #[error("no draft for passage {passage}: {reason}")]
    Draft {
        /// The passage.
        passage: PassageId,
        /// What went wrong.
        reason: String,
    },
    /// The language model failed; passages that it was asked about before are kept.
    #[error("the language model failed; `graph build` goes on where this run ended")]
    Model(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The graph was made from other passages than the store holds now.
    #[error("the graph at {path} is out of date; bring it up to date with `graph build`")]
    Stale {
        /// The graph's folder.
        path: PathBuf,
    },
    /// There are more passages, names or relations than the format numbers.
    #[error("the graph has more than {limit} {what}; split the collection")]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The operating system refused. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
