//! Artifacts on disk: folders with a manifest, published whole or not at all.
//!
//! A stage builds its output with [`ArtifactWriter`], which publishes it by one rename, and reads its
//! input with [`Artifact`], which checks it first. [`codec`] frames binary files, [`jsonl`] reads and
//! writes JSON lines, [`Journal`] keeps finished work across a kill, and [`StoreLock`] lets one writer in.

pub mod codec;
mod digest;
mod folder;
mod journal;
pub mod jsonl;
mod key;
mod lock;
mod manifest;
mod publish;

pub use digest::{Digest, FileDigest};
pub use folder::{Artifact, already_done};
pub use journal::Journal;
pub use key::ArtifactKey;
pub use lock::StoreLock;
pub use manifest::{MANIFEST_FILE, Manifest, SCHEMA_VERSION, StageKey};
pub use publish::{ArtifactWriter, TEMPORARY_PREFIX, is_artifact, replace_file};

use std::path::PathBuf;

/// What is wrong with a line, without the line's number in itself, which is always 1.
fn in_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", ", column ")
}

/// Why an artifact could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The folder holds no artifact.
    #[error("{path} holds no artifact (no {MANIFEST_FILE}); run the stage that writes it first")]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds the artifact of another stage.
    #[error("{path} was written by stage `{found}`, but the output of `{expected}` is needed here")]
    WrongStage {
        /// The folder.
        path: PathBuf,
        /// The stage that wrote it.
        found: String,
        /// The stage whose output is needed.
        expected: String,
    },
    /// The artifact has another layout than this version reads.
    #[error(
        "{path} has schema version {found}, this version reads {SCHEMA_VERSION}; build it again from its sources"
    )]
    Schema {
        /// The folder or file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file is not what its manifest or frame says.
    #[error("{path} is damaged: {reason}; restore it or build it again from its sources")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A line of a JSON-lines file cannot be read.
    #[error("{path}, line {line}: {}", in_line(source))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Somebody else writes to the store.
    #[error("{path} is being written by {holder}; wait for it to finish, or end it, and run this again")]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process, and since when.
        holder: String,
    },
    /// A value cannot be encoded.
    #[error("cannot encode {path}: {reason}")]
    Encode {
        /// The file that was to be written.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The disk is full.
    #[error("no space left while writing {path}; free some and run this again: finished work is kept")]
    DiskFull {
        /// The file or folder being written.
        path: PathBuf,
    },
    /// The operating system refused. The message names the path.
    #[error(transparent)]
    Io(std::io::Error),
}

impl From<std::io::Error> for ArtifactError {
    /// Errors of `fs_err` name their path; a full disk becomes its own variant.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            let path = error.to_string().split('`').nth(1).unwrap_or("the store").into();
            return Self::DiskFull { path };
        }
        Self::Io(error)
    }
}
