//! Reranking on made-up candidates.

use proptest::prelude::*;

use super::*;
use crate::config::Rule;
use crate::cross_encoder::CrossEncoderReranker;
use crate::testing::{Fixed, WordOverlap, ranking};

fn ids(ranking: &Ranking) -> Vec<String> {
    ranking
        .hits
        .iter()
        .map(|hit| hit.passage.id.to_string())
        .collect()
}

fn config(candidates: usize, keep: usize, combine: Rule) -> Config {
    Config {
        candidates,
        keep,
        combine,
        ..Config::default()
    }
}

#[test]
fn the_rerankers_order_replaces_the_fused_one_and_all_places_are_kept() {
    let reranker = Fixed::new(&[1.0, 3.0, 2.0]);
    let found = rerank(ranking("question", 3), &reranker, &config(30, 2, Rule::Replace)).unwrap();
    assert_eq!(ids(&found), ["d1#0", "d2#0"]);
    let first = &found.hits[0];
    assert_eq!((first.rank, first.fused.map(|place| place.rank)), (1, Some(2)));
    assert_eq!(first.reranked, Some(Placement { rank: 1, score: 3.0 }));
    assert!(found.timings_ms.contains_key("rerank"));
}

#[test]
fn the_best_passage_of_every_part_comes_first() {
    let mut asked = ranking("What is red, and what is blue?", 3);
    asked.question.sub_questions = vec!["What is red".into(), "what is blue".into()];
    for (hit, text) in asked.hits.iter_mut().zip(["car", "red", "blue sky"]) {
        text.clone_into(&mut hit.passage.text);
    }
    let model = WordOverlap::default();
    let reranker = CrossEncoderReranker::new(&model);
    let found = rerank(asked, &reranker, &config(30, 2, Rule::Replace)).unwrap();
    let mut best = ids(&found);
    best.sort();
    assert_eq!(best, ["d1#0", "d2#0"]);
}

#[test]
fn passages_beyond_the_candidates_follow_in_their_order() {
    let reranker = Fixed::new(&[1.0, 3.0]);
    let found = rerank(ranking("question", 5), &reranker, &config(2, 10, Rule::Replace)).unwrap();
    assert_eq!(ids(&found), ["d1#0", "d0#0", "d2#0", "d3#0", "d4#0"]);
    assert!(found.hits.windows(2).all(|pair| pair[0].score > pair[1].score));
    assert!(found.hits[2].reranked.is_none());
}

#[test]
fn a_language_that_is_not_served_keeps_its_order_with_a_note() {
    let reranker = Fixed {
        languages: vec![Language::ENGLISH],
        ..Fixed::new(&[0.0, 9.0])
    };
    let found = rerank(
        ranking("كم يوما من الإجازة السنوية؟", 2),
        &reranker,
        &Config::default(),
    )
    .unwrap();
    assert_eq!(ids(&found), ["d0#0", "d1#0"]);
    assert!(found.notes[0].contains("`ar`"), "{:?}", found.notes);
}

#[test]
fn truncated_text_is_noted() {
    let reranker = Fixed {
        truncated: 7,
        ..Fixed::new(&[1.0, 2.0])
    };
    let found = rerank(ranking("question", 2), &reranker, &Config::default()).unwrap();
    assert_eq!(
        found.notes,
        ["reranker did not read 14 tokens of 2 passages beyond its limit"]
    );
}

#[test]
fn scores_that_cannot_be_ranked_are_refused() {
    for scores in [&[1.0][..], &[1.0, f32::NAN]] {
        let refused = rerank(ranking("question", 2), &Fixed::new(scores), &Config::default());
        assert!(matches!(refused, Err(RerankError::Scores { .. })), "{scores:?}");
    }
}

#[test]
fn no_hits_are_no_work() {
    assert!(
        rerank(ranking("question", 0), &Fixed::new(&[]), &Config::default())
            .unwrap()
            .hits
            .is_empty()
    );
}

proptest! {
    #[test]
    fn the_result_is_a_ranked_subset(scores in prop::collection::vec(-9f32..9.0, 0..12), keep in 1usize..15) {
        let before = ranking("question", scores.len());
        let known = ids(&before);
        let found = rerank(before, &Fixed::new(&scores), &config(30, keep, Rule::default())).unwrap();
        prop_assert_eq!(found.hits.len(), keep.min(known.len()));
        for (hit, rank) in found.hits.iter().zip(1..) {
            prop_assert_eq!(hit.rank, rank);
            prop_assert!(known.contains(&hit.passage.id.to_string()));
        }
        prop_assert!(found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}
