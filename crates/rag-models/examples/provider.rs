//! Does a provider, or a server on this machine, understand the remote models? Asks it one question in each way.
//!
//! `cargo run -p rag-models --example provider -- BASE_URL MODEL [KEY_VARIABLE]`, where BASE_URL is the address before
//! `/v1`, for example llama-server's `http://127.0.0.1:8080`. Without KEY_VARIABLE no key is sent.
#![expect(clippy::print_stdout, reason = "a program that reports to a person")]

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use rag_core::progress::Silent;
use rag_models::language_model::Prompt;
use rag_models::remote::{
    AnthropicConfig, AnthropicModel, KeyHeader, OpenAiConfig, OpenAiModel, RemoteEmbedder,
    RemoteEmbeddingConfig, Secret, TokenLimitField, VectorEncoding,
};
use rag_models::{Embedder, LanguageModel};

type Failure = Box<dyn Error>;

/// Where the server is and how it is asked.
struct Server {
    base_url: String,
    model: String,
    key: Option<Secret>,
}

impl Server {
    fn key_header(&self) -> KeyHeader {
        if self.key.is_some() {
            KeyHeader::Bearer
        } else {
            KeyHeader::None
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: provider BASE_URL MODEL [KEY_VARIABLE]";
    let server = Server {
        base_url: arguments.next().ok_or(usage)?,
        model: arguments.next().ok_or(usage)?,
        key: arguments.next().map(std::env::var).transpose()?.map(Secret::new),
    };
    for streaming in [false, true] {
        report("chat completions", streaming, chat(&server, streaming));
        report("messages", streaming, messages(&server, streaming));
    }
    for encoding in [VectorEncoding::Float, VectorEncoding::Base64] {
        match embeddings(&server, encoding) {
            Ok(line) => println!("embeddings, {encoding:?}: {line}"),
            Err(error) => println!("embeddings, {encoding:?}: FAILED: {error}"),
        }
    }
    Ok(())
}

fn report(interface: &str, streaming: bool, outcome: Result<String, Failure>) {
    let form = if streaming { "streamed" } else { "whole" };
    match outcome {
        Ok(line) => println!("{interface}, {form}: {line}"),
        Err(error) => println!("{interface}, {form}: FAILED: {error}"),
    }
}

fn chat(server: &Server, streaming: bool) -> Result<String, Failure> {
    let config = OpenAiConfig {
        base_url: format!("{}/v1", server.base_url),
        model: server.model.clone(),
        key_header: server.key_header(),
        token_limit_field: TokenLimitField::MaxTokens,
        temperature: Some(0.0),
        streaming,
        ..Default::default()
    };
    ask(&OpenAiModel::new(config, server.key.clone())?)
}

fn messages(server: &Server, streaming: bool) -> Result<String, Failure> {
    let config = AnthropicConfig {
        base_url: server.base_url.clone(),
        model: server.model.clone(),
        key_header: server.key_header(),
        streaming,
        ..Default::default()
    };
    ask(&AnthropicModel::new(config, server.key.clone())?)
}

fn ask(model: &dyn LanguageModel) -> Result<String, Failure> {
    let prompt = Prompt::new("Answer in one sentence.", "What is the capital of France?", 24);
    let start = Instant::now();
    let mut pieces = 0;
    let completion = model.complete(&prompt, &mut |_| {
        pieces += 1;
        ControlFlow::Continue(())
    })?;
    Ok(format!(
        "{:?}, {:?}, {pieces} pieces, {} + {} tokens, {} ms",
        completion.text,
        completion.stop,
        completion.usage.prompt,
        completion.usage.completion,
        start.elapsed().as_millis()
    ))
}

fn embeddings(server: &Server, encoding: VectorEncoding) -> Result<String, Failure> {
    let config = RemoteEmbeddingConfig {
        base_url: format!("{}/v1", server.base_url),
        model: server.model.clone(),
        key_header: server.key_header(),
        encoding,
        ..Default::default()
    };
    let model = RemoteEmbedder::new(config, server.key.clone())?;
    let texts = [
        "A kitten rests on a rug.",
        "A cat sleeps on a carpet.",
        "The invoice is due in March.",
    ];
    let embeddings = model.embed_passages(&texts, &Silent)?;
    let cosine = |a: usize, b: usize| -> f32 {
        embeddings
            .vector(a)
            .iter()
            .zip(embeddings.vector(b))
            .map(|(a, b)| a * b)
            .sum()
    };
    Ok(format!(
        "{} numbers, cosine of the cats {:.3}, of cat and invoice {:.3}",
        model.dimension(),
        cosine(0, 1),
        cosine(0, 2)
    ))
}
