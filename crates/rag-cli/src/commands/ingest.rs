//! `ingest`: a folder of documents into a store.

use std::path::PathBuf;

use rag_pipeline::{IngestReport, Store, ingest};

use super::parse::worker_command;
use crate::Done;
use crate::context::Context;
use crate::print::{to_stderr, to_stdout};
use crate::show;

/// Parses, chunks and indexes a folder. Unchanged documents are not worked on again; a killed run is
/// taken up where it ended.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ingest data/handbook --store target/handbook\n  rag ingest docs --store kb --config rag.toml"
)]
pub struct Args {
    /// The folder of documents.
    #[arg(value_name = "DIR")]
    source: PathBuf,
    /// The store; made where there is none.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    anyhow::ensure!(
        args.source.is_dir(),
        "{} is not a folder; give the folder of documents",
        args.source.display()
    );
    let store = Store::open_or_create(&args.store, &args.source)?;
    let report = ingest(
        &context.settings,
        &args.source,
        &store,
        Some(worker_command()?),
        &context.progress,
    )?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    Ok(Done::counting(report.documents.quarantined))
}

fn print(report: &IngestReport) {
    for line in show::diagnostics(&report.diagnostics) {
        to_stderr(&line);
    }
    let stages = [
        ("documents", Some(report.documents)),
        ("passages", Some(report.passages)),
        ("vectors", Some(report.vectors)),
        ("graph", report.graph),
    ];
    for (what, counts) in stages {
        let Some(counts) = counts else { continue };
        to_stdout(&format!(
            "{what}: {} seen · {} reused · {} new · {} quarantined",
            counts.seen, counts.reused, counts.written, counts.quarantined
        ));
    }
    if report.deleted > 0 {
        to_stdout(&format!("deleted earlier and left out: {}", report.deleted));
    }
}
