//! Candle models behind the [`Embedder`] and [`CrossEncoder`] traits, their CPU kernels, and how weights
//! are obtained and verified.

pub mod catalogue;
pub mod cross_encoder;
pub mod embedder;
mod error;
pub mod fetch;
pub mod identity;
pub mod weights;

pub use cross_encoder::{CrossEncoder, Scores};
pub use embedder::{Embedder, Embeddings};
pub use error::ModelError;
pub use identity::{ModelIdentity, Pooling, Precision};
