//! Why a GGUF file could not be opened or run.

/// Errors of one GGUF file; [`crate::ModelError::Gguf`] adds its path.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// The file is not what its name says, or is cut short.
    #[error("not a readable GGUF file: {0}; fetch it again")]
    Malformed(String),
    /// The file exceeds a bound of this library.
    #[error("{what} is beyond the limit of {limit}; use another file")]
    TooLarge {
        /// What is too large, with its size.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// The architecture is not one that this library computes.
    #[error("the architecture is `{0}`; served are llama, qwen2, qwen3 and gemma3")]
    UnknownFamily(String),
    /// The metadata lacks an entry, or has it in another type.
    #[error("the metadata has no usable `{0}`; use a file converted by a current converter")]
    Missing(String),
    /// The model needs something that this library does not compute.
    #[error("{0} is not served; use another conversion or another model")]
    Unsupported(String),
    /// A tensor is missing or has another shape than the metadata implies.
    #[error("tensor `{name}`: {reason}; fetch the file again")]
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// The vocabulary contradicts itself.
    #[error("vocabulary: {0}; use a file converted by a current converter")]
    Vocabulary(String),
    /// The chat template cannot be read, or refuses the conversation.
    #[error("chat template: {0}; use another order of messages, or another model")]
    Template(String),
    /// The model computed something that is no number.
    #[error("the model gave numbers that are not finite; its weights are damaged, fetch the file again")]
    NotFinite,
    /// A tensor operation failed.
    #[error("{0}")]
    Compute(#[from] candle_core::Error),
}
