//! `eval records`: answers of other tools, scored.

use std::path::PathBuf;

use rag_eval::exchange::{self, record_means};
use serde_json::json;

use crate::Done;
use crate::print::to_stdout;

/// Arguments of `eval records`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Answers in RAGChecker's or RAGAS's JSON, or as CSV; the form is told by the content.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
    let records = exchange::read(&args.file)?;
    let means = record_means(&records);
    if args.json {
        to_stdout(&json!({ "answers": records.len(), "metrics": means }).to_string());
        return Ok(Done::Complete);
    }
    to_stdout(&format!("{} answers", records.len()));
    for (name, summary) in &means {
        to_stdout(&format!(
            "{name:12} {}  ({} without an accepted answer)",
            super::eval_trec::mean(summary),
            summary.not_computed
        ));
    }
    Ok(Done::Complete)
}
