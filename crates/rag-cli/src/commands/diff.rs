//! `diff`: one run against another.

use std::path::PathBuf;

use rag_eval::significance::{Comparison, SignificanceConfig};
use rag_pipeline::run::{Effect, QuestionDiff, RIGHT, Run, RunDiff, diff_runs};

use crate::Done;
use crate::print::{plain, to_stdout};

/// Questions that are shown one by one.
const SHOWN: usize = 30;

/// Says what differs between two runs, whether one is better, and what changed for each question.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  rag diff target/runs/dense target/runs/hybrid")]
pub struct Args {
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

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
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
