//! Taking labelled questions through the query row.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactKey, Digest, Manifest, StoreLock, replace_file};
use rag_core::folder::{RUN_LOCK_FILE, RUN_WRITER_FILE};
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};
use rag_eval::answers::{Label, costs};
use rag_retrieve::Expand;

use super::ledger::{Cost, Ledger, Meter};
use super::lock::{Lock, Locked};
use super::measure::{METRICS_FILE, PER_QUERY_FILE, measure_run};
use super::pool::Pool;
use super::{LABELS_FILE, Run, last_ranked};
use crate::error::PipelineError;
use crate::output::refuse_inside_others;
use crate::settings::Settings;
use crate::stages::{self, Searched};
use crate::store::{Store, create_private};

/// The artifacts that questions are asked of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
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
            documents: lock.collection.documents.clone(),
            passages: lock.collection.passages.clone(),
            generation: lock.collection.generation.clone(),
        })
    }

    fn locked(&self) -> Result<Locked, PipelineError> {
        Ok(Locked {
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
    for step in steps(settings) {
        let (manifest, cost) = boxes.run(&step, settings, collection, progress)?;
        lock.note(&manifest);
        ledger.stages.insert(manifest.made_from.stage.clone(), cost);
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

/// One box of the query row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Retrieve,
    Rerank,
    Expand,
    Generate,
}

impl Stage {
    /// The name of its artifact.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Retrieve => stage::RETRIEVE,
            Self::Rerank => stage::RERANK,
            Self::Expand => stage::EXPAND,
            Self::Generate => stage::GENERATE,
        }
    }
}

struct Step {
    of: Stage,
    input: &'static str,
    output: &'static str,
}

/// The boxes that `settings` ask for, in their order.
fn steps(settings: &Settings) -> Vec<Step> {
    let step = |of, input, output| Step { of, input, output };
    let reranks = settings.has_rerank_step();
    let ranked = if reranks { "reranked" } else { "retrieved" };
    let mut steps = vec![step(Stage::Retrieve, "", "retrieved")];
    if reranks {
        steps.push(step(Stage::Rerank, "retrieved", "reranked"));
    }
    if settings.retrieve.expand != Expand::Nothing {
        steps.push(step(Stage::Expand, ranked, "expanded"));
    }
    steps.push(step(Stage::Generate, last_ranked(settings), "answered"));
    steps
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
        step: &Step,
        settings: &Settings,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<(Manifest, Cost), PipelineError> {
        let (input, output) = (self.root.join(step.input), self.root.join(step.output));
        let made_at = match self.pool {
            Some(pool) => pool.folder(step.of, settings, collection, &self.upstream(step, &input)?)?,
            None => output.clone(),
        };
        let stood = key_at(&made_at, step.of.name());
        let meter = Meter::begin();
        let outcome = self.run_stage(step, settings, collection, &made_at, progress)?;
        let made = Artifact::open(&made_at, step.of.name())?;
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
        step: &Step,
        settings: &Settings,
        collection: &Collection,
        output: &Path,
        progress: &dyn Progress,
    ) -> Result<Outcome, PipelineError> {
        let input = self.root.join(step.input);
        let generation = collection.generation.as_path();
        match step.of {
            Stage::Retrieve => {
                let searched = Searched {
                    generation,
                    passages: Some(&collection.passages),
                    questions: &self.root.join(LABELS_FILE),
                };
                stages::retrieve(settings, &searched, output, progress)
            }
            Stage::Rerank => stages::rerank(settings, &input, output, progress),
            Stage::Expand => stages::expand(settings, generation, &input, output, progress),
            Stage::Generate => stages::generate(settings, &input, output, progress),
        }
    }

    /// The key of what the box reads within the run: the artifact before it, or the questions.
    fn upstream(&self, step: &Step, input: &Path) -> Result<String, PipelineError> {
        if step.of == Stage::Retrieve {
            let digest = Digest::of_file(&self.root.join(LABELS_FILE))?;
            return Ok(digest.blake3.to_string());
        }
        let before = match step.input {
            "retrieved" => stage::RETRIEVE,
            "reranked" => stage::RERANK,
            _ => stage::EXPAND,
        };
        Ok(Artifact::open(input, before)?.manifest().key.to_string())
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
