//! One order out of several: the reranker's and those that the candidates came in.

use rag_core::hit::{Hit, Placement};

use crate::config::Rule;

/// Scores candidates by their places in each leg and by the reranker, under `rule`; higher is better.
///
/// `candidates` carry their places in `legs` and in `reranked`; one that the reranker did not read has
/// no place there. A candidate without a place in any leg, as after a search with one ranking, counts
/// with its present rank. The result is in the order of `candidates` and does not depend on it.
pub fn combine(candidates: &[Hit], rule: Rule) -> Vec<f32> {
    candidates
        .iter()
        .map(|hit| match rule {
            Rule::Replace => hit.reranked.map_or(f32::NEG_INFINITY, |place| place.score),
            Rule::Fuse { weight, k } => fuse(hit, weight, k),
        })
        .collect()
}

fn fuse(hit: &Hit, weight: f32, k: u32) -> f32 {
    let share = |place: &Placement| 1.0 / (f64::from(k) + f64::from(place.rank));
    let found: f64 = if hit.legs.is_empty() {
        1.0 / (f64::from(k) + f64::from(hit.rank))
    } else {
        hit.legs.values().map(share).sum()
    };
    (found + f64::from(weight) * hit.reranked.as_ref().map_or(0.0, share)) as f32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rag_core::hit::Leg;

    use super::*;
    use crate::testing::hit;

    fn placed(bm25: Option<u32>, dense: Option<u32>, reranked: Option<(u32, f32)>) -> Hit {
        let place = |rank| Placement { rank, score: 0.0 };
        let legs = [(Leg::Bm25, bm25), (Leg::Dense, dense)]
            .into_iter()
            .filter_map(|(leg, rank)| Some((leg, place(rank?))))
            .collect::<BTreeMap<_, _>>();
        Hit {
            legs,
            reranked: reranked.map(|(rank, score)| Placement { rank, score }),
            ..hit("a#0", "text", 9)
        }
    }

    #[test]
    fn each_rule_scores_by_its_formula() {
        let one = placed(Some(1), Some(2), Some((3, 7.5)));
        let fused = Rule::Fuse { weight: 2.0, k: 60 };
        let expected = 1.0 / 61.0 + 1.0 / 62.0 + 2.0 / 63.0;
        assert!((combine(std::slice::from_ref(&one), fused)[0] - expected).abs() < 1e-6);
        assert_eq!(combine(&[one], Rule::Replace), [7.5]);
    }

    #[test]
    fn a_candidate_without_legs_counts_with_its_present_rank() {
        let lone = placed(None, None, Some((1, 0.0)));
        let score = combine(&[lone], Rule::Fuse { weight: 1.0, k: 60 })[0];
        assert!((score - (1.0 / 69.0 + 1.0 / 61.0)).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn the_order_of_candidates_does_not_matter(
            places in prop::collection::vec((1u32..40, 1u32..40, 1u32..40), 1..20),
            weight in 0f32..4.0,
        ) {
            let rule = Rule::Fuse { weight, k: 60 };
            let mut hits: Vec<Hit> = places.iter()
                .map(|&(a, b, r)| placed(Some(a), Some(b), Some((r, -(r as f32)))))
                .collect();
            let mut forward = combine(&hits, rule);
            hits.reverse();
            let backward = combine(&hits, rule);
            forward.reverse();
            prop_assert_eq!(forward, backward);
        }
    }
}
