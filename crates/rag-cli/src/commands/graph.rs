//! `graph`: entities and how they are connected, with a source for every edge.

use std::path::PathBuf;

use rag_core::artifact::{jsonl, replace_file};
use rag_eval::answers::Label;
use rag_graph::{Currency, Format, Graph, GraphError, View};
use rag_pipeline::graph::{
    ConnectionLabel, GraphEvaluation, GraphSearch, Readers, answer_themes, build_graph, evaluate_connections,
    evaluate_graph, evaluate_labels, graph, graph_cost, open_graph,
};
use rag_pipeline::{Engine, Store, Way};

use super::ask::question;
use super::eval::{DatasetArgs, open, print_report};
use super::stage::report;
use crate::Done;
use crate::args::AskerArgs;
use crate::context::Context;
use crate::print::{plain, to_stdout};
use crate::show::{self, graph as shown};

/// What to do with the graph.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Make the graph of a store's passages. From then on `ingest` keeps it up to date, with the same names and model.
    #[command(
        after_help = "Examples:\n  rag graph build --store target/handbook --entities data/entities.toml\n  rag graph build --store target/handbook --model --cost\n  rag graph build --in chunked --out graph"
    )]
    Build(BuildArgs),
    /// What an entity is connected with; without a name, the sizes of the graph.
    #[command(after_help = "Example:\n  rag graph show Sluice --store target/handbook")]
    Show(ShowArgs),
    /// How two entities are connected.
    #[command(after_help = "Example:\n  rag graph path Sluice Canada --store target/handbook")]
    Path(PathArgs),
    /// Answer a question about connections or themes, or list the passages that it walks to.
    #[command(
        after_help = "Examples:\n  rag graph search 'Which parts fit the Weir W60?' --store target/handbook\n  rag graph search 'What are the main themes?' --store target/handbook\n  rag graph search 'What is done about outages?' --written --store target/handbook\n  rag graph search 'lost readings in Canada' --passages --store target/handbook"
    )]
    Search(SearchArgs),
    /// Write the graph for another program, or as a page for people.
    #[command(
        after_help = "Example:\n  rag graph export --format html --out graph.html --store target/handbook"
    )]
    Export(ExportArgs),
    /// Measure labelled questions about connections, or ranking with and without the graph.
    ///
    /// Ranking is measured on a data set or on a store's own labelled questions, also by the sort of question; from then
    /// on `ask` and `search` walk along that store's graph for the sorts that gained.
    #[command(
        after_help = "Examples:\n  rag graph eval --questions data/connections.jsonl --store target/handbook\n  rag graph eval --labels data/questions.jsonl --store target/handbook\n  rag graph eval --dataset hotpotqa_200 --mode hybrid,hybrid+rerank"
    )]
    Eval(EvalArgs),
}

/// Arguments of `graph build`.
#[derive(Debug, Clone, clap::Args)]
pub struct BuildArgs {
    /// The store.
    #[arg(long, value_name = "STORE", required_unless_present = "input", conflicts_with_all = ["input", "output"])]
    store: Option<PathBuf>,
    /// The chunk artifact to read instead.
    #[arg(long = "in", value_name = "DIR", requires = "output")]
    input: Option<PathBuf>,
    /// The artifact folder to write.
    #[arg(long = "out", value_name = "DIR", requires = "input")]
    output: Option<PathBuf>,
    /// The parse artifact that says which documents supersede which.
    #[arg(long, value_name = "DIR", requires = "input")]
    documents: Option<PathBuf>,
    /// Names that are known beforehand, as TOML [default: the settings' file].
    #[arg(long, value_name = "FILE")]
    entities: Option<PathBuf>,
    /// Answers of a language model about the passages, as JSON lines [default: the settings' file].
    #[arg(long, value_name = "FILE")]
    drafts: Option<PathBuf>,
    /// Ask the language model of the settings about every passage; what it said of a passage is asked once.
    #[arg(long, conflicts_with = "drafts")]
    model: bool,
    /// Print what the model is yet to be asked, and build nothing.
    #[arg(long, requires = "store")]
    cost: bool,
}

/// Whose graph.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ViewArgs {
    /// The store.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    #[command(flatten)]
    asker: AskerArgs,
    /// Also count documents that a newer one supersedes.
    #[arg(long)]
    superseded: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `graph show`.
#[derive(Debug, Clone, clap::Args)]
pub struct ShowArgs {
    /// The entity's name.
    name: Option<String>,
    /// How many connections, or entities when no name is given.
    #[arg(long, short, default_value_t = 15, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    k: u32,
    #[command(flatten)]
    view: ViewArgs,
}

/// Arguments of `graph path`.
#[derive(Debug, Clone, clap::Args)]
pub struct PathArgs {
    /// Where the paths begin.
    from: String,
    /// Where they end.
    to: String,
    /// How many paths; they share no entity but the ends.
    #[arg(long, short, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    k: u32,
    #[command(flatten)]
    view: ViewArgs,
}

/// Arguments of `graph search`.
#[derive(Debug, Clone, clap::Args)]
pub struct SearchArgs {
    /// The question.
    question: String,
    /// How many results.
    #[arg(long, short, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    k: u32,
    /// List passages: those that the legs and a walk along the graph find together.
    #[arg(long)]
    passages: bool,
    /// Answer from the passages of each theme that matters to the question, by the writer of the settings, with
    /// verified citations.
    #[arg(long, conflicts_with = "passages")]
    written: bool,
    #[command(flatten)]
    view: ViewArgs,
}

/// Arguments of `graph export`.
#[derive(Debug, Clone, clap::Args)]
pub struct ExportArgs {
    /// graphml, dot, json or html.
    #[arg(long, value_name = "FORMAT")]
    format: Format,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The most connected entities are written, as many as this.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    #[command(flatten)]
    view: ViewArgs,
}

/// Arguments of `graph eval`.
#[derive(Debug, Clone, clap::Args)]
pub struct EvalArgs {
    /// Labelled questions about connections.
    #[arg(long, value_name = "FILE", requires = "store", conflicts_with = "dataset")]
    questions: Option<PathBuf>,
    /// Labelled questions with the documents that answer them, as for `eval answers`.
    #[arg(long, value_name = "FILE", requires = "store", conflicts_with_all = ["dataset", "questions"])]
    labels: Option<PathBuf>,
    /// The store to ask.
    #[arg(long, value_name = "STORE")]
    store: Option<PathBuf>,
    /// Results that are looked at per question.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    #[command(flatten)]
    set: Option<DatasetArgs>,
    /// The split whose judgements are used.
    #[arg(long, default_value = "test")]
    split: String,
    /// Ways of ranking, separated by commas; each is measured alone and with the graph.
    #[arg(long = "mode", value_delimiter = ',', default_value = "hybrid,hybrid+rerank")]
    ways: Vec<Way>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: Command, context: &Context) -> anyhow::Result<Done> {
    match command {
        Command::Build(args) => build(args, context),
        Command::Show(args) => show(&args, context),
        Command::Path(args) => path(&args, context),
        Command::Search(args) => search(args, context),
        Command::Export(args) => export(&args, context),
        Command::Eval(args) => eval(&args, context),
    }
}

fn build(args: BuildArgs, context: &Context) -> anyhow::Result<Done> {
    let (settings, progress) = (&context.settings, &context.progress);
    let own = Readers::of(&settings.graph);
    let readers = Readers {
        entities: args.entities.or(own.entities),
        model: args.model || (own.model && args.drafts.is_none()),
        drafts: args.drafts.or(own.drafts).filter(|_| !args.model),
    };
    let outcome = match (&args.store, &args.input, &args.output) {
        (Some(store), ..) if args.cost => {
            let asked = graph_cost(settings, &readers, &Store::open(store)?, progress)?;
            to_stdout(&asked.to_string());
            return Ok(Done::Complete);
        }
        (Some(store), ..) => build_graph(settings, &readers, &Store::open(store)?, progress)?,
        (None, Some(input), Some(output)) => graph(
            settings,
            &readers,
            input,
            args.documents.as_deref(),
            output,
            progress,
        )?,
        _ => anyhow::bail!("give --store, or --in with --out"),
    };
    Ok(report("graph", outcome))
}

impl ViewArgs {
    fn open(&self, context: &Context) -> anyhow::Result<(Store, Graph)> {
        let store = Store::open(&self.store)?;
        let graph = open_graph(&context.settings, &store)?;
        Ok((store, graph))
    }

    fn currency(&self) -> Currency {
        if self.superseded {
            Currency::All
        } else {
            Currency::Current
        }
    }

    fn view(&self, graph: &Graph) -> std::sync::Arc<View> {
        graph.view(&self.asker.principal(), &self.asker.filter(), self.currency())
    }

    fn print(&self, value: &impl serde::Serialize, text: impl FnOnce() -> String) -> anyhow::Result<Done> {
        let line = if self.json {
            serde_json::to_string(value)?
        } else {
            text()
        };
        to_stdout(&line);
        Ok(Done::Complete)
    }
}

fn show(args: &ShowArgs, context: &Context) -> anyhow::Result<Done> {
    let (_, graph) = args.view.open(context)?;
    let view = args.view.view(&graph);
    let limit = args.k as usize;
    let Some(name) = &args.name else {
        let counts = view.counts();
        return args.view.print(&counts, || shown::counts(&view, limit));
    };
    let entity = entity(&view, name)?;
    let connections = view.neighbours(entity, limit)?;
    let value = serde_json::json!({ "entity": view.entity(entity), "connections": connections });
    args.view.print(&value, || {
        format!(
            "{}\n{}",
            shown::entity(view.entity(entity)),
            shown::connections(&connections)
        )
    })
}

fn entity(view: &View, name: &str) -> Result<rag_graph::EntityId, GraphError> {
    view.find(name).ok_or_else(|| GraphError::NoEntity {
        name: name.to_owned(),
    })
}

fn path(args: &PathArgs, context: &Context) -> anyhow::Result<Done> {
    let (_, graph) = args.view.open(context)?;
    let view = args.view.view(&graph);
    let paths = view.paths(
        entity(&view, &args.from)?,
        entity(&view, &args.to)?,
        args.k as usize,
    )?;
    args.view.print(&paths, || shown::paths(&paths))
}

fn search(args: SearchArgs, context: &Context) -> anyhow::Result<Done> {
    let (store, graph) = args.view.open(context)?;
    let limit = args.k as usize;
    if args.passages {
        let engine = Engine::open(&store, &context.settings, &context.progress)?;
        let asked = question(args.question, Vec::new(), &args.view.asker);
        let ranking =
            GraphSearch::new(&engine, &graph, &context.settings).rank(&asked, engine.way(), limit)?;
        return args.view.print(&ranking, || show::ranking(&ranking));
    }
    if args.written {
        let engine = Engine::open(&store, &context.settings, &context.progress)?;
        let asked = question(args.question, Vec::new(), &args.view.asker);
        let answer = answer_themes(&engine, &graph, &asked, args.view.currency(), limit)?;
        return args.view.print(&answer, || show::answer(&answer));
    }
    let view = args.view.view(&graph);
    let answer = view.answer(&args.question, limit)?;
    args.view.print(&answer, || shown::answer(&answer))
}

fn export(args: &ExportArgs, context: &Context) -> anyhow::Result<Done> {
    let (_, graph) = args.view.open(context)?;
    let text = args.view.view(&graph).export(args.format, args.limit as usize)?;
    replace_file(&args.out, text.as_bytes())?;
    to_stdout(&format!(
        "{}: {} bytes",
        plain(&args.out.display().to_string()),
        text.len()
    ));
    Ok(Done::Complete)
}

fn eval(args: &EvalArgs, context: &Context) -> anyhow::Result<Done> {
    if let (Some(labels), Some(store)) = (&args.labels, &args.store) {
        let labels: Vec<Label> = jsonl::read_all(labels)?;
        let report = evaluate_labels(
            &labels,
            &context.settings,
            &Store::open(store)?,
            &context.progress,
        )?;
        return print_evaluation(&report, args.json);
    }
    match (&args.set, &args.questions, &args.store) {
        (Some(set), None, _) => {
            let dataset = open(set.folder())?;
            let workspace = set.workspace();
            let report = evaluate_graph(
                &dataset,
                &args.split,
                &args.ways,
                &context.settings,
                &workspace,
                &context.progress,
            )?;
            print_evaluation(&report, args.json)
        }
        (None, Some(questions), Some(store)) => {
            let labels: Vec<ConnectionLabel> = jsonl::read_all(questions)?;
            let graph = open_graph(&context.settings, &Store::open(store)?)?;
            let report = evaluate_connections(&graph, &labels, args.depth as usize)?;
            let line = if args.json {
                serde_json::to_string(&report)?
            } else {
                shown::connection_report(&report)
            };
            to_stdout(&line);
            Ok(Done::Complete)
        }
        _ => anyhow::bail!("give --dataset, or --questions or --labels with --store"),
    }
}

fn print_evaluation(report: &GraphEvaluation, as_json: bool) -> anyhow::Result<Done> {
    if as_json {
        to_stdout(&serde_json::to_string(report)?);
    } else {
        print_report(&report.retrieval);
        to_stdout(&shown::evaluation(report));
    }
    Ok(Done::Complete)
}
