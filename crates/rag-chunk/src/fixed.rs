//! Windows of a fixed size over a document's whole text, each repeating the end of the one before.

use rag_core::span::Span;

use crate::pack::{Cut, Measured};
use crate::split::{Limit, piece_end};
use crate::units::trimmed;

/// The window that begins at `start`, and the start of the next one, if any text is left.
///
/// Windows end between words where they can, and the next begins at the first word that lies within
/// `overlap` tokens of the end; where words are not told apart by spaces, at a token. Each
/// window goes beyond the one before, if need be without overlap.
pub(crate) fn window(
    measured: Measured<'_>,
    start: Start,
    limit: Limit,
    overlap: usize,
) -> (Option<Cut>, Option<Start>) {
    let text = measured.text;
    let end_from = |at: usize| {
        piece_end(
            text,
            Span::new(at, text.len()),
            limit,
            measured.tokens,
            measured.counter,
        )
    };
    let mut from = start.at;
    let mut end = end_from(from);
    if end <= start.reached {
        from = start.reached;
        end = end_from(from);
    }
    let span = trimmed(&text[from..end], from);
    let cut = (!span.is_empty()).then(|| measured.cut(span));
    let is_last = text[end..].trim().is_empty();
    let next = (!is_last).then(|| Start {
        at: next_start(measured, Span::new(from, end), overlap),
        reached: end,
    });
    (cut, next)
}

/// Where a window begins, and how far the windows before it went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Start {
    pub(crate) at: usize,
    pub(crate) reached: usize,
}

/// Where the window after `window` begins: after its start, so that there is always progress.
fn next_start(measured: Measured<'_>, window: Span, overlap: usize) -> usize {
    let Span { start, end } = window;
    let map = measured.tokens;
    let last = map.index_at(end);
    let earliest = map.start(last.saturating_sub(overlap)).unwrap_or(end);
    if overlap == 0 || earliest <= start {
        return end;
    }
    let is_word_start = |place: usize| measured.text[..place].ends_with(char::is_whitespace);
    let starts = (last.saturating_sub(overlap)..last).filter_map(|index| map.start(index));
    starts
        .into_iter()
        .find(|&place| is_word_start(place))
        .unwrap_or(earliest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use crate::tokens::{TokenMap, Words};
    use rag_core::document::BlockKind;

    #[test]
    fn windows_overlap_and_reach_the_end() {
        let document = document(&[(BlockKind::Paragraph, "a b c d e f g", &[])]);
        let cases: &[(usize, usize, &[&str])] = &[
            (3, 1, &["a b c", "c d e", "e f g"]),
            (4, 0, &["a b c d", "e f g"]),
            (9, 3, &["a b c d e f g"]),
        ];
        for &(size, overlap, expected) in cases {
            let tokens = TokenMap::of(&document, &Words);
            let measured = Measured {
                text: &document.text,
                tokens: &tokens,
                counter: &Words,
            };
            let mut found = Vec::new();
            let mut start = Some(Start::default());
            while let Some(at) = start {
                let (cut, next) = window(measured, at, Limit::of_tokens(size), overlap);
                found.extend(cut.and_then(|cut| cut.span.slice(&document.text)));
                start = next;
            }
            assert_eq!(found, expected, "{size} {overlap}");
        }
    }
}
