//! `ask`: one question, one answer with verified citations.

use std::path::PathBuf;

use rag_core::question::Question;
use rag_pipeline::{Engine, Store, Way};
use rag_retrieve::Mode;

use super::cite::write_receipt;
use crate::args::{AskerArgs, question_text};
use crate::context::Context;
use crate::print::to_stdout;
use crate::{Done, show};

/// Answers from the passages that the asker may read, or declines.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ask 'What does HBR-2207 mean?' --store target/handbook\n  \
                        rag ask 'What is the Q3 forecast?' --store target/handbook --groups finance --json"
)]
pub struct Args {
    /// The question.
    #[arg(value_parser = question_text)]
    question: String,
    /// The store.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// Earlier questions of the same conversation, oldest first; may be given several times.
    #[arg(long, value_name = "QUESTION")]
    history: Vec<String>,
    #[command(flatten)]
    asker: AskerArgs,
    #[command(flatten)]
    way: WayArgs,
    /// Search step by step: once for each thing that is asked, again with other words when nothing answers.
    #[arg(long)]
    agent: bool,
    /// Write a receipt, from which anybody can check the answer again without the store.
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// How passages are found.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct WayArgs {
    /// Which legs search [default: the settings' mode].
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Keep the fused order.
    #[arg(long)]
    no_rerank: bool,
}

impl WayArgs {
    /// The way of the settings with these flags over it.
    pub(crate) fn over(self, way: Way) -> Way {
        Way {
            mode: self.mode.unwrap_or(way.mode),
            reranked: way.reranked && !self.no_rerank,
        }
    }
}

/// The question that the arguments make.
pub(crate) fn question(text: String, history: Vec<String>, asker: &AskerArgs) -> Question {
    Question {
        history,
        filter: asker.filter(),
        ..Question::new("1", text, asker.principal())
    }
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let store = Store::open(&args.store)?;
    let engine = Engine::open(&store, &context.settings, &context.progress)?;
    let question = question(args.question, args.history, &args.asker);
    let way = args.way.over(engine.way());
    let answer = if args.agent {
        engine.research(&question, way)?
    } else {
        engine.ask(&question, way)?
    };
    if let Some(path) = &args.receipt {
        write_receipt(path, &engine.receipt(&answer))?;
    }
    if args.json {
        to_stdout(&serde_json::to_string(&answer)?);
    } else {
        to_stdout(&show::answer(&answer));
    }
    Ok(Done::Complete)
}
