//! `diff` and `gate`: one run against another.

use std::path::PathBuf;

use rag_eval::significance::{Comparison, Gate, SignificanceConfig};
use rag_pipeline::run::{Effect, QuestionDiff, RIGHT, Run, RunDiff, diff_runs, gate_run};
use serde_json::json;

use crate::Done;
use crate::print::{plain, to_stdout};

/// Questions that are shown one by one.
const SHOWN: usize = 30;

/// Says what differs between two runs, whether one is better, and what changed for each question.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag diff target/runs/dense target/runs/hybrid")]
pub struct DiffArgs {
    /// The run before.
    #[arg(value_name = "RUN_A")]
    before: PathBuf,
    /// The run after.
    #[arg(value_name = "RUN_B")]
    after: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Fails when a run is significantly worse than another.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  rag gate target/runs/new --baseline target/runs/main --max-drop 0.01\n\n\
                        A metric fails when its mean drops by more than --max-drop and the paired randomisation test, corrected\n\
                        for the number of metrics, finds that at the level --alpha. A question that only the baseline has a value\n\
                        for fails too. Too few questions to tell are said, and pass."
)]
pub struct GateArgs {
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

pub(crate) fn diff(args: &DiffArgs) -> anyhow::Result<Done> {
    let (before, after) = (Run::open(&args.before)?, Run::open(&args.after)?);
    let found = diff_runs(&before, &after, &SignificanceConfig::default())?;
    if args.json {
        to_stdout(&serde_json::to_string(&found)?);
    } else {
        print(&found);
    }
    Ok(Done::Complete)
}

fn print(found: &RunDiff) {
    to_stdout("what differs");
    for cause in &found.causes {
        to_stdout(&plain(&format!(
            "  {}: {} → {}",
            cause.name, cause.before, cause.after
        )));
    }
    if found.causes.is_empty() {
        to_stdout("  nothing");
    }
    to_stdout(&format!("\n{:20} {}", "metric", HEADER));
    for (metric, comparison) in &found.metrics {
        to_stdout(&format!("{metric:20} {}", row(comparison)));
    }
    to_stdout(&format!("\n{:20} {}", format!("`{RIGHT}` within"), HEADER));
    for (slice, comparison) in &found.slices {
        to_stdout(&format!("{:20} {}", plain(slice), row(comparison)));
    }
    let count = |effect: Effect| {
        found
            .questions
            .iter()
            .filter(|question| question.effect == effect)
            .count()
    };
    to_stdout(&format!(
        "\n{} questions asked by both: {} helped, {} hurt, {} changed without becoming right or wrong",
        found.asked,
        count(Effect::Helped),
        count(Effect::Hurt),
        count(Effect::Same)
    ));
    for question in found.questions.iter().take(SHOWN) {
        to_stdout(&shown(question));
    }
    if found.questions.len() > SHOWN {
        to_stdout(&format!(
            "… and {} more: --json shows all",
            found.questions.len() - SHOWN
        ));
    }
}

const HEADER: &str = "   before    after  difference      95 % interval      p  wins/ties/losses  detectable";

/// The figures of a comparison in columns.
pub(crate) fn row(found: &Comparison) -> String {
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
    let interval = found.interval.map_or("–".to_owned(), |interval| {
        format!("{:+.4} … {:+.4}", interval.low, interval.high)
    });
    format!(
        "{:>9} {:>8} {:>11} {:>19} {:>6} {:>17} {:>11}",
        cell(found.baseline),
        cell(found.candidate),
        found
            .difference
            .map_or("–".to_owned(), |value| format!("{value:+.4}")),
        interval,
        found.decisive_p().map_or("–".to_owned(), |p| format!("{p:.4}")),
        format!("{}/{}/{}", found.wins, found.ties, found.losses),
        cell(found.detectable)
    )
}

fn shown(question: &QuestionDiff) -> String {
    let effect = match question.effect {
        Effect::Helped => "helped",
        Effect::Hurt => "HURT",
        Effect::Same => "same",
    };
    let mut text = format!(
        "\n{effect}  {} ({}): {}",
        plain(&question.id),
        plain(&question.kind),
        plain(&question.question)
    );
    for change in &question.changes {
        text.push_str("\n  · ");
        text.push_str(&plain(change));
    }
    text
}

pub(crate) fn gate(args: &GateArgs) -> anyhow::Result<Done> {
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
