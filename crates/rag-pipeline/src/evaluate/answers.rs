//! `eval answers`: labelled questions asked of a store or a data set.

use rag_core::answer::Answer;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::EvalError;
use rag_eval::answers::{AnswerReport, Label, score_answers};
use rag_eval::data::{Dataset, document_id};
use rag_eval::retrieval::Qrels;

use crate::engine::Engine;
use crate::error::PipelineError;

/// Asks every labelled question as its asker and compares the answers with the labels.
pub fn answer_questions(
    engine: &Engine,
    labels: &[Label],
    progress: &dyn Progress,
) -> Result<AnswerReport, PipelineError> {
    progress.start("answer", Some(labels.len() as u64), Unit::Items);
    let mut answers: Vec<Answer> = Vec::with_capacity(labels.len());
    for label in labels {
        answers.push(engine.ask(&label.question, engine.way())?);
        progress.advance("answer", 1);
    }
    progress.finish("answer");
    Ok(score_answers(labels, &answers))
}

/// The split whose judgements stand in for accepted answers.
const JUDGED_SPLIT: &str = "test";

/// The questions of `dataset` that have a gold answer or are known to have none, as labels; of a data set without
/// gold answers those that the split `test` judges, whose answers then are not judged. A gold answer that names no
/// document has those of that split.
pub fn dataset_labels(dataset: &Dataset) -> Result<Vec<Label>, PipelineError> {
    let gold = dataset.answers()?;
    if gold.is_empty() {
        return judged_labels(dataset);
    }
    let judged = match dataset.qrels(JUDGED_SPLIT) {
        Err(EvalError::Split { .. }) => Qrels::default(),
        qrels => qrels?,
    };
    let label = |question: Question| {
        let answer = gold.get(&question.id)?;
        let named = answer.documents.iter().map(String::as_str);
        let relevant = match answer.answerable {
            false => Vec::new(),
            true if answer.documents.is_empty() => ids(judged.relevant(&question.id)),
            true => ids(named),
        };
        let kind = if answer.answerable {
            "answerable"
        } else {
            "unanswerable"
        };
        Some(Label {
            kind: kind.to_owned(),
            relevant,
            answers: answer.answers.clone(),
            answerable: answer.answerable,
            parts: Vec::new(),
            question,
        })
    };
    Ok(dataset.questions()?.into_iter().filter_map(label).collect())
}

/// The documents' ids as the import names them.
fn ids<'a>(of_data_set: impl Iterator<Item = &'a str>) -> Vec<String> {
    of_data_set
        .filter_map(|id| document_id(id).ok())
        .map(String::from)
        .collect()
}

fn judged_labels(dataset: &Dataset) -> Result<Vec<Label>, PipelineError> {
    let qrels = dataset.qrels(JUDGED_SPLIT)?;
    let label = |question: Question| Label {
        kind: "judged".to_owned(),
        relevant: ids(qrels.relevant(&question.id)),
        answers: Vec::new(),
        parts: Vec::new(),
        answerable: true,
        question,
    };
    Ok(dataset.judged_questions(&qrels)?.into_iter().map(label).collect())
}
