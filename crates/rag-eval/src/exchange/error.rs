//! Why a file of another tool could not be read or written.

use std::path::PathBuf;

/// Why records could not be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The file is larger than what is read.
    #[error("{path} has {bytes} bytes; files over {limit} bytes are not read: split it")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The greatest size read.
        limit: u64,
    },
    /// The file has one of the forms but does not keep to it.
    #[error("not {form}: {reason}")]
    Form {
        /// The form that it seems to have.
        form: &'static str,
        /// What is wrong, with the line where that is known.
        reason: String,
    },
    /// A file could not be read as records.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with its content.
        source: Box<ExchangeError>,
    },
    /// A form's name is not known.
    #[error("`{name}` is not a form: use ragchecker, ragas, ragas-lines or csv")]
    UnknownForm {
        /// The refused name.
        name: String,
    },
    /// The file could not be read or written; the error names it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ExchangeError {
    pub(super) fn form(form: &'static str, reason: &impl ToString) -> Self {
        Self::Form {
            form,
            reason: reason.to_string(),
        }
    }
}
