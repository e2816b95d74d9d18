//! Repeating a run from its lock, and telling what came out otherwise.

use std::collections::BTreeMap;

use rag_core::artifact::TEMPORARY_PREFIX;
use rag_core::progress::Progress;
use rag_core::stage;
use serde::Serialize;

use super::execute::{Collection, execute};
use super::{Lock, Run, Trust};
use crate::error::PipelineError;
use crate::settings::ModelSettings;

/// What repeating a run gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repetition {
    /// Files that the run locked, and whether they came out the same.
    pub same: BTreeMap<String, bool>,
    /// Stages whose key is another than the run's: this version of the program makes them otherwise.
    pub other_keys: Vec<String>,
    /// The version of the program that made the run, where it is another than this.
    pub other_tool: Option<String>,
}

impl Repetition {
    /// Whether every file came out the same.
    pub fn is_identical(&self) -> bool {
        self.same.values().all(|same| *same)
    }
}

/// Asks the questions of `run` again with what its lock names, into a temporary folder, and compares.
///
/// The artifacts of the collection must be those that the run was made of, to the byte, and every model must be the one
/// that it used. Where weights come from, and the keys of providers, are `here`'s.
pub fn repeat(
    run: &Run,
    here: &ModelSettings,
    trust: Trust,
    progress: &dyn Progress,
) -> Result<Repetition, PipelineError> {
    let settings = run.settings(here, trust)?;
    let lock = run.lock();
    let generation = lock.open(&lock.collection.generation, stage::INDEX)?;
    for artifact in [lock.documents()?, lock.passages()?, generation] {
        artifact.verify()?;
    }
    let folder = tempfile::Builder::new()
        .prefix(&format!("{TEMPORARY_PREFIX}repro-"))
        .tempdir_in(run.root())?;
    let again = execute(
        &settings,
        &Collection::of_run(run)?,
        &run.labels()?,
        &folder.path().join("run"),
        progress,
    )?;
    same_models(lock, again.lock())?;
    Ok(compare(lock, again.lock()))
}

fn same_models(locked: &Lock, found: &Lock) -> Result<(), PipelineError> {
    let roles = locked.models.keys().chain(found.models.keys());
    for role in roles {
        let of = |lock: &Lock| {
            lock.models
                .get(role)
                .cloned()
                .unwrap_or_else(|| "none".to_owned())
        };
        let (locked, found) = (of(locked), of(found));
        if locked != found {
            return Err(PipelineError::OtherModel {
                role: role.clone(),
                locked,
                found,
            });
        }
    }
    Ok(())
}

fn compare(locked: &Lock, found: &Lock) -> Repetition {
    let names = locked.outputs.keys().chain(found.outputs.keys());
    let same = names.map(|name| (name.clone(), locked.outputs.get(name) == found.outputs.get(name)));
    let stages = locked.keys.iter();
    let other = stages.filter(|(stage, key)| found.keys.get(*stage) != Some(*key));
    Repetition {
        same: same.collect(),
        other_keys: other.map(|(stage, _)| stage.clone()).collect(),
        other_tool: (locked.tool != found.tool).then(|| locked.tool.clone()),
    }
}
