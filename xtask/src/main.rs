//! The project's driver: every command of `rag`, and `bench`, `demo`, `test`, `handbook`.

mod bench;
mod demo;
mod handbook;
mod test;
mod upgrades;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rag_cli::{Done, GlobalArgs};

/// Drives the project: everything `rag` can do, plus `bench`, `demo`, `test` and `handbook`.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    version,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ingest the sample corpus and answer a dozen questions about it.
    #[command(after_help = "Examples:\n  cargo xtask demo\n  cargo xtask demo upgrades")]
    Demo {
        /// What to show instead of the questions.
        #[arg(value_enum)]
        show: Option<Show>,
    },
    /// Measure ours against other programs on this machine.
    #[command(subcommand)]
    Bench(bench::Command),
    /// Run all that continuous integration runs.
    Test(test::Options),
    /// Regenerate the DOCX and PDF files of the sample corpus.
    Handbook {
        /// Only check that the committed files are what would be generated.
        #[arg(long)]
        check: bool,
    },
    #[command(flatten)]
    Rag(Box<rag_cli::Command>),
}

/// What `demo` can show.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Show {
    /// Each switchable part of asking, off and on, with its recall on the labelled questions.
    Upgrades,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Demo { show: None } => demo::run(&cli.global),
        Command::Demo {
            show: Some(Show::Upgrades),
        } => upgrades::run(&cli.global),
        Command::Bench(command) => bench::run(&command, &cli.global).map(|()| Done::Complete),
        Command::Test(options) => test::run(options).map(|()| Done::Complete),
        Command::Handbook { check } => generate_handbook(check).map(|()| Done::Complete),
        Command::Rag(command) => rag_cli::run(*command, &cli.global),
    };
    rag_cli::exit_code(result)
}

fn generate_handbook(check: bool) -> anyhow::Result<()> {
    let (source, target) = (
        workspace().join("data/handbook-src"),
        workspace().join("data/handbook"),
    );
    if check {
        handbook::check(&source, &target)
    } else {
        handbook::generate(&source, &target)
    }
}

/// The root of the workspace that this program was built in.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
}
