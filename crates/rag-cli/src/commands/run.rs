//! `run`: labelled questions through the query row, every box's artifact kept in one folder.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use rag_core::artifact::jsonl;
use rag_eval::answers::Label;
use rag_eval::data::ImportConfig;
use rag_pipeline::evaluate::{Workspace, dataset_labels};
use rag_pipeline::run::{Collection, HEADLINE, Run, execute};
use rag_pipeline::{Settings, Store, Way};

use super::eval::{WORK, open, spread};
use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Which questions, and of which documents.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AskedArgs {
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
    /// A data set's folder with answers.jsonl, asked of itself.
    #[arg(long, value_name = "DIR", conflicts_with = "store")]
    dataset: Option<PathBuf>,
    /// Where imported data sets are kept between runs.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
    /// Ask at most so many of the questions, spread evenly.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
}

impl AskedArgs {
    /// The questions, and the artifacts that they are asked of.
    pub(crate) fn read(
        &self,
        settings: &Settings,
        context: &Context,
    ) -> anyhow::Result<(Vec<Label>, Collection)> {
        let (labels, store) = match (&self.questions, &self.store, &self.dataset) {
            (Some(questions), Some(store), _) => (jsonl::read_all(questions)?, Store::open(store)?),
            (_, _, Some(folder)) => {
                let dataset = open(folder)?;
                let workspace = Workspace::new(&self.work);
                let store = workspace.store(
                    &dataset,
                    "open",
                    ImportConfig::default(),
                    settings,
                    &context.progress,
                )?;
                (dataset_labels(&dataset)?, store)
            }
            _ => anyhow::bail!("give --questions with --store, or --dataset"),
        };
        let labels: Vec<Label> = spread(labels, self.limit);
        anyhow::ensure!(!labels.is_empty(), "there are no labelled questions to ask");
        Ok((labels, Collection::of(&store)?))
    }
}

/// Asks labelled questions and keeps what every box made, to diagnose, compare and repeat.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag run --questions data/questions.jsonl --store target/demo/store --out target/runs/hybrid\n  \
                        rag run --questions data/questions.jsonl --store target/demo/store --mode dense --out target/runs/dense\n  \
                        rag diagnose target/runs/hybrid"
)]
pub struct Args {
    #[command(flatten)]
    asked: AskedArgs,
    /// How passages are ranked: bm25, dense or hybrid, with `+rerank` if the reranker reads the best [default: as
    /// the settings say].
    #[arg(long)]
    mode: Option<Way>,
    /// The run's folder. A run that is there is brought up to date.
    #[arg(long, value_name = "RUN")]
    out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let mut settings = context.settings.clone();
    if let Some(way) = args.mode {
        way.apply_to(&mut settings)?;
    }
    let (labels, collection) = args.asked.read(&settings, context)?;
    let run = execute(&settings, &collection, &labels, &args.out, &context.progress)?;
    let metrics = run.metrics()?;
    if args.json {
        to_stdout(&serde_json::to_string(&metrics)?);
        return Ok(Done::Complete);
    }
    to_stdout(&format!(
        "{} questions → {}",
        metrics.questions,
        run.root().display()
    ));
    to_stdout(&headline(&run)?);
    Ok(Done::Complete)
}

/// The first figures of a run, on one line.
pub(crate) fn headline(run: &Run) -> anyhow::Result<String> {
    let metrics = run.metrics()?;
    let cell = |name: &str| {
        let value = metrics.means.get(name).and_then(|summary| summary.mean);
        format!(
            "{name} {}",
            value.map_or("–".to_owned(), |value| format!("{value:.3}"))
        )
    };
    Ok(HEADLINE.map(cell).join("  "))
}
