//! The commands of single stages: one artifact folder in, another out.

use std::path::{Path, PathBuf};

use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_pipeline::{PipelineError, Settings};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Where a stage reads and writes.
#[derive(Debug, Clone, clap::Args)]
pub struct StageArgs {
    /// The artifact folder to read.
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) input: PathBuf,
    /// The artifact folder to write; an earlier artifact there is replaced in one step.
    #[arg(long = "out", value_name = "DIR")]
    pub(crate) output: PathBuf,
}

/// A stage over artifacts: settings, input and output folder, progress.
type Stage = fn(&Settings, &Path, &Path, &dyn Progress) -> Result<Outcome, PipelineError>;

/// Runs `stage` and prints its counts.
pub(crate) fn run(name: &str, stage: Stage, args: &StageArgs, context: &Context) -> anyhow::Result<Done> {
    let outcome = stage(&context.settings, &args.input, &args.output, &context.progress)?;
    Ok(report(name, outcome))
}

/// Prints the counts of a stage's run.
pub(crate) fn report(stage: &str, outcome: Outcome) -> Done {
    to_stdout(&format!(
        "{stage}: {} seen · {} reused · {} new · {} quarantined",
        outcome.seen, outcome.reused, outcome.written, outcome.quarantined
    ));
    Done::counting(outcome.quarantined)
}
