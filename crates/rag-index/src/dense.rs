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
        let share = self.share(allowed);
        plan(
            allowed.len(),
            share,
            widened(self.ef, share).max(k),
            self.graph_cost,
        )
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
        let ef = widened(self.ef, self.share(allowed)).max(k);
        graph.search(query, &self.vectors, allowed, k, ef)
    }

    /// The part of all passages that is allowed, 0 to 1.
    fn share(&self, allowed: &AllowedSet) -> f64 {
        allowed.len() as f64 / self.vectors.len().max(1) as f64
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

/// How many allowed candidates a walk keeps where `share` of all passages is allowed.
///
/// A filter is rarely drawn at random: a department's passages lie together, and the walk reaches them through
/// passages that it may not keep. So the search goes on for longer than the filter's size alone would ask;
/// what `audit filtered-recall` finds with departments of half a collection is what the square was set by.
fn widened(ef: usize, share: f64) -> usize {
    (ef as f64 / (share * share).max(f64::MIN_POSITIVE)) as usize
}

/// Chooses the way that computes fewer distances: a scan one per allowed passage, the graph `graph_cost`
/// per candidate that it keeps, already [`widened`], and more the rarer allowed passages are among those that it meets.
fn plan(allowed: u64, share: f64, kept: usize, graph_cost: f32) -> Plan {
    if kept as f64 * f64::from(graph_cost) < allowed as f64 * share {
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
            (1_500_u64, 1_500_u32, Plan::Scan),
            (1_000_000, 1_000_000, Plan::Graph),
            (500_000, 1_000_000, Plan::Graph),
            (100_000, 1_000_000, Plan::Scan),
            (10_000, 1_000_000, Plan::Scan),
            (0, 1_000_000, Plan::Scan),
            (0, 0, Plan::Scan),
        ];
        for (allowed, passages, expected) in cases {
            let share = allowed as f64 / f64::from(passages.max(1));
            let chosen = plan(allowed, share, widened(100, share), 20.0);
            assert_eq!(chosen, expected, "{allowed} of {passages}");
        }
        assert_eq!(plan(1, 1.0, 200, 0.0), Plan::Graph);
    }

    #[test]
    fn a_walk_keeps_more_the_less_is_allowed() {
        let kept = [1.0, 0.5, 0.25].map(|share| widened(200, share));
        assert_eq!(kept, [200, 800, 3_200]);
    }
}
