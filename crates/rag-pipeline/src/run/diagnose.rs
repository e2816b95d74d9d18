//! Climbing the blame ladder for every question of a run, from its artifacts and those it was made from.

use std::collections::{BTreeMap, HashSet};

use rag_core::answer::Answer;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::hit::{Hit, Ranking};
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Unit};
use rag_eval::answers::Label;
use rag_eval::diagnosis::{Diagnosis, DiagnosisReport, Rung, Trail, diagnose, is_right, sought_passages};

use super::{Run, by_id};
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::settings::Settings;

/// Most passages that are put in to see whether an answer becomes right.
const MOST_PUT_IN: usize = 8;

const STEP: &str = "diagnose";

/// Names for each question of `run` the first box that lost its answer, and tells whether the answer becomes right
/// with the right passage put in there.
///
/// `settings` are the run's, as [`Run::settings`] gives them.
/// Reads documents and passages of the collection whoever may read them: it is for who runs the collection.
pub fn diagnose_run(
    run: &Run,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<DiagnosisReport, PipelineError> {
    let labels = run.labels()?;
    let material = Material::read(run, &labels)?;
    let engine = Engine::open_generation(&run.lock().collection.generation, settings, progress)?;
    let retrieved = by_id(run.retrieved()?, |ranking| &ranking.question);
    let kept = by_id(run.kept()?, |ranking| &ranking.question);
    let answers = by_id(run.answers()?, |answer| &answer.question);
    progress.start(STEP, Some(labels.len() as u64), Unit::Items);
    let mut diagnoses = Vec::with_capacity(labels.len());
    for label in &labels {
        let id = label.question.id.as_str();
        let (Some(retrieved), Some(kept), Some(answer)) = (retrieved.get(id), kept.get(id), answers.get(id))
        else {
            return Err(PipelineError::Changed {
                path: run.root().to_owned(),
                stage: format!("rankings (of question {id})"),
            });
        };
        let asked = Asked {
            label,
            retrieved,
            kept,
            answer,
        };
        diagnoses.push(asked.diagnose(&material, &engine)?);
        progress.advance(STEP, 1);
    }
    progress.finish(STEP);
    Ok(DiagnosisReport::of(diagnoses))
}

/// What the collection holds about the questions.
struct Material {
    /// The documents that some label names.
    documents: BTreeMap<String, Document>,
    /// Their passages, by document.
    passages: BTreeMap<String, Vec<Passage>>,
    diagnostics: Vec<Diagnostic>,
}

impl Material {
    fn read(run: &Run, labels: &[Label]) -> Result<Self, PipelineError> {
        let named: HashSet<&str> = labels
            .iter()
            .flat_map(|label| &label.relevant)
            .map(String::as_str)
            .collect();
        let (parsed, chunked) = (run.lock().documents()?, run.lock().passages()?);
        let mut documents = BTreeMap::new();
        for document in parsed.json_lines::<Document>(DOCUMENTS_FILE)? {
            let document = document?;
            if named.contains(document.id.as_str()) {
                documents.insert(document.id.to_string(), document);
            }
        }
        let mut passages: BTreeMap<String, Vec<Passage>> = BTreeMap::new();
        for passage in chunked.json_lines::<Passage>(PASSAGES_FILE)? {
            let passage = passage?;
            if named.contains(passage.document_id().as_str()) {
                passages
                    .entry(passage.document_id().to_string())
                    .or_default()
                    .push(passage);
            }
        }
        let mut diagnostics = Vec::new();
        for artifact in [&parsed, &chunked] {
            // An imported data set has no file that a document could have been lost from.
            if artifact.manifest().outputs.contains_key(DIAGNOSTICS_FILE) {
                let lines = artifact.json_lines::<Diagnostic>(DIAGNOSTICS_FILE)?;
                diagnostics.extend(lines.collect::<Result<Vec<_>, _>>()?);
            }
        }
        Ok(Self {
            documents,
            passages,
            diagnostics,
        })
    }

    fn documents_of(&self, label: &Label) -> Vec<&Document> {
        label
            .relevant
            .iter()
            .filter_map(|id| self.documents.get(id))
            .collect()
    }

    fn passages_of(&self, label: &Label) -> Vec<&Passage> {
        label
            .relevant
            .iter()
            .filter_map(|id| self.passages.get(id))
            .flatten()
            .collect()
    }
}

/// One question of the run.
struct Asked<'a> {
    label: &'a Label,
    retrieved: &'a Ranking,
    kept: &'a Ranking,
    answer: &'a Answer,
}

impl Asked<'_> {
    fn diagnose(&self, material: &Material, engine: &Engine) -> Result<Diagnosis, PipelineError> {
        let (documents, passages) = (
            material.documents_of(self.label),
            material.passages_of(self.label),
        );
        let candidates = if is_right(self.label, self.answer) {
            Vec::new()
        } else {
            engine.candidates(&self.label.question)?.hits
        };
        let mut diagnosis = diagnose(&Trail {
            label: self.label,
            searched: &self.retrieved.question,
            documents: &documents,
            diagnostics: &material.diagnostics,
            passages: &passages,
            candidates: &candidates,
            // Where nothing reranks, it is the fused order that drops what is not kept.
            fused: if engine.reranks() {
                &self.retrieved.hits
            } else {
                &self.kept.hits
            },
            kept: &self.kept.hits,
            answer: self.answer,
        });
        if let Some(rung) = diagnosis.rung {
            let put_in = match rung {
                Rung::Splitting => {
                    let whole = whole_again(&documents, &passages);
                    owned(sought_passages(self.label, &whole.iter().collect::<Vec<_>>()))
                }
                _ => owned(sought_passages(self.label, &passages)),
            };
            diagnosis.mended = self.mended(rung, put_in, engine)?;
        }
        Ok(diagnosis)
    }

    /// Whether the answer is right once `passages` are put in at `rung`; `None` when there is none to put in.
    fn mended(
        &self,
        rung: Rung,
        mut passages: Vec<Passage>,
        engine: &Engine,
    ) -> Result<Option<bool>, PipelineError> {
        passages.truncate(MOST_PUT_IN);
        // A program in place of a box would have to be started for each question.
        if passages.is_empty() || !self.label.answerable || engine.settings().exec.serves_questions() {
            return Ok(None);
        }
        let ranking = match rung {
            Rung::Corpus | Rung::Parsing => return Ok(None),
            // From here on everything that follows runs as it would have.
            Rung::Splitting | Rung::Filter | Rung::Candidates | Rung::Fusion if engine.reranks() => {
                let ranking = with(self.retrieved, passages, Place::Last);
                engine.expand(engine.rerank(ranking, engine.settings().rerank.keep)?)?
            }
            Rung::Splitting | Rung::Filter | Rung::Candidates | Rung::Fusion => {
                with(self.kept, passages, Place::Last)
            }
            Rung::Reranking => with(self.kept, passages, Place::First),
            // Alone in the context, it neither lacks room nor is it mistaken for another.
            Rung::Budget | Rung::Unused | Rung::Uncited | Rung::WrongOrStale => {
                let empty = Ranking {
                    hits: Vec::new(),
                    ..self.kept.clone()
                };
                with(&empty, passages, Place::First)
            }
        };
        let answer = engine.answer(&ranking)?;
        Ok(Some(is_right(self.label, &answer)))
    }
}

#[derive(Clone, Copy)]
enum Place {
    First,
    Last,
}

fn owned(passages: Vec<&Passage>) -> Vec<Passage> {
    passages.into_iter().cloned().collect()
}

/// `ranking` with `passages` put in, each in place of one with its id.
fn with(ranking: &Ranking, passages: Vec<Passage>, place: Place) -> Ranking {
    let others = ranking
        .hits
        .iter()
        .filter(|hit| !passages.iter().any(|passage| passage.id == hit.passage.id));
    let others: Vec<Hit> = others.cloned().collect();
    let least = others.iter().map(|hit| hit.score).fold(0.0_f32, f32::min);
    let put_in = passages.into_iter().map(|passage| Hit::new(0, least, passage));
    let mut hits: Vec<Hit> = match place {
        Place::First => put_in.chain(others).collect(),
        Place::Last => others.into_iter().chain(put_in).collect(),
    };
    for (rank, hit) in (1..).zip(&mut hits) {
        hit.rank = rank;
    }
    Ranking {
        hits,
        ..ranking.clone()
    }
}

/// Neighbouring passages put together in pairs, as if the cut between them had not been made.
fn whole_again(documents: &[&Document], passages: &[&Passage]) -> Vec<Passage> {
    let joined = |pair: &[&Passage]| {
        let (first, second) = (pair[0], pair[1]);
        let document = documents
            .iter()
            .find(|document| document.id == *first.document_id())?;
        let span = rag_core::span::Span::new(first.span.start, second.span.end);
        (first.document_id() == second.document_id()).then(|| Passage {
            text: span.slice(&document.text).unwrap_or_default().to_owned(),
            span,
            ..first.clone()
        })
    };
    passages.windows(2).filter_map(joined).collect()
}
