//! Why a weights file could not be read.

use std::path::PathBuf;

/// Errors of reading weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is not what its name says, or is cut short.
    #[error("{path} is not a readable {format} file: {reason}; fetch it again")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The expected format.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A tensor the architecture needs is not there.
    #[error("{path} has no tensor `{tensor}`; only BERT-family models can be loaded")]
    MissingTensor {
        /// The file.
        path: PathBuf,
        /// The tensor's name as in safetensors files.
        tensor: String,
    },
    /// A tensor has another shape than the rest of the model implies.
    #[error("{path}: tensor `{tensor}` has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape the rest of the model implies.
        expected: Vec<usize>,
    },
    /// The file, or something in it, is larger than this library accepts.
    #[error("{path}: {what} is larger than the limit of {limit}")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What is too large.
        what: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// A tensor operation failed.
    #[error("{path}: {source}")]
    Tensor {
        /// The file.
        path: PathBuf,
        /// candle's reason.
        source: candle_core::Error,
    },
    /// The operating system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
