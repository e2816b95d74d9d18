//! `audit`: standing checks of a store or a run. Each ends with exit code 1 when it fails its bar.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rag_core::artifact::jsonl;
use rag_core::question::Question;
use rag_eval::answers::Label;
use rag_eval::audits::{Cut, InterferenceReport, LegHealth, LegsReport, TruncationReport};
use rag_pipeline::audit::{
    BandRecall, GraphOrigin, RecallAudit, RecallConfig, RecallOf, audit_interference, audit_legs,
    audit_recall, audit_truncation,
};
use rag_pipeline::run::Run;
use rag_pipeline::{Engine, Store};
use rag_retrieve::Statistics;
use serde::Serialize;

use super::eval::spread;
use crate::Done;
use crate::args::TrustArgs;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Where what is built for an audit is kept between runs.
const WORK: &str = "target/audit";

/// Differences, or silent legs, that are shown one by one.
const SHOWN: usize = 12;

/// What to check.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Recall of the dense leg under filters, against the exact scan.
    #[command(after_help = "Examples:\n  rag audit filtered-recall --store kb\n  \
                            rag audit filtered-recall --synthetic 100000 --svg filtered-recall.svg\n  \
                            rag audit filtered-recall --store kb --questions data/questions.jsonl --bands 0.5,0.01")]
    FilteredRecall(RecallArgs),
    /// Whether passages that an asker may not read have a say in what they are shown.
    ///
    /// Asks every question of the store, and again of a generation of only what its asker may read. Candidates, scores,
    /// hits and answers must be the same. They are with `retrieve.statistics = "readable"`.
    #[command(
        after_help = "Examples:\n  rag audit non-interference --store kb --questions data/questions.jsonl\n  \
                            rag audit non-interference --store kb --questions data/questions.jsonl --statistics readable"
    )]
    NonInterference(InterferenceArgs),
    /// Tokens that lay beyond the embedder's, the reranker's and the context's limit.
    #[command(after_help = "Examples:\n  rag audit truncation --store kb\n  \
                            rag audit truncation --store kb --questions data/questions.jsonl --strict")]
    Truncation(TruncationArgs),
    /// Which legs of a run had tokens to search with, and which brought hits, by language.
    #[command(after_help = "Example:\n  rag audit legs target/runs/hybrid --strict")]
    Legs(LegsArgs),
}

/// Arguments of `audit filtered-recall`.
#[derive(Debug, Clone, clap::Args)]
pub struct RecallArgs {
    /// The store whose dense leg is checked.
    #[arg(long, value_name = "STORE", required_unless_present = "synthetic")]
    store: Option<PathBuf>,
    /// Check so many seeded vectors in clusters instead, from 100 to a million.
    #[arg(long, value_name = "N", conflicts_with_all = ["store", "questions"])]
    synthetic: Option<usize>,
    /// Search for these questions; without, for vectors near those of stored passages.
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Searches for each band and way of drawing.
    #[arg(long, value_name = "N", default_value_t = RecallConfig::default().queries)]
    queries: usize,
    /// Shares of the passages that filters let through, separated by commas [default: 0.5 down to 0.001].
    #[arg(long, value_delimiter = ',', value_name = "SHARE,…")]
    bands: Vec<f64>,
    /// Decides what is drawn.
    #[arg(long, default_value_t = RecallConfig::default().seed)]
    seed: u64,
    /// Draw the figure into this file.
    #[arg(long, value_name = "FILE.svg", value_parser = drawing)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    shared: SharedArgs,
}

/// What audits share.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SharedArgs {
    /// Where what is built for the audit is kept between runs.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `audit non-interference`.
#[derive(Debug, Clone, clap::Args)]
pub struct InterferenceArgs {
    /// The store to ask.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// The questions with their askers' groups.
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
    /// Ask only so many of the questions, spread evenly.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Over which passages scores are taken, instead of what the settings say.
    #[arg(long, value_enum)]
    statistics: Option<Over>,
    #[command(flatten)]
    shared: SharedArgs,
}

/// A value of `retrieve.statistics`.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Over {
    /// All passages.
    All,
    /// What the asker may read.
    Readable,
}

/// Arguments of `audit truncation`.
#[derive(Debug, Clone, clap::Args)]
pub struct TruncationArgs {
    /// The store whose passages are measured.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// Labelled questions: their documents' passages are gold, and each is asked.
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Fail when any token of a gold passage was not read.
    #[arg(long, requires = "questions")]
    strict: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `audit legs`.
#[derive(Debug, Clone, clap::Args)]
pub struct LegsArgs {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Fail when a leg brought nothing for any question of a language.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    trust: TrustArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &Command, context: &Context) -> anyhow::Result<Done> {
    match command {
        Command::FilteredRecall(args) => filtered_recall(args, context),
        Command::NonInterference(args) => non_interference(args, context),
        Command::Truncation(args) => truncation(args, context),
        Command::Legs(args) => legs(args, context),
    }
}

fn filtered_recall(args: &RecallArgs, context: &Context) -> anyhow::Result<Done> {
    let mut config = RecallConfig {
        queries: args.queries,
        seed: args.seed,
        ..RecallConfig::default()
    };
    if !args.bands.is_empty() {
        config.bands.clone_from(&args.bands);
    }
    let (settings, progress) = (&context.settings, &context.progress);
    let of = |of: RecallOf<'_>| audit_recall(of, settings, &config, &args.shared.work, progress);
    let audit = match (args.synthetic, &args.store) {
        (Some(passages), _) => of(RecallOf::Synthetic(passages))?,
        (None, Some(store)) => {
            let engine = Engine::open(&Store::open(store)?, settings, progress)?;
            let questions: Vec<Question> = match &args.questions {
                Some(file) => some(jsonl::read_all(file)?, file)?,
                None => Vec::new(),
            };
            of(RecallOf::Engine(&engine, &questions))?
        }
        (None, None) => anyhow::bail!("give --store or --synthetic"),
    };
    if let Some(file) = &args.svg {
        fs_err::write(file, audit.svg())?;
    }
    if args.shared.json {
        to_stdout(&serde_json::to_string(&audit)?);
    } else {
        print_recall(&audit);
    }
    anyhow::ensure!(audit.passed, "recall is below {} in some band", audit.bar);
    Ok(Done::Complete)
}

/// The questions of `file`, of which there must be some.
fn some<T>(questions: Vec<T>, file: &Path) -> anyhow::Result<Vec<T>> {
    anyhow::ensure!(!questions.is_empty(), "{} holds no question", file.display());
    Ok(questions)
}

/// Where a drawing may be written: nothing but an earlier one is replaced.
fn drawing(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.extension().is_some_and(|ending| ending == "svg") {
        Ok(path)
    } else {
        Err("name the drawing with the ending .svg".to_owned())
    }
}

fn print_recall(audit: &RecallAudit) {
    let report = &audit.report;
    let graph = match report.graph {
        GraphOrigin::Own => "its own graph",
        GraphOrigin::BuiltForTheAudit => {
            "a graph built for the audit, since the leg scans a collection of this size"
        }
    };
    to_stdout(&format!(
        "{}: {} passages of {} numbers; recall of the exact scan's top {}; {graph}",
        plain(&audit.name),
        report.passages,
        report.dimension,
        report.depth
    ));
    to_stdout(
        "selectivity  drawn by       allowed  searches  scanned   as used (worst)   graph alone (worst)",
    );
    for band in &report.bands {
        to_stdout(&recall_row(band));
    }
}

fn recall_row(band: &BandRecall) -> String {
    let cell =
        |recall: Option<f64>| recall.map_or_else(|| "    –".to_owned(), |recall| format!("{recall:.3}"));
    format!(
        "{:9.1} %  {:12}  {:8}  {:8}  {:7}   {} ({})     {} ({})",
        band.selectivity * 100.0,
        band.draw.name(),
        band.allowed,
        band.searches,
        band.scanned,
        cell(band.as_used),
        cell(band.worst_as_used),
        cell(band.graph),
        cell(band.worst_graph),
    )
}

/// What `audit non-interference` prints as JSON.
#[derive(Serialize)]
struct InterferenceOutput<'r> {
    statistics: Statistics,
    passed: bool,
    #[serde(flatten)]
    report: &'r InterferenceReport,
}

fn non_interference(args: &InterferenceArgs, context: &Context) -> anyhow::Result<Done> {
    let mut settings = context.settings.clone();
    match args.statistics {
        Some(Over::All) => settings.retrieve.statistics = Statistics::All,
        Some(Over::Readable) => settings.retrieve.statistics = Statistics::Readable,
        None => {}
    }
    let store = Store::open(&args.store)?;
    let questions: Vec<Question> = spread(
        some(jsonl::read_all(&args.questions)?, &args.questions)?,
        args.limit,
    );
    let engine = Engine::open(&store, &settings, &context.progress)?;
    let report = audit_interference(&store, &engine, &questions, &args.shared.work, &context.progress)?;
    let statistics = settings.retrieve.statistics;
    if args.shared.json {
        let passed = report.differing == 0 && report.restricted > 0;
        to_stdout(&serde_json::to_string(&InterferenceOutput {
            statistics,
            passed,
            report: &report,
        })?);
    } else {
        print_interference(&report);
    }
    let advice = match statistics {
        Statistics::All => "; set retrieve.statistics = \"readable\" in rag.toml to end that",
        Statistics::Readable => "",
    };
    anyhow::ensure!(
        report.restricted > 0,
        "nothing was compared: every asker of these questions may read everything; ask some as askers who may not"
    );
    anyhow::ensure!(
        report.differing == 0,
        "passages that the asker may not read change what {} of {} questions show{advice}",
        report.differing,
        report.questions
    );
    Ok(Done::Complete)
}

fn print_interference(report: &InterferenceReport) {
    to_stdout(&format!(
        "{} questions; {} of askers who may not read everything; {} show something else without what they may not read",
        report.questions, report.restricted, report.differing
    ));
    for (surface, differs) in &report.surfaces {
        to_stdout(&format!(
            "  {:14} differs in {:4} questions; a score by up to {:.4} ({:.1} %), a place by up to {}",
            surface.to_string(),
            differs.questions,
            differs.worst_score,
            differs.worst_share * 100.0,
            differs.worst_places
        ));
    }
    for difference in report.differences.iter().take(SHOWN) {
        to_stdout(&plain(&format!(
            "{} ({}), {}: {}",
            difference.question,
            difference.groups.join(", "),
            difference.surface,
            difference.detail
        )));
    }
    if report.differences.len() > SHOWN {
        to_stdout("… --json shows more");
    }
}

fn truncation(args: &TruncationArgs, context: &Context) -> anyhow::Result<Done> {
    let store = Store::open(&args.store)?;
    let labels: Vec<Label> = match &args.questions {
        Some(file) => some(jsonl::read_all(file)?, file)?,
        None => Vec::new(),
    };
    let engine = Engine::open(&store, &context.settings, &context.progress)?;
    let report = audit_truncation(&store, &engine, &labels, &context.progress)?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        print_truncation(&report);
    }
    let lost = report.gold_tokens();
    anyhow::ensure!(
        !args.strict || lost == 0,
        "{lost} tokens of gold passages were not read: cut smaller passages (chunk.max_tokens), or raise the limit"
    );
    Ok(Done::Complete)
}

fn print_truncation(report: &TruncationReport) {
    to_stdout("limit of    tokens  of                  looked at  in windows  affected  tokens lost  worst");
    for line in &report.lines {
        to_stdout(&plain(&truncation_row(line)));
    }
}

fn truncation_row(line: &Cut) -> String {
    let limit = match line.limit_tokens {
        0 => "none".to_owned(),
        limit => limit.to_string(),
    };
    let worst = line.worst.as_ref();
    format!(
        "{:10}  {limit:>6}  {:18}  {:9}  {:10}  {:8}  {:11}  {}",
        line.component.to_string(),
        line.of.to_string(),
        line.looked_at,
        line.in_windows,
        line.affected,
        line.tokens,
        worst.map_or_else(
            || "–".to_owned(),
            |worst| format!("{} ({})", worst.id, worst.tokens)
        ),
    )
}

fn legs(args: &LegsArgs, context: &Context) -> anyhow::Result<Done> {
    let run = Run::open(&args.run)?;
    let settings = run.settings(&context.settings.models, args.trust.of_lock())?;
    let report = audit_legs(&run, &settings, &context.progress)?;
    let dead = report.dead();
    if args.json {
        let mut value = serde_json::to_value(&report)?;
        value["dead"] = serde_json::to_value(&dead)?;
        to_stdout(&value.to_string());
    } else {
        print_legs(&report);
    }
    let names: Vec<String> = dead
        .iter()
        .map(|(language, leg)| format!("{leg} for questions in `{language}`"))
        .collect();
    anyhow::ensure!(!args.strict || dead.is_empty(), "dead legs: {}", names.join(", "));
    Ok(Done::Complete)
}

fn print_legs(report: &LegsReport) {
    to_stdout(
        "language  leg     questions  with tokens  left out  with hits  a right document among its hits",
    );
    for (language, legs) in &report.languages {
        for (leg, health) in legs {
            to_stdout(&leg_row(&language.to_string(), &leg.to_string(), health));
        }
    }
    if report.nothing_allowed > 0 {
        to_stdout(&format!(
            "{} questions whose asker may read nothing that the filter keeps are not counted",
            report.nothing_allowed
        ));
    }
    for silent in report.silent.iter().take(SHOWN) {
        to_stdout(&plain(&format!(
            "{}, {} leg: {}",
            silent.question, silent.leg, silent.why
        )));
    }
    if report.silent.len() > SHOWN {
        to_stdout(&format!(
            "… and {} more: --json shows all",
            report.silent.len() - SHOWN
        ));
    }
}

fn leg_row(language: &str, leg: &str, health: &LegHealth) -> String {
    let found = match health.found.share() {
        Some(share) => format!("{:.3} of {}", share, health.found.of),
        None => "–".to_owned(),
    };
    let dead = if health.is_dead() { "   DEAD" } else { "" };
    format!(
        "{language:8}  {leg:6}  {:9}  {:11}  {:8}  {:9}  {found}{dead}",
        health.questions, health.with_tokens, health.left_out, health.with_hits
    )
}
