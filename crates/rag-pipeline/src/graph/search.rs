//! The graph as a third leg: it walks from what the question names and from what the other legs found first.

use std::collections::HashMap;

use rag_core::hit::{Hit, Leg, Placement, Ranking};
use rag_core::id::PassageId;
use rag_core::question::Question;
use rag_graph::{Currency, Graph, PassageSeed};
use rag_retrieve::reciprocal_rank_fusion;

use super::GraphSettings;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::way::Way;

/// The constant of the fusion, as between the other legs.
const K: u32 = 60;

/// An engine and the graph of the same passages.
pub struct GraphSearch<'s> {
    engine: &'s Engine,
    graph: &'s Graph,
    settings: &'s GraphSettings,
}

impl<'s> GraphSearch<'s> {
    /// Searches `graph` together with the legs of `engine`.
    pub fn new(engine: &'s Engine, graph: &'s Graph, settings: &'s GraphSettings) -> Self {
        Self {
            engine,
            graph,
            settings,
        }
    }

    /// The `hits` best passages for `question` that its asker may read, found by the legs of `way` and the graph.
    pub fn rank(&self, question: &Question, way: Way, hits: usize) -> Result<Ranking, PipelineError> {
        let legs = Way {
            reranked: false,
            ..way
        };
        let found = self
            .engine
            .rank(question, legs, hits.max(self.settings.candidates))?;
        let walked = self.walk(question, &found)?;
        let mut ranking = fuse(found, walked);
        if way.reranked {
            ranking = self.engine.rerank(ranking, hits)?;
        }
        ranking.hits.truncate(hits);
        Ok(ranking)
    }

    /// Where the walk from the first passages of `found` leads.
    fn walk(&self, question: &Question, found: &Ranking) -> Result<Ranking, PipelineError> {
        let view = self
            .graph
            .view(&question.principal, &question.filter, Currency::All);
        let first = found.hits.iter().take(self.settings.seeds);
        let seeds: Vec<PassageSeed> = first
            .map(|hit| PassageSeed {
                passage: hit.passage.id.clone(),
                weight: 1.0 / hit.rank as f32,
            })
            .collect();
        Ok(view.local(question, &seeds, self.settings.candidates)?)
    }
}

/// One ranking of both, by reciprocal ranks over all legs.
fn fuse(found: Ranking, walked: Ranking) -> Ranking {
    let mut fused = found;
    let mut by_id: HashMap<PassageId, Hit> = HashMap::new();
    for hit in fused.hits.drain(..).chain(walked.hits) {
        match by_id.get_mut(&hit.passage.id) {
            Some(known) => known.legs.extend(hit.legs),
            None => drop(by_id.insert(hit.passage.id.clone(), hit)),
        }
    }
    let order = |leg: Leg| -> Vec<&PassageId> {
        let mut places: Vec<(u32, &PassageId)> = by_id
            .iter()
            .filter_map(|(id, hit)| Some((hit.legs.get(&leg)?.rank, id)))
            .collect();
        places.sort_unstable();
        places.into_iter().map(|(_, id)| id).collect()
    };
    let orders = [Leg::Bm25, Leg::Dense, Leg::Graph].map(order);
    let ranked: Vec<(PassageId, f64)> = reciprocal_rank_fusion(&orders, K)
        .into_iter()
        .map(|(id, score)| (id.clone(), score))
        .collect();
    for ((id, score), rank) in ranked.into_iter().zip(1..) {
        if let Some(mut hit) = by_id.remove(&id) {
            let place = Placement {
                rank,
                score: score as f32,
            };
            (hit.rank, hit.score, hit.fused) = (rank, place.score, Some(place));
            fused.hits.push(hit);
        }
    }
    fused.legs.extend(walked.legs);
    fused.timings_ms.extend(walked.timings_ms);
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(leg: Leg, ids: &[&str]) -> Ranking {
        let hits = ids.iter().zip(1..).map(|(id, rank)| {
            let passage = format!(
                r#"{{"id":"{id}","title":"","source":"","updated":null,"department":null,"language":"en",
                "access":[],"span":{{"start":0,"end":0}},"parent":{{"start":0,"end":0}},"text":"","tokens":1}}"#
            );
            Hit {
                rank,
                score: 0.0,
                legs: [(leg, Placement { rank, score: 0.0 })].into(),
                fused: None,
                reranked: None,
                passage: serde_json::from_str(&passage).unwrap(),
            }
        });
        Ranking {
            question: serde_json::from_str(r#"{"id":"1","text":"?"}"#).unwrap(),
            legs: Vec::new(),
            hits: hits.collect(),
            notes: Vec::new(),
            timings_ms: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_passage_found_by_both_comes_first_and_keeps_both_places() {
        let fused = fuse(
            ranking(Leg::Bm25, &["a#0", "b#0"]),
            ranking(Leg::Graph, &["b#0", "c#0"]),
        );
        let order: Vec<String> = fused.hits.iter().map(|hit| hit.passage.id.to_string()).collect();
        assert_eq!(order, ["b#0", "a#0", "c#0"]);
        assert_eq!(fused.hits[0].legs.len(), 2);
        assert_eq!(fused.hits[2].rank, 3);
    }
}
