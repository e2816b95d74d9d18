//! Checks an answer against the context it was made from, and fails closed.

mod denial;
mod facts;
mod features;
mod number_words;
mod parse;
mod scorer;
mod support;

use rag_core::answer::{Citation, CitationStatus, DECLINED, Verification};
use rag_core::hit::Hit;
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use rag_models::ModelError;
use rag_models::catalogue::{DEFAULT_CROSS_ENCODER, DEFAULT_EMBEDDER};
use serde::{Deserialize, Serialize};

pub(crate) use denial::is_negated;
pub(crate) use facts::Facts;
pub use features::SupportFeatures;
pub(crate) use number_words::names_month;
pub use parse::{Claim, MAX_CLAIMS, parse_citations};
pub(crate) use parse::{claim_sentences, has_marker, marker_at};
pub use scorer::{Judged, SupportDecision, SupportModels, SupportScorer};

use crate::context::Context;
use crate::identifiers::identifiers;

/// When a passage supports a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyConfig {
    /// Least share of the sentence's terms that the cited passage must have, from 0 to 1. Default: 0.6.
    /// A sentence that stands in the passage word for word has 1. Decides only where
    /// [`models`](Self::models) do not.
    pub min_support: f32,
    /// The decision of models that read sentence and passage.
    pub models: SupportDecision,
}

impl Default for VerifyConfig {
    fn default() -> Self {
        Self {
            min_support: 0.6,
            models: SupportDecision {
                cross_encoder: DEFAULT_CROSS_ENCODER.to_owned(),
                embedder: DEFAULT_EMBEDDER.to_owned(),
                min_terms: 0.25,
                bias: -1.102,
                weights: SupportFeatures::from_values([0.575, 0.065, -0.375, 0.093, 0.529]),
                threshold: 0.45,
            },
        }
    }
}

/// Checks every citation of `answer` against `context`.
///
/// A citation is verified when its id was in the context, numbers, dates, percents, identifiers and denial agree
/// with one place of its passage (a sentence or two), and `scorer` finds support enough. Its quote is that place.
/// A marker vouches for all sentences since the marker before, and the facts of each must agree. A sentence that says something
/// and cites nothing is unsupported, and so is all that follows the first [`MAX_CLAIMS`] claims; [`DECLINED`] needs no
/// citation. Fails when a model does.
///
/// ```
/// use rag_generate::{ContextConfig, SupportModels, SupportScorer, VerifyConfig, assemble, verify};
///
/// let context = assemble("Why?", &[], &ContextConfig::default(), &|text| text.len());
/// let config = VerifyConfig::default();
/// let scorer = SupportScorer::new(&config, SupportModels::default());
/// let (citations, verification) = verify("Because. [made-up#1]", &context, &scorer)?;
/// assert!(citations[0].span.is_none());
/// assert_eq!(verification.unknown_ids, ["made-up#1"]);
/// # Ok::<(), rag_models::ModelError>(())
/// ```
pub fn verify(
    answer: &str,
    context: &Context,
    scorer: &SupportScorer<'_>,
) -> Result<(Vec<Citation>, Verification), ModelError> {
    let mut citations = Vec::new();
    let mut verification = Verification::default();
    for claim in parse_citations(answer) {
        check_claim(&claim, context, scorer, &mut citations, &mut verification)?;
    }
    Ok((citations, verification))
}

fn check_claim(
    claim: &Claim,
    context: &Context,
    scorer: &SupportScorer<'_>,
    citations: &mut Vec<Citation>,
    verification: &mut Verification,
) -> Result<(), ModelError> {
    let own = without_declined(&claim.text);
    let mut is_supported = false;
    for id in &claim.ids {
        let Some(hit) = find(context, id) else {
            verification.unknown_ids.push(id.clone());
            citations.extend(unknown(id, own));
            continue;
        };
        let judged = if claim_sentences(own).len() <= MAX_CLAIMS {
            scorer.judge(own, &hit.passage)?
        } else {
            None
        };
        is_supported |= judged.is_some_and(|judged| judged.holds);
        citations.push(cite(hit, own, judged));
    }
    // One passage of several that holds is enough for the sentence; those that do not are marked.
    if !is_supported && !own.is_empty() {
        verification.unsupported.push(own.to_owned());
    }
    Ok(())
}

/// Whether the passage `id` was in the context and supports all sentences of `claim`.
pub(crate) fn holds(
    claim: &str,
    id: &str,
    context: &Context,
    scorer: &SupportScorer<'_>,
) -> Result<bool, ModelError> {
    let Some(hit) = find(context, id) else {
        return Ok(false);
    };
    Ok(scorer
        .judge(claim, &hit.passage)?
        .is_some_and(|judged| judged.holds))
}

/// The passage of the context that supports `claim` best, if one does: by its words, since what models make of a
/// passage that nobody cited is not enough, and about the identifiers that the question names.
pub(crate) fn strongest_source<'c>(
    claim: &str,
    context: &'c Context,
    scorer: &SupportScorer<'_>,
) -> Result<Option<&'c PassageId>, ModelError> {
    // What the claim itself names must be in its source anyway.
    let asked = match identifiers(claim) {
        own if own.is_empty() => identifiers(&context.question),
        _ => Vec::new(),
    };
    let is_about = |judged: &Judged, passage: &Passage| {
        let quote = judged.quote.slice(&passage.text).unwrap_or_default();
        let head = passage.headings().collect::<Vec<_>>().join("\n");
        let around = || std::iter::once(passage.text.as_str());
        asked
            .iter()
            .all(|identifier| identifier.fits(quote, &head, around()))
    };
    let mut best: Option<(f32, &PassageId)> = None;
    for hit in &context.hits {
        let Some(judged) = scorer.judge(claim, &hit.passage)? else {
            continue;
        };
        if !judged.holds || !judged.says_so || !is_about(&judged, &hit.passage) {
            continue;
        }
        // Of equals the better ranked one stays.
        if best.is_none_or(|(score, _)| judged.support.score > score) {
            best = Some((judged.support.score, &hit.passage.id));
        }
    }
    Ok(best.map(|(_, id)| id))
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

fn cite(hit: &Hit, claim: &str, judged: Option<Judged>) -> Citation {
    let passage = &hit.passage;
    let quote = judged.map(|judged| judged.quote);
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
        status: if judged.is_some_and(|judged| judged.holds) {
            CitationStatus::Verified
        } else {
            CitationStatus::Unsupported
        },
        support: judged.map(|judged| judged.support),
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
        support: None,
    })
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
