//! `generate`: ranked passages to answers.

use super::stage::{InOut, report};
use crate::Done;
use crate::context::Context;

/// Answers every question of hits.jsonl from its passages; writes answers.jsonl.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag generate --in reranked --out answered")]
pub struct Args {
    #[command(flatten)]
    paths: InOut,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let InOut { input, output } = args.paths;
    Ok(report(
        "generate",
        rag_pipeline::generate(&context.settings, &input, &output, &context.progress)?,
    ))
}
