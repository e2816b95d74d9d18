//! `index`: passages to an index generation.

use super::stage::{InOut, report};
use crate::Done;
use crate::context::Context;

/// Embeds passages.jsonl and writes vectors, lexical index, filters and passage store.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag index --in chunked --out indexed")]
pub struct Args {
    #[command(flatten)]
    paths: InOut,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let InOut { input, output } = args.paths;
    Ok(report(
        "index",
        rag_pipeline::index(&context.settings, &input, &output, &context.progress)?,
    ))
}
