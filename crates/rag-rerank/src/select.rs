//! Which of the reranked passages are kept, and in which order: versions put right, and diversity.

use rag_core::hit::Hit;
use rag_core::passage::Passage;
use rag_core::text::{Analyzer, TermCounts};
use rag_core::version::{names_version, replaces};

use crate::config::Config;

/// Puts the hits, best first, into the order that the settings want. The scores are dealt out anew in that
/// order, so that it can be rebuilt from the scores alone.
pub(crate) fn select(mut hits: Vec<Hit>, question: &str, config: &Config) -> Vec<Hit> {
    let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    if config.diversity_weight < 1.0 {
        hits = diversify(hits, config.diversity_weight);
    }
    if config.newest_first {
        newest_first(&mut hits, question);
    }
    for ((hit, score), rank) in hits.iter_mut().zip(scores).zip(1..) {
        hit.score = score;
        hit.rank = rank;
    }
    hits
}

/// Moves a passage of a newer document directly before the first one of a document that it replaces
/// ([`replaces`]), unless `question` says which version is meant.
fn newest_first(hits: &mut [Hit], question: &str) {
    for at in 0..hits.len() {
        let older = &hits[at].passage;
        let is_wanted = |newer: &Passage| replaces(newer, older) && !names_version(question, older, newer);
        let newer = (at + 1..hits.len()).find(|&later| is_wanted(&hits[later].passage));
        if let Some(newer) = newer {
            hits[at..=newer].rotate_right(1);
        }
    }
}

/// Puts the hits in the order of maximal marginal relevance: each next one is that with the highest
/// `weight * relevance - (1 - weight) * likeness`, where relevance is its score scaled to 0..1 over the hits and
/// likeness the highest cosine of its terms with those of a passage placed before (Carbonell and Goldstein,
/// SIGIR 1998). The first hit stays.
fn diversify(hits: Vec<Hit>, weight: f32) -> Vec<Hit> {
    let relevance = scaled(&hits);
    let mut rest: Vec<(Hit, f32, TermCounts, f32)> = hits
        .into_iter()
        .zip(relevance)
        .map(|(hit, relevance)| {
            let counts = TermCounts::of(&hit.passage.text, &Analyzer::new(hit.passage.language));
            (hit, relevance, counts, 0.0)
        })
        .collect();
    let mut placed = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let margin = |(_, relevance, _, likeness): &(Hit, f32, TermCounts, f32)| {
            weight * relevance - (1.0 - weight) * likeness
        };
        // Of equals the earlier one: `max_by` takes the last.
        let best = (0..rest.len())
            .rev()
            .max_by(|&a, &b| margin(&rest[a]).total_cmp(&margin(&rest[b])))
            .unwrap_or(0);
        let (hit, _, counts, _) = rest.remove(best);
        for (_, _, other, likeness) in &mut rest {
            *likeness = likeness.max(counts.cosine(other));
        }
        placed.push(hit);
    }
    placed
}

/// Scores from 0, the lowest, to 1; all 1 when they are alike.
fn scaled(hits: &[Hit]) -> Vec<f32> {
    let scores = || hits.iter().map(|hit| hit.score);
    let (low, high) = (
        scores().fold(f32::INFINITY, f32::min),
        scores().fold(f32::NEG_INFINITY, f32::max),
    );
    let scale = |score: f32| {
        if high > low {
            (score - low) / (high - low)
        } else {
            1.0
        }
    };
    scores().map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::hit;

    fn ids(hits: &[Hit]) -> Vec<String> {
        hits.iter()
            .map(|hit| hit.passage.id.document.to_string())
            .collect()
    }

    #[test]
    fn a_newer_version_comes_before_the_one_it_replaces() {
        let dated = |id: &str, title: &str, day: &str, rank| {
            let mut hit = hit(id, "text", rank);
            hit.passage.title = title.to_owned();
            hit.passage.updated = Some(day.parse().unwrap());
            hit
        };
        let hits = vec![
            dated("old#0", "Travel policy 2023", "2023-01-01", 1),
            dated("lunch#0", "Lunch", "2026-01-01", 2),
            dated("new#0", "Travel policy 2026", "2026-01-01", 3),
        ];
        let order = |question: &str| {
            let mut hits = hits.clone();
            newest_first(&mut hits, question);
            ids(&hits)
        };
        assert_eq!(order("May I fly business class?"), ["new", "old", "lunch"]);
        assert_eq!(order("Might I in 2023?"), ["old", "lunch", "new"]);
    }

    #[test]
    fn what_was_said_already_comes_later() {
        let scored = |id: &str, text: &str, score: f32| Hit {
            score,
            ..hit(id, text, 1)
        };
        let hits = vec![
            scored("a#0", "The meter lost its clock.", 1.0),
            scored("b#0", "The meter has lost its clock again.", 0.9),
            scored("c#0", "Order a new battery from the depot.", 0.8),
            scored("d#0", "Cats purr.", 0.0),
        ];
        assert_eq!(ids(&diversify(hits.clone(), 1.0)), ["a", "b", "c", "d"]);
        assert_eq!(ids(&diversify(hits.clone(), 0.6)), ["a", "c", "b", "d"]);
        assert_eq!(ids(&diversify(Vec::new(), 0.5)), Vec::<String>::new());
        assert_eq!(ids(&diversify(hits, 0.0))[0], "a");
    }
}
