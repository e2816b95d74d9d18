//! How fast are embedding and reranking on this machine, against candle's own model?
//!
//! Corpus: the first 600 texts of a JSON-lines file whose lines have a `text` (such as SciFact's
//! `corpus.jsonl`), at most 256 tokens each. Baseline: candle-transformers' `BertModel` on the same weights,
//! padded batches of 8. Read the ratios of one run, not its times.
//!
//! `cargo run -p rag-models --example measure -- CORPUS.jsonl`
#![expect(clippy::print_stdout, reason = "a program that reports to a person")]

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use rag_core::progress::Silent;
use rag_models::bert::{EncoderOptions, InstructionSet};
use rag_models::catalogue::{self, DEFAULT_CROSS_ENCODER, DEFAULT_EMBEDDER, FileKind};
use rag_models::fetch::{self, FetchConfig};
use rag_models::weights::BertWeights;
use rag_models::{ModelOptions, Precision, open_cross_encoder, open_embedder};

type Failure = Box<dyn Error>;

const TEXTS: usize = 600;
const MAX_TOKENS: usize = 256;
const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::Bf16, Precision::Int8];

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("usage: measure CORPUS.jsonl")?;
    let texts = read_texts(&path)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    println!("instruction set: {:?}", InstructionSet::detect());
    embedding(&texts)?;
    instruction_sets(&texts)?;
    queries()?;
    reranking(&texts)?;
    stock(&texts)
}

fn options(precision: Precision, threads: usize) -> ModelOptions {
    ModelOptions {
        fetch: FetchConfig::default().with_variables(|name| std::env::var(name).ok()),
        encoder: EncoderOptions {
            precision,
            threads,
            ..EncoderOptions::default()
        },
    }
}

fn read_texts(path: &str) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for line in fs_err::read_to_string(path)?.lines().take(TEXTS) {
        let object: HashMap<String, serde_json::Value> = serde_json::from_str(line)?;
        let text = object.get("text").and_then(serde_json::Value::as_str);
        texts.push(text.ok_or("a line has no `text`")?.to_owned());
    }
    Ok(texts)
}

fn embedding(texts: &[&str]) -> Result<(), Failure> {
    let mut exact: Option<rag_models::Embeddings> = None;
    for precision in PRECISIONS {
        for threads in [1, 2] {
            let start = Instant::now();
            let model = open_embedder(DEFAULT_EMBEDDER, &options(precision, threads), &Silent)?;
            let opened = start.elapsed();
            model.embed_query("warm")?;
            let loaded = start.elapsed();
            let tokens: usize = texts
                .iter()
                .map(|text| (model.count_tokens(text) + 2).min(MAX_TOKENS))
                .sum();
            let start = Instant::now();
            let found = model.embed_passages(texts, &Silent)?;
            let seconds = start.elapsed().as_secs_f64();
            let exact = exact.get_or_insert_with(|| found.clone());
            let cosines = found
                .vectors()
                .zip(exact.vectors())
                .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>());
            let (mut least, mut total) = (f32::MAX, 0.0);
            for cosine in cosines {
                least = least.min(cosine);
                total += cosine;
            }
            println!(
                "embed {:5} {threads} threads: {:7.0} tokens/s ({tokens} tokens, {seconds:.2} s), cosine to \
                 f32 min {least:.5} mean {:.5}; open {} ms, first answer {} ms",
                precision.name(),
                tokens as f64 / seconds,
                total / texts.len() as f32,
                opened.as_millis(),
                loaded.as_millis(),
            );
        }
    }
    Ok(())
}

fn instruction_sets(texts: &[&str]) -> Result<(), Failure> {
    for set in InstructionSet::available() {
        for precision in PRECISIONS {
            let mut options = options(precision, 2);
            options.encoder.instructions = set;
            let model = open_embedder(DEFAULT_EMBEDDER, &options, &Silent)?;
            model.embed_query("warm")?;
            let texts = &texts[..60];
            let tokens: usize = texts
                .iter()
                .map(|text| (model.count_tokens(text) + 2).min(MAX_TOKENS))
                .sum();
            let start = Instant::now();
            model.embed_passages(texts, &Silent)?;
            println!(
                "embed {:5} with {set:?}: {:7.0} tokens/s",
                precision.name(),
                tokens as f64 / start.elapsed().as_secs_f64()
            );
        }
    }
    Ok(())
}

fn queries() -> Result<(), Failure> {
    for precision in PRECISIONS {
        let model = open_embedder(DEFAULT_EMBEDDER, &options(precision, 1), &Silent)?;
        let question = "How many people live in the city of Berlin today?";
        model.embed_query(question)?;
        let start = Instant::now();
        for _ in 0..50 {
            model.embed_query(question)?;
        }
        println!(
            "one question, {:5} 1 thread: {:.2} ms",
            precision.name(),
            start.elapsed().as_secs_f64() * 1000.0 / 50.0
        );
    }
    Ok(())
}

fn reranking(texts: &[&str]) -> Result<(), Failure> {
    // Candidates of about 130 tokens, so that a pair has about 146.
    let candidates: Vec<String> = texts[..30]
        .iter()
        .map(|text| text.split_whitespace().take(95).collect::<Vec<_>>().join(" "))
        .collect();
    let candidates: Vec<&str> = candidates.iter().map(String::as_str).collect();
    for precision in PRECISIONS {
        for threads in [1, 2] {
            let model = open_cross_encoder(DEFAULT_CROSS_ENCODER, &options(precision, threads), &Silent)?;
            let start = Instant::now();
            let question = "Do vaccines change how cells of the immune system respond?";
            model.score(question, &candidates[..1])?;
            let loaded = start.elapsed();
            let start = Instant::now();
            model.score(question, &candidates)?;
            println!(
                "rerank 30, {:5} {threads} threads: {:.0} ms (load and first pair {} ms)",
                precision.name(),
                start.elapsed().as_secs_f64() * 1000.0,
                loaded.as_millis()
            );
        }
    }
    Ok(())
}

/// candle-transformers' model on the first 96 texts, sorted by length, batches of 8, padded, masked.
fn stock(texts: &[&str]) -> Result<(), Failure> {
    let entry = catalogue::find(DEFAULT_EMBEDDER).ok_or("not in the catalogue")?;
    let files = fetch::fetch(entry, &options(Precision::F32, 0).fetch, &Silent)?;
    let weights = BertWeights::load(files.path(FileKind::Weights).ok_or("no weights")?, None)?;
    let config = Config {
        hidden_size: 384,
        num_hidden_layers: 6,
        num_attention_heads: 12,
        intermediate_size: 1536,
        ..Config::default()
    };
    let builder = VarBuilder::from_tensors(weights.tensors().clone(), DType::F32, &Device::Cpu);
    let model = BertModel::load(builder, &config)?;
    let tokenizer = files.path(FileKind::Tokenizer).ok_or("no tokenizer")?;
    let mut tokenizer = tokenizers::Tokenizer::from_file(tokenizer).map_err(|error| error.to_string())?;
    tokenizer.with_padding(None);
    let mut inputs = Vec::new();
    for text in &texts[..96] {
        let encoding = tokenizer.encode(*text, true).map_err(|error| error.to_string())?;
        inputs.push(encoding.get_ids().to_vec());
    }
    inputs.sort_by_key(Vec::len);
    let tokens: usize = inputs.iter().map(Vec::len).sum();
    let start = Instant::now();
    for batch in inputs.chunks(8) {
        let longest = batch.iter().map(Vec::len).max().unwrap_or(0);
        let padded = |fill: fn(u32) -> u32| -> Result<Tensor, Failure> {
            let rows: Vec<u32> = batch
                .iter()
                .flat_map(|ids| {
                    let own = ids.iter().map(move |&id| fill(id));
                    own.chain(std::iter::repeat_n(0, longest - ids.len()))
                })
                .collect();
            Ok(Tensor::from_vec(rows, (batch.len(), longest), &Device::Cpu)?)
        };
        let ids = padded(|id| id)?;
        model.forward(&ids, &ids.zeros_like()?, Some(&padded(|_| 1)?))?;
    }
    println!(
        "candle's BertModel, f32, its own threads: {:.0} tokens/s ({tokens} tokens)",
        tokens as f64 / start.elapsed().as_secs_f64()
    );
    Ok(())
}
