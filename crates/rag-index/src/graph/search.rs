//! Searches the flat graph: down through the upper layers, then broadly in the lowest.

use std::collections::BinaryHeap;

use super::{Graph, Layer};
use crate::allowed::AllowedSet;
use crate::dot::dot;
use crate::top::{Candidate, Top};
use crate::vectors::Vectors;

impl Graph {
    /// The `k` allowed passages nearest to `query` among the `ef` nearest allowed ones that the search meets.
    ///
    /// Passages that are not allowed are walked through but never kept, so a narrow filter makes the walk
    /// long; the caller scans instead when that is cheaper.
    pub(crate) fn search(
        &self,
        query: &[f32],
        vectors: &Vectors,
        allowed: &AllowedSet,
        k: usize,
        ef: usize,
    ) -> Vec<Candidate> {
        let mut walk = Walk {
            graph: self,
            query,
            vectors,
            seen: vec![0; vectors.len().div_ceil(64)],
        };
        let entry = walk.descend();
        let mut found = walk.broaden(entry, allowed, ef.max(k));
        found.truncate(k);
        found
    }
}

/// One search under way.
struct Walk<'g> {
    graph: &'g Graph,
    query: &'g [f32],
    vectors: &'g Vectors,
    /// One bit per passage that was looked at in the lowest layer.
    seen: Vec<u64>,
}

impl Walk<'_> {
    /// The nearest passage that the upper layers lead to.
    fn descend(&self) -> Candidate {
        let mut best = self.scored(self.graph.entry);
        for layer in self.graph.layers[1..].iter().rev() {
            best = self.nearest_in(layer, best);
        }
        best
    }

    /// Goes to the best neighbour until none is better.
    fn nearest_in(&self, layer: &Layer, from: Candidate) -> Candidate {
        let mut best = from;
        loop {
            let links = self.graph.links(layer, best.ordinal);
            let known = links.iter().filter(|&&link| (link as usize) < self.vectors.len());
            let next = known.map(|&link| self.scored(link)).max();
            match next.filter(|next| *next > best) {
                Some(next) => best = next,
                None => return best,
            }
        }
    }

    /// Best-first search of the lowest layer until the `ef` best allowed ones cannot get better.
    fn broaden(&mut self, entry: Candidate, allowed: &AllowedSet, ef: usize) -> Vec<Candidate> {
        let graph = self.graph;
        let mut open = BinaryHeap::from([entry]);
        let mut found = Top::new(ef);
        self.see(entry.ordinal);
        offer(&mut found, entry, allowed);
        while let Some(nearest) = open.pop() {
            if !found.wants(nearest) && found.worst() != Some(nearest) {
                break;
            }
            for &link in graph.links(&graph.layers[0], nearest.ordinal) {
                if !self.see(link) {
                    continue;
                }
                let candidate = self.scored(link);
                if found.wants(candidate) {
                    open.push(candidate);
                    offer(&mut found, candidate, allowed);
                }
            }
        }
        found.into_sorted()
    }

    fn scored(&self, ordinal: u32) -> Candidate {
        let score = dot(self.query, self.vectors.row(ordinal as usize));
        Candidate { ordinal, score }
    }

    /// Marks a passage as looked at; false when it was already, or when there is no such passage.
    fn see(&mut self, ordinal: u32) -> bool {
        let (word, bit) = (ordinal as usize / 64, 1 << (ordinal % 64));
        if ordinal as usize >= self.vectors.len() || self.seen[word] & bit != 0 {
            return false;
        }
        self.seen[word] |= bit;
        true
    }
}

fn offer(found: &mut Top, candidate: Candidate, allowed: &AllowedSet) {
    if candidate.score > 0.0 && allowed.contains(candidate.ordinal) {
        found.offer(candidate);
    }
}
