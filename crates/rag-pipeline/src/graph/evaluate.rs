//! Ranking quality on a data set with and without the graph, and what the graph costs.

use std::collections::BTreeMap;
use std::time::Instant;

use rag_core::hit::Ranking;
use rag_core::id::DocumentId;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::answers::Label;
use rag_eval::data::{Dataset, Distractors, ImportConfig, Readers, original_id};
use rag_eval::retrieval::{Evaluation, Metric, Qrels, RetrievalReport, Run, default_metrics};
use rag_eval::significance::{Comparison, SignificanceConfig, compare};
use rag_graph::{Counts, Currency, Graph, Route};
use serde::Serialize;

use super::routing::GAIN_METRIC;
use super::{GraphSearch, RouteGains, open_graph, refresh_graph};
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::evaluate::Workspace;
use crate::settings::Settings;
use crate::store::Store;
use crate::way::Way;

/// What two-hop questions go by, and what any question goes by.
const COMPARED: [Metric; 2] = [Metric::AllGold(5), Metric::Ndcg(Some(10))];

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

/// Ranking with and without the graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphEvaluation {
    /// The means of each way, alone and with the graph (`+graph`).
    pub retrieval: RetrievalReport,
    /// What the graph changes in each way, question by question, for the metrics that two-hop questions go by.
    pub comparisons: BTreeMap<String, BTreeMap<String, Comparison>>,
    /// The same for nDCG@10 in the last way, by the sort of question: kept with the store, see [`RouteGains`].
    pub routes: RouteGains,
    /// What the graph cost.
    pub graph: GraphTimings,
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
) -> Result<GraphEvaluation, PipelineError> {
    let import = ImportConfig {
        distractors: Distractors::LeaveOut,
        readers: Readers::Everyone,
    };
    let qrels = dataset.qrels(split)?;
    let questions = dataset.judged_questions(&qrels)?;
    let (engine, store) = workspace.engine_and_store(dataset, "open", import, settings, progress)?;
    let judged = Judged {
        name: dataset.name(),
        split: split.to_owned(),
        questions,
        qrels,
        document: original_id,
    };
    judged.evaluate(&engine, ways, settings, &store, progress)
}

/// Ranks the documents of `store` for the labelled questions that have relevant ones, in the settings' way, alone and
/// with the graph.
pub fn evaluate_labels(
    labels: &[Label],
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<GraphEvaluation, PipelineError> {
    let mut qrels = Qrels::default();
    for label in labels {
        for document in &label.relevant {
            qrels.insert(&label.question.id, document, 1);
        }
    }
    let has_relevant = |label: &&Label| !label.relevant.is_empty();
    let judged = Judged {
        name: "labels".to_owned(),
        split: "all".to_owned(),
        questions: labels
            .iter()
            .filter(has_relevant)
            .map(|label| label.question.clone())
            .collect(),
        qrels,
        document: ToString::to_string,
    };
    let engine = Engine::open(store, settings, progress)?;
    judged.evaluate(&engine, &[engine.way()], settings, store, progress)
}

/// Questions of which it is known which documents answer them.
struct Judged {
    name: String,
    split: String,
    questions: Vec<Question>,
    qrels: Qrels,
    /// The id of a document that the judgements know.
    document: fn(&DocumentId) -> String,
}

/// What was ranked in one way.
#[derive(Default)]
struct Ranked {
    plain: Vec<Ranking>,
    joined: Vec<Ranking>,
}

impl Judged {
    fn evaluate(
        &self,
        engine: &Engine,
        ways: &[Way],
        settings: &Settings,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<GraphEvaluation, PipelineError> {
        let (graph, mut timings) = timed_graph(settings, store, progress)?;
        let search = GraphSearch::new(engine, &graph, settings);
        let mut modes = BTreeMap::new();
        let mut comparisons = BTreeMap::new();
        let mut routes = RouteGains::default();
        let mut walks = Vec::new();
        for &way in ways {
            let ranked = self.rank(engine, &search, way, progress)?;
            walks.extend(
                ranked
                    .joined
                    .iter()
                    .filter_map(|ranking| ranking.timings_ms.get("graph")),
            );
            let (plain, joined) = (self.measured(&ranked.plain), self.measured(&ranked.joined));
            modes.insert(way.to_string(), plain.means());
            modes.insert(format!("{way}+graph"), joined.means());
            let compared = COMPARED.map(|metric| {
                let config = SignificanceConfig::default();
                let comparison = compare(&plain.values(metric), &joined.values(metric), &config);
                (metric.to_string(), comparison)
            });
            comparisons.insert(way.to_string(), BTreeMap::from(compared));
            let sorts = sorts(&graph, &ranked.plain);
            routes = RouteGains::measured(&plain.values(GAIN_METRIC), &joined.values(GAIN_METRIC), &sorts);
        }
        routes.save(store)?;
        timings.walk_ms = (percentile(&mut walks, 50), percentile(&mut walks, 95));
        Ok(GraphEvaluation {
            retrieval: RetrievalReport {
                dataset: self.name.clone(),
                split: self.split.clone(),
                modes,
            },
            comparisons,
            routes,
            graph: timings,
        })
    }

    fn rank(
        &self,
        engine: &Engine,
        search: &GraphSearch<'_>,
        way: Way,
        progress: &dyn Progress,
    ) -> Result<Ranked, PipelineError> {
        let step = way.to_string();
        progress.start(&step, Some(self.questions.len() as u64), Unit::Items);
        let mut ranked = Ranked::default();
        for question in &self.questions {
            ranked.plain.push(engine.rank_by_legs(question, way, DEPTH)?);
            ranked.joined.push(search.rank(question, way, DEPTH)?);
            progress.advance(&step, 1);
        }
        progress.finish(&step);
        Ok(ranked)
    }

    fn measured(&self, rankings: &[Ranking]) -> Evaluation {
        let run = Run::from_rankings(rankings, self.document);
        Evaluation::of(&run, &self.qrels, &default_metrics())
    }
}

/// The sort of each question, as it was searched for, by its id.
fn sorts(graph: &Graph, rankings: &[Ranking]) -> BTreeMap<String, Route> {
    let sort = |question: &Question| {
        let view = graph.view(&question.principal, &question.filter, Currency::All);
        view.route(&question.text).0
    };
    rankings
        .iter()
        .map(|ranking| (ranking.question.id.clone(), sort(&ranking.question)))
        .collect()
}

fn timed_graph(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<(Graph, GraphTimings), PipelineError> {
    let started = Instant::now();
    refresh_graph(settings, store, progress)?;
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
