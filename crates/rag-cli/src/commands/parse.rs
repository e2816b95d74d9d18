//! `parse`: files to documents, and the process that reads files for it.

use std::path::PathBuf;

use anyhow::Context as _;
use rag_parse::WorkerCommand;

use super::parse_file;
use super::stage::report;
use crate::Done;
use crate::context::Context;

/// The hidden subcommand by which this program reads files in a process of its own.
const WORKER: &str = "parse-worker";

/// Reads every file of a folder; writes documents.jsonl and diagnostics.jsonl.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag parse --in data/handbook --out parsed\n  rag parse --explain report.pdf\n  \
                        rag parse --preview report.pdf --out report.html"
)]
pub struct Args {
    /// The folder of files to read.
    #[arg(long = "in", value_name = "DIR", required_unless_present_any = ["explain", "preview"])]
    input: Option<PathBuf>,
    /// The artifact folder to write, or the page of `--preview`; an earlier artifact is replaced in one step.
    #[arg(long = "out", value_name = "PATH", required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Print the blocks of one file and what each clean-up step removed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "output", "preview"])]
    explain: Option<PathBuf>,
    /// Write a page of HTML that draws the blocks of one file where they stand, in reading order.
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    preview: Option<PathBuf>,
}

pub(crate) fn run(args: Args, context: &Context) -> anyhow::Result<Done> {
    if let Some(file) = &args.explain {
        return parse_file::explain(file, context);
    }
    let (input, output) = match (args.preview, args.input, args.output) {
        (Some(file), _, Some(output)) => return parse_file::preview(&file, &output, context),
        (_, Some(input), Some(output)) => (input, output),
        _ => anyhow::bail!("give --in and --out, or --explain FILE, or --preview FILE and --out"),
    };
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
