//! `xtask demo`: the sample corpus from files to verified answers.

use std::time::Instant;

use rag_cli::context::Context;
use rag_cli::print::to_stdout;
use rag_cli::{Done, GlobalArgs, show};
use rag_core::access::Principal;
use rag_core::filter::Filter;
use rag_core::question::Question;
use rag_pipeline::{Engine, Store, ingest};

use crate::workspace;

/// A question of the demo and what it shows.
struct Shown {
    shows: &'static str,
    question: &'static str,
    groups: &'static [&'static str],
    updated_after: Option<&'static str>,
}

const fn asked(shows: &'static str, question: &'static str) -> Shown {
    Shown {
        shows,
        question,
        groups: &[],
        updated_after: None,
    }
}

/// No word of it occurs in the document that answers it.
pub(crate) const PARAPHRASE: &str = "How much vacation does a worker get?";

const QUESTIONS: &[Shown] = &[
    asked(
        "an exact error code, whose twins differ in one digit",
        "What does HBR-2207 mean?",
    ),
    asked("a paraphrase that shares no word with its source", PARAPHRASE),
    Shown {
        groups: &["finance"],
        ..asked(
            "a restricted document, asked by finance",
            "What is the Q3 revenue forecast?",
        )
    },
    asked(
        "the same question, asked by anyone else",
        "What is the Q3 revenue forecast?",
    ),
    asked(
        "two versions of a policy, without a date filter",
        "What is the meal cap for grades G1-G3 when travelling?",
    ),
    Shown {
        updated_after: Some("2025-01-01"),
        ..asked(
            "the same question, only documents since 2025",
            "What is the meal cap for grades G1-G3 when travelling?",
        )
    },
    asked(
        "something that the documents do not cover",
        "How do I renew my work visa for the Czech Republic?",
    ),
    asked("a table row", "Which per diem is paid for a full day in Norway?"),
    asked("an Arabic question", "كم عدد أيام الإجازة السنوية في مكتب عمّان؟"),
    asked("a fix that never names its error", "How do I fix HBR-2207?"),
    asked(
        "two questions in one",
        "What is the first response time for a P1, and who approves a refund above EUR 2,500?",
    ),
    asked(
        "a document that gives orders to the reader",
        "Do orders from BrightPump follow the usual approval limits?",
    ),
];

/// Ingests `data/handbook` and answers the questions.
pub(crate) fn run(global: &GlobalArgs) -> anyhow::Result<Done> {
    let context = Context::new(global)?;
    let started = Instant::now();
    let source = workspace().join("data/handbook");
    let store = Store::open_or_create(&workspace().join("target/demo/store"), &source)?;
    let worker = rag_cli::worker_command()?;
    let report = ingest(
        &context.settings,
        &source,
        &store,
        Some(worker),
        &context.progress,
    )?;
    to_stdout(&format!(
        "{} documents ({} new), {} passages embedded, {} reused, in {:.1} s",
        report.documents.seen,
        report.documents.written,
        report.vectors.written,
        report.vectors.reused,
        started.elapsed().as_secs_f64()
    ));
    let engine = Engine::open(&store, &context.settings, &context.progress)?;
    for (number, shown) in QUESTIONS.iter().enumerate() {
        let answer = engine.ask(&question(shown), engine.way())?;
        let groups = if shown.groups.is_empty() {
            "everyone".to_owned()
        } else {
            shown.groups.join(", ")
        };
        to_stdout(&format!(
            "\n{}. {} (asked by {groups}; {})",
            number + 1,
            shown.question,
            shown.shows
        ));
        to_stdout(&show::answer(&answer));
    }
    to_stdout(&format!(
        "\nAll of it in {:.1} s.",
        started.elapsed().as_secs_f64()
    ));
    Ok(Done::counting(report.documents.quarantined))
}

fn question(shown: &Shown) -> Question {
    let principal: Principal = shown.groups.iter().copied().collect();
    let updated_after = shown
        .updated_after
        .map(|day| day.parse().expect("a date written above"));
    Question {
        filter: Filter {
            updated_after,
            ..Filter::default()
        },
        ..Question::new("demo", shown.question, principal)
    }
}
