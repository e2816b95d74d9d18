//! The sample corpus on real models: figures that must not fall below these floors.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use rag_core::access::Principal;
use rag_core::artifact::jsonl;
use rag_core::progress::Silent;
use rag_core::question::Question;
use rag_eval::answers::{AnswerReport, Label, Rate};
use rag_pipeline::evaluate::answer_questions;
use rag_pipeline::{Engine, Settings, Store, ingest};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn open() -> Engine {
    let mut settings = Settings::default();
    settings.models.fetch = settings
        .models
        .fetch
        .with_variables(|name| std::env::var(name).ok());
    let source = root().join("data/handbook");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("handbook-store");
    let store = Store::open_or_create(&path, &source).unwrap();
    let report = ingest(&settings, &source, &store, None, &Silent).unwrap();
    assert_eq!(report.documents.quarantined, 0, "{:?}", report.diagnostics);
    assert!(report.documents.seen >= 80);
    Engine::open(&store, &settings, &Silent).unwrap()
}

static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(|| Mutex::new(open()));

fn with_engine<T>(act: impl FnOnce(&Engine) -> T) -> T {
    act(&ENGINE.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

static REPORT: LazyLock<AnswerReport> = LazyLock::new(|| {
    let labels: Vec<Label> = jsonl::read_all(&root().join("data/questions.jsonl")).unwrap();
    assert!(labels.len() >= 100);
    with_engine(|engine| answer_questions(engine, &labels, &Silent).unwrap())
});

fn assert_share(what: &str, rate: Rate, least: f64) {
    let share = rate.share().unwrap();
    assert!(
        share >= least,
        "{what}: {share:.3} of {} where {least} is asked for",
        rate.of
    );
}

#[test]
fn a_relevant_document_is_in_the_top_three() {
    assert_share("top 3", REPORT.all.retrieval_top3, 0.98);
}

#[test]
fn answers_are_right_and_cited() {
    assert_share("right and cited", REPORT.all.answerable_correct_cited, 0.85);
}

#[test]
fn what_the_asker_may_not_or_cannot_know_is_declined() {
    assert_share("declined", REPORT.all.declined_right, 0.90);
}

#[test]
fn the_forecast_is_for_finance_only() {
    with_engine(|engine| {
        let ask = |groups: &[&str]| {
            let principal: Principal = groups.iter().copied().collect();
            let question = Question::new("1", "What is the Q3 revenue forecast?", principal);
            serde_json::to_string(&engine.ask(&question, engine.way()).unwrap()).unwrap()
        };
        assert!(ask(&["finance"]).contains("38.6 million"));
        for groups in [&[][..], &["hr"]] {
            assert!(!ask(groups).contains("38.6"));
        }
    });
}

#[test]
fn every_citation_slices_back_to_its_passage() {
    with_engine(|engine| {
        let question = Question::new("1", "What does HBR-2207 mean?", Principal::everyone());
        let answer = engine.ask(&question, engine.way()).unwrap();
        assert!(!answer.citations.is_empty());
        for citation in &answer.citations {
            let hit = answer
                .passages
                .iter()
                .find(|hit| hit.passage.id == citation.id)
                .unwrap();
            let span = citation.span.unwrap();
            let start = span.start - hit.passage.span.start;
            assert_eq!(&hit.passage.text[start..start + span.len()], citation.quote);
        }
    });
}
