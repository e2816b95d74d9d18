//! Errors: [`ParseError`] ends a run, [`Failure`] costs one file.

use std::path::PathBuf;

use rag_core::artifact::ArtifactError;
use rag_core::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

use crate::metadata::MetadataError;

/// Why a run of the parse stage ended without an output.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The input is not a folder that can be listed.
    #[error("cannot read the folder {path}: {source}; check the path and its permissions")]
    Input {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The input is a folder that this program writes, whose documents have lost their access lists.
    #[error(
        "{path} is no folder of documents: {marker} shows that a store or an output of this program is there; name the folder of the original files"
    )]
    OwnOutput {
        /// The folder.
        path: PathBuf,
        /// The file that shows it.
        marker: PathBuf,
    },
    /// The worker command cannot be started or does not speak the protocol.
    #[error("the parser process `{program}` does not work: {reason}")]
    Worker {
        /// The executable.
        program: PathBuf,
        /// What happened.
        reason: String,
    },
    /// libpdfium cannot be read.
    #[error("cannot read the PDF library {path}: {source}; fetch it again or choose the engine `hayro`")]
    PdfLibrary {
        /// The library.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// An artifact, the journal or the stat cache cannot be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The operating system refused. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Why one file gave no document. It becomes one line of `diagnostics.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Failure {
    /// A word for the kind of reason, such as `empty`.
    pub reason: String,
    /// One sentence for people.
    pub message: String,
    /// True when the same file may well succeed next time, so the failure is not remembered.
    pub is_transient: bool,
}

impl From<MetadataError> for Failure {
    fn from(error: MetadataError) -> Self {
        Self::lasting("metadata", error.to_string())
    }
}

impl Failure {
    /// A failure that the same bytes will always meet.
    pub(crate) fn lasting(reason: &str, message: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            message: message.into(),
            is_transient: false,
        }
    }

    /// A failure that may be over next time.
    pub(crate) fn transient(reason: &str, message: impl Into<String>) -> Self {
        Self {
            is_transient: true,
            ..Self::lasting(reason, message)
        }
    }

    /// The diagnostic for the file `source`.
    pub fn diagnostic(&self, source: &str) -> Diagnostic {
        Diagnostic {
            source: source.to_owned(),
            severity: Severity::Quarantined,
            reason: self.reason.clone(),
            message: self.message.clone(),
        }
    }
}
