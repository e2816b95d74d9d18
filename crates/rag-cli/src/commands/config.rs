//! `config`: the effective settings.

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// What to show.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Print the effective settings as TOML, ready to be a rag.toml.
    Show,
}

pub(crate) fn run(command: &Command, context: &Context) -> Done {
    match command {
        Command::Show => to_stdout(&context.settings.to_toml()),
    }
    Done::Complete
}
