//! `eval trec`: TREC run files of this or any other program, against judgements.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_eval::retrieval::{Evaluation, Metric, Qrels, Run as DocumentRun, Summary, default_metrics};
use rag_eval::significance::{SignificanceConfig, compare};
use serde_json::json;

use crate::Done;
use crate::print::to_stdout;

/// Arguments of `eval trec`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A TREC run file, of this or any other program.
    #[arg(long, value_name = "FILE")]
    run: PathBuf,
    /// Judgements: TREC's four columns, or BEIR's three with a header.
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
    /// Another run file to compare with.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// The run ranks passages (`document#number`, as this program's run.trec does): each counts as its document, at its
    /// best place.
    #[arg(long)]
    passages: bool,
    /// Metrics by their ir-measures names, separated by commas [default: the usual ones].
    #[arg(long = "metric", value_name = "NAME,…", value_delimiter = ',')]
    metrics: Vec<Metric>,
    /// Write metrics.json and per_query.jsonl into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
    let qrels = Qrels::read(&args.qrels)?;
    let metrics = if args.metrics.is_empty() {
        default_metrics()
    } else {
        args.metrics.clone()
    };
    let measured = Evaluation::of(&read_trec(&args.run, &qrels, args.passages)?, &qrels, &metrics);
    if let Some(folder) = &args.out {
        fs_err::create_dir_all(folder)?;
        measured.write(folder)?;
    }
    let baseline = args
        .baseline
        .as_ref()
        .map(|path| {
            Ok::<_, anyhow::Error>(Evaluation::of(
                &read_trec(path, &qrels, args.passages)?,
                &qrels,
                &metrics,
            ))
        })
        .transpose()?;
    let summaries = measured.summaries();
    let mut comparisons = BTreeMap::new();
    if let Some(baseline) = &baseline {
        for metric in &metrics {
            let config = SignificanceConfig::default();
            let compared = compare(&baseline.values(*metric), &measured.values(*metric), &config);
            comparisons.insert(metric.to_string(), compared);
        }
        rag_eval::significance::correct(comparisons.values_mut());
    }
    if args.json {
        to_stdout(&json!({ "metrics": summaries, "comparisons": comparisons }).to_string());
        return Ok(Done::Complete);
    }
    for (name, summary) in &summaries {
        let without = match summary.not_computed {
            0 => String::new(),
            queries => format!("  ({queries} queries without a relevant document)"),
        };
        let compared = comparisons
            .get(name)
            .map(|compared| format!("  {}", super::diff::row(compared)));
        to_stdout(&format!(
            "{name:12} {}{without}{}",
            mean(summary),
            compared.unwrap_or_default()
        ));
    }
    Ok(Done::Complete)
}

/// Reads a run file, of which some document must be judged: otherwise the two use other ids.
fn read_trec(path: &Path, qrels: &Qrels, passages: bool) -> anyhow::Result<DocumentRun> {
    let read = DocumentRun::read_trec(path)?;
    let run = if passages {
        read.collapsed(|id| id.rsplit_once('#').map_or(id, |(document, _)| document))
    } else {
        read
    };
    let is_judged = |query: &str| {
        let (judgements, ranked) = (qrels.of(query)?, run.of(query)?);
        Some(
            ranked
                .iter()
                .any(|scored| judgements.contains_key(&scored.document)),
        )
    };
    anyhow::ensure!(
        run.queries().any(|query| is_judged(query) == Some(true)),
        "no document of {} is judged for its query: do both files name documents alike? A run of passages \
         (document#number) needs --passages",
        path.display()
    );
    Ok(run)
}

/// A mean as tables show it.
pub(crate) fn mean(summary: &Summary) -> String {
    summary.mean.map_or("–".to_owned(), |mean| format!("{mean:.4}"))
}
