//! `report`: runs side by side, as pages for people.

use std::path::{Path, PathBuf};

use rag_pipeline::run::{Run, report_runs};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Writes a report on runs of the same questions: a table, figures (SVG), and for each run a page per lost question.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag report target/runs/dense target/runs/hybrid --out target/report")]
pub struct Args {
    /// The runs' folders; a figure that shows two compares the first with the last.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The report's folder.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let runs = args.runs.iter().map(|path| Ok((name(path), Run::open(path)?)));
    let runs: Vec<(String, Run)> = runs.collect::<anyhow::Result<_>>()?;
    for (path, text) in report_runs(&runs, &context.progress)? {
        let path = args.out.join(path);
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::write(path, text)?;
    }
    to_stdout(&format!("report: {}", args.out.join("index.html").display()));
    Ok(Done::Complete)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
