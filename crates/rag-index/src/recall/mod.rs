//! How much of the exact scan the dense leg finds under a filter, by how much the filter lets through.
//!
//! A graph is searched through passages that are not allowed, so a narrow filter, or one that keeps a region far from
//! the question, is where it fails. [`of_generation`] and [`of_synthetic`] draw allowed sets of every size and compare
//! what the leg finds as it is used, and what the graph alone would find, with the scan of the same set. They return
//! shares and never a passage, so that no principal is asked for.

mod draw;
mod synthetic;

use std::path::{Path, PathBuf};

use rag_core::artifact::Digest;
use rag_core::progress::{Progress, Unit};
use rag_core::random::Random;
use rag_core::setting::in_range;
use rayon::prelude::*;
use serde::Serialize;

pub use draw::Draw;

use crate::allowed::AllowedSet;
use crate::config::{Config, GraphConfig};
use crate::dense::{Dense, Plan};
use crate::error::IndexError;
use crate::generation::Generation;
use crate::graph::{self, Graph};
use crate::top::Candidate;
use crate::vectors::Vectors;
use draw::{Field, near};

/// Name of the step in progress reports.
const TASK: &str = "filtered recall";

/// Questions that share one drawn set: enough sets for a mean, and few enough that drawing costs little.
const QUERIES_PER_SET: usize = 10;

/// Most questions per band.
const MOST_QUERIES: usize = 10_000;

/// Most bands.
const MOST_BANDS: usize = 64;

/// What is audited.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallConfig {
    /// Shares of the passages that filters let through, each above 0 and at most 1. Default: 50 % down to 0.1 %.
    pub bands: Vec<f64>,
    /// Questions for each band and way of drawing. Default: 100.
    pub queries: usize,
    /// Results that are compared. Default: 10.
    pub depth: usize,
    /// Decides what is drawn. Default: 1.
    pub seed: u64,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            bands: vec![0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001],
            queries: 100,
            depth: 10,
            seed: 1,
        }
    }
}

impl RecallConfig {
    fn check(&self) -> Result<(), IndexError> {
        in_range("bands", self.bands.len(), 1..=MOST_BANDS)?;
        for &band in &self.bands {
            in_range("bands", band, 1e-6..=1.0)?;
        }
        in_range("queries", self.queries, 1..=MOST_QUERIES)?;
        Ok(in_range("depth", self.depth, 1..=1_000)?)
    }
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub enum Queries {
    /// Vectors of stored passages moved at random, to a cosine of about 0.8 with themselves.
    NearStored,
    /// These unit vectors, in turn.
    Given(Vec<Vec<f32>>),
}

/// Whose graph was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphOrigin {
    /// The generation's own.
    Own,
    /// One built for the audit: the generation is too small to have one.
    BuiltForTheAudit,
}

/// What the dense leg finds of what the exact scan finds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecallReport {
    /// Number of passages.
    pub passages: usize,
    /// Numbers per vector.
    pub dimension: usize,
    /// Results that were compared.
    pub depth: usize,
    /// Whose graph was searched.
    pub graph: GraphOrigin,
    /// One line per band and way of drawing, in the order of the bands.
    pub bands: Vec<BandRecall>,
}

/// Recall for one share of allowed passages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BandRecall {
    /// The share asked for.
    pub selectivity: f64,
    /// How the sets were drawn.
    pub draw: Draw,
    /// Passages in each set.
    pub allowed: u64,
    /// Questions for which the exact scan finds anything; the others have no recall and are left out.
    pub searches: usize,
    /// How many of them the planner scans.
    pub scanned: usize,
    /// Mean recall of the leg as it is used.
    pub as_used: Option<f64>,
    /// Its lowest recall for one question.
    pub worst_as_used: Option<f64>,
    /// Mean recall of the graph alone, whatever the planner says.
    pub graph: Option<f64>,
    /// Its lowest recall for one question.
    pub worst_graph: Option<f64>,
}

/// Audits the dense leg of `generation` with sets drawn from its passages, documents and departments.
///
/// A generation without a graph is scanned, which is exact; a graph is then built in the folder `scratch`, where a later
/// audit finds it, to say what searching it would lose.
pub fn of_generation(
    generation: &Generation,
    queries: &Queries,
    config: &RecallConfig,
    build: &GraphConfig,
    scratch: &Path,
    progress: &dyn Progress,
) -> Result<RecallReport, IndexError> {
    config.check()?;
    let field = Field::of_generation(generation)?;
    let name = Digest::of_parts([
        generation.key().0.as_slice(),
        &serde_json::to_vec(build).expect("settings are plain data"),
    ]);
    let path = scratch.join(format!("graph-{}.bin", name.short()));
    audit(
        &generation.dense,
        &field,
        queries,
        config,
        (&path, build),
        progress,
    )
}

/// Audits the dense leg on `passages` seeded vectors in clusters, built in the folder `scratch`, where a later audit
/// finds them.
pub fn of_synthetic(
    passages: usize,
    index: &Config,
    config: &RecallConfig,
    scratch: &Path,
    progress: &dyn Progress,
) -> Result<RecallReport, IndexError> {
    config.check()?;
    index.check()?;
    let cloud = synthetic::Cloud::new(passages, config.seed)?;
    let vectors = cloud.vectors(scratch)?;
    let settings = serde_json::to_vec(&index.graph).expect("settings are plain data");
    let path = cloud.path(scratch, &format!("graph-{}.bin", Digest::of(&settings).short()));
    let mut own = None;
    if passages >= index.graph.min_passages.max(1) as usize {
        own = Some(graph_at(&vectors, (&path, &index.graph), progress)?);
    }
    let dense = Dense::new(vectors, own, &index.search);
    let build = (path.as_path(), &index.graph);
    audit(
        &dense,
        &cloud.field(),
        &Queries::NearStored,
        config,
        build,
        progress,
    )
}

/// The generation's graph, or the one at the path of `build`, searched and compared with the scan.
fn audit(
    dense: &Dense,
    field: &Field,
    queries: &Queries,
    config: &RecallConfig,
    build: (&Path, &GraphConfig),
    progress: &dyn Progress,
) -> Result<RecallReport, IndexError> {
    let built = match dense.graph() {
        Some(_) => None,
        None if field.passages == 0 => {
            return Ok(report(dense, GraphOrigin::BuiltForTheAudit, config, Vec::new()));
        }
        None => Some(graph_at(dense.vectors(), build, progress)?),
    };
    let origin = match built {
        Some(_) => GraphOrigin::BuiltForTheAudit,
        None => GraphOrigin::Own,
    };
    let Some(graph) = built.as_ref().or(dense.graph()) else {
        return Ok(report(dense, origin, config, Vec::new()));
    };
    let legs = Legs {
        dense,
        graph,
        depth: config.depth,
    };
    let queries = vectors_of(queries, dense, config)?;
    let draws: Vec<Draw> = Draw::ALL.into_iter().filter(|&draw| field.has(draw)).collect();
    let searches = config.bands.len() * draws.len() * queries.len();
    progress.start(TASK, Some(searches as u64), Unit::Items);
    let mut bands = Vec::new();
    for (&band, at) in config.bands.iter().zip(0u64..) {
        for &draw in &draws {
            let mut random = Random::of(&[config.seed, at, draw as u64]);
            let count = queries.len().div_ceil(QUERIES_PER_SET);
            let sets: Vec<AllowedSet> = (0..count).map(|_| field.draw(draw, band, &mut random)).collect();
            bands.push(legs.band(band, draw, &sets, &queries));
            progress.advance(TASK, queries.len() as u64);
        }
    }
    progress.finish(TASK);
    Ok(report(dense, origin, config, bands))
}

fn report(dense: &Dense, graph: GraphOrigin, config: &RecallConfig, bands: Vec<BandRecall>) -> RecallReport {
    RecallReport {
        passages: dense.vectors().len(),
        dimension: dense.identity().dimension,
        depth: config.depth,
        graph,
        bands,
    }
}

/// The graph at the path, built where there is none that can be read; it gets its name when it is finished.
fn graph_at(
    vectors: &Vectors,
    (path, config): (&Path, &GraphConfig),
    progress: &dyn Progress,
) -> Result<Graph, IndexError> {
    if let Ok(graph) = Graph::open(path, vectors.len()) {
        return Ok(graph);
    }
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let unfinished: PathBuf = path.with_extension("unfinished");
    graph::build(vectors, config, &unfinished, progress)?;
    fs_err::rename(&unfinished, path)?;
    Graph::open(path, vectors.len())
}

fn vectors_of(queries: &Queries, dense: &Dense, config: &RecallConfig) -> Result<Vec<Vec<f32>>, IndexError> {
    match queries {
        Queries::Given(vectors) => {
            vectors.iter().try_for_each(|vector| dense.check(vector))?;
            Ok(vectors
                .iter()
                .cycle()
                .take(config.queries.min(MOST_QUERIES))
                .cloned()
                .collect())
        }
        Queries::NearStored => {
            let mut random = Random::of(&[config.seed, u64::MAX]);
            let near_one = |_| {
                let row = random.below(dense.vectors().len());
                near(&mut random, dense.vectors().row(row))
            };
            Ok((0..config.queries).map(near_one).collect())
        }
    }
}

/// The leg in both ways.
struct Legs<'l> {
    dense: &'l Dense,
    graph: &'l Graph,
    depth: usize,
}

/// What one question found.
struct Found {
    scanned: bool,
    as_used: f64,
    graph: f64,
}

impl Legs<'_> {
    fn band(&self, selectivity: f64, draw: Draw, sets: &[AllowedSet], queries: &[Vec<f32>]) -> BandRecall {
        let found: Vec<Found> = queries
            .par_iter()
            .enumerate()
            .filter_map(|(at, query)| self.compare(query, &sets[at / QUERIES_PER_SET]))
            .collect();
        let mean = |of: fn(&Found) -> f64| {
            (!found.is_empty()).then(|| found.iter().map(of).sum::<f64>() / found.len() as f64)
        };
        let worst = |of: fn(&Found) -> f64| found.iter().map(of).reduce(f64::min);
        BandRecall {
            selectivity,
            draw,
            allowed: sets.first().map_or(0, AllowedSet::len),
            searches: found.len(),
            scanned: found.iter().filter(|found| found.scanned).count(),
            as_used: mean(|found| found.as_used),
            worst_as_used: worst(|found| found.as_used),
            graph: mean(|found| found.graph),
            worst_graph: worst(|found| found.graph),
        }
    }

    /// None when the scan finds nothing, so that there is nothing to be found.
    fn compare(&self, query: &[f32], allowed: &AllowedSet) -> Option<Found> {
        let exact = self.dense.scan(query, allowed, self.depth);
        let walked = self.dense.walk(self.graph, query, allowed, self.depth);
        let scanned = self.dense.plan(allowed, self.depth) == Plan::Scan;
        // The vectors were checked, so a search as it is used is one of the two.
        let used = if scanned { &exact } else { &walked };
        (!exact.is_empty()).then(|| Found {
            scanned,
            as_used: share(used, &exact),
            graph: share(&walked, &exact),
        })
    }
}

/// Share of `exact` that is in `found`.
fn share(found: &[Candidate], exact: &[Candidate]) -> f64 {
    let hits = exact
        .iter()
        .filter(|wanted| found.iter().any(|own| own.ordinal == wanted.ordinal));
    hits.count() as f64 / exact.len() as f64
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
