//! `retrieve`: questions to ranked passages.

use std::path::PathBuf;

use rag_pipeline::Searched;

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
    /// The chunk artifact that the index was made of, handed on to a program that stands for this stage (exec.retrieve).
    #[arg(long, value_name = "DIR")]
    passages: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let outcome = rag_pipeline::retrieve(
        &context.settings,
        &Searched {
            generation: &args.paths.input,
            passages: args.passages.as_deref(),
            questions: &args.questions,
        },
        &args.paths.output,
        &context.progress,
    )?;
    Ok(report("retrieve", outcome))
}
