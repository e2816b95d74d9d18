//! Taking labelled questions through the query row.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactKey, Digest, Manifest, StoreLock, replace_file};
use rag_core::folder::{RUN_LOCK_FILE, RUN_WRITER_FILE};
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};
use rag_eval::answers::{Label, costs};

use super::ledger::{Cost, Ledger, Meter};
use super::lock::{Lock, Locked};
use super::measure::{METRICS_FILE, PER_QUERY_FILE, measure_run};
use super::pool::Pool;
use super::row::QueryBox;
use super::{LABELS_FILE, Run};
use crate::error::PipelineError;
use crate::output::refuse_inside_others;
use crate::settings::Settings;
use crate::stages::{self, Searched};
use crate::store::{Store, create_private};

/// The artifacts that questions are asked of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The folder that the documents were read from, where it is known.
    pub source: Option<PathBuf>,
    /// The folder of the parse artifact.
    pub documents: PathBuf,
    /// The folder of the chunk artifact.
    pub passages: PathBuf,
    /// The folder of the index generation.
    pub generation: PathBuf,
}

impl Collection {
    /// What the store answers from at present.
    pub fn of(store: &Store) -> Result<Self, PipelineError> {
        let documents = match store.kept() {
            kept if kept.is_dir() => kept,
            _ => store.parsed(),
        };
        let generation = store.current()?.ok_or_else(|| PipelineError::NoGeneration {
            path: store.root().to_owned(),
        })?;
        Ok(Self {
            source: store.source().ok(),
            documents,
            passages: store.chunked(),
            generation,
        })
    }

    /// What a run was asked of, once that is what it was.
    pub fn of_run(run: &Run) -> Result<Self, PipelineError> {
        let lock = run.lock();
        lock.documents()?;
        lock.passages()?;
        Ok(Self {
            source: lock.collection.source.clone(),
            documents: lock.collection.documents.clone(),
            passages: lock.collection.passages.clone(),
            generation: lock.collection.generation.clone(),
        })
    }

    fn locked(&self) -> Result<Locked, PipelineError> {
        Ok(Locked {
            source: self.source.clone(),
            documents: fs_err::canonicalize(&self.documents)?,
            passages: fs_err::canonicalize(&self.passages)?,
            generation: fs_err::canonicalize(&self.generation)?,
        })
    }
}

/// Asks every question of `labels` and keeps what each box made in the folder `root`, then measures it.
///
/// A box whose inputs and settings are what they were is not run again. A run that is killed goes on where it ended.
pub fn execute(
    settings: &Settings,
    collection: &Collection,
    labels: &[Label],
    root: &Path,
    progress: &dyn Progress,
) -> Result<Run, PipelineError> {
    execute_in(None, settings, collection, labels, root, progress)
}

/// As [`execute`], with the boxes' artifacts shared with other runs through `pool`.
pub(crate) fn execute_in(
    pool: Option<&Pool>,
    settings: &Settings,
    collection: &Collection,
    labels: &[Label],
    root: &Path,
    progress: &dyn Progress,
) -> Result<Run, PipelineError> {
    refuse_foreign(root)?;
    refuse_same_ids(labels)?;
    create_private(root)?;
    let _writing = StoreLock::acquire(&root.join(RUN_WRITER_FILE))?;
    // From here on it is no finished run, until the lock is written again at the end.
    remove_if_there(&root.join(RUN_LOCK_FILE))?;
    let digest = write_labels(root, labels)?;
    let mut lock = Lock::begin(settings, digest, collection.locked()?);
    let of_collection = [
        (stage::PARSE, &collection.documents),
        (stage::CHUNK, &collection.passages),
        (stage::INDEX, &collection.generation),
    ];
    for (stage, folder) in of_collection {
        lock.note(Artifact::open(folder, stage)?.manifest());
    }
    let boxes = Boxes {
        root,
        before: Ledger::read(root)?,
        pool,
    };
    let mut ledger = Ledger::default();
    let mut before = None;
    for of in QueryBox::row(settings) {
        let (manifest, cost) = boxes.run(Step { of, before }, settings, collection, progress)?;
        lock.note(&manifest);
        ledger.stages.insert(manifest.made_from.stage.clone(), cost);
        before = Some(of);
    }
    lock.note_outputs(root)?;
    let mut run = Run {
        root: root.to_owned(),
        lock,
    };
    ledger.per_question = costs(&run.answers()?);
    ledger.write(root)?;
    measure_run(&run)?;
    for name in [METRICS_FILE, PER_QUERY_FILE] {
        run.lock.note_file(root, name)?;
    }
    run.lock.write(root)?;
    Ok(run)
}

/// Writes the questions in one step, and never through a link; returns their digest.
fn write_labels(root: &Path, labels: &[Label]) -> Result<Digest, PipelineError> {
    let mut text = Vec::new();
    for label in labels {
        serde_json::to_writer(&mut text, label).expect("labels are plain data");
        text.push(b'\n');
    }
    replace_file(&root.join(LABELS_FILE), &text)?;
    Ok(Digest::of(&text))
}

fn refuse_same_ids(labels: &[Label]) -> Result<(), PipelineError> {
    let mut seen = HashSet::new();
    match labels
        .iter()
        .find(|label| !seen.insert(label.question.id.as_str()))
    {
        Some(label) => Err(PipelineError::SameId {
            id: label.question.id.clone(),
        }),
        None => Ok(()),
    }
}

fn remove_if_there(path: &Path) -> Result<(), PipelineError> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// A folder with other things in it is not made into a run.
fn refuse_foreign(root: &Path) -> Result<(), PipelineError> {
    refuse_inside_others(root)?;
    let is_ours = [RUN_LOCK_FILE, RUN_WRITER_FILE]
        .iter()
        .any(|name| root.join(name).is_file());
    let mut entries = fs_err::read_dir(root).into_iter().flatten();
    if is_ours || entries.next().is_none() {
        return Ok(());
    }
    Err(PipelineError::NotARun {
        path: root.to_owned(),
    })
}

/// A box, and the one whose artifact it reads; the first of the row reads the questions.
#[derive(Clone, Copy)]
struct Step {
    of: QueryBox,
    before: Option<QueryBox>,
}

struct Boxes<'r> {
    root: &'r Path,
    /// What an earlier run into the same folder cost.
    before: Ledger,
    pool: Option<&'r Pool>,
}

impl Boxes<'_> {
    fn run(
        &self,
        step: Step,
        settings: &Settings,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<(Manifest, Cost), PipelineError> {
        let output = self.root.join(step.of.folder());
        let made_at = match self.pool {
            Some(pool) => pool.folder(step.of, settings, collection, &self.upstream(step)?)?,
            None => output.clone(),
        };
        let stood = key_at(&made_at, step.of.stage());
        let meter = Meter::begin();
        let outcome = self.run_stage(step, settings, collection, &made_at, progress)?;
        let made = Artifact::open(&made_at, step.of.stage())?;
        let manifest = made.manifest();
        let cost = if stood == Some(manifest.key) {
            self.earlier_cost(&made)?
        } else {
            let cost = meter.end(manifest.key.to_string(), outcome.seen);
            if self.pool.is_some() {
                Pool::note_cost(&made_at, &cost)?;
            }
            cost
        };
        if self.pool.is_some() {
            Pool::share(&made, &output)?;
        }
        Ok((manifest.clone(), cost))
    }

    fn run_stage(
        &self,
        step: Step,
        settings: &Settings,
        collection: &Collection,
        output: &Path,
        progress: &dyn Progress,
    ) -> Result<Outcome, PipelineError> {
        let questions = self.root.join(LABELS_FILE);
        let input = step
            .before
            .map_or_else(|| questions.clone(), |before| self.root.join(before.folder()));
        let generation = collection.generation.as_path();
        match step.of {
            QueryBox::Retrieve => {
                let searched = Searched {
                    generation,
                    passages: Some(&collection.passages),
                    questions: &questions,
                };
                stages::retrieve(settings, &searched, output, progress)
            }
            QueryBox::Rerank => stages::rerank(settings, &input, output, progress),
            QueryBox::Expand => stages::expand(settings, generation, &input, output, progress),
            QueryBox::Generate => stages::generate(settings, &input, output, progress),
        }
    }

    /// The key of what the box reads within the run: the artifact before it, or the questions.
    fn upstream(&self, step: Step) -> Result<String, PipelineError> {
        let Some(before) = step.before else {
            let digest = Digest::of_file(&self.root.join(LABELS_FILE))?;
            return Ok(digest.blake3.to_string());
        };
        let made = Artifact::open(&self.root.join(before.folder()), before.stage())?;
        Ok(made.manifest().key.to_string())
    }

    /// What the box cost when it made what still stands. Where no ledger tells, the artifact knows how long it took.
    fn earlier_cost(&self, made: &Artifact) -> Result<Cost, PipelineError> {
        let manifest = made.manifest();
        let key = manifest.key.to_string();
        let own = self.before.stages.get(&manifest.made_from.stage).cloned();
        let known = match own.filter(|cost| cost.key == key) {
            None if self.pool.is_some() => Pool::cost(made.path())?.filter(|cost| cost.key == key),
            own => own,
        };
        let from_manifest = || Cost {
            key,
            wall_ms: manifest.timings_ms.get("total").copied().unwrap_or_default(),
            items: manifest.counts.seen,
            ..Cost::default()
        };
        Ok(Cost {
            reused: true,
            ..known.unwrap_or_else(from_manifest)
        })
    }
}

/// Key of the artifact in `folder`, if there is one.
fn key_at(folder: &Path, stage: &str) -> Option<ArtifactKey> {
    Some(Artifact::open(folder, stage).ok()?.manifest().key)
}
