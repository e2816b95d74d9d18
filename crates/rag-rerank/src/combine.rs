//! One order out of several: the reranker's and those that the candidates came in.

use std::collections::BTreeSet;

use rag_core::hit::{Hit, Leg, Placement};

use crate::config::Rule;

/// Scores candidates by what each leg and the reranker gave them, under `rule`; higher is better.
///
/// `candidates` carry their places in `legs` and in `reranked`; one that the reranker did not read has
/// no place there. A candidate without a place in any leg, as after a search with one ranking, counts
/// with its present one. The result is in the order of `candidates` and does not depend on it.
pub fn combine(candidates: &[Hit], rule: Rule) -> Vec<f32> {
    match rule {
        Rule::Fused => candidates.iter().map(|hit| hit.score).collect(),
        Rule::Replace => candidates.iter().map(reranked_score).collect(),
        Rule::Fuse { weight, k } => candidates.iter().map(|hit| fuse(hit, weight, k)).collect(),
        Rule::Standardise { weight } => standardise(candidates, weight),
    }
}

fn reranked_score(hit: &Hit) -> f32 {
    hit.reranked.map_or(f32::NEG_INFINITY, |place| place.score)
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

fn standardise(candidates: &[Hit], weight: f32) -> Vec<f32> {
    let legs: BTreeSet<Leg> = candidates
        .iter()
        .flat_map(|hit| hit.legs.keys().copied())
        .collect();
    let mut totals = vec![0.0; candidates.len()];
    let mut add = |weight: f64, score: &dyn Fn(&Hit) -> Option<f32>| {
        let scores: Vec<Option<f32>> = candidates.iter().map(score).collect();
        for (total, standard) in totals.iter_mut().zip(standard_scores(&scores)) {
            *total += weight * standard;
        }
    };
    if legs.is_empty() {
        add(1.0, &|hit| Some(hit.score));
    }
    for leg in legs {
        add(1.0, &|hit| Some(hit.legs.get(&leg)?.score));
    }
    add(f64::from(weight), &|hit| Some(hit.reranked?.score));
    totals.into_iter().map(|total| total as f32).collect()
}

/// How many standard deviations each score is above the mean. What has no score counts as the lowest.
fn standard_scores(scores: &[Option<f32>]) -> Vec<f64> {
    let mut known: Vec<f64> = scores.iter().flatten().map(|&score| f64::from(score)).collect();
    // Sums of floats depend on their order, and the result must not.
    known.sort_by(f64::total_cmp);
    let count = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / count;
    let deviation = (known.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    let lowest = known.first().copied().unwrap_or_default();
    let standard = |score: &Option<f32>| {
        if deviation > 0.0 {
            (score.map_or(lowest, f64::from) - mean) / deviation
        } else {
            0.0
        }
    };
    scores.iter().map(standard).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rag_core::hit::Leg;

    use super::*;
    use crate::testing::hit;

    fn placed(bm25: Option<u32>, dense: Option<u32>, reranked: Option<(u32, f32)>) -> Hit {
        let place = |rank| Placement {
            rank,
            score: 1.0 / rank as f32,
        };
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
    fn standard_scores_are_added_and_a_missing_one_is_the_lowest() {
        let scored = |bm25: Option<f32>, reranked: f32| {
            let mut hit = placed(bm25.map(|_| 1), None, Some((1, reranked)));
            if let Some(score) = bm25 {
                hit.legs.insert(Leg::Bm25, Placement { rank: 1, score });
            }
            hit
        };
        let hits = [scored(Some(4.0), -1.0), scored(Some(2.0), 1.0), scored(None, 1.0)];
        let found = combine(&hits, Rule::Standardise { weight: 2.0 });
        let root = 2f32.sqrt();
        for (found, expected) in found.iter().zip([1.0 - 2.0 * root, root - 1.0, root - 1.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
        assert_eq!(combine(&hits[..1], Rule::Standardise { weight: 2.0 }), [0.0]);
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
            let hits: Vec<Hit> = places.iter()
                .map(|&(a, b, r)| placed(Some(a), Some(b), Some((r, -(r as f32)))))
                .collect();
            for rule in [Rule::Fuse { weight, k: 60 }, Rule::Standardise { weight }] {
                let mut hits = hits.clone();
                let mut forward = combine(&hits, rule);
                hits.reverse();
                let backward = combine(&hits, rule);
                forward.reverse();
                prop_assert_eq!(forward, backward);
            }
        }
    }
}
