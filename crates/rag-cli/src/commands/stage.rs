//! What the commands of single stages share.

use std::path::PathBuf;

use rag_core::stage::Outcome;

use crate::Done;
use crate::print::to_stdout;

/// Where a stage reads and writes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InOut {
    /// The artifact folder to read.
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) input: PathBuf,
    /// The artifact folder to write; an earlier artifact there is replaced in one step.
    #[arg(long = "out", value_name = "DIR")]
    pub(crate) output: PathBuf,
}

/// Prints the counts of a stage's run.
pub(crate) fn report(stage: &str, outcome: Outcome) -> Done {
    to_stdout(&format!(
        "{stage}: {} seen · {} reused · {} new · {} quarantined",
        outcome.seen, outcome.reused, outcome.written, outcome.quarantined
    ));
    Done::counting(outcome.quarantined)
}
