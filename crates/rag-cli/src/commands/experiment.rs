//! `experiment`: variants of the settings tried on the same questions, and compared.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rag_eval::answers::Label;
use rag_pipeline::experiment::{
    Benchmark, Compared, Experiment, FIGURES, Fate, Material, Step, Variant, VariantReport, Workshop,
    compare, list,
};
use serde_json::json;

use super::eval::spread;
use super::parse::worker_command;
use crate::Done;
use crate::context::Context;
use crate::print::{plain, to_stderr, to_stdout};

/// Where experiments are looked for by name.
const FOLDER: &str = "experiments";

/// What to do with experiments.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Run every variant of one or more experiments, and compare them.
    #[command(
        after_help = "Examples:\n  rag experiment run chunkers\n  rag experiment run chunkers reranker --limit 50\n  \
                            rag experiment run mine.toml --dataset scifact --fresh"
    )]
    Run(RunArgs),
    /// List the experiments there are.
    #[command(after_help = "Example:\n  rag experiment list")]
    List(ListArgs),
}

/// Arguments of `experiment list`.
#[derive(Debug, Clone, clap::Args)]
pub struct ListArgs {
    /// Where experiments are.
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    folder: PathBuf,
}

/// Arguments of `experiment run`.
///
/// An experiment is a TOML file over rag.toml with a table `[experiment]`: `description`; `source` and `questions`, or
/// `dataset`; and `[experiment.grid]`, which lists values of settings. What variants have in common is made once, and
/// kept for the next time. A variant that fails does not stop the others; the exit code is then 3.
#[derive(Debug, Clone, clap::Args)]
pub struct RunArgs {
    /// Names of experiments, or paths of their files.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Where experiments are looked for by name.
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    folder: PathBuf,
    /// Ask these labelled questions, in place of the experiment's.
    #[arg(long, value_name = "FILE", requires = "source")]
    questions: Option<PathBuf>,
    /// Of the documents in this folder.
    #[arg(long, value_name = "DIR", requires = "questions")]
    source: Option<PathBuf>,
    /// Ask a data set of itself, in place of the experiment's questions.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["source", "questions"])]
    dataset: Option<PathBuf>,
    /// Where artifacts are kept, for variants to share.
    #[arg(long, value_name = "DIR", default_value = "target/experiments")]
    work: PathBuf,
    /// Ask only so many of the questions, spread evenly.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Make each variant from scratch, in a folder of its own: nothing is reused or shared.
    #[arg(long)]
    fresh: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &Command, context: &Context) -> anyhow::Result<Done> {
    match command {
        Command::Run(args) => run_all(args, context),
        Command::List(args) => list_all(args),
    }
}

fn list_all(args: &ListArgs) -> anyhow::Result<Done> {
    for found in list(&args.folder)? {
        let about = found
            .description
            .unwrap_or_else(|error| format!("cannot be read: {error}"));
        to_stdout(&plain(&format!("{:16} {about}", found.name)));
    }
    Ok(Done::Complete)
}

fn run_all(args: &RunArgs, context: &Context) -> anyhow::Result<Done> {
    // All are read before any is run, so that a slip is told at once.
    let experiments = args
        .names
        .iter()
        .map(|name| Tried::read(name, args, context))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for (place, tried) in experiments.iter().enumerate() {
        let name = &tried.experiment.name;
        let is_taken = experiments[..place]
            .iter()
            .any(|other| other.experiment.name == *name);
        anyhow::ensure!(
            !is_taken,
            "two of the experiments are named `{name}`, and their runs would replace each other: rename a file"
        );
    }
    let mut trial = Trial {
        args,
        context,
        workshop: Workshop::open(&args.work)?,
        reports: Vec::new(),
        failures: Vec::new(),
    };
    for tried in &experiments {
        trial.run(tried)?;
    }
    let compared = compare(&trial.reports)?;
    if args.json {
        let failed: Vec<_> = trial.failures.iter().map(Failure::json).collect();
        to_stdout(&json!({ "variants": trial.reports, "compared": compared, "failed": failed }).to_string());
    } else if !compared.is_empty() {
        print_table(&compared);
        print_failed(&trial.failures);
    }
    anyhow::ensure!(!trial.reports.is_empty(), "every variant failed");
    Ok(Done::counting(trial.failures.len() as u64))
}

/// An experiment with what it asks.
struct Tried {
    experiment: Experiment,
    material: Material,
    labels: Vec<Label>,
}

impl Tried {
    fn read(name: &str, args: &RunArgs, context: &Context) -> anyhow::Result<Self> {
        let path = file_of(name, &args.folder)?;
        let mut experiment = Experiment::read(&context.settings, &path)?;
        let given = match (&args.source, &args.questions, &args.dataset) {
            (Some(source), Some(questions), _) => Some(Material::Folder {
                source: source.clone(),
                questions: questions.clone(),
            }),
            (_, _, Some(folder)) => Some(Material::Dataset(folder.clone())),
            _ => None,
        };
        let material = given.or_else(|| experiment.material.take()).with_context(|| {
            format!(
                "{} says of what documents which questions are asked by [experiment] source and questions, or dataset; \
                 or give --source and --questions, or --dataset",
                path.display()
            )
        })?;
        let labels = spread(material.labels()?, args.limit);
        anyhow::ensure!(!labels.is_empty(), "there are no labelled questions to ask");
        Ok(Self {
            experiment,
            material,
            labels,
        })
    }
}

/// The file of the experiment `name`: one in `folder`, or the path itself when it ends in `.toml`.
fn file_of(name: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    let path = if Path::new(name).extension().is_some_and(|ending| ending == "toml") {
        PathBuf::from(name)
    } else {
        anyhow::ensure!(
            !name.contains(['/', '\\']),
            "`{name}` is no name of an experiment; give a name, or the path of a .toml file"
        );
        folder.join(format!("{name}.toml"))
    };
    anyhow::ensure!(
        path.is_file(),
        "there is no experiment at {}; `experiment list` shows those there are",
        path.display()
    );
    Ok(path)
}

/// A variant that failed.
struct Failure {
    experiment: String,
    variant: String,
    error: String,
}

impl Failure {
    fn json(&self) -> serde_json::Value {
        json!({ "experiment": self.experiment, "variant": self.variant, "error": self.error })
    }
}

/// Running variants one after the other.
struct Trial<'t> {
    args: &'t RunArgs,
    context: &'t Context,
    workshop: Workshop,
    reports: Vec<VariantReport>,
    failures: Vec<Failure>,
}

impl Trial<'_> {
    fn run(&mut self, tried: &Tried) -> anyhow::Result<()> {
        let experiment = &tried.experiment;
        let asked = Benchmark {
            material: &tried.material,
            labels: &tried.labels,
            worker: Some(worker_command()?),
        };
        for variant in &experiment.variants {
            self.say(&format!("== {}: {}", experiment.name, variant.name));
            match self.run_variant(experiment, variant, &asked) {
                Ok(report) => {
                    report.steps.iter().for_each(|step| self.say(&told(step)));
                    self.reports.push(report);
                }
                Err(error) => {
                    let error = crate::chain(&error);
                    to_stderr(&plain(&format!("{}: {}: {error}", experiment.name, variant.name)));
                    self.failures.push(Failure {
                        experiment: experiment.name.clone(),
                        variant: variant.name.clone(),
                        error,
                    });
                }
            }
        }
        Ok(())
    }

    fn run_variant(
        &self,
        experiment: &Experiment,
        variant: &Variant,
        asked: &Benchmark<'_>,
    ) -> anyhow::Result<VariantReport> {
        let settings = match &variant.settings {
            Ok(settings) => settings,
            Err(error) => anyhow::bail!("{error}"),
        };
        let progress = &self.context.progress;
        let report = if self.args.fresh {
            let workshop = self.workshop.fresh(experiment, variant)?;
            workshop.run(experiment, variant, settings, asked, progress)
        } else {
            self.workshop.run(experiment, variant, settings, asked, progress)
        };
        Ok(report?)
    }

    /// Tells how far it is, where the result is for people.
    fn say(&self, line: &str) {
        if !self.args.json {
            to_stdout(&plain(line));
        }
    }
}

/// Those that the table lacks, since figures of the others are told against the first that is in it.
fn print_failed(failures: &[Failure]) {
    for failure in failures {
        to_stdout(&plain(&format!(
            "failed: {}: {}",
            failure.experiment, failure.variant
        )));
    }
}

fn told(step: &Step) -> String {
    let fate = match step.fate {
        Fate::Reused => "reused",
        Fate::Made => "made",
    };
    let seconds = step
        .seconds
        .map_or(String::new(), |seconds| format!("{seconds:8.1} s"));
    let embedded = step.embedded.map_or(String::new(), |(embedded, of)| {
        format!("   {embedded} of {of} passages embedded")
    });
    let left_out = match step.left_out {
        0 => String::new(),
        items => format!("   {items} LEFT OUT"),
    };
    format!("   {:9} {fate:6} {seconds:>10}{embedded}{left_out}", step.stage)
}

/// Below this p a difference is marked.
const ALPHA: f64 = 0.05;

/// Right answers and rankings of each variant, with the difference from the first that was asked the same.
fn print_table(compared: &[Compared]) {
    let names: Vec<String> = compared
        .iter()
        .map(|row| plain(&format!("{}: {}", row.experiment, row.variant)))
        .collect();
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or_default();
    let heads = FIGURES.map(|name| format!("{name:>17}")).join("");
    to_stdout(&format!("\n{:width$}{heads}{:>10}", "variant", "time"));
    for (name, row) in names.iter().zip(compared) {
        let cells: Vec<String> = row
            .figures
            .iter()
            .enumerate()
            .map(|(place, figure)| {
                let difference = row.against_first.and_then(|differences| differences[place]);
                let test = row.tests.get(FIGURES[place]).and_then(|test| test.p_corrected);
                let mark = if test.is_some_and(|p| p < ALPHA) { "*" } else { "" };
                let difference = difference.map_or(String::new(), |value| format!(" ({value:+.3}{mark})"));
                let figure = figure.map_or("–".to_owned(), |value| format!("{value:.3}"));
                format!("{:>17}", format!("{figure}{difference}"))
            })
            .collect();
        to_stdout(&format!("{name:width$}{}{:>8.1} s", cells.join(""), row.seconds));
    }
    to_stdout(&format!(
        "(difference from the first variant; * p < {ALPHA} by a paired randomisation test, corrected for the number of variants)"
    ));
}
