//! Making the artifacts of a variant, in folders that variants share.
//!
//! ```text
//! WORK/
//!   experiments.json              layout
//!   LOCK                          held by the one who works
//!   documents/ passages/ indexes/ artifacts of the collection, each in a folder named by what decides it
//!   boxes/                        artifacts of the query row, likewise
//!   runs/EXPERIMENT/VARIANT/      a run each
//!   state/                        journals of unfinished work
//!   fresh/EXPERIMENT/VARIANT/     the same for each variant that is made from scratch
//! ```

use std::path::{Path, PathBuf};
use std::time::Instant;

use rag_core::artifact::{Artifact, Digest, MANIFEST_FILE, StoreLock, TEMPORARY_PREFIX, jsonl, replace_file};
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};
use rag_eval::answers::Label;
use rag_eval::data::{Dataset, ImportConfig, import};
use rag_parse::{Runtime, WorkerCommand};
use serde::Serialize;
use serde_json::json;

use super::plan::{Experiment, Material, Variant};
use crate::error::PipelineError;
use crate::evaluate::dataset_labels;
use crate::run::{Collection, Ledger, Pool, Run, RunMetrics, execute_in};
use crate::settings::Settings;
use crate::stages::{self, parse_runtime};
use crate::store::create_private;

/// Tells a folder of experiments from any other.
const LAYOUT_FILE: &str = "experiments.json";

/// Layout of the folder; another is refused.
const LAYOUT: &str = "{\"layout\":1}\n";

/// The folders of artifacts.
const DOCUMENTS: &str = "documents";
const PASSAGES: &str = "passages";
const INDEXES: &str = "indexes";
const BOXES: &str = "boxes";

/// Where what is made from scratch stands.
const FRESH: &str = "fresh";

/// A folder of artifacts that variants share. One process works in it at a time.
pub struct Workshop {
    root: PathBuf,
    _lock: Option<StoreLock>,
}

/// What became of one stage of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The stage.
    pub stage: String,
    /// Whether its artifact was there.
    pub fate: Fate,
    /// Seconds that it took now; `None` where it was not measured, for an artifact of the query row that was there.
    pub seconds: Option<f64>,
    /// Passages that were embedded, of all; for the stage `index`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<(u64, u64)>,
    /// Items that were left out: of files that could not be read, and documents without passages.
    pub left_out: u64,
}

/// Whether an artifact was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was, with the same key.
    Reused,
    /// It was not.
    Made,
}

/// What every variant of an experiment is asked.
#[derive(Clone)]
pub struct Benchmark<'a> {
    /// The documents.
    pub material: &'a Material,
    /// The questions.
    pub labels: &'a [Label],
    /// Starts the processes that files are read in; without one they are read in this process.
    pub worker: Option<WorkerCommand>,
}

/// A variant's run, and what it took.
#[derive(Debug, Clone, Serialize)]
pub struct VariantReport {
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// The run's folder.
    pub run: PathBuf,
    /// Digest of the questions: figures of different ones are not compared.
    pub questions: String,
    /// What became of each stage, in their order.
    pub steps: Vec<Step>,
    /// Seconds of all of it, now.
    pub seconds: f64,
    /// The figures.
    pub metrics: RunMetrics,
}

impl Workshop {
    /// Opens the folder `root`, and makes it where there is none. A folder with other things in it is refused, and so
    /// is a second process.
    pub fn open(root: &Path) -> Result<Self, PipelineError> {
        let layout = root.join(LAYOUT_FILE);
        let mut entries = fs_err::read_dir(root).into_iter().flatten();
        if entries.next().is_some() && fs_err::read_to_string(&layout).ok().as_deref() != Some(LAYOUT) {
            return Err(PipelineError::NotAWorkshop {
                path: root.to_owned(),
            });
        }
        create_private(root)?;
        let lock = StoreLock::acquire(&root.join("LOCK"))?;
        replace_file(&layout, LAYOUT.as_bytes())?;
        remove_unfinished(root)?;
        Ok(Self {
            root: fs_err::canonicalize(root)?,
            _lock: Some(lock),
        })
    }

    /// A workshop within this one for one variant alone, where nothing is there yet: what it takes from scratch.
    pub fn fresh(&self, experiment: &Experiment, variant: &Variant) -> Result<Self, PipelineError> {
        let root = self
            .root
            .join(FRESH)
            .join(&experiment.name)
            .join(variant.folder_name());
        if root.is_dir() {
            fs_err::remove_dir_all(&root)?;
        }
        create_private(&root)?;
        Ok(Self { root, _lock: None })
    }

    /// Makes what there is not yet of `variant`, which has these `settings`, asks the questions of it, and measures.
    pub fn run(
        &self,
        experiment: &Experiment,
        variant: &Variant,
        settings: &Settings,
        asked: &Benchmark<'_>,
        progress: &dyn Progress,
    ) -> Result<VariantReport, PipelineError> {
        let started = Instant::now();
        let mut making = Making {
            root: &self.root,
            settings,
            progress,
            steps: Vec::new(),
        };
        let documents = making.documents(asked.material, asked.worker.clone())?;
        let passages = making.passages(&documents)?;
        let generation = making.generation(&passages)?;
        let mut steps = making.steps;
        let collection = Collection {
            source: asked.material.source()?,
            documents,
            passages,
            generation,
        };
        let folder = self.root.join("runs").join(&experiment.name);
        let folder = folder.join(variant.folder_name());
        let pool = Pool::new(self.root.join(BOXES));
        let run = execute_in(
            Some(&pool),
            settings,
            &collection,
            asked.labels,
            &folder,
            progress,
        )?;
        steps.extend(query_steps(&run)?);
        Ok(VariantReport {
            experiment: experiment.name.clone(),
            variant: variant.name.clone(),
            run: folder,
            questions: run.lock().questions.to_string(),
            steps,
            seconds: started.elapsed().as_secs_f64(),
            metrics: run.metrics()?,
        })
    }
}

impl Material {
    /// The folder that documents are read from; `None` for the lines of a data set.
    fn source(&self) -> Result<Option<PathBuf>, PipelineError> {
        match self {
            Self::Folder { source, .. } => Ok(Some(fs_err::canonicalize(source)?)),
            Self::Dataset(_) => Ok(None),
        }
    }

    /// The labelled questions.
    pub fn labels(&self) -> Result<Vec<Label>, PipelineError> {
        match self {
            Self::Folder { questions, .. } => Ok(jsonl::read_all(questions)?),
            Self::Dataset(folder) => dataset_labels(&Dataset::open(folder)?),
        }
    }
}

/// The collection of one variant in the making.
struct Making<'m> {
    root: &'m Path,
    settings: &'m Settings,
    progress: &'m dyn Progress,
    steps: Vec<Step>,
}

impl Making<'_> {
    /// The parse artifact. It is brought up to date in place when files changed.
    fn documents(
        &mut self,
        material: &Material,
        worker: Option<WorkerCommand>,
    ) -> Result<PathBuf, PipelineError> {
        let (settings, progress) = (self.settings, self.progress);
        match material {
            Material::Dataset(folder) => {
                let dataset = Dataset::open(folder)?;
                let name = name_of(&json!(["data set", fs_err::canonicalize(folder)?]));
                let output = self.root.join(DOCUMENTS).join(name);
                self.step(stage::PARSE, &output, || {
                    Ok(import(&dataset, ImportConfig::default(), &output)?)
                })?;
                Ok(output)
            }
            Material::Folder { source, .. } => {
                let engines = parse_runtime(settings, worker)?;
                let source_name = fs_err::canonicalize(source)?;
                let name = name_of(&json!([source_name, settings.parse, engines.pdfium_library]));
                let output = self.root.join(DOCUMENTS).join(&name);
                let runtime = Runtime {
                    state_dir: Some(self.root.join("state").join(&name)),
                    exclude: vec![self.root.to_owned()],
                    ..engines
                };
                self.step(stage::PARSE, &output, || {
                    Ok(rag_parse::run(
                        &settings.parse,
                        source,
                        &output,
                        &runtime,
                        progress,
                    )?)
                })?;
                Ok(output)
            }
        }
    }

    fn passages(&mut self, documents: &Path) -> Result<PathBuf, PipelineError> {
        let (settings, progress) = (self.settings, self.progress);
        let models = &settings.models;
        let upstream = Artifact::open(documents, stage::PARSE)?.manifest().key;
        let program = settings.exec.chunk.as_ref();
        let program = program.map(crate::exec::Program::identity).transpose()?;
        let describers = (&models.descriptions, &models.language_model);
        let name = name_of(&json!([
            settings.chunk,
            upstream,
            models.embedder,
            describers,
            program
        ]));
        let output = self.root.join(PASSAGES).join(name);
        self.step(stage::CHUNK, &output, || {
            stages::chunk(settings, documents, &output, progress)
        })?;
        Ok(output)
    }

    /// The generation. Vectors of texts that any other variant has are taken over.
    fn generation(&mut self, passages: &Path) -> Result<PathBuf, PipelineError> {
        let (settings, progress) = (self.settings, self.progress);
        let embedder = settings.models.open_for_ingest(passages, progress)?;
        let upstream = Artifact::open(passages, stage::CHUNK)?.manifest().key;
        let key = rag_index::stage_key(&settings.index, upstream, embedder.identity());
        let name = key.digest().short();
        let indexes = self.root.join(INDEXES);
        let output = indexes.join(&name);
        let state = self.root.join("state");
        create_private(&state)?;
        let tools = rag_index::Tools {
            embedder: embedder.as_ref(),
            previous: &generations_in(&indexes),
            journal: &state.join(format!("{name}.vectors")),
            progress,
        };
        let outcome = self.step(stage::INDEX, &output, || {
            Ok(rag_index::run(&settings.index, passages, &output, &tools)?)
        })?;
        if outcome.seen == 0 {
            return Err(PipelineError::NoPassages);
        }
        if let Some(step) = self.steps.last_mut() {
            step.embedded = Some((outcome.written, outcome.seen));
        }
        Ok(output)
    }

    /// Notes what became of `stage`, whose artifact stands in `folder` once `act` has run.
    fn step(
        &mut self,
        stage: &str,
        folder: &Path,
        act: impl FnOnce() -> Result<Outcome, PipelineError>,
    ) -> Result<Outcome, PipelineError> {
        let key = || {
            Artifact::open(folder, stage)
                .ok()
                .map(|artifact| artifact.manifest().key)
        };
        let before = key();
        let started = Instant::now();
        let outcome = act()?;
        let was_there = before.is_some() && before == key() && outcome.written == 0;
        self.steps.push(Step {
            stage: stage.to_owned(),
            fate: if was_there { Fate::Reused } else { Fate::Made },
            seconds: Some(started.elapsed().as_secs_f64()),
            embedded: None,
            left_out: outcome.quarantined,
        });
        Ok(outcome)
    }
}

/// The generations in `folder`, in the order of their names.
fn generations_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(MANIFEST_FILE).is_file())
        .collect();
    found.sort();
    found
}

/// Removes what killed runs left below `root`, which nobody else works in.
fn remove_unfinished(root: &Path) -> Result<(), PipelineError> {
    let boxes = fs_err::read_dir(root.join(BOXES)).into_iter().flatten().flatten();
    let own = [DOCUMENTS, PASSAGES, INDEXES].map(|name| root.join(name));
    for folder in own.into_iter().chain(boxes.map(|entry| entry.path())) {
        for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
            let is_unfinished = entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX);
            if is_unfinished && entry.file_type()?.is_dir() {
                fs_err::remove_dir_all(entry.path())?;
            }
        }
    }
    Ok(())
}

/// A folder's name for what `decisive` decides.
fn name_of(decisive: &serde_json::Value) -> String {
    Digest::of(decisive.to_string().as_bytes()).short()
}

/// What became of the query row's stages.
fn query_steps(run: &Run) -> Result<Vec<Step>, PipelineError> {
    let ledger = Ledger::read(run.root())?;
    let stages = [stage::RETRIEVE, stage::RERANK, stage::EXPAND, stage::GENERATE];
    let step = |name: &str| {
        let cost = ledger.stages.get(name)?;
        Some(Step {
            stage: name.to_owned(),
            fate: if cost.reused { Fate::Reused } else { Fate::Made },
            seconds: (!cost.reused).then_some(cost.wall_ms / 1e3),
            embedded: None,
            left_out: 0,
        })
    };
    Ok(stages.into_iter().filter_map(step).collect())
}
