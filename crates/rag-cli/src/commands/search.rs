//! `search`: the passages that a question finds.

use std::path::PathBuf;

use rag_pipeline::{Engine, Store};

use super::ask::{WayArgs, question};
use crate::args::{AskerArgs, question_text};
use crate::context::Context;
use crate::print::to_stdout;
use crate::{Done, show};

/// Lists passages with each leg's rank and score.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  rag search 'reset my password' --store target/handbook --mode hybrid --no-rerank"
)]
pub struct Args {
    /// The question.
    #[arg(value_parser = question_text)]
    question: String,
    /// The store.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// How many passages.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    k: u32,
    #[command(flatten)]
    asker: AskerArgs,
    #[command(flatten)]
    way: WayArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let store = Store::open(&args.store)?;
    let engine = Engine::open(&store, &context.settings, &context.progress)?;
    let question = question(args.question, Vec::new(), &args.asker);
    let ranking = engine.rank(&question, args.way.over(engine.way()), args.k as usize)?;
    if args.json {
        to_stdout(&serde_json::to_string(&ranking)?);
    } else {
        to_stdout(&show::ranking(&ranking));
    }
    Ok(Done::Complete)
}
