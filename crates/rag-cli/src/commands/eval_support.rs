//! `eval support`: whether the check of citations tells supported from unsupported claims, and the fit behind it.

use std::path::PathBuf;

use rag_eval::support::SupportSet;
use rag_pipeline::evaluate::{SetReport, SupportEvaluation, evaluate_support};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Arguments of `eval support`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A data set's folder; once per data set.
    #[arg(long, value_name = "DIR", required = true)]
    dataset: Vec<PathBuf>,
    /// Its form: attributionbench, summedits or scifact; once per data set, in the same order.
    #[arg(long, value_name = "KIND", required = true)]
    kind: Vec<SupportSet>,
    /// Most claims that are taken of a data set.
    #[arg(long, value_name = "N", default_value_t = 500)]
    limit: usize,
    /// Fit the decision to the first halves of the data sets, judge that one, and print it as settings.
    #[arg(long)]
    refit: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    anyhow::ensure!(
        args.dataset.len() == args.kind.len(),
        "give one --kind for each --dataset"
    );
    let evaluation = SupportEvaluation {
        sets: args
            .kind
            .iter()
            .copied()
            .zip(args.dataset.iter().cloned())
            .collect(),
        limit: args.limit,
        refit: args.refit,
    };
    let report = evaluate_support(&evaluation, &context.settings, &context.progress)?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
        return Ok(Done::Complete);
    }
    report.sets.iter().for_each(print);
    if args.refit {
        to_stdout(&serde_json::to_string_pretty(&report.decision)?);
    }
    Ok(Done::Complete)
}

fn print(set: &SetReport) {
    if set.left_out > 0 {
        to_stdout(&format!(
            "{}: {} claims left out, their text is empty or of a language that the models do not serve",
            set.set, set.left_out
        ));
    }
    to_stdout(&format!(
        "{}: {} held claims, {} supported",
        set.set, set.held, set.supported
    ));
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    for figures in &set.methods {
        to_stdout(&format!(
            "  {:36} balanced accuracy {}  AUROC {}  ECE {}",
            figures.method,
            cell(figures.balanced_accuracy),
            cell(figures.auroc),
            cell(figures.calibration_error),
        ));
    }
}
