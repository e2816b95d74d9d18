//! Leg health: which legs of a run had tokens to search with, and which brought hits.

use std::collections::{BTreeSet, HashMap};

use rag_core::hit::{Leg, Ranking};
use rag_core::language::Language;
use rag_core::progress::Progress;
use rag_core::stage;
use rag_core::text::query_terms;
use rag_eval::answers::Label;
use rag_eval::audits::{LegObservation, LegsReport};
use rag_index::Generation;
use rag_models::Embedder;

use crate::error::PipelineError;
use crate::run::Run;
use crate::settings::Settings;

/// Says for every question of `run`, by its language, what each leg had to search with and what it brought.
///
/// `settings` are the run's ([`Run::settings`]); the embedder's tokenizer is needed, its weights are not.
pub fn audit_legs(
    run: &Run,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<LegsReport, PipelineError> {
    let lock = run.lock();
    let path = &lock.collection.generation;
    lock.open(path, stage::INDEX)?;
    let generation = Generation::open(path, &settings.index.search)?;
    let embedder = settings.models.open_for_questions(&generation, progress)?;
    let labels = run.labels()?;
    let labels: HashMap<&str, &Label> = labels
        .iter()
        .map(|label| (label.question.id.as_str(), label))
        .collect();
    let mut seen = Vec::new();
    for ranking in run.retrieved()? {
        let label = labels.get(ranking.question.id.as_str()).copied();
        seen.extend(observe(&ranking, label, &generation, embedder.as_ref()));
    }
    Ok(LegsReport::of(&seen))
}

fn observe(
    ranking: &Ranking,
    label: Option<&Label>,
    generation: &Generation,
    embedder: &dyn Embedder,
) -> Vec<LegObservation> {
    let question = &ranking.question;
    let allowed = generation.allowed(&question.principal, &question.filter).len();
    let relevant: BTreeSet<&str> = label
        .into_iter()
        .flat_map(|label| &label.relevant)
        .map(String::as_str)
        .collect();
    let brought_one = |leg: Leg| {
        let mut of_leg = ranking.hits.iter().filter(|hit| hit.legs.contains_key(&leg));
        of_leg.any(|hit| relevant.contains(hit.passage.document_id().as_str()))
    };
    let tokens = |leg: Leg| {
        let of_part = |part: &String| match leg {
            Leg::Bm25 => query_terms(part, generation.languages()).len(),
            Leg::Dense | Leg::Graph => embedder.count_tokens(part),
        };
        question.parts().iter().map(of_part).sum()
    };
    let observation = |report: &rag_core::hit::LegReport| LegObservation {
        question: question.id.clone(),
        language: Language::detect(&question.text),
        leg: report.leg,
        tokens: tokens(report.leg),
        allowed,
        candidates: report.candidates,
        left_out: report.left_out.clone(),
        found: (!relevant.is_empty()).then(|| brought_one(report.leg)),
    };
    ranking.legs.iter().map(observation).collect()
}
