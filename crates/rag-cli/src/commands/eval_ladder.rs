//! `eval ladder`: whether the blame ladder finds planted losses where they were planted.

use std::path::PathBuf;

use rag_eval::diagnosis::Rung;
use rag_pipeline::evaluate::evaluate_ladder;

use super::eval::WORK;
use crate::Done;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Arguments of `eval ladder`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Where the planted collections are made.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let report = evaluate_ladder(&args.work.join("ladder"), &context.progress)?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        to_stdout(&format!(
            "{} losses planted, {} found where they were planted; {} of {} unharmed questions found right",
            report.planted, report.right, report.unharmed.hits, report.unharmed.of
        ));
        for (rung, rate) in &report.by_rung {
            to_stdout(&format!("  {:38} {} of {}", rung.meaning(), rate.hits, rate.of));
        }
        for mistaken in &report.mistaken {
            let name = |rung: Option<Rung>| rung.map_or("none", Rung::name);
            to_stdout(&plain(&format!(
                "  {}: planted in {}, found in {}: {}",
                mistaken.diagnosis.id,
                name(mistaken.planted),
                name(mistaken.diagnosis.rung),
                mistaken.diagnosis.evidence.join("; ")
            )));
        }
    }
    anyhow::ensure!(
        report.mistaken.is_empty(),
        "{} of {} questions were diagnosed otherwise than planted",
        report.mistaken.len(),
        report.planted + report.unharmed.of
    );
    Ok(Done::Complete)
}
