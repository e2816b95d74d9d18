//! Local search: the passages that a walk from a question's names, and from passages found otherwise, leads to.

use std::collections::BTreeMap;
use std::time::Instant;

use rag_core::hit::{Hit, Leg, LegReport, Placement, Ranking};
use rag_core::id::PassageId;
use rag_core::question::Question;

use super::walk::walk;
use crate::error::GraphError;
use crate::view::View;

/// A passage found by another search, as a place to start from.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageSeed {
    /// The passage. One that the view does not have is passed over.
    pub passage: PassageId,
    /// How good a start it is, against the other seeds.
    pub weight: f32,
}

/// Share of the start that the question's names have when there are passages as well.
const NAMES_SHARE: f32 = 0.5;

impl View {
    /// The `hits` passages that the walk visits most, as a ranking with the leg [`Leg::Graph`].
    ///
    /// The walk starts at the entities that the question names, rarer ones more (Gutiérrez et al. 2024 weigh by
    /// the inverse of the passages that have a name), and at `seeds`. The view must be that of the question's
    /// asker and filter.
    pub fn local(
        &self,
        question: &Question,
        seeds: &[PassageSeed],
        hits: usize,
    ) -> Result<Ranking, GraphError> {
        let started = Instant::now();
        let scores = self.passage_scores(&question.text, seeds);
        let mut found: Vec<(u32, f32)> = (0..).zip(scores).filter(|(_, score)| *score > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let candidates = found.len() as u32;
        found.truncate(hits);
        let hits = (1..)
            .zip(found)
            .map(|(rank, (passage, score))| self.hit(rank, passage, score));
        let hits: Vec<Hit> = hits.collect::<Result<_, _>>()?;
        let left_out = (candidates == 0)
            .then(|| "the question names nothing that the readable passages name".to_owned());
        Ok(Ranking {
            question: question.clone(),
            legs: vec![LegReport {
                leg: Leg::Graph,
                candidates,
                left_out,
            }],
            hits,
            notes: Vec::new(),
            timings_ms: BTreeMap::from([("graph".to_owned(), started.elapsed().as_secs_f64() * 1e3)]),
        })
    }

    fn hit(&self, rank: u32, passage: u32, score: f32) -> Result<Hit, GraphError> {
        Ok(Hit {
            legs: BTreeMap::from([(Leg::Graph, Placement { rank, score })]),
            ..Hit::new(rank, score, self.data.passage(self.passages[passage as usize])?)
        })
    }

    /// The score of each passage of the view.
    fn passage_scores(&self, question: &str, seeds: &[PassageSeed]) -> Vec<f32> {
        let visits = self.visits(question, seeds);
        visits[self.entities.len()..].to_vec()
    }

    /// How much the walk visits each node.
    pub(crate) fn visits(&self, question: &str, seeds: &[PassageSeed]) -> Vec<f32> {
        let names = self
            .link(question)
            .into_iter()
            .filter(|linked| !self.is_hub(linked.entity.0));
        let names: Vec<(u32, f32)> = names
            .map(|linked| {
                let passages = self.entity(linked.entity).passages.max(1);
                (linked.entity.0, linked.certainty / passages as f32)
            })
            .collect();
        let passages: Vec<(u32, f32)> = seeds
            .iter()
            .filter(|seed| seed.weight > 0.0)
            .filter_map(|seed| {
                Some((
                    self.passage_node(self.passage_number(&seed.passage)?),
                    seed.weight,
                ))
            })
            .collect();
        let share = if passages.is_empty() { 1.0 } else { NAMES_SHARE };
        let mut start = scaled(names, share);
        start.extend(scaled(passages, 1.0 - NAMES_SHARE));
        walk(&self.links, &start, &self.config)
    }
}

/// The weights, scaled to sum to `share`.
fn scaled(mut seeds: Vec<(u32, f32)>, share: f32) -> Vec<(u32, f32)> {
    let total: f32 = seeds.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in &mut seeds {
        *weight *= share / total;
    }
    seeds
}
