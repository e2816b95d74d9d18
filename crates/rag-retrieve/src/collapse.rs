//! Near-duplicate hits collapsed: of passages that say the same in the same words, one is enough.

use rag_core::hit::Hit;
use rag_core::text::Shingles;

/// Hits that are compared, each with every other; nobody reads further down.
const MOST_COMPARED: usize = 50;

/// Keeps of each group of near-duplicates the best hit, and tells it the ids of the others.
///
/// Two passages are near-duplicates when their word sequences resemble each other by at least `at`
/// ([`Shingles::resemblance`]). Order is kept and ranks are given anew.
pub(crate) fn collapse(mut hits: Vec<Hit>, at: f32) -> Vec<Hit> {
    let beyond = hits.split_off(hits.len().min(MOST_COMPARED));
    let mut kept: Vec<(Shingles, Hit)> = Vec::new();
    for hit in hits {
        let shingles = Shingles::of(&hit.passage.text);
        match kept
            .iter_mut()
            .find(|(other, _)| other.resemblance(&shingles) >= at)
        {
            Some((_, first)) => first.duplicates.push(hit.passage.id),
            None => kept.push((shingles, hit)),
        }
    }
    let mut kept: Vec<Hit> = kept.into_iter().map(|(_, hit)| hit).chain(beyond).collect();
    for (hit, rank) in kept.iter_mut().zip(1..) {
        hit.rank = rank;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::hit;

    #[test]
    fn of_copies_the_best_stays_and_names_the_others() {
        let rule = "Visitors sign in at the front desk and wear a badge at all times.";
        let hits = vec![
            hit("a", 0, rule),
            hit("b", 0, "Parking is free for visitors after six in the evening."),
            hit("c", 0, &rule.to_uppercase()),
        ];
        let kept = collapse(hits.clone(), 0.9);
        let ids: Vec<String> = kept.iter().map(|hit| hit.passage.id.to_string()).collect();
        assert_eq!(ids, ["a#0", "b#0"]);
        assert_eq!((kept[0].rank, kept[1].rank), (1, 2));
        assert_eq!(kept[0].duplicates, [hits[2].passage.id.clone()]);
    }
}
