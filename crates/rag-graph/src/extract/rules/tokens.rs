//! The words of a unit with what names need to know of their surroundings.

use rag_core::span::Span;

use super::words::is_title;
use crate::name::{is_joint, is_word_character, without_possessive};

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The word, an English possessive ending left out.
    pub(crate) text: &'t str,
    /// Where it stands in the unit.
    pub(crate) span: Span,
    /// True when punctuation follows, or a possessive ending: no name goes on beyond it.
    pub(crate) breaks: bool,
    /// True when a sentence begins with it: after a colon, a quotation mark or a list number as well.
    pub(crate) starts: bool,
}

/// The words of `text`, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut start = 0;
    let mut between = 0;
    while let Some(offset) = text[start..].find(is_word_character) {
        let from = start + offset;
        let to = word_end(text, from);
        mark(&mut found, &text[between..from]);
        let word = without_possessive(&text[from..to]);
        let gap = &text[between..from];
        let starts =
            found.is_empty() || gap.contains([':', '"', '“', '«', '•']) || is_after_list_number(&found, gap);
        found.push(Token {
            text: word,
            span: Span::new(from, from + word.len()),
            breaks: word.len() < to - from,
            starts,
        });
        start = to;
        between = to;
    }
    mark(&mut found, &text[between..]);
    found
}

/// Where the word that begins at `from` ends.
fn word_end(text: &str, from: usize) -> usize {
    let mut end = from;
    let mut characters = text[from..].char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let joins = is_joint(c)
            && characters
                .peek()
                .is_some_and(|&(_, next)| is_word_character(next));
        if !is_word_character(c) && !joins {
            break;
        }
        end = from + offset + c.len_utf8();
    }
    end
}

/// Marks the last word when what follows it, `gap`, is more than white space; the point of an initial or of
/// "Dr." ends nothing.
fn mark(found: &mut [Token<'_>], gap: &str) {
    if let Some(last) = found.last_mut() {
        let is_initial = last.text.chars().count() == 1 && last.text.starts_with(char::is_uppercase);
        let is_short = is_initial || is_title(&last.text.to_lowercase());
        last.breaks |= gap.contains(|c: char| !c.is_whitespace()) && !(is_short && gap.trim() == ".");
    }
}

fn is_after_list_number(found: &[Token<'_>], gap: &str) -> bool {
    let [only] = found else { return false };
    only.text.bytes().all(|b| b.is_ascii_digit()) && gap.trim_start().starts_with(['.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_know_their_surroundings() {
        let text = "1. Ask Ann Marlow-Visser's team, or R2-BAT: Then go";
        let shown: Vec<String> = tokens(text)
            .iter()
            .map(|t| {
                format!(
                    "{}{}{}",
                    if t.starts { "^" } else { "" },
                    t.text,
                    if t.breaks { "|" } else { "" }
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "^1|",
                "^Ask",
                "Ann",
                "Marlow-Visser|",
                "team|",
                "or",
                "R2-BAT|",
                "^Then",
                "go"
            ]
        );
    }

    proptest! {
        #[test]
        fn spans_slice_back(text in "\\PC{0,80}") {
            for token in tokens(&text) {
                prop_assert_eq!(token.span.slice(&text), Some(token.text));
            }
        }
    }
}
