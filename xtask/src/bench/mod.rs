//! `bench`: ours against other programs on the same machine and data, in one run.

mod ann;
mod bm25;
mod contest;
mod encoder;
mod generate;
mod machine;
mod python;
mod rerank;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context as _;
use rag_cli::GlobalArgs;
use rag_cli::context::Context;
use rag_cli::print::to_stdout;
use rag_core::artifact::jsonl;
use rag_core::random::Random;
use rag_eval::data::Dataset;
use rag_models::fetch::FetchConfig;
use serde::{Deserialize, Serialize};

use contest::{Contest, Outcome};
use machine::Machine;
use python::Python;

/// What is measured.
#[derive(Debug, Clone, clap::Subcommand)]
pub(crate) enum Command {
    /// Ours against its peers: encoder, reranker, vector search, BM25 and text generation.
    ///
    /// The peers are Python packages, installed into a virtual environment of their own. Ours and theirs run in turn,
    /// round by round, and the median of the rounds counts: what else the machine does then slows both. Ratios are
    /// above 1 where ours is faster.
    #[command(
        after_help = "Examples:\n  cargo xtask bench peers --dataset DIR\n  cargo xtask bench peers --dataset DIR --only encoder,rerank --json"
    )]
    Peers(PeersArgs),
}

/// Arguments of `bench peers`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PeersArgs {
    /// A data set in BEIR form, such as SciFact: its texts are embedded and searched, its questions asked.
    #[arg(long, value_name = "DIR")]
    dataset: PathBuf,
    /// Only these, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Subject::Encoder, Subject::Rerank, Subject::Ann, Subject::Bm25, Subject::Generate])]
    only: Vec<Subject>,
    /// Rounds, of which the median counts.
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZeroUsize,
    /// Vectors that are searched.
    #[arg(long, value_name = "N", default_value = "100000")]
    vectors: NonZeroUsize,
    /// Threads of the encoders, of building and of generation; searches have one [default: as many as processors].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Where the virtual environment and the peers' models are kept between runs.
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    work: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Subject {
    /// Texts to vectors: ONNX Runtime, OpenVINO.
    Encoder,
    /// Candidates of one question: ONNX Runtime.
    Rerank,
    /// Nearest vectors: hnswlib, usearch, faiss.
    Ann,
    /// Words: bm25s, tantivy.
    Bm25,
    /// A small language model: llama.cpp.
    Generate,
}

/// What `bench peers` found.
#[derive(Debug, Serialize)]
struct Report {
    machine: Machine,
    rounds: usize,
    threads: usize,
    contests: Vec<Outcome>,
    /// Rate of ours over that of the peer, such as `f32_vs_ort_f32`.
    ratios: BTreeMap<String, f64>,
}

/// What every contest is held with.
struct Bench<'b> {
    context: Context,
    args: &'b PeersArgs,
    threads: usize,
    python: Python,
}

pub(crate) fn run(command: &Command, global: &GlobalArgs) -> anyhow::Result<()> {
    let Command::Peers(args) = command;
    anyhow::ensure!(
        args.dataset.join("corpus.jsonl").is_file(),
        "{} is no data set in BEIR form: there is no corpus.jsonl in it; SciFact is one, which is not part of this repository",
        args.dataset.display()
    );
    let threads = args.threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        NonZeroUsize::get,
    );
    let bench = Bench {
        context: Context::new(global)?,
        args,
        threads,
        python: Python::prepare(&args.work)?,
    };
    let mut contests = Vec::new();
    for subject in &args.only {
        let held = match subject {
            Subject::Encoder => encoder::contests(&bench),
            Subject::Rerank => rerank::contests(&bench),
            Subject::Ann => ann::contests(&bench),
            Subject::Bm25 => bm25::contests(&bench),
            Subject::Generate => generate::contests(&bench),
        };
        contests.extend(held.with_context(|| format!("the contest {subject:?} could not be held"))?);
    }
    let report = Report {
        machine: Machine::describe(),
        rounds: args.rounds.get(),
        threads,
        ratios: contests.iter().flat_map(Outcome::ratios).collect(),
        contests,
    };
    if args.json {
        to_stdout(&serde_json::to_string(&report)?);
    } else {
        report.print();
    }
    Ok(())
}

/// One line of `corpus.jsonl`.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    title: String,
    text: String,
}

impl Bench<'_> {
    /// Where weights come from.
    fn fetch(&self) -> &FetchConfig {
        &self.context.settings.models.fetch
    }

    /// The data set's texts, each with its title.
    fn texts(&self) -> anyhow::Result<Vec<String>> {
        let rows: Vec<Row> = jsonl::read_all(&self.args.dataset.join("corpus.jsonl"))?;
        let text = |row: Row| format!("{} {}", row.title, row.text).trim().to_owned();
        Ok(rows.into_iter().map(text).collect())
    }

    /// The data set's questions.
    fn questions(&self) -> anyhow::Result<Vec<String>> {
        let questions = Dataset::open(&self.args.dataset)?.questions()?;
        anyhow::ensure!(!questions.is_empty(), "the data set has no questions");
        Ok(questions.into_iter().map(|question| question.text).collect())
    }

    /// Holds `contest` for the rounds asked for.
    fn hold(&self, contest: Contest<'_>) -> anyhow::Result<Outcome> {
        contest.hold(self.args.rounds.get())
    }
}

impl Report {
    fn print(&self) {
        to_stdout(&format!(
            "{}\nmedians of {} rounds, {} threads; above 1 ours is faster",
            self.machine, self.rounds, self.threads
        ));
        for contest in &self.contests {
            to_stdout(&format!("\n{contest}"));
        }
        to_stdout("");
        for (name, ratio) in &self.ratios {
            to_stdout(&format!("{name:32} {ratio:6.2}"));
        }
    }
}

/// `count` of the items, drawn evenly with a seed.
fn sample<T>(mut items: Vec<T>, count: usize) -> Vec<T> {
    Random::new(1).shuffle(&mut items);
    items.truncate(count);
    items
}
