//! Language models out of GGUF files: Llama, Qwen 2, Qwen 3 and Gemma 3 and what descends from them.
//!
//! A file carries all that a model needs: its shape and vocabulary (`header`), its chat template
//! (`template`) and its weights (`decoder`). [`open_language_model`] puts them behind
//! [`LanguageModel`](crate::LanguageModel).
//!
//! What people and documents say can never be read as part of the conversation's protocol (`vocabulary`):
//! `<|im_end|>` in a source is ten characters, not the end of a message. The number of threads is candle's,
//! which reads `CANDLE_NUM_THREADS` and `RAYON_NUM_THREADS`.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use rag_core::progress::Silent;
//! use rag_models::gguf::{LanguageModelOptions, open_language_model};
//! use rag_models::language_model::Prompt;
//!
//! # fn main() -> Result<(), rag_models::ModelError> {
//! let model = open_language_model("SmolLM2-135M-Instruct", &LanguageModelOptions::default(), &Silent)?;
//! let prompt = Prompt::new("Answer briefly.", "What is the capital of France?", 64);
//! let answer = model.complete(&prompt, &mut |_piece| ControlFlow::Continue(()))?;
//! println!("{} ({} tokens)", answer.text, answer.usage.completion);
//! # Ok(())
//! # }
//! ```

mod decoder;
mod error;
mod header;
mod model;
mod open;
mod sampling;
mod stream;
mod template;
mod tool_calls;
mod vocabulary;

pub use error::GgufError;
pub use open::{LanguageModelOptions, open_language_model};
pub use sampling::Sampling;
