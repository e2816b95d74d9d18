//! Sentence boundaries: Unicode's rules, mended where an abbreviation would end a sentence.

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;

use crate::span::Span;

/// Abbreviations that a capital letter may follow without a new sentence beginning.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "art", "cf", "ch", "co", "corp", "dept", "dr", "e.g", "ed", "eq", "etc", "ex", "fig",
    "figs", "i.e", "inc", "jr", "ltd", "mr", "mrs", "ms", "no", "nos", "p", "pp", "prof", "ref", "resp",
    "sec", "sr", "st", "vol", "vs",
];

/// Cuts `text` into sentences without their surrounding white space; line breaks always end one.
///
/// Every character that is not white space lies in exactly one of the spans.
pub fn sentences(text: &str) -> Vec<Span> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut found: Vec<Span> = Vec::new();
    let mut start = 0;
    for end in segmenter.segment_str(text) {
        let piece = &text[start..end];
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let lead = piece.len() - piece.trim_start().len();
            let span = Span::new(start + lead, start + lead + trimmed.len());
            match found.last_mut() {
                Some(last) if continues(text, *last, span) => last.end = span.end,
                _ => found.push(span),
            }
        }
        start = end;
    }
    found
}

/// True when the boundary between the two is none: the first ends in an abbreviation or an initial.
fn continues(text: &str, first: Span, second: Span) -> bool {
    let between = &text[first.end..second.start];
    let Some(before) = text[first.start..first.end].strip_suffix('.') else {
        return false;
    };
    if between.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return false;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && before.len() > 1;
    let lower = word.to_lowercase();
    let is_number_label = lower == "no" && !text[second.start..].starts_with(|c: char| c.is_ascii_digit());
    is_initial || (ABBREVIATIONS.binary_search(&lower.as_str()).is_ok() && !is_number_label && lower != "etc")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_cut_at_sentence_ends() {
        let cases: &[(&str, &[&str])] = &[
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            (
                "See Fig. 3 and Dr. Smith. Then go.",
                &["See Fig. 3 and Dr. Smith.", "Then go."],
            ),
            ("It costs 5.99 now. Pay.", &["It costs 5.99 now.", "Pay."]),
            ("By J. Doe, e.g. Bob. End.", &["By J. Doe, e.g. Bob.", "End."]),
            ("First line\nsecond line", &["First line", "second line"]),
            ("ما المدة؟ خمسة أيام.", &["ما المدة؟", "خمسة أيام."]),
            (
                "Is it free? No. Ask first.",
                &["Is it free?", "No.", "Ask first."],
            ),
            ("  ", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = sentences(text).iter().filter_map(|s| s.slice(text)).collect();
            assert_eq!(&found, expected, "{text}");
        }
    }

    #[test]
    fn abbreviations_are_sorted_for_binary_search() {
        assert!(ABBREVIATIONS.is_sorted());
    }

    proptest! {
        #[test]
        fn no_visible_character_is_lost(text in "[a-zA-Z .!?\n\u{600}-\u{650}]{0,120}") {
            let kept: String = sentences(&text).iter().filter_map(|s| s.slice(&text)).collect();
            let visible = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(visible(&kept), visible(&text));
        }
    }
}
