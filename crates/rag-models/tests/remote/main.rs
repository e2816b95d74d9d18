//! Remote models against stand-ins of their providers on loopback. The vendors' own clients are driven against the same
//! stand-ins by `tests/contract/vendor_clients.py`, so that both sides of each shape are held by something else.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]
#![allow(unreachable_pub, reason = "the stand-ins are shared with an example")]

mod anthropic;
mod chat;
mod embeddings;
mod messages;
mod openai;
mod secrets;
mod server;
mod transport;

use std::ops::ControlFlow;

use rag_models::language_model::{Completion, Prompt, Source};
use rag_models::remote::{HttpConfig, RemoteError, Secret};
use rag_models::{LanguageModel, ModelError};

/// The key that the stand-ins accept.
const KEY: &str = "test-key-0123456789";

fn key() -> Secret {
    Secret::new(KEY)
}

/// Waits of milliseconds where a server names none.
fn quick() -> HttpConfig {
    HttpConfig {
        first_wait_ms: 1,
        ..HttpConfig::default()
    }
}

fn source(id: &str, text: &str) -> Source {
    Source {
        id: id.into(),
        title: "A title".into(),
        text: text.into(),
    }
}

/// A completion and the pieces of text that were handed out.
fn complete(model: &dyn LanguageModel, prompt: &Prompt) -> (Result<Completion, RemoteError>, Vec<String>) {
    let mut pieces = Vec::new();
    let outcome = model.complete(prompt, &mut |text| {
        pieces.push(text.to_owned());
        ControlFlow::Continue(())
    });
    (outcome.map_err(remote), pieces)
}

fn remote(error: ModelError) -> RemoteError {
    match error {
        ModelError::Remote(error) => *error,
        other => panic!("{other}"),
    }
}

/// The name of an error's kind.
fn kind(error: &RemoteError) -> String {
    let text = format!("{error:?}");
    text.split([' ', '{']).next().unwrap().to_owned()
}
