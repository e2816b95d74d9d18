//! The graph as a third leg: it walks from what the question names and from the best of what the others found.
//!
//! A question that needs two passages often names only one of them; the other is what the first one names. Hence
//! the walk starts from the first few passages after reranking, and what it reaches is read by the reranker too.

use std::collections::HashMap;

use rag_core::hit::{Hit, Placement, Ranking};
use rag_core::id::PassageId;
use rag_core::question::Question;
use rag_graph::{Currency, Graph, PassageSeed};

use super::GraphSettings;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::way::Way;

/// The constant of the fusion of ranks, as between the other legs.
const K: u32 = 60;

/// How many legs the reranker counts for, as in its own fusion. Whatever rule the settings give it, ranks are what
/// the walk and the reranker have in common.
const RERANKER_WEIGHT: f64 = 2.0;

/// How many legs the graph's ranking and the reranker's count for.
#[derive(Debug, Clone, Copy)]
struct Weights {
    graph: f64,
    reranker: f64,
}

/// An engine and the graph of the same passages.
pub struct GraphSearch<'s> {
    engine: &'s Engine,
    graph: &'s Graph,
    settings: &'s Settings,
}

impl<'s> GraphSearch<'s> {
    /// Searches `graph` together with the legs of `engine`.
    pub fn new(engine: &'s Engine, graph: &'s Graph, settings: &'s Settings) -> Self {
        Self {
            engine,
            graph,
            settings,
        }
    }

    /// The `hits` best passages for `question` that its asker may read, found by the legs of `way` and the graph.
    ///
    /// The order is by reciprocal ranks over the legs, the graph and, when `way` says so, the reranker.
    pub fn rank(&self, question: &Question, way: Way, hits: usize) -> Result<Ranking, PipelineError> {
        let legs = Way {
            reranked: false,
            ..way
        };
        let depth = hits.max(self.settings.rerank.candidates);
        let mut found = self.engine.rank_by_legs(question, legs, depth)?;
        if way.reranked {
            found = self.engine.rerank(found, depth)?;
        }
        let walked = self.walk(&found)?;
        let mut reached = news(&walked, &found, self.own().reranked);
        if way.reranked && !reached.hits.is_empty() {
            let count = reached.hits.len();
            reached = self.engine.rerank(reached, count)?;
        }
        let mut ranking = fuse(found, &walked, reached, self.weights());
        ranking.hits.truncate(hits);
        Ok(ranking)
    }

    fn own(&self) -> &GraphSettings {
        &self.settings.graph
    }

    fn weights(&self) -> Weights {
        Weights {
            graph: f64::from(self.own().weight),
            reranker: RERANKER_WEIGHT,
        }
    }

    /// Where the walk from the first passages of `found` leads.
    fn walk(&self, found: &Ranking) -> Result<Ranking, PipelineError> {
        let question = &found.question;
        let view = self
            .graph
            .view(&question.principal, &question.filter, Currency::All);
        let first = found.hits.iter().zip(1u16..).take(self.own().seeds);
        let seeds: Vec<PassageSeed> = first
            .map(|(hit, rank)| PassageSeed {
                passage: hit.passage.id.clone(),
                weight: 1.0 / f32::from(rank),
            })
            .collect();
        Ok(view.local(question, &seeds, self.own().candidates)?)
    }
}

/// The passages among the first `count` of `walked` that no leg found, or that the reranker has not read.
fn news(walked: &Ranking, found: &Ranking, count: usize) -> Ranking {
    let known: HashMap<&PassageId, &Hit> = found.hits.iter().map(|hit| (&hit.passage.id, hit)).collect();
    let is_read = |hit: &Hit| {
        known
            .get(&hit.passage.id)
            .is_some_and(|known| known.reranked.is_some())
    };
    let unread = walked.hits.iter().take(count).filter(|hit| !is_read(hit));
    let hits = unread.map(|hit| known.get(&hit.passage.id).map_or(hit, |known| known));
    Ranking::new(walked.question.clone(), hits.cloned().collect())
}

/// One ranking of all of them, by reciprocal ranks.
fn fuse(found: Ranking, walked: &Ranking, reached: Ranking, weights: Weights) -> Ranking {
    let mut fused = found;
    let mut by_id: HashMap<PassageId, Hit> = HashMap::new();
    for hit in fused.hits.drain(..).chain(reached.hits) {
        by_id.insert(hit.passage.id.clone(), hit);
    }
    for hit in &walked.hits {
        if let Some(known) = by_id.get_mut(&hit.passage.id) {
            known.legs.extend(hit.legs.clone());
        }
    }
    let mut hits: Vec<Hit> = by_id.into_values().collect();
    rerank_again(&mut hits);
    for hit in &mut hits {
        hit.score = score(hit, weights) as f32;
    }
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.passage.id.cmp(&b.passage.id))
    });
    for (hit, rank) in hits.iter_mut().zip(1..) {
        hit.rank = rank;
    }
    fused.hits = hits;
    fused.legs.extend(walked.legs.clone());
    fused.notes.extend(reached.notes);
    for (step, ms) in walked
        .timings_ms
        .iter()
        .chain(&reached.timings_ms)
        .filter(|(step, _)| *step != "total")
    {
        *fused.timings_ms.entry(step.clone()).or_default() += ms;
    }
    fused
}

/// Places all passages that the reranker read in one order: it scores each by itself, so that scores of two
/// readings compare.
fn rerank_again(hits: &mut [Hit]) {
    let mut read: Vec<(&PassageId, &mut Placement)> = hits
        .iter_mut()
        .filter_map(|hit| Some((&hit.passage.id, hit.reranked.as_mut()?)))
        .collect();
    read.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then_with(|| a.0.cmp(b.0)));
    for ((_, place), rank) in read.into_iter().zip(1..) {
        place.rank = rank;
    }
}

fn score(hit: &Hit, weights: Weights) -> f64 {
    let share = |place: &Placement| 1.0 / (f64::from(K) + f64::from(place.rank));
    let legs = hit.legs.iter().map(|(leg, place)| match leg {
        rag_core::hit::Leg::Graph => weights.graph * share(place),
        _ => share(place),
    });
    legs.sum::<f64>() + weights.reranker * hit.reranked.as_ref().map_or(0.0, share)
}

#[cfg(test)]
mod tests {
    use rag_core::hit::Leg;

    use super::*;

    fn ranking(leg: Leg, ids: &[&str]) -> Ranking {
        let hits = ids.iter().zip(1..).map(|(id, rank)| {
            let passage = format!(
                r#"{{"id":"{id}","title":"","source":"","updated":null,"department":null,"language":"en",
                "access":[],"span":{{"start":0,"end":0}},"parent":{{"start":0,"end":0}},"text":"","tokens":1}}"#
            );
            Hit {
                legs: [(leg, Placement { rank, score: 0.0 })].into(),
                ..Hit::new(rank, 0.0, serde_json::from_str(&passage).unwrap())
            }
        });
        let question = serde_json::from_str(r#"{"id":"1","text":"?"}"#).unwrap();
        Ranking::new(question, hits.collect())
    }

    const WEIGHTS: Weights = Weights {
        graph: 2.0,
        reranker: 2.0,
    };

    fn order(ranking: &Ranking) -> Vec<String> {
        ranking
            .hits
            .iter()
            .map(|hit| hit.passage.id.to_string())
            .collect()
    }

    #[test]
    fn a_passage_found_by_both_comes_first_and_keeps_both_places() {
        let found = ranking(Leg::Bm25, &["a#0", "b#0"]);
        let walked = ranking(Leg::Graph, &["b#0", "c#0"]);
        let reached = news(&walked, &found, 10);
        assert_eq!(order(&reached), ["b#0", "c#0"]);
        let fused = fuse(found, &walked, reached, WEIGHTS);
        assert_eq!(order(&fused), ["b#0", "c#0", "a#0"]);
        assert_eq!((fused.hits[0].legs.len(), fused.hits[2].rank), (2, 3));
    }

    #[test]
    fn passages_read_at_different_times_are_placed_in_one_order() {
        let mut found = ranking(Leg::Bm25, &["a#0", "b#0"]);
        let walked = ranking(Leg::Graph, &["c#0"]);
        let mut reached = news(&walked, &found, 10);
        for (hit, score) in found
            .hits
            .iter_mut()
            .chain(&mut reached.hits)
            .zip([3.0, 1.0, 2.0])
        {
            hit.reranked = Some(Placement { rank: 1, score });
        }
        let fused = fuse(found, &walked, reached, WEIGHTS);
        let places: Vec<(String, u32)> = fused
            .hits
            .iter()
            .filter_map(|hit| Some((hit.passage.id.to_string(), hit.reranked?.rank)))
            .collect();
        assert!(places.contains(&("c#0".to_owned(), 2)) && places.contains(&("b#0".to_owned(), 3)));
    }

    #[test]
    fn passages_that_the_reranker_read_are_no_news() {
        let mut found = ranking(Leg::Bm25, &["a#0"]);
        found.hits[0].reranked = Some(Placement { rank: 1, score: 1.0 });
        let walked = ranking(Leg::Graph, &["a#0", "b#0", "c#0"]);
        assert_eq!(order(&news(&walked, &found, 2)), ["b#0"]);
    }
}
