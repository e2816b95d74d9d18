//! Answers that hold, answers that do not, and what must be true of any answer.

use proptest::prelude::*;

use super::*;
use crate::context::{ContextConfig, assemble};
use crate::testing::hit;

const LEAVE: &str = "Staff get 27 days of leave.  Days are not paid out. Ask the manager two weeks ahead.";

fn context() -> Context {
    let mut leave = hit("hr-1#0", LEAVE);
    leave.passage.span = rag_core::span::Span::new(100, 100 + LEAVE.len());
    let hits = [leave, hit("it-1#2", "ERR-4012 means that the tunnel failed.")];
    assemble("How many days?", &hits, &ContextConfig::default(), &|text| {
        text.len() / 4
    })
}

/// Checks `answer` without models.
fn verified(answer: &str, context: &Context) -> (Vec<Citation>, Verification) {
    let config = VerifyConfig::default();
    verify(
        answer,
        context,
        &SupportScorer::new(&config, SupportModels::default()),
    )
    .unwrap()
}

/// The statuses of the citations, the unknown ids and the unsupported sentences of `answer`.
fn check(answer: &str, expected: (&[CitationStatus], &[&str], &[&str])) {
    let (citations, verification) = verified(answer, &context());
    let statuses: Vec<CitationStatus> = citations.iter().map(|citation| citation.status).collect();
    let unknown: Vec<&str> = verification.unknown_ids.iter().map(String::as_str).collect();
    let unsupported: Vec<&str> = verification.unsupported.iter().map(String::as_str).collect();
    assert_eq!(
        (&statuses[..], &unknown[..], &unsupported[..]),
        expected,
        "{answer}"
    );
}

#[test]
fn each_sentence_needs_a_passage_that_says_it() {
    use CitationStatus::{UnknownId, Unsupported, Verified};
    check("Staff get 27 days of leave. [hr-1#0]", (&[Verified], &[], &[]));
    check("All staff get 27 days leave [hr-1#0].", (&[Verified], &[], &[]));
    check(
        "Staff get 28 days of leave. [hr-1#0]",
        (&[Unsupported], &[], &["Staff get 28 days of leave."]),
    );
    check(
        "Days are paid out. [hr-1#0]",
        (&[Unsupported], &[], &["Days are paid out."]),
    );
    check(
        "Staff get 27 days of leave. [it-1#2]",
        (&[Unsupported], &[], &["Staff get 27 days of leave."]),
    );
    check(
        "Staff get 27 days of leave.",
        (&[], &[], &["Staff get 27 days of leave."]),
    );
    check(
        "Cats purr. Staff get 27 days of leave. [hr-1#0]",
        (&[Unsupported], &[], &["Cats purr. Staff get 27 days of leave."]),
    );
    check(
        "Staff get 27 days of leave. [hr-1#0] ERR-4012 means that the tunnel failed. [it-1#2]",
        (&[Verified, Verified], &[], &[]),
    );
    check(
        "Staff get 27 days of leave. [hr-1#1]",
        (&[UnknownId], &["hr-1#1"], &["Staff get 27 days of leave."]),
    );
    check(
        "Staff get 27 days of leave. [hr-1#0, x#9]",
        (&[Verified, UnknownId], &["x#9"], &[]),
    );
    check("[x#99999999999] Hm.", (&[], &["x#99999999999"], &["Hm."]));
    check(DECLINED, (&[], &[], &[]));
    check("", (&[], &[], &[]));
}

#[test]
fn one_of_two_passages_is_enough() {
    use CitationStatus::{Unsupported, Verified};
    check(
        "Staff get 27 days of leave. [it-1#2][hr-1#0]",
        (&[Unsupported, Verified], &[], &[]),
    );
}

#[test]
fn a_citation_carries_the_exact_words_and_their_place_in_the_document() {
    let answer = "Staff get 27 days of leave. Days are not paid out. [hr-1#0]";
    let (citations, verification) = verified(answer, &context());
    assert!(verification.passed());
    assert_eq!(citations[0].quote, &LEAVE[..51]);
    assert_eq!(citations[0].span, Some(rag_core::span::Span::new(100, 151)));
}

proptest! {
    #[test]
    fn nothing_outside_the_context_is_ever_verified(
        answer in "(Staff get 27 days of leave\\.|ERR-4012|not|2[0-9]|\\[hr-1#[0-9]+\\]|\\[[a-z]{1,3}#[0-9]{1,12}(, hr-1#0)?\\]| |\\PC){0,25}",
    ) {
        let context = context();
        let known = ["hr-1#0", "it-1#2"];
        let (citations, _) = verified(&answer, &context);
        for citation in citations {
            let id = citation.id.to_string();
            prop_assert_eq!(citation.status == CitationStatus::UnknownId, !known.contains(&id.as_str()));
        }
    }

    #[test]
    fn a_quote_is_a_slice_of_its_document(
        before in "\\PC{0,20}",
        text in "([a-z]{1,6}[ .\n]{1,2}|é|[0-9]{1,3} |\\PC){1,40}",
        claim in "([a-z]{1,6}[ .]|[0-9]{1,3} ){1,10}",
        cut in any::<prop::sample::Index>(),
    ) {
        let document = format!("{before}{text}");
        let mut hit = hit("a#0", &text);
        hit.passage.span = rag_core::span::Span::new(before.len(), document.len());
        let spans = rag_core::text::sentences(&text);
        let own = spans.get(cut.index(spans.len().max(1))).and_then(|span| span.slice(&text));
        let context = assemble("Q", &[hit], &ContextConfig { max_tokens: usize::MAX }, &|t| t.len());
        for claim in [Some(claim.as_str()), own].into_iter().flatten() {
            let (citations, _) = verified(&format!("{claim} [a#0]"), &context);
            for citation in &citations {
                let quoted = citation.span.map_or(Some(""), |span| span.slice(&document));
                prop_assert_eq!(quoted, Some(citation.quote.as_str()));
            }
        }
        if let Some(own) = own.filter(|own| own.contains(char::is_alphanumeric) && !has_marker(own)) {
            let (citations, _) = verified(&format!("{own} [a#0]"), &context);
            prop_assert_eq!(citations[0].status, CitationStatus::Verified);
        }
    }
}
