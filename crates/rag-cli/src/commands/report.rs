//! `report`: runs side by side, as pages for people.

use std::path::{Path, PathBuf};

use rag_pipeline::run::{Run, report_runs};
use rag_pipeline::write_pages;

use crate::Done;
use crate::args::TrustArgs;
use crate::context::Context;
use crate::print::to_stdout;

/// Writes a report on runs of the same questions: a table, figures (SVG), and for each run a page per lost question.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag report target/runs/dense target/runs/hybrid --out target/report")]
pub struct Args {
    /// The runs' folders; a figure that shows two compares the first with the last.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The report's folder: new, empty, or an earlier report, which is replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    trust: TrustArgs,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let mut runs: Vec<(String, Run)> = Vec::new();
    for (number, path) in (1..).zip(&args.runs) {
        let own = name(path);
        let is_taken = runs.iter().any(|(taken, _)| *taken == own);
        let name = if is_taken {
            format!("{own} ({number})")
        } else {
            own
        };
        runs.push((name, Run::open(path)?));
    }
    let models = &context.settings.models;
    let pages = report_runs(&runs, models, args.trust.of_lock(), &context.progress)?;
    write_pages(&args.out, &pages)?;
    to_stdout(&format!("report: {}", args.out.join("index.html").display()));
    Ok(Done::Complete)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
