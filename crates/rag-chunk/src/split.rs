//! Splitting what is longer than a passage may be: at white space, else between tokens, else anywhere.

use rag_core::span::Span;

use crate::tokens::{TokenCounter, TokenMap};
use crate::units::trimmed;

/// Most characters per token that prose of any language comes near. A piece beyond it is no prose
/// (an embedded image, a hash dump that the tokenizer takes for one unknown word) and is split too.
const CHARS_PER_TOKEN: usize = 32;

/// How long a passage's own text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) tokens: usize,
    pub(crate) chars: usize,
}

impl Limit {
    /// A limit of tokens, and of as many characters as those can sensibly be.
    pub(crate) fn of_tokens(tokens: usize) -> Self {
        Self {
            tokens,
            chars: tokens.saturating_mul(CHARS_PER_TOKEN),
        }
    }

    /// True when the piece `span` of `text`, which has `tokens` tokens, is within the limit.
    pub(crate) fn holds(self, text: &str, span: Span, tokens: usize) -> bool {
        tokens <= self.tokens && self.holds_chars(text, span)
    }

    fn holds_chars(self, text: &str, span: Span) -> bool {
        span.len() <= self.chars || chars(text, span) <= self.chars
    }
}

/// Number of characters in the piece `span` of `text`.
pub(crate) fn chars(text: &str, span: Span) -> usize {
    span.slice(text).map_or(0, |piece| piece.chars().count())
}

/// Cuts the piece `span` of `text` into pieces within `limit`, losing only white space.
pub(crate) fn split(
    text: &str,
    span: Span,
    limit: Limit,
    tokens: &TokenMap,
    counter: &dyn TokenCounter,
) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut start = span.start;
    while start < span.end {
        let end = piece_end(text, Span::new(start, span.end), limit, tokens, counter);
        let piece = trimmed(&text[start..end], start);
        if !piece.is_empty() {
            pieces.push(piece);
        }
        start = end;
    }
    pieces
}

/// Where the longest piece within `limit` that begins at `rest.start` ends: always after its start.
pub(crate) fn piece_end(
    text: &str,
    rest: Span,
    limit: Limit,
    tokens: &TokenMap,
    counter: &dyn TokenCounter,
) -> usize {
    let by_tokens = tokens.start(tokens.index_at(rest.start) + limit.tokens);
    let by_chars = text[rest.start..rest.end]
        .char_indices()
        .nth(limit.chars)
        .map(|(offset, _)| rest.start + offset);
    let mut end = by_tokens.unwrap_or(rest.end).min(by_chars.unwrap_or(rest.end));
    let least = rest.start + text[rest.start..].chars().next().map_or(1, char::len_utf8);
    end = end.clamp(least, rest.end.max(least));
    loop {
        let tidy = tidy_end(text, rest, end, tokens).max(least);
        let count = counter.count(&text[rest.start..tidy]);
        if tidy == least || count <= limit.tokens {
            return tidy;
        }
        // The piece has more tokens alone than in its place: a word was cut. Try less.
        let bytes = ((tidy - rest.start) * limit.tokens / count).min(tidy - rest.start - 1);
        end = text.floor_char_boundary(rest.start + bytes).max(least);
    }
}

/// The best place to end at or before `end`: behind white space in the second half, else at a token.
fn tidy_end(text: &str, rest: Span, end: usize, tokens: &TokenMap) -> usize {
    let is_clean = end == rest.end
        || text[..end].ends_with(char::is_whitespace)
        || text[end..].starts_with(char::is_whitespace);
    if is_clean {
        return end;
    }
    let half = text.floor_char_boundary(rest.start + (end - rest.start) / 2);
    if let Some(space) = text[half..end].rfind(char::is_whitespace) {
        return half + space;
    }
    tokens
        .index_at(end + 1)
        .checked_sub(1)
        .and_then(|index| tokens.start(index))
        .filter(|&start| start > half)
        .unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use crate::tokens::Words;
    use rag_core::document::BlockKind;

    fn pieces(text: &str, limit: Limit) -> Vec<String> {
        let document = document(&[(BlockKind::Paragraph, text, &[])]);
        let tokens = TokenMap::of(&document, &Words);
        let spans = split(text, Span::new(0, text.len()), limit, &tokens, &Words);
        spans
            .iter()
            .filter_map(|s| s.slice(text))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn long_text_is_cut_between_words() {
        assert_eq!(
            pieces("one two three four five", Limit::of_tokens(2)),
            ["one two", "three four", "five"]
        );
    }

    #[test]
    fn a_word_longer_than_the_limit_is_cut_between_characters() {
        let limit = Limit { tokens: 5, chars: 4 };
        assert_eq!(pieces("ééééééé éé", limit), ["éééé", "ééé", "éé"]);
    }

    #[test]
    fn characters_limit_pieces_beside_tokens() {
        let limit = Limit { tokens: 5, chars: 9 };
        assert_eq!(
            pieces("alpha beta gamma delta", limit),
            ["alpha", "beta", "gamma", "delta"]
        );
    }
}
