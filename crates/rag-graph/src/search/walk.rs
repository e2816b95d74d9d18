//! Personalised PageRank by forward push (Andersen, Chung and Lang 2006): the probability that a walk which
//! starts at the seeds, and returns to them at every step with some probability, is found at a node.
//!
//! Only nodes near the seeds are touched, so the cost follows from the tolerance and not from the graph's size.

use std::collections::VecDeque;

use crate::config::SearchConfig;
use crate::view::Links;

/// The probability at each node; it sums to at most 1, and is a little too low by the tolerance.
pub(super) fn walk(links: &Links, seeds: &[(u32, f32)], config: &SearchConfig) -> Vec<f32> {
    let mut found = vec![0.0f32; links.nodes()];
    let mut waiting = vec![0.0f32; links.nodes()];
    let total: f32 = seeds.iter().map(|(_, weight)| weight).sum();
    if total.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return found;
    }
    let restart = config.restart as f32;
    let tolerance = config.tolerance as f32;
    let mut queue: VecDeque<u32> = VecDeque::new();
    for &(node, weight) in seeds {
        waiting[node as usize] += weight / total;
        queue.push_back(node);
    }
    let mut pushes = 0;
    while let Some(node) = queue.pop_front() {
        let amount = waiting[node as usize];
        let degree = links.degree(node);
        if amount <= tolerance * degree as f32 || pushes >= config.max_pushes {
            continue;
        }
        pushes += 1;
        waiting[node as usize] = 0.0;
        found[node as usize] += restart * amount;
        let strength = links.strength(node);
        if strength <= 0.0 {
            found[node as usize] += (1.0 - restart) * amount;
            continue;
        }
        let share = (1.0 - restart) * amount / strength;
        for (other, link) in links.of(node) {
            let before = waiting[other as usize];
            let after = before + share * link.weight;
            waiting[other as usize] = after;
            let limit = tolerance * links.degree(other) as f32;
            if before <= limit && after > limit {
                queue.push_back(other);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::NO_PAIR;
    use crate::view::links::Link;
    use proptest::prelude::*;

    fn links(nodes: usize, edges: &[(u32, u32)]) -> Links {
        let mut edges: Vec<(u32, u32)> = edges
            .iter()
            .map(|&(a, b)| (a % nodes as u32, b % nodes as u32))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let link = Link {
            weight: 1.0,
            pair: NO_PAIR,
            cost: 1.0,
        };
        Links::new(nodes, edges.into_iter().map(|(a, b)| (a, b, link)))
    }

    /// The same by iterating over the whole graph.
    fn iterated(links: &Links, seed: u32, restart: f32) -> Vec<f32> {
        let nodes = links.nodes();
        let mut found = vec![0.0; nodes];
        found[seed as usize] = 1.0;
        for _ in 0..200 {
            let mut next = vec![0.0; nodes];
            next[seed as usize] = restart;
            for node in 0..nodes as u32 {
                for (other, link) in links.of(node) {
                    let share = found[node as usize] * link.weight / links.strength(node);
                    next[other as usize] += (1.0 - restart) * share;
                }
            }
            found = next;
        }
        found
    }

    proptest! {
        #[test]
        fn pushing_agrees_with_iterating(
            nodes in 2..12usize,
            edges in proptest::collection::vec((0..12u32, 0..12u32), 8..40),
        ) {
            let links = links(nodes, &edges);
            prop_assume!((0..nodes as u32).all(|node| links.degree(node) > 0));
            let config = SearchConfig { tolerance: 1e-7, ..SearchConfig::default() };
            let pushed = walk(&links, &[(0, 3.0)], &config);
            let exact = iterated(&links, 0, config.restart as f32);
            for (a, b) in pushed.iter().zip(&exact) {
                prop_assert!((a - b).abs() < 1e-4, "{:?} {:?}", pushed, exact);
            }
        }
    }

    #[test]
    fn no_seed_goes_nowhere() {
        let links = links(3, &[(0, 1)]);
        assert_eq!(walk(&links, &[], &SearchConfig::default()), [0.0; 3]);
        assert_eq!(walk(&links, &[(2, 1.0)], &SearchConfig::default())[0], 0.0);
    }
}
