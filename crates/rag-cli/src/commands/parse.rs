//! `parse`: files to documents, and the process that reads files for it.

use anyhow::Context as _;
use rag_parse::WorkerCommand;

use super::stage::{InOut, report};
use crate::Done;
use crate::context::Context;

/// The hidden subcommand by which this program reads files in a process of its own.
const WORKER: &str = "parse-worker";

/// Reads every file of a folder; writes documents.jsonl and diagnostics.jsonl.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag parse --in data/handbook --out parsed")]
pub struct Args {
    #[command(flatten)]
    paths: InOut,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    let InOut { input, output } = args.paths;
    anyhow::ensure!(
        input.is_dir(),
        "{} is not a folder; give the folder of documents",
        input.display()
    );
    let outcome = rag_pipeline::parse(
        &context.settings,
        &input,
        &output,
        Some(worker_command()?),
        &context.progress,
    )?;
    Ok(report("parse", outcome))
}

/// This program as a reader of files.
pub fn worker_command() -> anyhow::Result<WorkerCommand> {
    let program = std::env::current_exe().context("cannot find this program to start workers from it")?;
    Ok(WorkerCommand {
        program,
        args: vec![WORKER.to_owned()],
    })
}

/// Serves files until stdin ends.
pub(crate) fn run_worker() -> anyhow::Result<Done> {
    rag_parse::worker::worker_main(std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(Done::Complete)
}
