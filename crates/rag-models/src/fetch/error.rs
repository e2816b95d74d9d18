//! Why a model's file could not be obtained.

use std::path::PathBuf;

/// Errors of obtaining model files. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The bytes that arrived are not the pinned ones.
    #[error(
        "{file} from {from} has the wrong SHA-256: expected {expected}, got {got}; \
         nothing was kept. Try again, or place the right file in a folder and name that folder"
    )]
    WrongDigest {
        /// The file's name.
        file: String,
        /// Where it came from.
        from: String,
        /// The catalogue's digest.
        expected: String,
        /// The digest of what arrived.
        got: String,
    },
    /// What arrived has another size than the catalogue says.
    #[error(
        "{file} from {from} has {got} bytes, expected {expected} \
         (SHA-256 expected {sha256_expected}, got {sha256_got}); nothing was kept. Try again, or place the right file in a folder and name that folder"
    )]
    WrongSize {
        /// The file's name.
        file: String,
        /// Where it came from.
        from: String,
        /// The catalogue's size.
        expected: u64,
        /// The size of what arrived, so far.
        got: u64,
        /// The catalogue's digest.
        sha256_expected: String,
        /// The digest of what arrived.
        sha256_got: String,
    },
    /// No source could deliver.
    #[error("cannot obtain {model}: {}. {next_step}", .tried.join("; "))]
    Unobtainable {
        /// The model.
        model: String,
        /// One line per source: what was tried and why it failed.
        tried: Vec<String>,
        /// What the user can do.
        next_step: String,
    },
    /// The cache folder cannot be written or read; the message names the path.
    #[error("model cache {folder}: {source}; choose another folder for the model cache")]
    Cache {
        /// The cache's folder.
        folder: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
}
