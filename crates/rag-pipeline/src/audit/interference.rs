//! Non-interference: every question asked of the whole store, and of what its asker may read and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::access::Principal;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::audits::{InterferenceReport, Observed, compare};

use super::reduced::Reducer;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::store::Store;

/// Name of the step in progress reports.
const TASK: &str = "non-interference";

/// Asks every question of what `store` answers from, and again with all passages removed that its asker may not read:
/// candidates, hits, scores and answers must be the same, timings apart.
///
/// The reduced generations are built in the folder `work` and found there by a later audit. They hold restricted text,
/// as the store does.
pub fn audit_interference(
    store: &Store,
    engine: &Engine,
    questions: &[Question],
    work: &Path,
    progress: &dyn Progress,
) -> Result<InterferenceReport, PipelineError> {
    let mut reducer = Reducer::new(store, engine.settings(), work)?;
    let mut report = InterferenceReport::default();
    progress.start(TASK, Some(questions.len() as u64), Unit::Items);
    for (principal, questions) in by_asker(questions) {
        let reduced = reducer.engine(engine, &principal, progress)?;
        for question in questions {
            match reduced {
                Some(reduced) => {
                    report.compared(compare(&observe(engine, question)?, &observe(reduced, question)?));
                }
                None => report.unrestricted(),
            }
            progress.advance(TASK, 1);
        }
    }
    progress.finish(TASK);
    Ok(report)
}

/// Questions of the same groups share a reduced generation.
fn by_asker(questions: &[Question]) -> Vec<(Principal, Vec<&Question>)> {
    let mut grouped: BTreeMap<Vec<String>, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        grouped
            .entry(question.principal.clone().into())
            .or_default()
            .push(question);
    }
    grouped
        .into_iter()
        .map(|(groups, questions)| (Principal::from(groups), questions))
        .collect()
}

fn observe(engine: &Engine, question: &Question) -> Result<Observed, PipelineError> {
    let candidates = engine.first_candidates(question, rag_retrieve::MOST)?;
    let kept = engine.rank(question, engine.way(), engine.settings().rerank.keep)?;
    let kept = engine.expand(kept)?;
    let answer = engine.answer(&kept)?;
    Ok(Observed {
        candidates,
        kept,
        answer,
    })
}
