//! Weights files of BERT-family models, read into tensors under their safetensors names.

mod error;

pub use error::WeightsError;
