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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;
    use rag_core::artifact::Digest;
    use rag_core::progress::Silent;
    use rag_models::Embedder;
    use roaring::RoaringBitmap;

    use super::super::{Graph, build};
    use super::*;
    use crate::config::GraphConfig;
    use crate::testing::{FakeEmbedder, unit_vector};
    use crate::vectors;

    const DIMENSION: usize = 24;

    fn built(count: usize) -> (tempfile::TempDir, PathBuf, Vectors) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let model = FakeEmbedder::new(DIMENSION);
        let mut writer = vectors::Writer::create(&path, model.identity(), count).unwrap();
        // The last one stays zero.
        for row in 0..count - 1 {
            writer
                .write(row, &unit_vector(DIMENSION, &format!("{row}")))
                .unwrap();
        }
        let vectors = Vectors::open(&path).unwrap();
        let path = folder.path().join("graph");
        build(&vectors, &GraphConfig::default(), &path, &Silent).unwrap();
        (folder, path, vectors)
    }

    fn every(step: usize, count: usize) -> AllowedSet {
        let ordinals: RoaringBitmap = (0..count as u32).step_by(step).collect();
        AllowedSet::new(Digest::of(b"g"), ordinals)
    }

    fn exact(vectors: &Vectors, query: &[f32], allowed: &AllowedSet, k: usize) -> Vec<Candidate> {
        let mut top = Top::new(k);
        for ordinal in allowed.ordinals() {
            let score = dot(query, vectors.row(ordinal as usize));
            offer(&mut top, Candidate { ordinal, score }, allowed);
        }
        top.into_sorted()
    }

    #[test]
    fn nearly_all_of_the_nearest_allowed_passages_are_found_in_order() {
        let count = 2_000;
        let (_folder, path, vectors) = built(count);
        let graph = Graph::open(&path, count).unwrap();
        for step in [1, 3] {
            let allowed = every(step, count);
            let mut found = 0;
            for n in 0..50 {
                let query = unit_vector(DIMENSION, &format!("question {n}"));
                let expected = exact(&vectors, &query, &allowed, 10);
                let result = graph.search(&query, &vectors, &allowed, 10, 200);
                assert!(result.is_sorted_by(|a, b| a > b));
                assert!(result.iter().all(|c| allowed.contains(c.ordinal)));
                found += expected.iter().filter(|c| result.contains(c)).count();
            }
            assert!(found >= 495, "{found} of 500, one in {step} allowed");
        }
    }

    #[test]
    fn a_graph_about_other_passages_is_refused() {
        let (_folder, path, _vectors) = built(50);
        assert!(Graph::open(&path, 51).is_err());
        let bytes = fs_err::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs_err::write(&path, &bytes[..length]).unwrap();
            assert!(Graph::open(&path, 50).is_err(), "cut at {length}");
        }
    }

    proptest! {
        #[test]
        fn a_damaged_graph_finds_less_but_never_panics_or_leaks(
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)
        ) {
            let count = 40;
            let (_folder, path, vectors) = built(count);
            let mut bytes = fs_err::read(&path).unwrap();
            for (at, value) in damage {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            fs_err::write(&path, bytes).unwrap();
            if let Ok(graph) = Graph::open(&path, count) {
                let allowed = every(2, count);
                let found = graph.search(&unit_vector(DIMENSION, "q"), &vectors, &allowed, 5, 20);
                prop_assert!(found.iter().all(|c| allowed.contains(c.ordinal)));
            }
        }
    }
}
