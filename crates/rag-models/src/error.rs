//! Why a model could not be opened or run.

use std::path::PathBuf;

/// Errors of opening and running models.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no such file.
    #[error("there is no file {path}; give the path of a GGUF file, or a name of `models list`")]
    NoFile {
        /// The path given.
        path: PathBuf,
    },
    /// The name is neither a catalogue entry nor a folder.
    #[error(
        "no model named `{name}`: use one of {known}, or the path of a folder with weights and tokenizer"
    )]
    UnknownModel {
        /// What was asked for.
        name: String,
        /// The catalogue's names.
        known: String,
    },
    /// The model exists but has another role.
    #[error("`{name}` is {found}, but {wanted} is needed here; `models list` shows the role of each model")]
    WrongRole {
        /// The model.
        name: String,
        /// What it is.
        found: &'static str,
        /// What is needed.
        wanted: &'static str,
    },
    /// A folder lacks a file.
    #[error("{folder} holds no {wanted}; put the model's files there, or use a catalogue name")]
    MissingFile {
        /// The folder.
        folder: PathBuf,
        /// What was looked for.
        wanted: &'static str,
    },
    /// A folder's settings contradict themselves or its weights.
    #[error("{path}: {reason}; correct the file or leave it out")]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Obtaining the files failed.
    #[error(transparent)]
    Fetch(Box<crate::fetch::FetchError>),
    /// The weights cannot be read.
    #[error(transparent)]
    Weights(Box<crate::weights::WeightsError>),
    /// The tokenizer cannot be read or cannot read a text.
    #[error("tokenizer {path}: {reason}; replace the file by the model's own tokenizer.json")]
    Tokenizer {
        /// The tokenizer's file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The model computed something that is not a number.
    #[error(
        "model `{model}` gave a vector or score that is not finite for the text starting `{text}`; its weights are damaged, fetch them again"
    )]
    NotFinite {
        /// The model.
        model: String,
        /// The first characters of the text.
        text: String,
    },
    /// The fitted table of a TF-IDF model cannot be used.
    #[error("TF-IDF table: {reason}; fit it again on the corpus")]
    Tfidf {
        /// What is wrong.
        reason: String,
    },
    /// The conversation has more tokens than the model reads.
    #[error(
        "the prompt has {tokens} tokens and `{model}` reads {limit} with the answer; give it a smaller context or a shorter answer"
    )]
    PromptTooLong {
        /// The model.
        model: String,
        /// Tokens of the prompt and of the answer asked for.
        tokens: usize,
        /// What fits.
        limit: usize,
    },
    /// A provider across the network gave no usable answer.
    #[error(transparent)]
    Remote(Box<crate::remote::RemoteError>),
    /// A GGUF file cannot be opened or run.
    #[error("{path}: {source}")]
    Gguf {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<crate::gguf::GgufError>,
    },
    /// The operating system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<crate::fetch::FetchError> for ModelError {
    fn from(error: crate::fetch::FetchError) -> Self {
        Self::Fetch(Box::new(error))
    }
}

impl From<crate::weights::WeightsError> for ModelError {
    fn from(error: crate::weights::WeightsError) -> Self {
        Self::Weights(Box::new(error))
    }
}

impl From<crate::remote::RemoteError> for ModelError {
    fn from(error: crate::remote::RemoteError) -> Self {
        Self::Remote(Box::new(error))
    }
}
