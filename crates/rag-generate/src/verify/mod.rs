//! Checks an answer against the context it was made from, and fails closed.

mod facts;
mod parse;
mod support;

use rag_core::answer::{Citation, CitationStatus, DECLINED, Verification};
use rag_core::hit::Hit;
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use serde::{Deserialize, Serialize};

pub(crate) use facts::{Facts, is_negated};
pub use parse::{Claim, parse_citations};
pub(crate) use parse::{claim_sentences, has_marker, marker_at};
use support::{Support, support};

use crate::context::Context;

/// When a passage supports a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyConfig {
    /// Least share of the sentence's terms that the cited passage must have, from 0 to 1. Default: 0.6.
    /// A sentence that stands in the passage word for word has 1.
    pub min_support: f32,
}

impl Default for VerifyConfig {
    fn default() -> Self {
        Self { min_support: 0.6 }
    }
}

/// Checks every citation of `answer` against `context`.
///
/// A citation is verified when its id was in the context, its passage has enough of the sentence's
/// terms in one place (a sentence or two), and numbers, dates, percents, identifiers and denial agree
/// there. Its quote is that place. A marker vouches for all sentences since the marker before, and each
/// must hold. A sentence that says something and cites nothing is unsupported; [`DECLINED`] needs no
/// citation.
///
/// ```
/// use rag_generate::{ContextConfig, VerifyConfig, assemble, verify};
///
/// let context = assemble("Why?", &[], &ContextConfig::default(), &|text| text.len());
/// let (citations, verification) = verify("Because. [made-up#1]", &context, &VerifyConfig::default());
/// assert!(citations[0].span.is_none());
/// assert_eq!(verification.unknown_ids, ["made-up#1"]);
/// ```
pub fn verify(answer: &str, context: &Context, config: &VerifyConfig) -> (Vec<Citation>, Verification) {
    let mut citations = Vec::new();
    let mut verification = Verification::default();
    for claim in parse_citations(answer) {
        check_claim(&claim, context, config, &mut citations, &mut verification);
    }
    (citations, verification)
}

fn check_claim(
    claim: &Claim,
    context: &Context,
    config: &VerifyConfig,
    citations: &mut Vec<Citation>,
    verification: &mut Verification,
) {
    let own = without_declined(&claim.text);
    let mut is_supported = false;
    for id in &claim.ids {
        let Some(hit) = find(context, id) else {
            verification.unknown_ids.push(id.clone());
            citations.extend(unknown(id, own));
            continue;
        };
        let found = best_support(own, &hit.passage);
        let holds = is_enough(found, config);
        is_supported |= holds;
        citations.push(cite(hit, own, found, holds));
    }
    // One passage of several that holds is enough for the sentence; those that do not are marked.
    if !is_supported && !own.is_empty() {
        verification.unsupported.push(own.to_owned());
    }
}

/// Whether the passage `id` was in the context and supports all sentences of `claim`.
pub(crate) fn holds(claim: &str, id: &str, context: &Context, config: &VerifyConfig) -> bool {
    find(context, id).is_some_and(|hit| is_enough(best_support(claim, &hit.passage), config))
}

/// The passage of the context that supports `claim` best, if one does.
pub(crate) fn strongest_source<'c>(
    claim: &str,
    context: &'c Context,
    config: &VerifyConfig,
) -> Option<&'c PassageId> {
    let supports = context.hits.iter().filter_map(|hit| {
        let found = best_support(claim, &hit.passage).filter(|found| is_enough(Some(*found), config))?;
        Some((found.lexical, &hit.passage.id))
    });
    // Of equals the better ranked one: `max_by` would take the last.
    let best = supports.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, id)| id)
}

fn is_enough(found: Option<Support>, config: &VerifyConfig) -> bool {
    found.is_some_and(|found| found.facts_agree && found.lexical >= config.min_support)
}

/// The support of a claim's weakest sentence, since one marker vouches for all of them; its quote covers
/// the whole claim when that stands in the passage word for word.
fn best_support(claim: &str, passage: &Passage) -> Option<Support> {
    let whole = support(claim, passage)?;
    if whole.lexical >= 1.0 && whole.facts_agree {
        return Some(whole);
    }
    let each: Option<Vec<Support>> = claim_sentences(claim)
        .into_iter()
        .map(|sentence| support(sentence, passage))
        .collect();
    let weakest = |a: &Support, b: &Support| (a.facts_agree, a.lexical) < (b.facts_agree, b.lexical);
    each?
        .into_iter()
        .reduce(|a, b| if weakest(&b, &a) { b } else { a })
}

/// A claim without the sentence that declines, which says nothing that a source could support.
pub(crate) fn without_declined(claim: &str) -> &str {
    claim
        .trim()
        .trim_start_matches(DECLINED)
        .trim_end_matches(DECLINED)
        .trim()
}

fn find<'c>(context: &'c Context, id: &str) -> Option<&'c Hit> {
    let id: PassageId = id.parse().ok()?;
    context.hits.iter().find(|hit| hit.passage.id == id)
}

fn cite(hit: &Hit, claim: &str, found: Option<Support>, holds: bool) -> Citation {
    let passage = &hit.passage;
    let quote = found.map(|found| found.quote);
    Citation {
        id: passage.id.clone(),
        document: passage.document_id().clone(),
        title: passage.title.clone(),
        section: passage.section_label(),
        page: passage.page,
        bounding_box: passage.bounding_box,
        updated: passage.updated,
        quote: quote
            .and_then(|quote| quote.slice(&passage.text))
            .unwrap_or_default()
            .to_owned(),
        span: quote.map(|quote| quote.shifted(passage.span.start)),
        claim: claim.to_owned(),
        status: if holds {
            CitationStatus::Verified
        } else {
            CitationStatus::Unsupported
        },
    }
}

/// The citation of an id that was not in the context; none when it is not even the form of an id.
fn unknown(id: &str, claim: &str) -> Option<Citation> {
    let id: PassageId = id.parse().ok()?;
    Some(Citation {
        document: id.document.clone(),
        id,
        title: String::new(),
        section: String::new(),
        page: None,
        bounding_box: None,
        updated: None,
        quote: String::new(),
        span: None,
        claim: claim.to_owned(),
        status: CitationStatus::UnknownId,
    })
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
