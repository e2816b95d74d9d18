//! `xtask demo upgrades`: each switchable part of asking, off and on, on a question that shows what it is for.

use std::path::PathBuf;

use anyhow::Context as _;
use rag_cli::context::Context;
use rag_cli::print::{plain, to_stdout};
use rag_cli::{Done, GlobalArgs, print_upgrades, upgrades_of_documents};
use rag_core::access::Principal;
use rag_core::artifact::jsonl;
use rag_core::hit::Ranking;
use rag_core::question::Question;
use rag_eval::answers::Label;
use rag_pipeline::evaluate::{UPGRADES, Upgrade};
use rag_pipeline::{Engine, Settings, Store, ingest};
use rag_retrieve::Expand;

use crate::workspace;

/// A question that shows what a part of asking is for.
struct Demonstration {
    /// The upgrade's name.
    upgrade: &'static str,
    question: &'static str,
    history: &'static [&'static str],
}

const fn shown(upgrade: &'static str, question: &'static str) -> Demonstration {
    Demonstration {
        upgrade,
        question,
        history: &[],
    }
}

const DEMONSTRATIONS: &[Demonstration] = &[
    shown("contextual passages", "How do I fix HBR-2207?"),
    shown(
        "described passages",
        "After HBR-2208, how soon is the slot free again?",
    ),
    Demonstration {
        history: &["What does HBR-2208 mean?"],
        ..shown("rewriting by rule", "How do I fix it?")
    },
    Demonstration {
        history: &["How high is the bonus for referring a candidate?"],
        ..shown("rewriting by draft", "Who may not get it?")
    },
    shown(
        "sub-questions",
        "How much is the learning budget, and how many volunteering days are there?",
    ),
    shown(
        "HyDE",
        "What compensation do clients receive for a slow reply to a P1?",
    ),
    shown("multi-query", "Can I bring my puppy along?"),
    shown(
        "near-duplicates collapsed",
        "What do I do when the fire alarm rings?",
    ),
    shown("newer first", "When may I book business class?"),
    shown("diversity", "How do I sign in to Harbour Connect?"),
];

/// Questions for an agent: small talk, and two things at once.
const FOR_AGENTS: [&str; 2] = [
    "Thank you, that helped!",
    "What does HBR-2207 mean, and how many days of annual leave are there?",
];

/// Passages that are shown of a ranking.
const SHOWN: usize = 3;

/// Shows every part off and on, and measures recall on the labelled questions.
pub(crate) fn run(global: &GlobalArgs) -> anyhow::Result<Done> {
    let context = Context::new(global)?;
    let mut settings = context.settings.clone();
    settings.models.drafts = Some(workspace().join("data/drafts.jsonl"));
    settings.models.descriptions = Some(workspace().join("data/descriptions.jsonl"));
    for shown in DEMONSTRATIONS {
        let upgrade = Upgrade::named(shown.upgrade).context("every demonstration names an upgrade")?;
        to_stdout(&format!(
            "\n{} ({}): {}",
            upgrade.name,
            upgrade.what,
            asked(shown)
        ));
        for (name, switched) in [("off", upgrade.off(&settings)), ("on", upgrade.on(&settings))] {
            let ranking = engine(&switched, &context)?.rank(&question(shown), upgrade.way(), SHOWN)?;
            to_stdout(&format!("  {name:3} {}", plain(&passages(&ranking))));
        }
    }
    show_sections(&settings, &context)?;
    show_agents(&settings, &context)?;
    to_stdout(
        "\nRecall on data/questions.jsonl, off → on, and the kinds that it changes (hybrid, without reranking;",
    );
    to_stdout("`cargo xtask eval upgrades` measures the parts that act after reranking too):");
    let labels: Vec<Label> = jsonl::read_all(&workspace().join("data/questions.jsonl"))?;
    let source = workspace().join("data/handbook");
    let work = workspace().join("target/demo");
    let measured: Vec<Upgrade> = UPGRADES
        .iter()
        .copied()
        .filter(|upgrade| !upgrade.reranks)
        .collect();
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

fn question(shown: &Demonstration) -> Question {
    let mut question = Question::new("demo", shown.question, Principal::everyone());
    question.history = shown.history.iter().map(ToString::to_string).collect();
    question
}

/// The ids of the passages, each with the number of copies that it stands for.
fn passages(ranking: &Ranking) -> String {
    let hits = ranking.hits.iter().map(|hit| match hit.duplicates.len() {
        0 => hit.passage.id.to_string(),
        copies => format!("{} (+{copies} alike)", hit.passage.id),
    });
    hits.collect::<Vec<_>>().join(", ")
}

/// What is handed over with the best hit.
fn show_sections(settings: &Settings, context: &Context) -> anyhow::Result<()> {
    let asked = Question::new(
        "demo",
        "Which per diem is paid for a full day in Norway?",
        Principal::everyone(),
    );
    to_stdout(&format!("\nsections handed over with a hit: {}", asked.text));
    for (name, expand) in [("off", Expand::Nothing), ("on", Expand::Parent)] {
        let mut switched = settings.clone();
        switched.retrieve.expand = expand;
        let engine = engine(&switched, context)?;
        let ranking = engine.expand(engine.rank(&asked, engine.way(), 1)?)?;
        to_stdout(&format!("  {name:3} {}", plain(&passages(&ranking))));
    }
    Ok(())
}

/// How often an agent searches.
fn show_agents(settings: &Settings, context: &Context) -> anyhow::Result<()> {
    let engine = engine(settings, context)?;
    for text in FOR_AGENTS {
        let asked = Question::new("demo", text, Principal::everyone());
        let once = engine.ask(&asked, engine.way())?;
        let stepwise = engine.research(&asked, engine.way())?;
        let searches = stepwise.trace.map_or(0, |trace| trace.searches.len());
        to_stdout(&format!("\nagentic search: {text}"));
        to_stdout(&format!("  off 1 search: {}", plain(&once.text)));
        to_stdout(&format!("  on  {searches} searches: {}", plain(&stepwise.text)));
    }
    Ok(())
}
