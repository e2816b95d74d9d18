//! `report`: runs side by side, as pages for people.

use std::collections::HashSet;
use std::ffi::OsStr;
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
    let opened = args.runs.iter().map(|path| Run::open(path));
    let runs: Vec<(String, Run)> = names(&args.runs)
        .into_iter()
        .zip(opened)
        .map(|(name, run)| Ok((name, run?)))
        .collect::<anyhow::Result<_>>()?;
    let models = &context.settings.models;
    let pages = report_runs(&runs, models, args.trust.of_lock(), &context.progress)?;
    write_pages(&args.out, &pages)?;
    to_stdout(&format!("report: {}", args.out.join("index.html").display()));
    Ok(Done::Complete)
}

/// The shortest names that tell the runs apart.
fn names(runs: &[PathBuf]) -> Vec<String> {
    let part = |name: Option<&OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    let own = |path: &Path| part(path.file_name());
    let forms: [&dyn Fn(&Path) -> String; 3] =
        [&|path| without_digest(&own(path)).to_owned(), &own, &|path| {
            let parent = part(path.parent().and_then(Path::file_name));
            format!("{parent}: {}", without_digest(&own(path)))
        }];
    let mut named = forms
        .into_iter()
        .map(|form| runs.iter().map(|path| form(path)).collect());
    let tells_apart = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len() == names.len();
    let numbered = || {
        let of = |(number, path): (usize, &PathBuf)| format!("{} ({number})", own(path));
        (1..).zip(runs).map(of).collect()
    };
    named.find(tells_apart).unwrap_or_else(numbered)
}

/// A variant's folder without the digest that ends its name.
fn without_digest(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((variant, digest)) if digest.len() == 8 && digest.chars().all(|c| c.is_ascii_hexdigit()) => {
            variant
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_the_shortest_names_that_tell_them_apart() {
        let named = |runs: &[&str]| names(&runs.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(named(&["runs/dense", "runs/hybrid"]), ["dense", "hybrid"]);
        assert_eq!(
            named(&["e/chunk.kind=fixed-0a1b2c3d", "e/chunk.kind=sentence-0a1b2c3e"]),
            ["chunk.kind=fixed", "chunk.kind=sentence"]
        );
        assert_eq!(
            named(&["a/x-y-00000000", "a/x-y-00000001"]),
            ["x-y-00000000", "x-y-00000001"]
        );
        assert_eq!(
            named(&["one/as-it-is-4f41c7c0", "two/as-it-is-4f41c7c0"]),
            ["one: as-it-is", "two: as-it-is"]
        );
        assert_eq!(named(&["run", "run"]), ["run (1)", "run (2)"]);
    }
}
