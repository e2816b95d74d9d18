//! Models across the network: language models behind the Messages API and behind chat completions, and embedders.
//!
//! | type | interface | servers |
//! |---|---|---|
//! | [`AnthropicModel`] | Messages | Anthropic, llama-server |
//! | [`OpenAiModel`] | chat completions | OpenAI, Azure OpenAI (v1 and dated), llama-server, vLLM, Ollama |
//! | [`RemoteEmbedder`] | embeddings | the same |
//!
//! Keys come from environment variables that the settings name (`key_variable`). The caller looks them up and passes
//! a [`Secret`], which no message, log or file shows. A server's words are shown only where they repeat neither the
//! key nor what was sent, and nothing is sent while a logger records all bytes.
//!
//! Requests go over https, or to this machine; redirects are not followed. What may pass is tried again as the
//! vendors' own clients do it, within [`HttpConfig`]'s bounds.
//!
//! Not here: which of these models is used, prompts, and the check of citations, which a model's own are no proof of.

mod anthropic;
mod body;
mod config;
mod discretion;
mod embeddings;
mod endpoint;
mod error;
mod handout;
mod http;
mod openai;
mod problem;
mod retry;
mod secret;
mod sse;

pub use anthropic::{AnthropicConfig, AnthropicModel};
pub use config::{HttpConfig, KeyHeader};
pub use embeddings::{RemoteEmbedder, RemoteEmbeddingConfig, VectorEncoding};
pub use error::RemoteError;
pub use openai::{OpenAiConfig, OpenAiModel, TokenLimitField};
pub use secret::Secret;
