//! Reads an answer's citation markers, `[document#position]`, and the claims they vouch for.

use std::sync::LazyLock;

use rag_core::text::sentences;
use regex::Regex;

/// One or more ids in one pair of brackets: `[a#1]`, `[a#1, b#2]`. What counts as an id is what
/// [`rag_core::id::DocumentId`] allows.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    let id = r"[^\s\[\]#,;]+#[0-9]+";
    Regex::new(&format!(r"\[\s*{id}(?:\s*[,;]\s*{id})*\s*\]")).expect("the pattern is a constant")
});

/// Most claims of an answer, and most sentences of a claim, that are read one by one. What follows such claims is one
/// that cites nothing, and a longer claim never holds: no answer that a reader could check is this long, and models
/// take a tenth of a second for each.
pub const MAX_CLAIMS: usize = 100;

/// A piece of an answer and the ids that are to vouch for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The words, without markers and surrounding white space.
    pub text: String,
    /// The cited ids as they stand in the answer, each once; empty when nothing is cited.
    pub ids: Vec<String>,
}

/// Splits `answer` into claims.
///
/// A marker vouches for the text between it and the marker before. Markers that follow one another
/// vouch for the same text. Text after the last marker, or after [`MAX_CLAIMS`] claims, cites nothing.
///
/// ```
/// use rag_generate::parse_citations;
///
/// let claims = parse_citations("Five days. [hr#1] Ask first [hr#2, hr#3]. Bye.");
/// let read: Vec<_> = claims.iter().map(|claim| (claim.text.as_str(), claim.ids.len())).collect();
/// assert_eq!(read, [("Five days.", 1), ("Ask first", 2), ("Bye.", 0)]);
/// ```
pub fn parse_citations(answer: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut rest = 0;
    for marker in MARKER.find_iter(answer) {
        let text = claim_text(&answer[rest..marker.start()]);
        if !text.is_empty() && claims.len() == MAX_CLAIMS {
            break;
        }
        if !text.is_empty() || claims.is_empty() {
            claims.push(Claim {
                text: text.to_owned(),
                ids: Vec::new(),
            });
        }
        let cited = &mut claims.last_mut().expect("one was pushed").ids;
        for id in ids_of(marker.as_str()) {
            if cited.len() < MAX_CLAIMS && !cited.contains(&id) {
                cited.push(id);
            }
        }
        rest = marker.end();
    }
    let tail = claim_text(&answer[rest..]);
    if !tail.is_empty() {
        claims.push(Claim {
            text: tail.to_owned(),
            ids: Vec::new(),
        });
    }
    claims
}

/// True when a citation marker opens at byte `at` of `text`.
pub(crate) fn marker_at(text: &str, at: usize) -> bool {
    MARKER.find_at(text, at).is_some_and(|found| found.start() == at)
}

/// True when `text` holds a citation marker.
pub(crate) fn has_marker(text: &str) -> bool {
    MARKER.is_match(text)
}

/// The sentences of a claim: all but the last stand before its marker without one of their own.
pub(crate) fn claim_sentences(claim: &str) -> Vec<&str> {
    sentences(claim)
        .iter()
        .filter_map(|span| span.slice(claim))
        .collect()
}

fn ids_of(marker: &str) -> Vec<String> {
    marker[1..marker.len() - 1]
        .split([',', ';'])
        .map(|id| id.trim().to_owned())
        .collect()
}

/// A claim without the white space around it and without the full stop of the sentence before it.
fn claim_text(text: &str) -> &str {
    let text = text.trim();
    let is_stop = |c: char| matches!(c, '.' | ',' | ';' | '؟' | '?' | '!' | '،');
    let text = text.trim_start_matches(is_stop).trim_start();
    if text.contains(char::is_alphanumeric) {
        text
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_vouch_for_the_text_before_them() {
        /// Claims with the ids that they cite, joined by a space.
        type Read<'t> = &'t [(&'t str, &'t str)];
        let cases: &[(&str, Read<'_>)] = &[
            ("A b. [x#1]", &[("A b.", "x#1")]),
            ("A b [x#1][y#2].", &[("A b", "x#1 y#2")]),
            ("A b [x#1; y#2] c", &[("A b", "x#1 y#2"), ("c", "")]),
            ("[x#1] A b", &[("", "x#1"), ("A b", "")]),
            ("See [1] and [x]", &[("See [1] and [x]", "")]),
            ("سبعة أيام. [hr/إجازة#0]", &[("سبعة أيام.", "hr/إجازة#0")]),
            ("A b. [x#1] [y#2, x#1][x#1]", &[("A b.", "x#1 y#2")]),
            ("", &[]),
            (" .", &[]),
        ];
        for (answer, expected) in cases {
            let claims = parse_citations(answer);
            let read: Vec<(&str, String)> = claims
                .iter()
                .map(|claim| (claim.text.as_str(), claim.ids.join(" ")))
                .collect();
            let read: Vec<(&str, &str)> = read.iter().map(|(text, ids)| (*text, ids.as_str())).collect();
            assert_eq!(read, *expected, "{answer}");
        }
    }

    #[test]
    fn what_follows_too_many_claims_cites_nothing() {
        let answer = "A b [x#1] ".repeat(MAX_CLAIMS + 7);
        let claims = parse_citations(&answer);
        assert_eq!(claims.len(), MAX_CLAIMS + 1);
        let cites = |claim: &&Claim| !claim.ids.is_empty();
        assert_eq!(claims.iter().filter(cites).count(), MAX_CLAIMS);
        let ids: Vec<String> = (0..MAX_CLAIMS + 7).map(|n| format!("[x#{n}]")).collect();
        assert_eq!(
            parse_citations(&format!("A b {}", ids.concat()))[0].ids.len(),
            MAX_CLAIMS
        );
    }
}
