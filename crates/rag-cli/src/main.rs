//! The `rag` binary.

use std::process::ExitCode;

use clap::Parser;
use rag_cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    rag_cli::exit_code(rag_cli::run(cli.command, &cli.global))
}
