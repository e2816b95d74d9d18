//! Ranking quality on a data set with and without the graph, and what the graph costs.

use std::collections::BTreeMap;
use std::time::Instant;

use rag_core::hit::Ranking;
use rag_core::progress::{Progress, Unit};
use rag_eval::data::{Dataset, Distractors, ImportConfig, Readers, original_id};
use rag_eval::retrieval::{Evaluation, RetrievalReport, Run, default_metrics};
use rag_graph::{Counts, Currency};
use serde::Serialize;

use super::{GraphSearch, build_graph, open_graph};
use crate::error::PipelineError;
use crate::evaluate::Workspace;
use crate::settings::Settings;
use crate::store::Store;
use crate::way::Way;

/// Depth to which documents are ranked.
const DEPTH: usize = 100;

/// Size of a graph and what it took to make and walk it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphTimings {
    /// Sizes of the view of everything.
    pub counts: Counts,
    /// Seconds to build the artifact; almost none when it was there.
    pub build_s: f64,
    /// Milliseconds to open it and make the first view.
    pub view_ms: f64,
    /// Median and 95th percentile, in milliseconds, of the walk of a question.
    pub walk_ms: (f64, f64),
}

/// Ranks the documents of `dataset` for the judged questions of `split` in each way, alone and with the graph
/// (`+graph`).
pub fn evaluate_graph(
    dataset: &Dataset,
    split: &str,
    ways: &[Way],
    settings: &Settings,
    workspace: &Workspace,
    progress: &dyn Progress,
) -> Result<(RetrievalReport, GraphTimings), PipelineError> {
    let import = ImportConfig {
        distractors: Distractors::LeaveOut,
        readers: Readers::Everyone,
    };
    let qrels = dataset.qrels(split)?;
    let questions = dataset.judged_questions(&qrels)?;
    let (engine, store) = workspace.engine_and_store(dataset, "open", import, settings, progress)?;
    let (graph, mut timings) = timed_graph(settings, &store, progress)?;
    let search = GraphSearch::new(&engine, &graph, settings);
    let mut modes = BTreeMap::new();
    let mut walks = Vec::new();
    for &way in ways {
        progress.start(&way.to_string(), Some(questions.len() as u64), Unit::Items);
        let (mut plain, mut joined) = (Vec::new(), Vec::new());
        for question in &questions {
            plain.push(engine.rank(question, way, DEPTH)?);
            let ranking = search.rank(question, way, DEPTH)?;
            walks.extend(ranking.timings_ms.get("graph"));
            joined.push(ranking);
            progress.advance(&way.to_string(), 1);
        }
        progress.finish(&way.to_string());
        let means = |rankings: &[Ranking]| {
            let run = Run::from_rankings(rankings, original_id);
            Evaluation::of(&run, &qrels, &default_metrics()).means()
        };
        modes.insert(way.to_string(), means(&plain));
        modes.insert(format!("{way}+graph"), means(&joined));
    }
    timings.walk_ms = (percentile(&mut walks, 50), percentile(&mut walks, 95));
    let report = RetrievalReport {
        dataset: dataset.name(),
        split: split.to_owned(),
        modes,
    };
    Ok((report, timings))
}

fn timed_graph(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(rag_graph::Graph, GraphTimings), PipelineError> {
    let started = Instant::now();
    build_graph(settings, store, progress)?;
    let build_s = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let graph = open_graph(settings, store)?;
    let everyone = rag_core::access::Principal::everyone();
    let view = graph.view(&everyone, &rag_core::filter::Filter::default(), Currency::All);
    let timings = GraphTimings {
        counts: view.counts(),
        build_s,
        view_ms: started.elapsed().as_secs_f64() * 1e3,
        walk_ms: (0.0, 0.0),
    };
    Ok((graph, timings))
}

/// The value below which `percent` of the values lie; 0 when there are none.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(0.0)
}
