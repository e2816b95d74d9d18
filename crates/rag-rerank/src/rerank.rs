//! Reranks one ranking and records every candidate's place on the way.

use std::time::Instant;

use rag_core::hit::{Hit, Placement, Ranking};
use rag_core::language::Language;
use rag_core::passage::Passage;

use crate::combine::combine;
use crate::config::{Config, Rule};
use crate::error::RerankError;
use crate::reranker::{Reranker, Scores};
use crate::select::select;

/// Puts the best `config.candidates` of `ranking` into the order that `reranker` and `config.combine`
/// give, and keeps `config.keep`.
///
/// The parts of a question that was taken apart are scored each by itself.
/// A reranker that does not serve the question's language leaves the order as it is, with a note; so
/// does text that the reranker did not read. Ties are broken by passage id.
pub fn rerank(
    mut ranking: Ranking,
    reranker: &dyn Reranker,
    config: &Config,
) -> Result<Ranking, RerankError> {
    config.check()?;
    let started = Instant::now();
    let language = Language::detect(&ranking.question.text);
    if config.combine == Rule::Fused {
        // Only the number of passages is left to decide.
    } else if reranker.serves(language) {
        let rest = ranking.hits.split_off(config.candidates.min(ranking.hits.len()));
        let scores = score(reranker, &ranking)?;
        note_truncation(&scores, &mut ranking.notes);
        ranking.hits = reorder(std::mem::take(&mut ranking.hits), &scores.values, config);
        ranking.hits = select(std::mem::take(&mut ranking.hits), &ranking.question.text, config);
        append_unread(rest, &mut ranking.hits);
    } else {
        let note = format!(
            "reranker left out: {} does not serve questions in `{language}`",
            reranker.name()
        );
        ranking.notes.push(note);
    }
    ranking.hits.truncate(config.keep);
    ranking
        .timings_ms
        .insert("rerank".to_owned(), started.elapsed().as_secs_f64() * 1e3);
    Ok(ranking)
}

/// Scores every hit of `ranking` for each part of its question.
///
/// Scores of different questions have different levels, so each part's are shifted until its best equals the
/// best of all; a passage counts with its highest. So the best passage of every part comes first.
fn score(reranker: &dyn Reranker, ranking: &Ranking) -> Result<Scores, RerankError> {
    let mut all = Scores::default();
    for part in ranking.question.parts() {
        let mut scores = score_part(reranker, part, ranking)?;
        if all.values.is_empty() {
            all = scores;
            continue;
        }
        let shift = best(&all.values) - best(&scores.values);
        scores.values.iter_mut().for_each(|value| *value += shift);
        for (value, other) in all.values.iter_mut().zip(&scores.values) {
            *value = value.max(*other);
        }
        all.truncated_query_tokens += scores.truncated_query_tokens;
        for (tokens, other) in all.truncated_tokens.iter_mut().zip(&scores.truncated_tokens) {
            *tokens = (*tokens).max(*other);
        }
    }
    Ok(all)
}

fn best(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Scores every hit of `ranking` for `question`, and refuses answers that cannot be ranked.
fn score_part(reranker: &dyn Reranker, question: &str, ranking: &Ranking) -> Result<Scores, RerankError> {
    let passages: Vec<&Passage> = ranking.hits.iter().map(|hit| &hit.passage).collect();
    let scores = if passages.is_empty() {
        Scores::default()
    } else {
        reranker.score(question, &passages)?
    };
    let refused = |reason: String| RerankError::Scores {
        reranker: reranker.name(),
        question: ranking.question.id.clone(),
        reason,
    };
    if scores.values.len() != passages.len() {
        return Err(refused(format!(
            "{} scores for {} passages",
            scores.values.len(),
            passages.len()
        )));
    }
    match scores.values.iter().position(|score| !score.is_finite()) {
        Some(at) => Err(refused(format!(
            "no finite score for passage {}",
            passages[at].id
        ))),
        None => Ok(scores),
    }
}

fn reorder(mut hits: Vec<Hit>, scores: &[f32], config: &Config) -> Vec<Hit> {
    for (hit, rank) in hits.iter_mut().zip(1..) {
        let before = Placement {
            rank,
            score: hit.score,
        };
        hit.rank = rank;
        hit.fused.get_or_insert(before);
    }
    place(&mut hits, scores, |hit, place| hit.reranked = Some(place));
    let combined = combine(&hits, config.combine);
    place(&mut hits, &combined, |hit, place| {
        hit.rank = place.rank;
        hit.score = place.score;
    });
    hits.sort_by_key(|hit| hit.rank);
    hits
}

/// Tells each hit its place by `scores`, which are in the order of `hits`.
fn place(hits: &mut [Hit], scores: &[f32], tell: impl Fn(&mut Hit, Placement)) {
    let mut order: Vec<usize> = (0..hits.len()).collect();
    order.sort_by(|&a, &b| {
        scores[b]
            .total_cmp(&scores[a])
            .then_with(|| hits[a].passage.id.cmp(&hits[b].passage.id))
    });
    for (index, rank) in order.into_iter().zip(1..) {
        tell(
            &mut hits[index],
            Placement {
                rank,
                score: scores[index],
            },
        );
    }
}

/// Puts passages that the reranker did not read below those it did, in their order. Their scores step
/// down from the last one's, so that the order can be rebuilt from the scores alone.
fn append_unread(unread: Vec<Hit>, hits: &mut Vec<Hit>) {
    let lowest = hits.last().map_or(0.0, |hit| hit.score);
    for (mut hit, step) in unread.into_iter().zip(1u16..) {
        hit.fused.get_or_insert(Placement {
            rank: hit.rank,
            score: hit.score,
        });
        hit.rank = hits.len() as u32 + 1;
        hit.score = lowest - f32::from(step);
        hits.push(hit);
    }
}

fn note_truncation(scores: &Scores, notes: &mut Vec<String>) {
    let passages = scores.truncated_tokens.iter().filter(|&&cut| cut > 0).count();
    if passages > 0 {
        let tokens: usize = scores.truncated_tokens.iter().sum();
        notes.push(format!(
            "reranker did not read {tokens} tokens of {passages} passages beyond its limit"
        ));
    }
    if scores.truncated_query_tokens > 0 {
        notes.push(format!(
            "reranker did not read {} tokens of the question beyond its limit",
            scores.truncated_query_tokens
        ));
    }
}

#[cfg(test)]
#[path = "rerank_tests.rs"]
mod tests;
