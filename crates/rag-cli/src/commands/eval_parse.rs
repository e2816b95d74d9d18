//! `eval parse`: the parse stage measured on a corpus of files.

use std::path::PathBuf;

use rag_eval::parse::{FileScores, ParseScores};
use rag_pipeline::evaluate::{ParseEvaluation, evaluate_parsing};

use super::parse::worker_command;
use crate::Done;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Arguments of `eval parse`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The corpus: a folder with manifest.tsv (file, tags, gt), files/ and gt/.
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Only files whose name holds this text.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let evaluation = ParseEvaluation {
        only: args.only.clone(),
    };
    let scores = evaluate_parsing(
        &args.corpus,
        &evaluation,
        &context.settings,
        Some(worker_command()?),
        &context.progress,
    )?;
    if args.json {
        to_stdout(&serde_json::to_string(&scores)?);
    } else {
        print(&scores);
    }
    Ok(Done::Complete)
}

fn print(scores: &ParseScores) {
    for file in &scores.files {
        to_stdout(&line(file));
    }
    to_stdout("");
    for case in &scores.cases {
        let told = if case.right { "right" } else { "wrong" };
        to_stdout(&format!("{told}  {}", case.name));
        case.why
            .iter()
            .for_each(|why| to_stdout(&format!("       {}", plain(why))));
    }
    to_stdout("");
    let shown =
        |value: Option<f64>| value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.4}"));
    for (name, value) in [
        ("word_f1", scores.word_f1),
        ("gt_word_f1", scores.gt_word_f1),
        ("gt_sequence", scores.gt_sequence),
        ("rows_intact", scores.rows_intact),
        ("adjacency_f1", scores.adjacency_f1),
        ("order", scores.order),
        ("ocr_word_f1", scores.ocr_word_f1),
        ("office_word_f1", scores.office_word_f1),
    ] {
        to_stdout(&format!("{name:18} {}", shown(value)));
    }
    for (engine, value) in &scores.ocr_by_engine {
        to_stdout(&format!("{:18} {value:.4} by {engine}", "ocr_word_f1"));
    }
    let cases = format!("{} of {}", scores.cases_right, scores.cases.len());
    to_stdout(&format!("{:18} {cases}", "cases_right"));
    to_stdout(&format!("{:18} {}", "crashes", scores.crashes));
    for (name, value) in [
        ("pages_per_second", scores.pages_per_second),
        ("two_workers", scores.two_workers),
    ] {
        let value = value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.1}"));
        to_stdout(&format!("{name:18} {value}"));
    }
    to_stdout(&format!("consensus of {}", scores.engines.join(", ")));
}

/// One file: its scores, then what was lost.
fn line(file: &FileScores) -> String {
    let mut parts = vec![format!("{:60}", plain(&file.file))];
    for (name, value) in [
        ("words", file.word_f1),
        ("gt", file.gt_word_f1),
        ("sequence", file.gt_sequence),
        ("adjacency", file.adjacency_f1),
        ("order", file.order),
        ("ocr", file.ocr_word_f1),
        ("office", file.office_word_f1),
    ] {
        parts.extend(value.map(|value| format!("{name} {value:.3}")));
    }
    parts.extend(
        file.rows_intact
            .map(|(intact, all)| format!("rows {intact}/{all}")),
    );
    parts.push(format!("{} p {:.2} s", file.pages, file.seconds));
    parts.extend(file.reasons.iter().map(|reason| plain(reason)));
    parts.join("  ")
}
