//! How well an answer is cited: precision and recall of its citations, and its faithfulness.

use std::collections::{BTreeMap, HashSet};

use rag_core::answer::{Answer, Citation, CitationStatus};
use rag_core::text::sentences;

/// The citations of one answer against what is relevant.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CitationScores {
    /// Share of the cited passages that were verified and are relevant; `None` when nothing is cited.
    pub(super) precision: Option<f64>,
    /// Share of the relevant documents (or passages) that a verified citation names; `None` when none is
    /// known.
    pub(super) recall: Option<f64>,
}

/// Compares the citations of `answer` with `relevant`, ids of documents or of passages
/// (`document#position`). Each cited passage counts once, and as good when one of its citations was
/// verified. Without anything relevant there is nothing to compare with.
pub(super) fn citation_scores(relevant: &[String], answer: &Answer) -> CitationScores {
    let relevant: HashSet<&str> = relevant.iter().map(String::as_str).collect();
    if relevant.is_empty() {
        return CitationScores::default();
    }
    // Whether the passage is relevant and a citation of it was verified, by passage.
    let mut cited: BTreeMap<String, bool> = BTreeMap::new();
    let mut found: HashSet<&str> = HashSet::new();
    for citation in &answer.citations {
        let passage = citation.id.to_string();
        let is_named = |id: &&&str| **id == passage || **id == citation.document.as_str();
        let named: Vec<&str> = relevant.iter().filter(is_named).copied().collect();
        let is_good = citation.status == CitationStatus::Verified && !named.is_empty();
        if is_good {
            found.extend(named);
        }
        *cited.entry(passage).or_default() |= is_good;
    }
    let good = cited.values().filter(|&&is_good| is_good).count();
    CitationScores {
        precision: (!cited.is_empty()).then(|| good as f64 / cited.len() as f64),
        recall: Some(found.len() as f64 / relevant.len() as f64),
    }
}

/// The share of the answer's sentences that a verified citation vouches for. `None` for an answer that
/// declines or has no sentence that could be cited.
pub(super) fn faithfulness(answer: &Answer) -> Option<f64> {
    if answer.abstained {
        return None;
    }
    let is_verified = |citation: &&Citation| citation.status == CitationStatus::Verified;
    let vouched: HashSet<&str> = answer
        .citations
        .iter()
        .filter(is_verified)
        .map(|citation| citation.claim.as_str())
        .collect();
    let supported: usize = vouched.iter().map(|claim| sentence_count(claim)).sum();
    let unsupported = answer.verification.unsupported.iter();
    let all = supported + unsupported.map(|claim| sentence_count(claim)).sum::<usize>();
    (all > 0).then(|| supported as f64 / all as f64)
}

/// A marker vouches for all sentences since the one before.
fn sentence_count(claim: &str) -> usize {
    sentences(claim).len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, cite};
    use super::*;

    type Case<'c> = (
        &'c str,
        &'c [&'c str],
        &'c [(&'c str, &'c str)],
        Option<f64>,
        Option<f64>,
    );

    #[test]
    fn precision_and_recall_of_citations() {
        let cases: &[Case<'_>] = &[
            ("all right", &["a"], &[("a#0", "verified")], Some(1.0), Some(1.0)),
            (
                "one of two",
                &["a", "b"],
                &[("a#0", "verified")],
                Some(1.0),
                Some(0.5),
            ),
            (
                "beside the point",
                &["a"],
                &[("a#0", "verified"), ("x#0", "verified")],
                Some(0.5),
                Some(1.0),
            ),
            (
                "unsupported",
                &["a"],
                &[("a#0", "unsupported")],
                Some(0.0),
                Some(0.0),
            ),
            (
                "made up",
                &["a"],
                &[("a#7", "unknown_id"), ("a#0", "verified")],
                Some(0.5),
                Some(1.0),
            ),
            (
                "twice",
                &["a"],
                &[("a#0", "unsupported"), ("a#0", "verified")],
                Some(1.0),
                Some(1.0),
            ),
            (
                "two passages of one",
                &["a"],
                &[("a#0", "verified"), ("a#1", "verified")],
                Some(1.0),
                Some(1.0),
            ),
            (
                "the passage counts",
                &["a#1"],
                &[("a#0", "verified")],
                Some(0.0),
                Some(0.0),
            ),
            (
                "passages",
                &["a#1", "b#0"],
                &[("a#1", "verified")],
                Some(1.0),
                Some(0.5),
            ),
            ("nothing cited", &["a"], &[], None, Some(0.0)),
            ("nothing relevant", &[], &[("a#0", "verified")], None, None),
        ];
        for (name, relevant, cited, precision, recall) in cases {
            let citations: Vec<_> = cited
                .iter()
                .map(|(id, status)| cite(id, "Claim.", status))
                .collect();
            let relevant: Vec<String> = relevant.iter().map(|&id| id.to_owned()).collect();
            let scores = citation_scores(&relevant, &answer("q", "Claim.", &citations));
            assert_eq!((scores.precision, scores.recall), (*precision, *recall), "{name}");
        }
    }

    #[test]
    fn faithfulness_is_the_share_of_sentences_vouched_for() {
        let verified = |claim: &str| cite("a#0", claim, "verified");
        let cases = [
            (vec![verified("One.")], vec![], Some(1.0)),
            (vec![verified("One."), verified("One.")], vec![], Some(1.0)),
            (vec![verified("One. Two. Three.")], vec!["Four."], Some(0.75)),
            (vec![cite("a#0", "One.", "unsupported")], vec!["One."], Some(0.0)),
            (vec![], vec![], None),
        ];
        for (citations, unsupported, expected) in cases {
            let mut answer = answer("q", "Text.", &citations);
            answer.verification.unsupported = unsupported.into_iter().map(str::to_owned).collect();
            assert_eq!(faithfulness(&answer), expected, "{answer:?}");
            answer.abstained = true;
            assert_eq!(faithfulness(&answer), None);
        }
    }
}
