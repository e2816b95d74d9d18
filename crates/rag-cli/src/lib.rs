//! The `rag` command line: one subcommand per stage of the pipeline, and `ingest`, `ask`, `search`, `eval`.
//!
//! Results go to stdout, progress and notes to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage,
//! 3 done but some documents were quarantined, or some variants of an experiment failed. This crate only reads arguments, calls
//! [`rag_pipeline`] or a stage crate, and prints.

mod args;
mod commands;
pub mod context;
pub mod print;
pub mod progress;
pub mod show;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use args::{AskerArgs, GlobalArgs};
pub use commands::eval_upgrades::{of_documents as upgrades_of_documents, print_upgrades};
pub use commands::parse::worker_command;
use commands::stage;
use context::Context;

/// Local, permission-aware retrieval-augmented generation, stage by stage.
#[derive(Debug, Parser)]
#[command(name = "rag", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Parse, chunk and index a folder of documents into a store.
    Ingest(commands::ingest::Args),
    /// Answer a question from a store, with verified citations.
    Ask(commands::ask::Args),
    /// List the passages that a question finds, with each leg's rank and score.
    Search(commands::search::Args),
    /// Stage: files to documents.
    Parse(commands::parse::Args),
    /// Stage: documents to passages.
    ///
    /// Cuts documents.jsonl into passages.jsonl.
    #[command(after_help = "Example:\n  rag chunk --in parsed --out chunked")]
    Chunk(commands::stage::StageArgs),
    /// Stage: passages to an index generation.
    ///
    /// Embeds passages.jsonl and writes vectors, lexical index, filters and passage store.
    #[command(after_help = "Example:\n  rag index --in chunked --out indexed")]
    Index(commands::stage::StageArgs),
    /// Stage: questions to ranked passages.
    Retrieve(commands::retrieve::Args),
    /// Stage: ranked passages to better ranked passages.
    ///
    /// Reads question and passage together for the best hits; writes hits.jsonl and run.trec.
    #[command(after_help = "Example:\n  rag rerank --in retrieved --out reranked")]
    Rerank(commands::stage::StageArgs),
    /// Stage: ranked passages to answers with verified citations.
    ///
    /// Answers every question of hits.jsonl from its passages; writes answers.jsonl.
    #[command(after_help = "Example:\n  rag generate --in reranked --out answered")]
    Generate(commands::stage::StageArgs),
    /// Show the source of a citation with the quote marked.
    Cite(commands::cite::CiteArgs),
    /// Check a receipt of an answer again, without the store.
    Check(commands::cite::CheckArgs),
    /// Ask labelled questions and keep what every box made.
    Run(commands::run::Args),
    /// Repeat a run from its lock, and require the same results.
    Repro(commands::repro::Args),
    /// Try variants of the settings on the same questions, and compare them.
    #[command(subcommand)]
    Experiment(commands::experiment::Command),
    /// Name the box that lost each wrong answer of a run.
    Diagnose(commands::diagnose::Args),
    /// Walk an answer back to the bytes it comes from.
    Why(commands::why::Args),
    /// Compare two runs question by question.
    Diff(commands::diff::Args),
    /// Fail when a run is significantly worse than its baseline.
    Gate(commands::gate::Args),
    /// Show runs side by side, as pages for people.
    Report(commands::report::Args),
    /// Measure retrieval, answers or permissions on a data set.
    #[command(subcommand)]
    Eval(commands::eval::Command),
    /// Standing checks: filtered recall, non-interference, truncation, leg health.
    #[command(subcommand)]
    Audit(commands::audit::Command),
    /// Entities and how they are connected, with a source for every edge.
    #[command(subcommand)]
    Graph(commands::graph::Command),
    /// Check every file of a store by its digest.
    Verify(commands::verify::Args),
    /// Remove a document from a store; it stays out until restored.
    Delete(commands::delete::Args),
    /// List the models known by name, or fetch their weights.
    #[command(subcommand)]
    Models(commands::models::Command),
    /// Show the effective settings.
    #[command(subcommand)]
    Config(commands::config::Command),
    /// Reads files for `ingest` and `parse` in a process of its own.
    #[command(hide = true)]
    ParseWorker,
}

/// How a command that did not fail ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All of it.
    Complete,
    /// Not quite all, and what was left is said: documents that were quarantined, variants of an experiment that failed,
    /// citations that were not checked again.
    Partly,
}

impl Done {
    /// [`Done::Partly`] when `quarantined` is not 0.
    pub fn counting(quarantined: u64) -> Self {
        if quarantined == 0 {
            Self::Complete
        } else {
            Self::Partly
        }
    }
}

/// Runs a command.
pub fn run(command: Command, global: &GlobalArgs) -> anyhow::Result<Done> {
    if let Command::ParseWorker = command {
        return commands::parse::run_worker();
    }
    let context = Context::new(global)?;
    match command {
        Command::Ingest(args) => commands::ingest::run(&args, &context),
        Command::Ask(args) => commands::ask::run(args, &context),
        Command::Search(args) => commands::search::run(args, &context),
        Command::Parse(args) => commands::parse::run(args, &context),
        Command::Chunk(args) => stage::run("chunk", rag_pipeline::chunk, &args, &context),
        Command::Index(args) => stage::run("index", rag_pipeline::index, &args, &context),
        Command::Retrieve(args) => commands::retrieve::run(&args, &context),
        Command::Rerank(args) => stage::run("rerank", rag_pipeline::rerank, &args, &context),
        Command::Generate(args) => stage::run("generate", rag_pipeline::generate, &args, &context),
        Command::Cite(args) => commands::cite::cite(&args),
        Command::Check(args) => commands::cite::check(&args, &context),
        Command::Run(args) => commands::run::run(&args, &context),
        Command::Repro(args) => commands::repro::run(&args, &context),
        Command::Experiment(command) => commands::experiment::run(&command, &context),
        Command::Diagnose(args) => commands::diagnose::run(&args, &context),
        Command::Why(args) => commands::why::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::Gate(args) => commands::gate::run(&args),
        Command::Report(args) => commands::report::run(&args, &context),
        Command::Eval(command) => commands::eval::run(command, &context),
        Command::Audit(command) => commands::audit::run(&command, &context),
        Command::Graph(command) => commands::graph::run(command, &context),
        Command::Verify(args) => commands::verify::run(&args, &context),
        Command::Delete(args) => commands::delete::run(&args, &context),
        Command::Models(command) => commands::models::run(command, &context),
        Command::Config(command) => Ok(commands::config::run(&command, &context)),
        Command::ParseWorker => unreachable!("handled above"),
    }
}

/// The exit code for how a command ended; an error is printed with its causes.
pub fn exit_code(result: anyhow::Result<Done>) -> ExitCode {
    let result = result.and_then(|done| match print::lost_output() {
        Some(error) => Err(anyhow::Error::new(error).context("the result could not be written")),
        None => Ok(done),
    });
    match result {
        Ok(Done::Complete) => ExitCode::SUCCESS,
        Ok(Done::Partly) => ExitCode::from(3),
        Err(error) => {
            print::to_stderr(&format!("error: {}", print::plain(&chain(&error))));
            ExitCode::FAILURE
        }
    }
}

/// The message and its causes, each once: a transparent wrapper repeats the cause's words.
fn chain(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !parts.last().is_some_and(|last| last.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}
