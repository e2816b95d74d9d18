//! Why a generation could not be built, opened or searched.

use std::path::PathBuf;

use rag_core::artifact::ArtifactError;
use rag_core::id::PassageId;
use rag_core::setting::SettingError;
use rag_models::ModelError;

/// Errors of building, opening and searching a generation.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Two passages have the same id.
    #[error("two passages are called {id}; give their documents different ids and chunk them again")]
    DuplicatePassage {
        /// The id.
        id: PassageId,
    },
    /// There are more passages than ordinals.
    #[error("{passages} passages are more than one generation holds; split the collection")]
    TooManyPassages {
        /// How many there are.
        passages: usize,
    },
    /// The embedder returned something that is not a unit vector of its length.
    #[error("{model} embedded passage {id} as a vector {reason}; its weights are damaged, fetch them again")]
    Vector {
        /// The model's name.
        model: String,
        /// The passage.
        id: PassageId,
        /// What is wrong with the vector.
        reason: String,
    },
    /// The embedder returned another number of vectors than texts.
    #[error("{model} returned {found} numbers for {texts} texts of {dimension} numbers each")]
    Embeddings {
        /// The model's name.
        model: String,
        /// Numbers returned.
        found: usize,
        /// Texts given.
        texts: usize,
        /// Numbers per vector.
        dimension: usize,
    },
    /// Questions would be embedded with another model than the passages were.
    #[error(transparent)]
    OtherModel(Box<OtherModel>),
    /// The question's vector cannot be compared with the passages'.
    #[error("the question's vector {reason}")]
    QueryVector {
        /// What is wrong with it.
        reason: String,
    },
    /// The question is longer than a search accepts.
    #[error("the question has {terms} search terms, at most {most} are searched for; shorten it")]
    LongQuestion {
        /// Its terms.
        terms: usize,
        /// How many are accepted.
        most: usize,
    },
    /// The allowed set was made by another generation, so that its ordinals mean other passages.
    #[error("the allowed set was made by another generation; make it anew from the one that is searched")]
    ForeignAllowedSet,
    /// A search engine refused to write or read its files.
    #[error("{path}: {doing} failed: {reason}; build the index again from its sources")]
    Engine {
        /// The engine's file or folder.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the engine says.
        reason: String,
    },
}

impl From<std::io::Error> for IndexError {
    fn from(error: std::io::Error) -> Self {
        Self::Artifact(error.into())
    }
}

impl IndexError {
    /// A file that is not what its manifest promised.
    pub(crate) fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Artifact(ArtifactError::Damaged {
            path: path.into(),
            reason: reason.into(),
        })
    }
}

/// The two models of [`IndexError::OtherModel`].
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} was built with {built}, which cannot be searched with vectors of {asked} (they differ in {difference}); choose the model it was built with, or ingest again with the other one"
)]
pub struct OtherModel {
    /// The generation.
    pub path: PathBuf,
    /// The model of the passages.
    pub built: String,
    /// The model of the question.
    pub asked: String,
    /// The parts of the identity in which they differ.
    pub difference: String,
}
