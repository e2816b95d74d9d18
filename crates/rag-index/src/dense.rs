//! The dense leg: an exact scan, or the graph where that is cheaper.

use rag_models::ModelIdentity;

use crate::allowed::AllowedSet;
use crate::config::SearchConfig;
use crate::dot::dot;
use crate::error::IndexError;
use crate::graph::Graph;
use crate::top::{Candidate, Top};
use crate::vectors::{Vectors, fault};

/// Vectors, and the graph over them if there are enough.
pub(crate) struct Dense {
    vectors: Vectors,
    graph: Option<Graph>,
    ef: usize,
    graph_cost: f32,
}

/// How a search is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Every allowed passage is compared.
    Scan,
    /// The graph leads to the nearest ones.
    Graph,
}

impl Dense {
    pub(crate) fn new(vectors: Vectors, graph: Option<Graph>, config: &SearchConfig) -> Self {
        Self {
            vectors,
            graph,
            ef: config.ef as usize,
            graph_cost: config.graph_cost,
        }
    }

    pub(crate) fn identity(&self) -> &ModelIdentity {
        self.vectors.identity()
    }

    /// The `k` allowed passages nearest to `query`.
    pub(crate) fn search(
        &self,
        query: &[f32],
        allowed: &AllowedSet,
        k: usize,
    ) -> Result<Vec<Candidate>, IndexError> {
        self.check(query)?;
        match (&self.graph, self.plan(allowed, k)) {
            (Some(graph), Plan::Graph) => Ok(self.walk(graph, query, allowed, k)),
            _ => Ok(self.scan(query, allowed, k)),
        }
    }

    /// How [`Dense::search`] finds them. The graph's links and its order of insertion follow from all passages, so
    /// where scores may depend on none but the readable ones, those are scanned.
    pub(crate) fn plan(&self, allowed: &AllowedSet, k: usize) -> Plan {
        if self.graph.is_none() || allowed.basis().is_some() {
            return Plan::Scan;
        }
        plan(allowed.len(), self.vectors.len(), self.ef.max(k), self.graph_cost)
    }

    /// The vectors.
    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// The graph, if there is one.
    pub(crate) fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The nearest that `graph`, which must be over the same vectors, leads to.
    pub(crate) fn walk(
        &self,
        graph: &Graph,
        query: &[f32],
        allowed: &AllowedSet,
        k: usize,
    ) -> Vec<Candidate> {
        graph.search(query, &self.vectors, allowed, k, self.ef.max(k))
    }

    /// The nearest, exactly: every allowed passage is compared.
    pub(crate) fn scan(&self, query: &[f32], allowed: &AllowedSet, k: usize) -> Vec<Candidate> {
        let mut top = Top::new(k);
        let dimension = self.vectors.identity().dimension;
        let all = self.vectors.all();
        for ordinal in allowed.ordinals() {
            let start = ordinal as usize * dimension;
            let score = dot(query, &all[start..start + dimension]);
            if score > 0.0 {
                top.offer(Candidate { ordinal, score });
            }
        }
        top.into_sorted()
    }

    /// Refuses what cannot be compared with the vectors.
    pub(crate) fn check(&self, query: &[f32]) -> Result<(), IndexError> {
        let expected = self.vectors.identity().dimension;
        if query.len() != expected {
            let reason = format!("has {} numbers where the index has {expected}", query.len());
            return Err(IndexError::QueryVector { reason });
        }
        match fault(query) {
            Some(reason) => Err(IndexError::QueryVector {
                reason: format!("is one {reason}"),
            }),
            None => Ok(()),
        }
    }
}

/// Chooses the way that computes fewer distances: a scan one per allowed passage, the graph `graph_cost`
/// per kept candidate, and more the rarer allowed passages are among those that it meets.
fn plan(allowed: u64, passages: usize, ef: usize, graph_cost: f32) -> Plan {
    let share = allowed as f64 / passages.max(1) as f64;
    let graph = ef as f64 * f64::from(graph_cost) / share;
    if graph < allowed as f64 {
        Plan::Graph
    } else {
        Plan::Scan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_is_for_broad_filters_over_many_passages() {
        let cases = [
            (1_500, 1_500, Plan::Scan),
            (1_000_000, 1_000_000, Plan::Graph),
            (100_000, 1_000_000, Plan::Graph),
            (10_000, 1_000_000, Plan::Scan),
            (0, 1_000_000, Plan::Scan),
            (0, 0, Plan::Scan),
        ];
        for (allowed, passages, expected) in cases {
            assert_eq!(
                plan(allowed, passages, 100, 20.0),
                expected,
                "{allowed} of {passages}"
            );
        }
        assert_eq!(plan(1, 1, 200, 0.0), Plan::Graph);
    }
}
