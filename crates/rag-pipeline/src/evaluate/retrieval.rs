//! `eval retrieval`: ranking quality per mode.

use std::collections::BTreeMap;

use rag_core::hit::Ranking;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::data::{Dataset, ImportConfig, original_id};
use rag_eval::retrieval::{Evaluation, RetrievalReport, Run, default_metrics};

use super::workspace::Workspace;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::way::Way;

/// Depth to which documents are ranked, for R@100.
const DEPTH: usize = 100;

/// Passages per document that the ranking is deep enough for, since several may be of one document.
const PASSAGES_PER_DOCUMENT: usize = 2;

/// Ranks the documents of `dataset` for the judged questions of `split` in every way, and measures.
///
/// Passages collapse to documents by their best score.
pub fn evaluate_retrieval(
    dataset: &Dataset,
    split: &str,
    ways: &[Way],
    import: ImportConfig,
    settings: &Settings,
    workspace: &Workspace,
    progress: &dyn Progress,
) -> Result<RetrievalReport, PipelineError> {
    let qrels = dataset.qrels(split)?;
    let questions = dataset.judged_questions(&qrels)?;
    let engine = workspace.engine(dataset, "open", import, settings, progress)?;
    let mut modes = BTreeMap::new();
    for way in ways {
        let rankings = rank(&engine, &questions, *way, progress)?;
        let run = Run::from_rankings(&rankings, original_id);
        modes.insert(
            way.to_string(),
            Evaluation::of(&run, &qrels, &default_metrics()).means(),
        );
    }
    Ok(RetrievalReport {
        dataset: dataset.name(),
        split: split.to_owned(),
        modes,
    })
}

fn rank(
    engine: &Engine,
    questions: &[Question],
    way: Way,
    progress: &dyn Progress,
) -> Result<Vec<Ranking>, PipelineError> {
    let task = way.to_string();
    progress.start(&task, Some(questions.len() as u64), Unit::Items);
    let rankings = questions.iter().map(|question| {
        progress.advance(&task, 1);
        engine.rank(question, way, DEPTH * PASSAGES_PER_DOCUMENT)
    });
    let rankings = rankings.collect();
    progress.finish(&task);
    rankings
}
