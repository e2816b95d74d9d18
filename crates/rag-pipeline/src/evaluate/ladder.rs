//! `eval ladder`: losses planted in every box, to see whether the blame ladder names the box that each was planted in.
//!
//! Small collections with known faults go through the whole pipeline, without weights: files are read, cut, indexed and
//! searched as any others.

mod plants;

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::progress::Progress;
use rag_eval::answers::{Label, Rate};
use rag_eval::diagnosis::{Diagnosis, Rung};
use serde::Serialize;

use crate::error::PipelineError;
use crate::ingest::ingest;
use crate::run::{Collection, diagnose_run, execute};
use crate::settings::Settings;
use crate::store::Store;

/// Whether planted losses were found where they were planted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LadderReport {
    /// Number of losses that were planted.
    pub planted: usize,
    /// Number of those that were found where they were planted.
    pub right: usize,
    /// The same by rung.
    pub by_rung: BTreeMap<Rung, Rate>,
    /// Questions with nothing planted, and how many of them were found to be right.
    pub unharmed: Rate,
    /// What was diagnosed otherwise than planted.
    pub mistaken: Vec<Mistaken>,
}

/// A planted loss that was diagnosed as another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mistaken {
    /// Where it was planted; `None` when nothing was.
    pub planted: Option<Rung>,
    /// What was found.
    pub diagnosis: Diagnosis,
}

/// A collection with one fault, and the questions that it loses.
pub(super) struct Plant {
    /// The box that is at fault; `None` for none.
    rung: Option<Rung>,
    /// Files of the collection, by name.
    files: Vec<(String, Vec<u8>)>,
    settings: Settings,
    labels: Vec<Label>,
}

/// Plants losses in collections below `work`, asks, diagnoses, and compares.
pub fn evaluate_ladder(work: &Path, progress: &dyn Progress) -> Result<LadderReport, PipelineError> {
    let mut report = LadderReport::default();
    for (number, plant) in plants::all().into_iter().enumerate() {
        let folder = work.join(format!("plant-{number:02}"));
        for diagnosis in diagnosed(&plant, &folder, progress)? {
            report.count(plant.rung, diagnosis);
        }
    }
    Ok(report)
}

/// Takes the plant's questions through the pipeline, from its files on.
fn diagnosed(plant: &Plant, folder: &Path, progress: &dyn Progress) -> Result<Vec<Diagnosis>, PipelineError> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    let source = folder.join("files");
    fs_err::create_dir_all(&source)?;
    for (name, bytes) in &plant.files {
        fs_err::write(source.join(name), bytes)?;
    }
    let store = Store::open_or_create(&folder.join("store"), &source)?;
    ingest(&plant.settings, &source, &store, None, progress)?;
    let collection = Collection::of(&store)?;
    let run = execute(
        &plant.settings,
        &collection,
        &plant.labels,
        &folder.join("run"),
        progress,
    )?;
    Ok(diagnose_run(&run, &plant.settings, progress)?.diagnoses)
}

impl LadderReport {
    fn count(&mut self, planted: Option<Rung>, diagnosis: Diagnosis) {
        let is_right = diagnosis.rung == planted;
        let rate = match planted {
            Some(rung) => {
                self.planted += 1;
                self.right += usize::from(is_right);
                self.by_rung.entry(rung).or_default()
            }
            None => &mut self.unharmed,
        };
        rate.of += 1;
        rate.hits += usize::from(is_right);
        if !is_right {
            self.mistaken.push(Mistaken { planted, diagnosis });
        }
    }
}

#[cfg(test)]
mod tests {
    use rag_core::progress::Silent;

    use super::*;

    #[test]
    fn every_planted_loss_is_found_where_it_was_planted() {
        let work = tempfile::tempdir().unwrap();
        let report = evaluate_ladder(work.path(), &Silent).unwrap();
        assert_eq!(report.mistaken, Vec::new());
        assert!(report.planted >= 40, "{}", report.planted);
        for rung in Rung::ALL {
            let rate = report.by_rung.get(&rung).copied().unwrap_or_default();
            assert!(rate.of >= 3, "{rung}: {}", rate.of);
        }
        assert!(report.unharmed.of >= 4);
    }
}
