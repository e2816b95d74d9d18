//! Refits the numbers behind [`Decision`]: when a sentence answers and when we decline.
//!
//! Question: which weights of the features, and which threshold, tell answered from unanswered questions?
//! Data: any number of pairs of an artifact of the stage `rerank` (or `retrieve`) and a file of labels,
//! JSON lines with `id` or `_id`, `answers` and `answerable`. Each pair weighs the same.
//!
//! ```text
//! cargo run -p rag-generate --example calibrate -- \
//!     --hits OUT/handbook/rerank --labels data/questions.jsonl \
//!     --hits OUT/squad2/rerank --labels DATASETS/squad2/answers.jsonl
//! ```
//!
//! With `--without-model` the decision that needs no cross-encoder is fitted. Prints the figures of the
//! defaults and of the fit (cross-validated in five contiguous blocks, so that an article's questions
//! stay together), the trade-off at each threshold, and the fit as JSON.

mod data;
mod fit;
mod report;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Parser;
use rag_core::progress::Silent;
use rag_generate::{Config, Decision, ExtractiveGenerator};
use rag_models::{ModelOptions, open_cross_encoder};

use data::{Asked, read};

/// Blocks of the cross-validation.
const FOLDS: usize = 5;

#[derive(Parser)]
struct Args {
    /// Folder of an artifact of the stage `rerank` or `retrieve`; once per data set.
    #[arg(long, required = true)]
    hits: Vec<PathBuf>,
    /// Labels of its questions; once per data set.
    #[arg(long, required = true)]
    labels: Vec<PathBuf>,
    /// The cross-encoder: a name of the catalogue or a folder.
    #[arg(long, default_value = "ms-marco-MiniLM-L-12-v2")]
    reranker: String,
    /// Where weights are cached.
    #[arg(long)]
    model_cache: Option<PathBuf>,
    /// Fit the decision without a cross-encoder.
    #[arg(long)]
    without_model: bool,
    /// Takes every nth question only.
    #[arg(long, default_value_t = 1)]
    every: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    ensure!(
        args.hits.len() == args.labels.len(),
        "give one --labels for each --hits"
    );
    let mut options = ModelOptions::default();
    if let Some(cache) = &args.model_cache {
        options.fetch.cache.clone_from(cache);
    }
    let model = if args.without_model {
        None
    } else {
        Some(open_cross_encoder(&args.reranker, &options, &Silent)?)
    };
    let config = Config::default();
    let generator = ExtractiveGenerator::new(model.as_deref(), config.extract.clone());
    let mut sets = Vec::new();
    for (hits, labels) in args.hits.iter().zip(&args.labels) {
        let name = hits.display().to_string();
        let asked = read(hits, labels, &generator, &config, args.every).with_context(|| name.clone())?;
        sets.push((name, asked));
    }
    let default = if args.without_model {
        config.extract.without_cross_encoder
    } else {
        config.extract.with_cross_encoder
    };
    let all: Vec<&[Asked]> = sets.iter().map(|(_, asked)| &asked[..]).collect();
    let fitted = fit::fit(&all, default);
    for (at, (name, asked)) in sets.iter().enumerate() {
        let held_out = cross_validated(&all, at, default);
        report::print(name, asked, &default, &fitted, &held_out);
    }
    report::print_decision(&fitted)
}

/// The log-odds of each question's best sentence by models that were fitted without its block, in the
/// order of data set `at`.
fn cross_validated(all: &[&[Asked]], at: usize, start: Decision) -> Vec<f32> {
    let asked = all[at];
    let mut found = Vec::with_capacity(asked.len());
    for fold in 0..FOLDS {
        let block = asked.len() * fold / FOLDS..asked.len() * (fold + 1) / FOLDS;
        let rest = [&asked[..block.start], &asked[block.end..]].concat();
        let training: Vec<&[Asked]> = all
            .iter()
            .enumerate()
            .map(|(other, set)| if other == at { &rest[..] } else { *set })
            .collect();
        let decision = fit::fit(&training, start);
        found.extend(asked[block].iter().map(|question| question.best(&decision).1));
    }
    found
}
