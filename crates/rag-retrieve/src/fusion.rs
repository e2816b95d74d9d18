//! One order from several rankings, by rank alone.

use std::collections::BTreeMap;

/// Fuses rankings: each gives an item `1 / (k + rank)`, ranks from 1, and the votes are added.
///
/// Scores of the rankings are never looked at, since they live on different scales. The result is sorted
/// by score, then item, and does not depend on the order of the rankings. An item that a ranking names
/// twice counts at its first place. Source: Cormack, Clarke and Büttcher, SIGIR 2009.
pub fn reciprocal_rank_fusion<T: Ord + Copy>(rankings: &[Vec<T>], k: u32) -> Vec<(T, f64)> {
    let mut ranks: BTreeMap<T, Vec<u32>> = BTreeMap::new();
    for ranking in rankings {
        let mut first_rank: BTreeMap<T, u32> = BTreeMap::new();
        for (&item, rank) in ranking.iter().zip(1..) {
            first_rank.entry(item).or_insert(rank);
        }
        for (item, rank) in first_rank {
            ranks.entry(item).or_default().push(rank);
        }
    }
    let mut fused: Vec<(T, f64)> = ranks
        .into_iter()
        .map(|(item, ranks)| (item, score(ranks, k)))
        .collect();
    // Stable: items of one score stay in their own order.
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}

/// The sum of votes, added in the order of the ranks so that rounding is always the same.
fn score(mut ranks: Vec<u32>, k: u32) -> f64 {
    ranks.sort_unstable();
    ranks
        .into_iter()
        .map(|rank| 1.0 / (f64::from(k) + f64::from(rank)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn votes_are_added() {
        let fused = reciprocal_rank_fusion(&[vec!["a", "b", "c"], vec!["c", "d", "a"]], 60);
        let rounded: Vec<(&str, f64)> = fused
            .into_iter()
            .map(|(x, s)| (x, (s * 1e4).round() / 1e4))
            .collect();
        assert_eq!(
            rounded,
            [("a", 0.0323), ("c", 0.0323), ("b", 0.0161), ("d", 0.0161)]
        );
    }

    #[test]
    fn a_repeated_item_counts_once() {
        let fused = reciprocal_rank_fusion(&[vec![1, 1, 1], vec![2]], 60);
        assert_eq!(fused, [(1, 1.0 / 61.0), (2, 1.0 / 61.0)]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_rankings_does_not_matter(
            mut rankings in prop::collection::vec(prop::collection::vec(0u32..30, 0..20), 0..6),
            turn in 0usize..6,
        ) {
            let fused = reciprocal_rank_fusion(&rankings, 60);
            let by = turn.min(rankings.len());
            rankings.rotate_left(by);
            prop_assert_eq!(&fused, &reciprocal_rank_fusion(&rankings, 60));
            prop_assert!(fused.is_sorted_by(|a, b| (b.1, a.0) <= (a.1, b.0)));
        }
    }
}
