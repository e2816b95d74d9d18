//! Small to large: what stands around a hit, handed over with it, so that neighbouring hits become one text.

use std::collections::BTreeMap;

use rag_core::hit::Hit;
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use rag_index::{AllowedSet, Generation};

use crate::config::Expand;
use crate::error::RetrieveError;

/// The hits with the passages around each, at most `most` in all, every passage once.
///
/// Passages that touch in their document become one run, in the order of the document; runs stand in the
/// order of the best hit in each. A hit keeps its rank and places; what comes along has those of the hit
/// that it came with. Each hit may bring the same number, the nearest ones.
pub(crate) fn expand(
    generation: &Generation,
    allowed: &AllowedSet,
    hits: &[Hit],
    how: Expand,
    most: usize,
) -> Result<Vec<Hit>, RetrieveError> {
    let share = most / hits.len().max(1);
    let mut found: BTreeMap<PassageId, Hit> = hits
        .iter()
        .take(most)
        .map(|hit| (hit.passage.id.clone(), hit.clone()))
        .collect();
    for hit in hits {
        for passage in around(generation, allowed, &hit.passage, how, share)? {
            let along = || Hit::new(hit.rank, hit.score, passage.clone());
            found.entry(passage.id.clone()).or_insert_with(along);
        }
    }
    let mut runs = runs(found.into_values());
    runs.sort_by_key(|run| run.iter().map(|hit| hit.rank).min());
    Ok(runs.into_iter().flatten().collect())
}

/// At most `share` passages around `hit`, itself among them, nearest first.
fn around(
    generation: &Generation,
    allowed: &AllowedSet,
    hit: &Passage,
    how: Expand,
    share: usize,
) -> Result<Vec<Passage>, RetrieveError> {
    let distance = |passage: &Passage| passage.id.position.abs_diff(hit.id.position);
    let belongs = |passage: &Passage| match how {
        Expand::Nothing => false,
        Expand::Neighbours => distance(passage) <= 1,
        Expand::Parent => hit.parent.overlaps(&passage.span),
    };
    let mut found = Vec::new();
    for ordinal in generation.passages_of(hit.document_id(), allowed)? {
        found.extend(generation.passage(ordinal, allowed)?.filter(&belongs));
    }
    found.sort_by_key(&distance);
    found.truncate(share);
    Ok(found)
}

/// Splits hits, sorted by id, wherever the next is not the next passage of the same document.
fn runs(hits: impl Iterator<Item = Hit>) -> Vec<Vec<Hit>> {
    let mut runs: Vec<Vec<Hit>> = Vec::new();
    for hit in hits {
        let follows = |last: &Hit| {
            last.passage.document_id() == hit.passage.document_id()
                && last.passage.id.position.checked_add(1) == Some(hit.passage.id.position)
        };
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(follows) => run.push(hit),
            _ => runs.push(vec![hit]),
        }
    }
    runs
}
