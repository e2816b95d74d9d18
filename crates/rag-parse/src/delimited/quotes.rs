//! Quotation marks of separated values: which are never closed, and where empty rows part sections.

use std::borrow::Cow;

/// Most quotation marks without an end that are mended.
const MAX_UNCLOSED: usize = 16;

/// The text without quotation marks that are never closed, which would take all that follows into one
/// cell, and the line of the first of them.
pub(super) fn without_unclosed_quotes(text: &str, delimiter: u8) -> (Cow<'_, str>, Option<usize>) {
    let mut text = Cow::Borrowed(text);
    let mut line = None;
    let mut from = 0;
    for _ in 0..MAX_UNCLOSED {
        let Some(place) = unclosed_quote(&text.as_bytes()[from..], delimiter).map(|place| from + place)
        else {
            break;
        };
        line.get_or_insert_with(|| text[..place].matches('\n').count() + 1);
        text.to_mut().remove(place);
        from = place;
    }
    (text, line)
}

/// Where the cell begins whose quotation marks are still open at the end, or that is ended on another
/// line by one in the middle of a cell.
fn unclosed_quote(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let mut quotes = Quotes::default();
    let mut at = 0;
    while at < bytes.len() {
        let before = quotes.open;
        let next = quotes.step(bytes, at, delimiter);
        if let (Some(open), None) = (before, quotes.open) {
            let is_end = bytes
                .get(next)
                .is_none_or(|byte| *byte == delimiter || byte.is_ascii_whitespace());
            if !is_end && bytes[open..at].contains(&b'\n') {
                return Some(open);
            }
        }
        at = next;
    }
    quotes.open
}

/// Follows the quotation marks of a text.
#[derive(Debug)]
struct Quotes {
    /// Where those that are open began.
    open: Option<usize>,
    /// True at the beginning of a cell.
    is_start: bool,
}

impl Default for Quotes {
    fn default() -> Self {
        Self {
            open: None,
            is_start: true,
        }
    }
}

impl Quotes {
    /// Takes the byte at a place and says where the next one is: doubled marks are one character.
    fn step(&mut self, bytes: &[u8], at: usize, delimiter: u8) -> usize {
        let byte = bytes[at];
        let mut next = at + 1;
        match (self.open, byte) {
            (Some(_), b'"') if bytes.get(next) == Some(&b'"') => next += 1,
            (Some(_), b'"') => self.open = None,
            (None, b'"') if self.is_start => self.open = Some(at),
            _ => {}
        }
        self.is_start = self.open.is_none() && (byte == delimiter || matches!(byte, b'\n' | b'\r'));
        next
    }
}

/// The pieces of a text between empty rows: those without any text in their cells.
pub(super) fn sections(text: &str, delimiter: u8) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut quotes = Quotes::default();
    let mut found = Vec::new();
    let (mut start, mut line, mut at) = (0, 0, 0);
    let mut is_blank = true;
    while at < bytes.len() {
        let byte = bytes[at];
        is_blank &= byte == delimiter || byte.is_ascii_whitespace();
        at = quotes.step(bytes, at, delimiter);
        if byte == b'\n' && quotes.open.is_none() {
            if is_blank {
                found.push(&text[start..line]);
                start = at;
            }
            (line, is_blank) = (at, true);
        }
    }
    found.push(&text[start..]);
    found.retain(|section| !section.trim().is_empty());
    found
}
