//! The encoder with tokenizer, pooling and head: what stands behind the traits for transformer models.

mod cross_encoder;
mod embedder;
mod head;
mod lazy;
mod settings;
mod template;
mod tokenizer;

pub use cross_encoder::TransformerCrossEncoder;
pub use embedder::TransformerEmbedder;
pub use settings::TransformerSettings;

pub(crate) use embedder::normalise;
pub(crate) use lazy::LazyEncoder;
pub(crate) use tokenizer::TextTokenizer;
