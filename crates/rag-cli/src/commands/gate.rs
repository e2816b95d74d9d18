//! `gate`: whether a run may replace another.

use std::path::PathBuf;

use rag_eval::significance::{Gate, SignificanceConfig};
use rag_pipeline::run::{RIGHT, Run, gate_run};
use serde_json::json;

use crate::Done;
use crate::print::to_stdout;

/// Fails when a run is significantly worse than another.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  rag gate target/runs/new --baseline target/runs/main --max-drop 0.01\n\n\
                        A metric fails when its mean drops by more than --max-drop and the paired randomisation test, corrected\n\
                        for the number of metrics, finds that at the level --alpha. A question that only the baseline has a value\n\
                        for fails too. Too few questions to tell are said, and pass."
)]
pub struct Args {
    /// The run that may replace the baseline.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The run to compare with.
    #[arg(long, value_name = "RUN")]
    baseline: PathBuf,
    /// Greatest drop of a mean that is let through.
    #[arg(long, value_name = "DROP", default_value_t = 0.01)]
    max_drop: f64,
    /// Level of significance.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// Metrics that are looked at; may be given several times.
    #[arg(long = "metric", value_name = "NAME", default_values_t = [RIGHT.to_owned(), "nDCG@10".to_owned()])]
    metrics: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
    anyhow::ensure!(
        args.max_drop.is_finite() && args.max_drop >= 0.0,
        "--max-drop {}: choose 0 or more",
        args.max_drop
    );
    anyhow::ensure!(
        args.alpha > 0.0 && args.alpha < 1.0,
        "--alpha {}: choose a value between 0 and 1",
        args.alpha
    );
    let (run, baseline) = (Run::open(&args.run)?, Run::open(&args.baseline)?);
    let rule = Gate {
        max_drop: args.max_drop,
        alpha: args.alpha,
    };
    let config = SignificanceConfig {
        alpha: args.alpha,
        ..SignificanceConfig::default()
    };
    let judged = gate_run(&run, &baseline, &args.metrics, rule, &config)?;
    if args.json {
        let by_metric = judged.iter().map(|(metric, (comparison, verdict))| {
            (
                metric.clone(),
                json!({ "comparison": comparison, "verdict": verdict, "blocks": verdict.blocks() }),
            )
        });
        to_stdout(&serde_json::Value::Object(by_metric.collect()).to_string());
    } else {
        for (metric, (_, verdict)) in &judged {
            to_stdout(&format!("{metric:20} {verdict}"));
        }
    }
    anyhow::ensure!(
        judged.values().any(|(comparison, _)| comparison.pairs > 0),
        "none of the metrics has a value for any question of both runs"
    );
    let blocking: Vec<&str> = judged
        .iter()
        .filter(|(_, (_, verdict))| verdict.blocks())
        .map(|(metric, _)| metric.as_str())
        .collect();
    anyhow::ensure!(
        blocking.is_empty(),
        "the run may not replace its baseline: {}",
        blocking.join(", ")
    );
    Ok(Done::Complete)
}
