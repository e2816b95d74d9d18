//! `rerank`: ranked passages to better ranked passages.

use super::stage::{InOut, report};
use crate::Done;
use crate::context::Context;

/// Reads question and passage together for the best hits; writes hits.jsonl and run.trec.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag rerank --in retrieved --out reranked")]
pub struct Args {
    #[command(flatten)]
    paths: InOut,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let InOut { input, output } = args.paths;
    Ok(report(
        "rerank",
        rag_pipeline::rerank(&context.settings, &input, &output, &context.progress)?,
    ))
}
