//! Text of a small language model, against llama.cpp on the same file.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use rag_core::progress::Silent;
use rag_models::catalogue;
use rag_models::gguf::{LanguageModelOptions, open_language_model};
use rag_models::language_model::Prompt;
use serde::Serialize;

use super::contest::{Contest, Contestant, Outcome, Round, Runner};
use super::python::number;
use super::{Bench, sample};

/// The model of the catalogue.
const MODEL: &str = "SmolLM2-135M-Instruct";

/// The first message.
const SYSTEM: &str = "You are a helpful assistant.";

/// Words of the prompt's source text.
const WORDS: usize = 250;

/// Tokens that are written.
const TOKENS: usize = 64;

/// Tokens that a conversation may have.
const CONTEXT: usize = 2048;

/// What the peer is given.
#[derive(Serialize)]
struct Parameters {
    weights: PathBuf,
    threads: usize,
    context: usize,
    tokens: usize,
    prompt: String,
}

pub(super) fn contests(bench: &Bench<'_>) -> anyhow::Result<Vec<Outcome>> {
    let options = LanguageModelOptions {
        fetch: bench.fetch().clone(),
        ..LanguageModelOptions::default()
    };
    let model = open_language_model(MODEL, &options, &Silent)?;
    let text = sample(bench.texts()?, 20).join(" ");
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    let user = format!("Retell this in your own words, at length:\n\n{}", words.join(" "));
    let prompt = Prompt::new(SYSTEM, user.clone(), TOKENS);
    let work = move || -> anyhow::Result<Round> {
        let started = Instant::now();
        let first = Cell::new(None);
        let completion = model.complete(&prompt, &mut |_| {
            if first.get().is_none() {
                first.set(Some(started.elapsed().as_secs_f64()));
            }
            ControlFlow::Continue(())
        })?;
        let read = first.get().context("the model wrote nothing")?;
        let written = started.elapsed().as_secs_f64() - read;
        let usage = completion.usage;
        anyhow::ensure!(
            usage.completion > TOKENS as u64 / 2,
            "the model wrote too little to be timed"
        );
        Ok(Round::from([
            ("decoded tokens", (usage.completion - 1) as f64 / written),
            ("prompt tokens", usage.prompt as f64 / read),
        ]))
    };
    let entry = catalogue::find(MODEL).context("the model is in the catalogue")?;
    let files = rag_models::fetch::locate(entry, bench.fetch())?.context("the model was just opened")?;
    let weights = files
        .path(catalogue::FileKind::Weights)
        .context("a language model has weights")?;
    let parameters = Parameters {
        weights: weights.to_owned(),
        threads: bench.threads,
        context: CONTEXT,
        tokens: TOKENS,
        prompt: format!(
            "<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n"
        ),
    };
    let (peer, _) = bench.python.start("generate", "llama.cpp", &parameters)?;
    let read = |said: &serde_json::Value| {
        let per_second = |tokens, seconds| number(said, tokens) / number(said, seconds);
        Round::from([
            ("decoded tokens", per_second("tokens", "decode_seconds")),
            ("prompt tokens", per_second("prompt_tokens", "prompt_seconds")),
        ])
    };
    let contestant = |name: &str, runner| Contestant {
        name: name.to_owned(),
        remarks: BTreeMap::new(),
        runner,
    };
    let pair = |name: &str, unit| (name.to_owned(), "gguf".to_owned(), "llama.cpp".to_owned(), unit);
    Ok(vec![bench.hold(Contest {
        subject: "generate",
        work: format!("{MODEL}: {TOKENS} tokens behind a prompt of {WORDS} words"),
        contestants: vec![
            contestant("gguf", Runner::Ours(Box::new(work))),
            contestant("llama.cpp", Runner::Peer(peer, Box::new(read))),
        ],
        pairs: vec![
            pair("decode_vs_llama_cpp", "decoded tokens"),
            pair("prompt_vs_llama_cpp", "prompt tokens"),
        ],
    })?])
}
