//! `chunk`: documents to passages.

use super::stage::{InOut, report};
use crate::Done;
use crate::context::Context;

/// Cuts documents.jsonl into passages.jsonl.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag chunk --in parsed --out chunked")]
pub struct Args {
    #[command(flatten)]
    paths: InOut,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let InOut { input, output } = args.paths;
    Ok(report(
        "chunk",
        rag_pipeline::chunk(&context.settings, &input, &output, &context.progress)?,
    ))
}
