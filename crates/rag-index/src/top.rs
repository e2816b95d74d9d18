//! The best of many scored passages, in the one order that all rankings share.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A passage that a leg found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Which passage: its place among the generation's passages in the order of their ids.
    pub ordinal: u32,
    /// The leg's score; higher is better.
    pub score: f32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// Greater is better: the higher score, then the smaller passage id.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.ordinal.cmp(&self.ordinal))
    }
}

/// Keeps the `k` best candidates offered to it.
#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl Top {
    /// Keeps at most `k`.
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::new(),
        }
    }

    /// A candidate that is not better than this one will not be kept, once there are `k`.
    pub(crate) fn worst(&self) -> Option<Candidate> {
        (self.heap.len() >= self.k)
            .then(|| self.heap.peek().map(|worst| worst.0))
            .flatten()
    }

    /// True when `candidate` would be kept.
    pub(crate) fn wants(&self, candidate: Candidate) -> bool {
        self.k > 0 && self.worst().is_none_or(|worst| candidate > worst)
    }

    /// Keeps `candidate` if it is among the best so far. A score that is no number is not kept.
    pub(crate) fn offer(&mut self, candidate: Candidate) {
        if candidate.score.is_nan() || !self.wants(candidate) {
            return;
        }
        if self.heap.len() >= self.k {
            self.heap.pop();
        }
        self.heap.push(Reverse(candidate));
    }

    /// The kept candidates, best first.
    pub(crate) fn into_sorted(self) -> Vec<Candidate> {
        let sorted = self.heap.into_sorted_vec();
        sorted.into_iter().map(|candidate| candidate.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_kept_and_ties_go_to_the_smaller_id(scores in prop::collection::vec(0u8..4, 0..40), k in 0usize..12) {
            let all: Vec<Candidate> =
                scores.iter().zip(0..).map(|(&s, ordinal)| Candidate { ordinal, score: f32::from(s) }).collect();
            let mut top = Top::new(k);
            for &candidate in &all {
                top.offer(candidate);
            }
            let mut expected = all;
            expected.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
            expected.truncate(k);
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }

    #[test]
    fn what_is_no_number_is_never_kept() {
        let mut top = Top::new(2);
        for score in [f32::NAN, 1.0, f32::NAN, 0.5, -f32::NAN] {
            top.offer(Candidate { ordinal: 0, score });
        }
        assert_eq!(top.into_sorted().len(), 2);
    }
}
