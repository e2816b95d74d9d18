//! `eval`: retrieval, answers and permissions measured on data sets.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rag_core::artifact::jsonl;
use rag_core::question::Question;
use rag_eval::answers::{AnswerReport, AnswerScores, Label, Rate, trade_off};
use rag_eval::data::{Dataset, Distractors, ImportConfig, Readers};
use rag_eval::retrieval::RetrievalReport;
use rag_pipeline::evaluate::{
    Asking, Workspace, answer_questions, audit_permissions, dataset_labels, evaluate_retrieval,
};
use rag_pipeline::{Engine, Settings, Store, Way};
use serde_json::json;

use crate::Done;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Where imported data sets are kept between runs.
pub(crate) const WORK: &str = "target/eval";

/// Leaks that are shown one by one.
const SHOWN_LEAKS: usize = 20;

/// What to measure.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Ranking quality per mode on a BEIR folder.
    #[command(
        after_help = "Example:\n  rag eval retrieval --dataset scifact --split test --mode bm25,dense,hybrid,hybrid+rerank"
    )]
    Retrieval(RetrievalArgs),
    /// Labelled questions: right, cited, declined.
    #[command(
        after_help = "Examples:\n  rag eval answers --questions data/questions.jsonl --store target/demo/store\n  \
                            rag eval answers --dataset squad2 --trade-off --limit 500\n  \
                            rag eval answers --dataset squad2 --foreign --store target/demo/store --limit 200"
    )]
    Answers(AnswersArgs),
    /// Every case of a data set's acl folder asked as its user; text that they may not read is searched for.
    #[command(after_help = "Example:\n  rag eval permissions --dataset squad2")]
    Permissions(PermissionsArgs),
    /// Attacks planted in documents: which are flagged, and what they did to answers and citations.
    #[command(after_help = "Example:\n  rag eval injections --dataset injections")]
    Injections(super::eval_injections::Args),
    /// What each switchable part of asking brings: recall with it off and on.
    #[command(
        after_help = "Examples:\n  rag eval upgrades --questions data/questions.jsonl --source data/handbook --drafts data/drafts.jsonl --descriptions data/descriptions.jsonl\n  \
                            rag eval upgrades --dataset hotpotqa_200"
    )]
    Upgrades(super::eval_upgrades::Args),
    /// Losses planted in every box: does the blame ladder find each where it was planted?
    #[command(after_help = "Example:\n  rag eval ladder --json")]
    Ladder(super::eval_ladder::Args),
    /// A TREC run file of any program against judgements, and against another run.
    #[command(
        after_help = "Example:\n  rag eval trec --run run.trec --qrels scifact/qrels/test.tsv --metric nDCG@10,R@100,AP\n\n\
                        trec_eval's rules for gains and ties. A judged query that the run lacks counts as 0 (trec_eval -c), one without\n\
                        a relevant document has no value."
    )]
    Trec(super::eval_trec::Args),
    /// The answers of a run as a file of another evaluation tool.
    #[command(after_help = "Example:\n  rag eval export target/runs/hybrid --form ragas --out ragas.json")]
    Export(super::eval_export::Args),
    /// Answers of another tool against what is accepted.
    #[command(after_help = "Example:\n  rag eval records ragchecker.json")]
    Records(super::eval_records::Args),
    /// Text, order, tables and speed of the parse stage on a folder with manifest.tsv, files/ and gt/.
    #[command(after_help = "Example:\n  rag eval parse --corpus parse-corpus")]
    Parse(super::eval_parse::Args),
    /// Whether the check of citations tells supported from unsupported claims, on labelled claims.
    #[command(
        after_help = "Examples:\n  rag eval support --kind attributionbench --dataset attributionbench\n  \
                            rag eval support --refit --kind attributionbench --dataset attributionbench --kind summedits --dataset summedits --kind scifact --dataset scifact"
    )]
    Support(super::eval_support::Args),
}

/// A data set, and where to keep what is made of it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DatasetArgs {
    /// The data set's folder (corpus.jsonl, queries.jsonl, qrels/).
    #[arg(long, value_name = "DIR")]
    dataset: PathBuf,
    /// Where imported data sets are kept between runs.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
}

impl DatasetArgs {
    /// The data set's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.dataset
    }

    /// Where imported data sets are kept.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::new(&self.work)
    }
}

/// Arguments of `eval retrieval`.
#[derive(Debug, Clone, clap::Args)]
pub struct RetrievalArgs {
    #[command(flatten)]
    set: DatasetArgs,
    /// The split whose judgements are used.
    #[arg(long, default_value = "test")]
    split: String,
    /// Ways of ranking, separated by commas: bm25, dense, hybrid, each also with `+rerank`.
    #[arg(long = "mode", value_delimiter = ',', default_value = "bm25,dense,hybrid")]
    ways: Vec<Way>,
    /// Add distractors.jsonl to the corpus.
    #[arg(long)]
    distractors: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `eval answers`.
#[derive(Debug, Clone, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct AnswersArgs {
    /// Labelled questions to ask of a store.
    #[arg(
        long,
        value_name = "FILE",
        requires = "store",
        conflicts_with = "dataset",
        required_unless_present = "dataset"
    )]
    questions: Option<PathBuf>,
    /// The store to ask.
    #[arg(long, value_name = "STORE")]
    store: Option<PathBuf>,
    /// A data set's folder with answers.jsonl, asked of itself, or with --foreign of the store.
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Where imported data sets are kept between runs.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
    /// The questions are of another collection than the store: to decline each of them is right.
    #[arg(long, requires = "store")]
    foreign: bool,
    /// Answer whatever the confidence, and print what each threshold would give.
    #[arg(long)]
    trade_off: bool,
    /// Ask only so many of the questions, spread evenly.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// List the questions that went wrong.
    #[arg(long)]
    failures: bool,
}

/// Arguments of `eval permissions`.
#[derive(Debug, Clone, clap::Args)]
pub struct PermissionsArgs {
    #[command(flatten)]
    set: DatasetArgs,
    /// Ask each case step by step as well.
    #[arg(long)]
    agent: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: Command, context: &Context) -> anyhow::Result<Done> {
    match command {
        Command::Retrieval(args) => retrieval(&args, context),
        Command::Answers(args) => answers(&args, context),
        Command::Permissions(args) => permissions(&args, context),
        Command::Injections(args) => super::eval_injections::run(&args, context),
        Command::Upgrades(args) => super::eval_upgrades::run(&args, context),
        Command::Support(args) => super::eval_support::run(&args, context),
        Command::Ladder(args) => super::eval_ladder::run(&args, context),
        Command::Trec(args) => super::eval_trec::run(&args),
        Command::Export(args) => super::eval_export::run(&args),
        Command::Records(args) => super::eval_records::run(&args),
        Command::Parse(args) => super::eval_parse::run(&args, context),
    }
}

pub(crate) fn open(folder: &Path) -> anyhow::Result<Dataset> {
    anyhow::ensure!(
        folder.is_dir(),
        "there is no data set at {}; give the folder of a BEIR data set (data sets are not part of this project)",
        folder.display()
    );
    Ok(Dataset::open(folder)?)
}

fn retrieval(args: &RetrievalArgs, context: &Context) -> anyhow::Result<Done> {
    let dataset = open(&args.set.dataset)?;
    let distractors = if args.distractors {
        Distractors::Include
    } else {
        Distractors::LeaveOut
    };
    let import = ImportConfig {
        distractors,
        readers: Readers::Everyone,
    };
    let workspace = Workspace::new(&args.set.work);
    let report = evaluate_retrieval(
        &dataset,
        &args.split,
        &args.ways,
        import,
        &context.settings,
        &workspace,
        &context.progress,
    )?;
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
        return Ok(Done::Complete);
    }
    print_report(&report);
    Ok(Done::Complete)
}

/// The means of each way, one line each.
pub(crate) fn print_report(report: &RetrievalReport) {
    for (way, means) in &report.modes {
        let values: Vec<String> = means
            .iter()
            .map(|(metric, value)| {
                format!("{metric} {}", value.map_or("–".to_owned(), |v| format!("{v:.4}")))
            })
            .collect();
        to_stdout(&format!("{way:16} {}", values.join("  ")));
    }
}

fn answers(args: &AnswersArgs, context: &Context) -> anyhow::Result<Done> {
    let mut settings = context.settings.clone();
    if args.trade_off {
        settings.generate.extract.accept_everything();
    }
    let engine = engine_for(args, &settings, context)?;
    let report = answer_questions(&engine, &labels_for(args)?, &context.progress)?;
    if args.json {
        to_stdout(&answers_json(&report).to_string());
    } else {
        to_stdout(&row("all", &report.all));
        report
            .by_kind
            .iter()
            .for_each(|(kind, scores)| to_stdout(&row(kind, scores)));
        to_stdout(&format!(
            "AUROC of the decision to answer: {}",
            report.auroc.map_or("–".into(), |v| format!("{v:.3}"))
        ));
    }
    if args.trade_off && !args.json {
        print_trade_off(&report);
    }
    if args.failures {
        print_failures(&report);
    }
    Ok(Done::Complete)
}

/// The store that is asked, or the data set as one.
fn engine_for(args: &AnswersArgs, settings: &Settings, context: &Context) -> anyhow::Result<Engine> {
    Ok(match (&args.store, &args.dataset) {
        (Some(store), _) => Engine::open(&Store::open(store)?, settings, &context.progress)?,
        (None, Some(folder)) => Workspace::new(&args.work).engine(
            &open(folder)?,
            "open",
            ImportConfig::default(),
            settings,
            &context.progress,
        )?,
        (None, None) => anyhow::bail!("give --dataset, or --questions with --store"),
    })
}

/// The questions that are asked.
fn labels_for(args: &AnswersArgs) -> anyhow::Result<Vec<Label>> {
    let mut labels = match (&args.questions, &args.dataset) {
        (Some(questions), _) => jsonl::read_all(questions)?,
        (None, Some(folder)) if args.foreign => {
            open(folder)?.questions()?.into_iter().map(unanswerable).collect()
        }
        (None, Some(folder)) => dataset_labels(&open(folder)?)?,
        (None, None) => anyhow::bail!("give --dataset, or --questions with --store"),
    };
    anyhow::ensure!(
        args.foreign || args.dataset.is_none() || args.store.is_none(),
        "the questions of a data set asked of a store are of another collection: say --foreign"
    );
    labels = spread(labels, args.limit);
    if args.foreign {
        labels = labels
            .into_iter()
            .map(|label| unanswerable(label.question))
            .collect();
    }
    Ok(labels)
}

/// `limit` of the items, spread evenly, or all where there are fewer.
pub(crate) fn spread<T>(items: Vec<T>, limit: Option<NonZeroUsize>) -> Vec<T> {
    let of = items.len();
    let taken = limit.map_or(of, |limit| limit.get().min(of));
    let mut places = (0..taken).map(|nth| nth * of / taken).peekable();
    let chosen = items.into_iter().enumerate();
    chosen
        .filter(|(place, _)| places.next_if_eq(place).is_some())
        .map(|(_, item)| item)
        .collect()
}

/// The label of a question that no document answers.
fn unanswerable(question: Question) -> Label {
    Label {
        question,
        kind: "foreign".to_owned(),
        relevant: Vec::new(),
        answers: Vec::new(),
        parts: Vec::new(),
        answerable: false,
    }
}

fn print_trade_off(report: &AnswerReport) {
    let share = |rate: Rate| rate.share().map_or("–".to_owned(), |share| format!("{share:.3}"));
    to_stdout("threshold  right answer given  declined rightly  right among given");
    for row in trade_off(&report.verdicts) {
        to_stdout(&format!(
            "{:9.2}  {:>18}  {:>16}  {:>17}",
            row.threshold,
            share(row.right_given),
            share(row.declined),
            share(row.right_among_given)
        ));
    }
}

fn answers_json(report: &AnswerReport) -> serde_json::Value {
    json!({
        "questions": report.verdicts.len(),
        "retrieval_top3": report.all.retrieval_top3.share(),
        "answerable_correct": report.all.answerable_correct.share(),
        "answerable_correct_cited": report.all.answerable_correct_cited.share(),
        "unanswerable_declined": report.all.declined_right.share(),
        "answerable_declined": report.all.declined_wrong.share(),
        "auroc": report.auroc,
        "by_kind": report.by_kind,
    })
}

fn row(name: &str, scores: &AnswerScores) -> String {
    let cell = |rate: Rate| match rate.share() {
        Some(share) => format!("{:5.1} % of {:3}", share * 100.0, rate.of),
        None => format!("{:>14}", "–"),
    };
    format!(
        "{name:14} top 3 {}   right {}   right and cited {}   declined rightly {}   declined wrongly {}",
        cell(scores.retrieval_top3),
        cell(scores.answerable_correct),
        cell(scores.answerable_correct_cited),
        cell(scores.declined_right),
        cell(scores.declined_wrong),
    )
}

fn print_failures(report: &AnswerReport) {
    let failed = |verdict: &&rag_eval::answers::Verdict| {
        [
            verdict.retrieved,
            verdict.correct,
            verdict.cited,
            verdict.declined_rightly,
        ]
        .contains(&Some(false))
    };
    for verdict in report.verdicts.iter().filter(failed) {
        to_stdout(&serde_json::to_string(verdict).unwrap_or_default());
    }
}

fn permissions(args: &PermissionsArgs, context: &Context) -> anyhow::Result<Done> {
    let dataset = open(&args.set.dataset)?;
    let asking = if args.agent {
        Asking::ByAgentToo
    } else {
        Asking::Once
    };
    let audit = audit_permissions(
        &dataset,
        asking,
        &context.settings,
        &Workspace::new(&args.set.work),
        &context.progress,
    )?;
    if args.json {
        to_stdout(&json!({ "cases": audit.cases, "leaks": audit.leaks.len() }).to_string());
    } else {
        to_stdout(&format!("{} cases, {} leaks", audit.cases, audit.leaks.len()));
        for leak in audit.leaks.iter().take(SHOWN_LEAKS) {
            to_stdout(&plain(&format!(
                "{} in {}: {:?} of {}",
                leak.case, leak.surface, leak.kind, leak.document
            )));
        }
    }
    anyhow::ensure!(
        audit.leaks.is_empty(),
        "{} leaks of restricted text",
        audit.leaks.len()
    );
    Ok(Done::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_takes_as_many_as_it_says() {
        let take = |limit: usize| spread((0..10).collect(), NonZeroUsize::new(limit));
        assert_eq!(take(3), [0, 3, 6]);
        assert_eq!(take(9), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(take(40).len(), 10);
        assert_eq!(spread((0..10).collect::<Vec<_>>(), None).len(), 10);
        assert!(spread(Vec::<u8>::new(), NonZeroUsize::new(4)).is_empty());
    }
}
