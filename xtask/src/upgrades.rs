//! `xtask demo upgrades`: each switchable part of asking, off and on, on a question that shows what it is for.

use std::path::PathBuf;

use rag_cli::context::Context;
use rag_cli::print::{plain, to_stdout};
use rag_cli::{Done, GlobalArgs, print_upgrades, upgrades_of_documents};
use rag_core::access::Principal;
use rag_core::artifact::jsonl;
use rag_core::question::Question;
use rag_eval::answers::Label;
use rag_pipeline::evaluate::{UPGRADES, Upgrade};
use rag_pipeline::{Engine, Settings, Store, Way, ingest};
use rag_retrieve::{Expand, Mode};

use crate::workspace;

/// A question asked twice, with one setting changed in between.
struct Demonstration {
    upgrade: &'static str,
    question: &'static str,
    history: &'static [&'static str],
    updated_after: Option<&'static str>,
    reranked: bool,
    look: Look,
    off: fn(&mut Settings),
    on: fn(&mut Settings),
}

/// What is compared.
enum Look {
    /// The first documents of the ranking.
    Documents(usize),
    /// The answer of an agent against that of one search.
    Agent,
}

const PLAIN: Demonstration = Demonstration {
    upgrade: "",
    question: "",
    history: &[],
    updated_after: None,
    reranked: false,
    look: Look::Documents(3),
    off: |_| {},
    on: |_| {},
};

const DEMONSTRATIONS: &[Demonstration] = &[
    Demonstration {
        upgrade: "contextual passages",
        question: "How do I fix HBR-2207?",
        off: |settings| settings.chunk.context = rag_chunk::ContextLine::None,
        on: |settings| settings.chunk.context = rag_chunk::ContextLine::Contextual,
        ..PLAIN
    },
    Demonstration {
        upgrade: "rewriting by rule",
        question: "How do I fix it?",
        history: &["What does HBR-2208 mean?"],
        off: |settings| settings.retrieve.rewrite = rag_retrieve::Rewrite::Off,
        on: |settings| settings.retrieve.rewrite = rag_retrieve::Rewrite::Rule,
        ..PLAIN
    },
    Demonstration {
        upgrade: "rewriting by draft",
        question: "Who may not get it?",
        history: &["How high is the bonus for referring a candidate?"],
        off: |settings| settings.retrieve.rewrite = rag_retrieve::Rewrite::Off,
        on: |settings| settings.retrieve.rewrite = rag_retrieve::Rewrite::Draft,
        ..PLAIN
    },
    Demonstration {
        upgrade: "sub-questions",
        question: "What does HBR-2207 mean, and how many days of annual leave are there?",
        off: |settings| settings.retrieve.max_sub_questions = 1,
        on: |settings| settings.retrieve.max_sub_questions = 4,
        ..PLAIN
    },
    Demonstration {
        upgrade: "HyDE",
        question: "How much vacation does an employee get?",
        off: |settings| settings.retrieve.hyde = false,
        on: |settings| settings.retrieve.hyde = true,
        ..PLAIN
    },
    Demonstration {
        upgrade: "multi-query",
        question: "Can I bring my puppy along?",
        off: |settings| settings.retrieve.phrasings = 0,
        on: |settings| settings.retrieve.phrasings = 3,
        ..PLAIN
    },
    Demonstration {
        upgrade: "newer first",
        question: "When may I book business class?",
        reranked: true,
        off: |settings| settings.rerank.newest_first = false,
        on: |settings| settings.rerank.newest_first = true,
        ..PLAIN
    },
    Demonstration {
        upgrade: "near-duplicates collapsed",
        question: "What do I do when the fire alarm rings?",
        off: |settings| settings.retrieve.collapse_at = 2.0,
        on: |settings| settings.retrieve.collapse_at = 0.9,
        ..PLAIN
    },
    Demonstration {
        upgrade: "diversity",
        question: "What do I do when the fire alarm rings?",
        reranked: true,
        off: |settings| settings.retrieve.collapse_at = 2.0,
        on: |settings| {
            settings.retrieve.collapse_at = 2.0;
            settings.rerank.diversity_weight = 0.6;
        },
        ..PLAIN
    },
    Demonstration {
        upgrade: "parents handed over",
        question: "What does HBR-2207 mean?",
        reranked: true,
        look: Look::Documents(8),
        off: |settings| settings.retrieve.expand = Expand::Nothing,
        on: |settings| settings.retrieve.expand = Expand::Parent,
        ..PLAIN
    },
    Demonstration {
        upgrade: "agentic search",
        question: "Thank you, that helped!",
        reranked: true,
        look: Look::Agent,
        ..PLAIN
    },
    Demonstration {
        upgrade: "agentic search",
        question: "What is the first response time for a P1, and how many days of annual leave are there?",
        reranked: true,
        look: Look::Agent,
        ..PLAIN
    },
];

/// Shows every part off and on, and measures recall on the labelled questions.
pub(crate) fn run(global: &GlobalArgs) -> anyhow::Result<Done> {
    let context = Context::new(global)?;
    let mut settings = context.settings.clone();
    settings.models.drafts = Some(workspace().join("data/drafts.jsonl"));
    for shown in DEMONSTRATIONS {
        to_stdout(&format!("\n{}: {}", shown.upgrade, asked(shown)));
        for (name, switch) in [("off", shown.off), ("on", shown.on)] {
            let mut switched = settings.clone();
            switch(&mut switched);
            let engine = engine(&switched, &context)?;
            to_stdout(&format!(
                "  {name:3} {}",
                plain(&look(shown, &engine, name == "on")?)
            ));
        }
    }
    to_stdout(
        "\nRecall on data/questions.jsonl, off → on, and the kinds that it changes (hybrid, without reranking;",
    );
    to_stdout("`cargo xtask eval upgrades` measures the parts that act after reranking too):");
    let labels: Vec<Label> = jsonl::read_all(&workspace().join("data/questions.jsonl"))?;
    let source = workspace().join("data/handbook");
    let work = workspace().join("target/demo");
    let measured: Vec<Upgrade> = UPGRADES.into_iter().filter(|upgrade| !upgrade.reranks).collect();
    let report = upgrades_of_documents(&source, &labels, &work, &settings, &measured, &context)?;
    print_upgrades(&report);
    Ok(Done::Complete)
}

fn asked(shown: &Demonstration) -> String {
    let turns: Vec<&str> = shown.history.iter().chain([&shown.question]).copied().collect();
    turns.join(" → ")
}

fn engine(settings: &Settings, context: &Context) -> anyhow::Result<Engine> {
    let source = workspace().join("data/handbook");
    let name = format!("upgrades-{:?}", settings.chunk.context).to_lowercase();
    let folder: PathBuf = workspace().join("target/demo").join(name);
    let store = Store::open_or_create(&folder, &source)?;
    let worker = rag_cli::worker_command()?;
    ingest(settings, &source, &store, Some(worker), &context.progress)?;
    Ok(Engine::open(&store, settings, &context.progress)?)
}

fn look(shown: &Demonstration, engine: &Engine, is_on: bool) -> anyhow::Result<String> {
    let mut question = Question::new("demo", shown.question, Principal::everyone());
    question.history = shown.history.iter().map(ToString::to_string).collect();
    question.filter.updated_after = shown.updated_after.map(str::parse).transpose()?;
    let way = Way {
        mode: Mode::Hybrid,
        reranked: shown.reranked,
    };
    match shown.look {
        Look::Documents(most) => {
            let ranking = engine.expand(engine.rank(&question, way, most)?)?;
            let hits = ranking.hits.iter().map(|hit| {
                let copies = hit.duplicates.len();
                let told = if copies > 0 {
                    format!(" (+{copies} alike)")
                } else {
                    String::new()
                };
                format!("{}{told}", hit.passage.id)
            });
            Ok(hits.collect::<Vec<_>>().join(", "))
        }
        Look::Agent if is_on => {
            let answer = engine.research(&question, way)?;
            let searches = answer.trace.map_or(0, |trace| trace.searches.len());
            Ok(format!("{} ({searches} searches)", answer.text))
        }
        Look::Agent => Ok(format!("{} (1 search)", engine.ask(&question, way)?.text)),
    }
}
