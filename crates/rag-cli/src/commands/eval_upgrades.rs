//! `eval upgrades`: recall with each switchable part of asking off and on.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rag_core::artifact::jsonl;
use rag_eval::answers::Label;
use rag_eval::data::ImportConfig;
use rag_pipeline::evaluate::{
    UPGRADES, Upgrade, UpgradeEffect, UpgradeReport, Workspace, dataset_labels, evaluate_upgrades,
};
use rag_pipeline::{Engine, PipelineError, Settings, Store, ingest};

use super::eval::{WORK, open, spread};
use super::parse::worker_command;
use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Arguments of `eval upgrades`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A data set's folder with answers.jsonl.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "questions",
        required_unless_present = "questions"
    )]
    dataset: Option<PathBuf>,
    /// Labelled questions to ask of the documents of --source.
    #[arg(long, value_name = "FILE", requires = "source")]
    questions: Option<PathBuf>,
    /// The documents.
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
    /// Drafts to search with, JSON lines [default: models.drafts of the settings].
    #[arg(long, value_name = "FILE")]
    drafts: Option<PathBuf>,
    /// Descriptions of passages, JSON lines [default: models.descriptions of the settings].
    #[arg(long, value_name = "FILE")]
    descriptions: Option<PathBuf>,
    /// Where what is made of the documents is kept between runs.
    #[arg(long, value_name = "DIR", default_value = WORK)]
    work: PathBuf,
    /// Ask only so many of the questions, spread evenly.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let mut settings = context.settings.clone();
    if args.drafts.is_some() {
        settings.models.drafts.clone_from(&args.drafts);
    }
    if args.descriptions.is_some() {
        settings.models.descriptions.clone_from(&args.descriptions);
    }
    let report = match (&args.dataset, &args.questions, &args.source) {
        (Some(folder), _, _) => of_dataset(folder, args, &settings, context)?,
        (None, Some(questions), Some(source)) => {
            let labels: Vec<Label> = spread(jsonl::read_all(questions)?, args.limit);
            of_documents(source, &labels, &args.work, &settings, &UPGRADES, context)?
        }
        _ => anyhow::bail!("give --dataset, or --questions with --source"),
    };
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        print_upgrades(&report);
    }
    Ok(Done::Complete)
}

fn of_dataset(
    folder: &Path,
    args: &Args,
    settings: &Settings,
    context: &Context,
) -> anyhow::Result<UpgradeReport> {
    let dataset = open(folder)?;
    let labels = spread(dataset_labels(&dataset)?, args.limit);
    let workspace = Workspace::new(&args.work);
    let open = |settings: &Settings, upgrade: &Upgrade| {
        let name = variant("open", settings, upgrade);
        workspace.engine(
            &dataset,
            &name,
            ImportConfig::default(),
            settings,
            &context.progress,
        )
    };
    Ok(evaluate_upgrades(
        &UPGRADES,
        settings,
        &labels,
        &open,
        &context.progress,
    )?)
}

/// Measures the upgrades on a folder of documents, ingested into stores below `work`.
pub fn of_documents(
    source: &Path,
    labels: &[Label],
    work: &Path,
    settings: &Settings,
    upgrades: &[Upgrade],
    context: &Context,
) -> anyhow::Result<UpgradeReport> {
    let worker = worker_command()?;
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let open = |settings: &Settings, upgrade: &Upgrade| -> Result<Engine, PipelineError> {
        let store = work.join(variant(&format!("{name}-store"), settings, upgrade));
        fs_err::create_dir_all(work)?;
        let store = Store::open_or_create(&store, source)?;
        ingest(settings, source, &store, Some(worker.clone()), &context.progress)?;
        Engine::open(&store, settings, &context.progress)
    };
    Ok(evaluate_upgrades(
        upgrades,
        settings,
        labels,
        &open,
        &context.progress,
    )?)
}

/// The name of a store: what is indexed differently stands in one of its own.
fn variant(name: &str, settings: &Settings, upgrade: &Upgrade) -> String {
    if upgrade.reindexes {
        format!("{name}-{:?}", settings.chunk.context).to_lowercase()
    } else {
        name.to_owned()
    }
}

/// Recall off and on, one line per upgrade, and the kinds of questions that it changed.
pub fn print_upgrades(report: &UpgradeReport) {
    to_stdout("                       recall@3       recall@10");
    for upgrade in &UPGRADES {
        let Some(effects) = report.get(upgrade.name) else {
            continue;
        };
        for (kind, effect) in effects {
            let name = if kind == "all" { upgrade.name } else { kind };
            let indent = if kind == "all" { "" } else { "  " };
            if kind == "all" || effect.on != effect.off {
                to_stdout(&line(&format!("{indent}{name}"), effect));
            }
        }
    }
}

fn line(name: &str, effect: &UpgradeEffect) -> String {
    format!(
        "{name:22} {:.3} → {:.3}  {:.3} → {:.3}  ({} questions)",
        effect.off.at_3, effect.on.at_3, effect.off.at_10, effect.on.at_10, effect.questions
    )
}
