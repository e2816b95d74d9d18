//! The units that a passage's text is cut into: what can be the source of an edge, and is quoted for it.
//!
//! A unit is a sentence, or a whole table row where the line is one. Unit 0 is the document's title.

use rag_core::span::Span;
use rag_core::text::sentences;

use crate::extract::rows::is_row;

/// Number of the unit that is the title.
pub(crate) const TITLE: u16 = 0;

/// Units of a passage that are looked at; the rest is counted as cut.
pub(crate) const MAX_UNITS: usize = 2_000;

/// Cuts `text` into units, numbered from 1 in their order.
pub(crate) fn units(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let lead = start + line.len() - line.trim_start().len();
            if is_row(trimmed) {
                found.push(Span::new(lead, lead + trimmed.len()));
            } else {
                found.extend(sentences(line).into_iter().map(|span| span.shifted(start)));
            }
        }
        start += line.len();
    }
    found
}

/// The text of unit `number` of a passage with this title and text.
pub(crate) fn quote<'t>(title: &'t str, text: &'t str, number: u16) -> &'t str {
    if number == TITLE {
        return title;
    }
    units(text)
        .get(usize::from(number) - 1)
        .and_then(|span| span.slice(text))
        .unwrap_or(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_stay_whole_and_prose_is_cut_into_sentences() {
        let text = "One. Two.\n\nRoom Maas: office Leeds, seats No. 4, screen Two.\n\nThree";
        let found: Vec<&str> = units(text).iter().filter_map(|unit| unit.slice(text)).collect();
        assert_eq!(
            found,
            [
                "One.",
                "Two.",
                "Room Maas: office Leeds, seats No. 4, screen Two.",
                "Three"
            ]
        );
        assert_eq!(quote("Title", text, TITLE), "Title");
        assert_eq!(quote("Title", text, 2), "Two.");
        assert_eq!(quote("Title", text, 99), "Title");
    }

    proptest! {
        #[test]
        fn no_visible_character_is_lost(text in "[a-zA-Z0-9:,. \n\u{600}-\u{650}]{0,160}") {
            let kept: String = units(&text).iter().filter_map(|unit| unit.slice(&text)).collect();
            let visible = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(visible(&kept), visible(&text));
        }
    }
}
