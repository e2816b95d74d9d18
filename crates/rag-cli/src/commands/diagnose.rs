//! `diagnose`: which box lost each wrong answer of a run.

use std::path::{Path, PathBuf};

use rag_eval::diagnosis::{Class, Diagnosis, DiagnosisReport, Rung, Slice};
use rag_pipeline::run::{Collection, Run, diagnose_run, execute};
use rag_pipeline::{Settings, Way, write_pages};

use crate::Done;
use crate::args::TrustArgs;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Where a run asked again in another mode is kept, within the run.
const MODES: &str = "modes";

/// Questions that are shown one by one.
const SHOWN: usize = 40;

/// Names for every wrong answer the first box that lost it, with the evidence, and whether the answer becomes right
/// when the right passage is put in there.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag diagnose target/runs/hybrid\n  rag diagnose target/runs/hybrid --mode dense\n  \
                        rag diagnose target/runs/hybrid --html target/report"
)]
pub struct Args {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Ask the run's questions again, ranked this way (bm25, dense or hybrid, with or without `+rerank`), and diagnose
    /// that.
    #[arg(long)]
    mode: Option<Way>,
    /// Write a report with one page per question into this folder.
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    #[command(flatten)]
    trust: TrustArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let models = &context.settings.models;
    let run = Run::open(&args.run)?;
    let settings = run.settings(models, args.trust.of_lock())?;
    let run = in_mode(run, settings, args.mode, context)?;
    let settings = run.settings(models, args.trust.of_lock())?;
    let report = diagnose_run(&run, &settings, &context.progress)?;
    if let Some(folder) = &args.html {
        write_html(folder, &run, &report)?;
    }
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    Ok(Done::Complete)
}

/// The run itself, or its questions asked again in another mode.
fn in_mode(run: Run, mut settings: Settings, mode: Option<Way>, context: &Context) -> anyhow::Result<Run> {
    let Some(way) = mode else {
        return Ok(run);
    };
    way.apply_to(&mut settings)?;
    let collection = Collection::of_run(&run)?;
    let folder = run.root().join(MODES).join(way.to_string());
    Ok(execute(
        &settings,
        &collection,
        &run.labels()?,
        &folder,
        &context.progress,
    )?)
}

fn write_html(folder: &Path, run: &Run, report: &DiagnosisReport) -> anyhow::Result<()> {
    let pages = rag_eval::diagnosis::report_pages(&run.root().display().to_string(), report);
    write_pages(folder, &pages)?;
    to_stdout(&format!("report: {}", folder.join("index.html").display()));
    Ok(())
}

fn print(report: &DiagnosisReport) {
    to_stdout(&classes("all", &report.all));
    for (kind, slice) in &report.by_kind {
        to_stdout(&classes(kind, slice));
    }
    to_stdout("\nwhere answers were lost                    questions  right with the passage put in");
    for rung in Rung::ALL {
        let lost = report.all.on_rung(rung);
        if lost > 0 {
            let mended = report.mended.get(&rung);
            let mended = mended.map_or("–".to_owned(), |rate| format!("{} of {}", rate.hits, rate.of));
            to_stdout(&format!("  {:38} {lost:11}  {mended}", rung.meaning()));
        }
    }
    let lost = report.lost();
    for found in lost.iter().take(SHOWN) {
        to_stdout(&shown(found));
    }
    if lost.len() > SHOWN {
        to_stdout(&format!(
            "… and {} more: --json or --html shows all",
            lost.len() - SHOWN
        ));
    }
}

fn classes(name: &str, slice: &Slice) -> String {
    format!(
        "{:14} {:4} questions   ok {:4}   retrieval miss {:4}   generation miss {:4}",
        plain(name),
        slice.questions,
        slice.of_class(Class::Ok),
        slice.of_class(Class::RetrievalMiss),
        slice.of_class(Class::GenerationMiss)
    )
}

fn shown(found: &Diagnosis) -> String {
    let rung = found.rung.map_or("", Rung::meaning);
    let mended = match found.mended {
        Some(true) => "right with the passage put in",
        Some(false) => "still wrong with the passage put in",
        None => "no passage to put in",
    };
    let mut text = format!(
        "\n{} ({}): {}\n  {rung}; {mended}",
        plain(&found.id),
        plain(&found.kind),
        plain(&found.question)
    );
    for line in &found.evidence {
        text.push_str("\n  · ");
        text.push_str(&plain(line));
    }
    text
}
