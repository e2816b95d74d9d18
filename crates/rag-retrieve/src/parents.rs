//! The section or document behind a hit: match a sentence, hand over what stands around it.

use std::collections::BTreeSet;

use rag_core::hit::Hit;
use rag_core::id::{DocumentId, PassageId};
use rag_core::passage::Passage;
use rag_core::span::Span;
use rag_index::{AllowedSet, Generation};
use serde::Serialize;

use crate::error::RetrieveError;

/// What stands between two passages that do not touch (a heading, which belongs to no passage).
const GAP: &str = "\n\n";

/// The text around one or more hits, made of passages that the asker may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parent {
    /// The document.
    pub document: DocumentId,
    /// Title of the document.
    pub title: String,
    /// Which part of the document's text it is.
    pub span: Span,
    /// The passages that it is made of, in order.
    pub passages: Vec<PassageId>,
    /// Their text; what two passages share stands once.
    pub text: String,
}

/// The parents of `hits`, in the order of the hits, each once.
pub(crate) fn parents(
    generation: &Generation,
    allowed: &AllowedSet,
    hits: &[Hit],
) -> Result<Vec<Parent>, RetrieveError> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for hit in hits {
        let (document, span) = (hit.passage.document_id(), hit.passage.parent);
        if seen.insert((document.clone(), span)) {
            found.push(parent(generation, allowed, &hit.passage)?);
        }
    }
    Ok(found)
}

fn parent(generation: &Generation, allowed: &AllowedSet, passage: &Passage) -> Result<Parent, RetrieveError> {
    let mut parent = Parent {
        document: passage.document_id().clone(),
        title: passage.title.clone(),
        span: passage.parent,
        passages: Vec::new(),
        text: String::new(),
    };
    let mut end = None;
    for ordinal in generation.passages_of(&parent.document, allowed)? {
        let Some(part) = generation.passage(ordinal, allowed)? else {
            continue;
        };
        if parent.span.overlaps(&part.span) {
            append(&mut parent.text, &mut end, &part);
            parent.passages.push(part.id);
        }
    }
    Ok(parent)
}

/// Appends the part of `passage` that lies behind `end`, the end of the text so far.
fn append(text: &mut String, end: &mut Option<usize>, passage: &Passage) {
    let known = end.map_or(0, |end: usize| end.saturating_sub(passage.span.start));
    if end.is_some_and(|end| passage.span.start > end) {
        text.push_str(GAP);
    }
    text.push_str(passage.text.get(known..).unwrap_or_default());
    *end = Some(end.unwrap_or(0).max(passage.span.end));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;

    #[test]
    fn overlaps_stand_once_and_gaps_stay_open() {
        let (mut text, mut end) = (String::new(), None);
        for (start, part) in [(0, "one two"), (4, "two three"), (20, "four")] {
            let mut passage = passage("d", 0, part);
            passage.span = Span::new(start, start + part.len());
            append(&mut text, &mut end, &passage);
        }
        assert_eq!(text, "one two three\n\nfour");
    }
}
