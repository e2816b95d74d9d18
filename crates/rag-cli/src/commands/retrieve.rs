//! `retrieve`: questions to ranked passages.

use std::path::PathBuf;

use super::stage::{StageArgs, report};
use crate::Done;
use crate::context::Context;

/// Searches an index generation for every question of a file; writes hits.jsonl and run.trec.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  rag retrieve --in indexed --questions data/questions.jsonl --out retrieved"
)]
pub struct Args {
    #[command(flatten)]
    paths: StageArgs,
    /// Questions as JSON lines: `id`, `question`, and optionally `groups`, `filters`, `history`.
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let outcome = rag_pipeline::retrieve(
        &context.settings,
        &args.paths.input,
        &args.questions,
        &args.paths.output,
        &context.progress,
    )?;
    Ok(report("retrieve", outcome))
}
