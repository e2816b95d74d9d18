//! Is the token estimate of remote embedders an upper one? Compares it with a llama-server's own tokenizer.
//!
//! Corpus: the paragraphs of more than 40 bytes in the Markdown and text files below a folder.
//!
//! `cargo run -p rag-models --example token_estimate -- FOLDER BASE_URL`, with llama-server's `http://127.0.0.1:PORT`.
#![expect(clippy::print_stdout, reason = "a program that reports to a person")]

use std::error::Error;
use std::path::{Path, PathBuf};

use rag_models::Embedder;
use rag_models::remote::{KeyHeader, RemoteEmbedder, RemoteEmbeddingConfig};
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

/// Shorter paragraphs are headings and lone words.
const MIN_BYTES: usize = 40;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: token_estimate FOLDER BASE_URL";
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    let base_url = arguments.next().ok_or(usage)?;
    let embedder = RemoteEmbedder::new(
        RemoteEmbeddingConfig {
            base_url: base_url.clone(),
            model: "any".into(),
            dimension: Some(1),
            key_header: KeyHeader::None,
            ..Default::default()
        },
        None,
    )?;
    let mut ratios = Vec::new();
    for paragraph in paragraphs(&folder)? {
        let real = server_tokens(&base_url, &paragraph)?;
        ratios.push(real as f64 / embedder.count_tokens(&paragraph) as f64);
    }
    ratios.sort_by(f64::total_cmp);
    let above = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let (median, largest) = (ratios.get(ratios.len() / 2), ratios.last());
    println!(
        "{} paragraphs; the server's tokens against the estimate: median {:.2}, largest {:.2}, above 1: {above}",
        ratios.len(),
        median.ok_or("no paragraphs")?,
        largest.ok_or("no paragraphs")?
    );
    Ok(())
}

fn paragraphs(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut paragraphs = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            paragraphs.extend(self::paragraphs(&path)?);
        } else if matches!(extension, Some("md" | "txt")) {
            let bytes = fs_err::read(&path)?;
            let text = String::from_utf8_lossy(&bytes);
            let long = text.split("\n\n").filter(|paragraph| paragraph.len() > MIN_BYTES);
            paragraphs.extend(long.map(str::to_owned));
        }
    }
    Ok(paragraphs)
}

fn server_tokens(base_url: &str, text: &str) -> Result<usize, Failure> {
    let request = json!({"content": text, "add_special": false}).to_string();
    let mut reply = ureq::post(format!("{base_url}/tokenize")).send(request)?;
    let reply: Value = serde_json::from_str(&reply.body_mut().read_to_string()?)?;
    let tokens = reply["tokens"].as_array().ok_or("the server sent no tokens")?;
    Ok(tokens.len())
}
