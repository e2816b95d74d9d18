//! `eval injections`: attacks planted in documents.

use std::path::PathBuf;

use rag_eval::injections::{read_hosts, read_labels};
use rag_pipeline::evaluate::evaluate_injections;

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Arguments of `eval injections`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The folder with labels.jsonl and bipia_contexts/.
    #[arg(long, value_name = "DIR")]
    dataset: PathBuf,
    /// How many questions are asked with an attack in their document.
    #[arg(long, default_value_t = 300, value_name = "N")]
    pairs: usize,
    /// Answer whatever the confidence.
    #[arg(long)]
    always_answer: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    anyhow::ensure!(
        args.dataset.join("labels.jsonl").is_file(),
        "there is no labels.jsonl in {}; give the folder of attacks (data sets are not part of this project)",
        args.dataset.display()
    );
    let (texts, hosts) = (read_labels(&args.dataset)?, read_hosts(&args.dataset)?);
    let mut settings = context.settings.clone();
    if args.always_answer {
        settings.generate.extract.accept_everything();
    }
    let report = evaluate_injections(&texts, &hosts, args.pairs, &settings, &context.progress)?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
        return Ok(Done::Complete);
    }
    let (detection, planted) = (report.detection, report.planted);
    to_stdout(&format!(
        "flagged: {} of {} attacks, {} of {} benign texts",
        detection.flagged, detection.attacks, detection.false_alarms, detection.benign
    ));
    to_stdout(&format!(
        "planted: {} asked, {} answered without the attack; with it {} follow it, {} cite it, {} cite something else",
        planted.asked, planted.answered, planted.followed, planted.cited, planted.changed
    ));
    Ok(Done::Complete)
}
