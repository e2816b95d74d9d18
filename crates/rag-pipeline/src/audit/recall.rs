//! Filtered recall: the dense leg against the exact scan, by how much a filter lets through.

use std::path::Path;

use rag_core::language::Language;
use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_eval::figures::{self, Series};
use rag_index::recall::{BandRecall, Draw, Queries, RecallConfig, RecallReport, of_generation, of_synthetic};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::PipelineError;
use crate::output::claim_work;
use crate::settings::Settings;

/// Recall that the leg as it is used must have in every band.
pub const RECALL_BAR: f64 = 0.99;

/// What is searched.
#[derive(Clone, Copy)]
pub enum RecallOf<'a> {
    /// A store's generation, with these questions, or vectors near stored ones when there are none.
    Engine(&'a Engine, &'a [Question]),
    /// So many seeded vectors in clusters.
    Synthetic(usize),
}

/// What the audit found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallAudit {
    /// What was searched, for a reader.
    pub name: String,
    /// Recall that every band must have.
    pub bar: f64,
    /// Whether every band has.
    pub passed: bool,
    /// The figures.
    #[serde(flatten)]
    pub report: RecallReport,
}

/// Audits the dense leg. What is built for it is kept in the folder `work`.
pub fn audit_recall(
    of: RecallOf<'_>,
    settings: &Settings,
    config: &RecallConfig,
    work: &Path,
    progress: &dyn Progress,
) -> Result<RecallAudit, PipelineError> {
    claim_work(work)?;
    let (name, report) = match of {
        RecallOf::Engine(engine, questions) => {
            let queries = queries(engine, questions)?;
            let generation = engine.generation();
            let report = of_generation(
                generation,
                &queries,
                config,
                &settings.index.graph,
                work,
                progress,
            )?;
            (engine.embedder().identity().name.clone(), report)
        }
        RecallOf::Synthetic(passages) => {
            let report = of_synthetic(passages, &settings.index, config, work, progress)?;
            ("synthetic vectors".to_owned(), report)
        }
    };
    // Bands that hold too few passages have no value.
    let measured: Vec<f64> = report.bands.iter().filter_map(|band| band.as_used).collect();
    if measured.is_empty() {
        return Err(PipelineError::NothingMeasured {
            passages: report.passages,
        });
    }
    let passed = measured.iter().all(|recall| *recall >= RECALL_BAR);
    Ok(RecallAudit {
        name,
        bar: RECALL_BAR,
        passed,
        report,
    })
}

/// The questions' vectors; those in a language that the embedder was not made for are not searched with it.
fn queries(engine: &Engine, questions: &[Question]) -> Result<Queries, PipelineError> {
    if questions.is_empty() {
        return Ok(Queries::NearStored);
    }
    let embedder = engine.embedder();
    let served = questions
        .iter()
        .filter(|question| embedder.serves(Language::detect(&question.text)));
    let vectors = served.map(|question| embedder.embed_query(&question.text));
    let vectors: Vec<Vec<f32>> = vectors.collect::<Result<_, _>>()?;
    if vectors.is_empty() {
        return Err(PipelineError::NoServedQuestion {
            questions: questions.len(),
        });
    }
    Ok(Queries::Given(vectors))
}

impl RecallAudit {
    /// Mean recall by selectivity as SVG: the worst way of drawing in each band, as used and by the graph alone.
    pub fn svg(&self) -> String {
        let note = format!(
            "{}: {} passages of {} numbers; recall of the exact scan's top {}; {} searches per point",
            self.name,
            self.report.passages,
            self.report.dimension,
            self.report.depth,
            self.report.bands.first().map_or(0, |band| band.searches)
        );
        let used = self.series("as used, any draw", |_| true, |band| band.as_used);
        let mut series = vec![used];
        for draw in Draw::ALL {
            let own = self.series(
                &format!("graph alone, {}", draw.name()),
                |of| of == draw,
                |band| band.graph,
            );
            if !own.points.is_empty() {
                series.push(own);
            }
        }
        figures::filtered_recall(&note, &series)
    }

    /// The lowest recall of each band among the draws that `keeps`.
    fn series(
        &self,
        name: &str,
        keeps: impl Fn(Draw) -> bool,
        recall: impl Fn(&BandRecall) -> Option<f64>,
    ) -> Series {
        let mut points: Vec<(f64, Option<f64>)> = Vec::new();
        for band in self.report.bands.iter().filter(|band| keeps(band.draw)) {
            let value = recall(band);
            match points.iter_mut().find(|(place, _)| *place == band.selectivity) {
                Some((_, lowest)) => {
                    *lowest = value.into_iter().chain(*lowest).reduce(f64::min);
                }
                None => points.push((band.selectivity, value)),
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series {
            name: name.to_owned(),
            points,
        }
    }
}

#[cfg(test)]
mod tests {
    use rag_core::progress::Silent;

    use super::*;

    #[test]
    fn a_small_synthetic_collection_is_scanned_and_passes() {
        let folder = tempfile::tempdir().unwrap();
        let config = RecallConfig {
            bands: vec![0.5, 0.01],
            queries: 10,
            ..RecallConfig::default()
        };
        let settings = Settings::default();
        let of = RecallOf::Synthetic(1_000);
        let audit = audit_recall(of, &settings, &config, folder.path(), &Silent).unwrap();
        assert!(audit.passed);
        let svg = audit.svg();
        assert!(
            svg.contains("as used, any draw") && svg.contains("graph alone, departments"),
            "{svg}"
        );
    }

    #[test]
    fn a_planner_that_loses_passages_fails_the_bar() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        settings.index.graph = rag_index::GraphConfig {
            min_passages: 1,
            connections: 2,
            ef_construction: 8,
        };
        settings.index.search.graph_cost = 0.0;
        settings.index.search.ef = 10;
        let config = RecallConfig {
            queries: 20,
            ..RecallConfig::default()
        };
        let of = RecallOf::Synthetic(2_000);
        assert!(
            !audit_recall(of, &settings, &config, folder.path(), &Silent)
                .unwrap()
                .passed
        );
    }
}
