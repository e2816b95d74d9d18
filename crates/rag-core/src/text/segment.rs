//! Cuts text into pieces: words, numbers, and identifiers that are kept whole beside their parts.

use crate::span::Span;

/// Longest run of letters and digits that is looked at as one piece, in bytes; the rest of a longer
/// one (base64, a hash dump) is skipped, since no question asks for it.
const MAX_PIECE_BYTES: usize = 256;

/// A piece of text before normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'t> {
    /// The characters as they stand.
    pub text: &'t str,
    /// Where they stand.
    pub span: Span,
    /// What they are.
    pub kind: PieceKind,
}

/// The kinds of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// Letters.
    Word,
    /// Digits, with their decimal point, thousands separators and percent sign: `5.99`, `1,200`, `25%`.
    Number,
    /// A run with a digit that joins parts or mixes letters and digits: `ERR-4012`, `v5.1`, `L4-L6`.
    Identifier,
    /// A word or number that is a part of the [`PieceKind::Identifier`] or [`PieceKind::Number`] before it.
    Part,
}

/// Cuts `text` into pieces, in order. A compound run gives itself first, then its parts.
///
/// ```
/// use rag_core::text::pieces;
///
/// let found: Vec<&str> = pieces("ERR-4012 costs 5.99, two-factor").iter().map(|p| p.text).collect();
/// assert_eq!(found, ["ERR-4012", "ERR", "4012", "costs", "5.99", "5", "99", "two", "factor"]);
/// ```
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = next_alphanumeric(text, rest) {
        let end = run_end(text, start);
        push_run(text, Span::new(start, end), &mut found);
        rest = end;
    }
    found
}

fn next_alphanumeric(text: &str, from: usize) -> Option<usize> {
    text[from..]
        .find(|c: char| c.is_alphanumeric())
        .map(|offset| from + offset)
}

/// Extends a run over letters, digits, their marks, and single connectors between two of them.
fn run_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut characters = text[start..].char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        if is_inner(c) || (is_connector(c) && next.is_some_and(char::is_alphanumeric)) {
            end = start + offset + c.len_utf8();
        } else if c == '%' && text[..end].ends_with(|d: char| d.is_ascii_digit()) {
            return end + 1;
        } else {
            break;
        }
    }
    end
}

fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Combining marks that stand inside words: Arabic vowel signs and tatweel, combining diacritics.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0610}'..='\u{061A}' | '\u{0640}' | '\u{064B}'..='\u{065F}' | '\u{0670}' | '\u{06D6}'..='\u{06ED}' | '\u{200C}' | '\u{200D}' | '\u{00AD}')
        || unicode_normalization::char::is_combining_mark(c)
}

fn is_connector(c: char) -> bool {
    matches!(
        c,
        '-' | '_' | '.' | ',' | '/' | ':' | '@' | '\'' | '’' | '\u{2010}' | '\u{2011}' | '٫' | '٬' | '+'
    )
}

fn push_run<'t>(text: &'t str, span: Span, found: &mut Vec<Piece<'t>>) {
    let run = &text[span.start..span.end];
    let has_digit = run.contains(char::is_numeric);
    let is_number = has_digit
        && run
            .chars()
            .all(|c| c.is_numeric() || matches!(c, '.' | ',' | '%' | '٫' | '٬'));
    let is_compound = run.contains(|c| is_connector(c) || c == '%') || run.contains(char::is_alphabetic);
    if is_number && !run.contains(is_connector) && !run.ends_with('%') {
        found.push(Piece {
            text: run,
            span,
            kind: PieceKind::Number,
        });
        return;
    }
    let whole = if is_number {
        PieceKind::Number
    } else {
        PieceKind::Identifier
    };
    let part_kind = if has_digit && is_compound && run.len() <= MAX_PIECE_BYTES {
        found.push(Piece {
            text: run,
            span,
            kind: whole,
        });
        PieceKind::Part
    } else {
        PieceKind::Word
    };
    push_parts(run, span.start, part_kind, found);
}

/// Pushes the parts between connectors; a run that is its own only part is not pushed twice.
fn push_parts<'t>(run: &'t str, base: usize, kind: PieceKind, found: &mut Vec<Piece<'t>>) {
    let apostrophe = |c: char| matches!(c, '\'' | '’');
    let mut offset = 0;
    for part in run.split(|c| (is_connector(c) && !apostrophe(c)) || c == '%') {
        let span = Span::new(base + offset, base + offset + part.len());
        let text = part.split(apostrophe).next().unwrap_or(part);
        let repeats = kind == PieceKind::Part && part.len() == run.len();
        if !text.is_empty() && !repeats && part.len() <= MAX_PIECE_BYTES {
            found.push(Piece {
                text,
                span: Span::new(span.start, span.start + text.len()),
                kind,
            });
        }
        offset += part.len()
            + run[offset + part.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        pieces(text).iter().map(|p| p.text).collect()
    }

    #[test]
    fn compounds_are_kept_whole_and_split() {
        let cases: &[(&str, &[&str])] = &[
            ("ERR-4012.", &["ERR-4012", "ERR", "4012"]),
            ("a 25% rise", &["a", "25%", "25", "rise"]),
            ("$1,200.50", &["1,200.50", "1", "200", "50"]),
            ("employee's well-known", &["employee", "well", "known"]),
            ("v5.1 or L4-L6", &["v5.1", "v5", "1", "or", "L4-L6", "L4", "L6"]),
            ("mail a.b@c.de now", &["mail", "a", "b", "c", "de", "now"]),
            ("end. Start", &["end", "Start"]),
            ("T4 cell", &["T4", "cell"]),
            ("", &[]),
            ("؟ … — %", &[]),
            ("كَتَبَ الجاري؟", &["كَتَبَ", "الجاري"]),
        ];
        for (text, expected) in cases {
            assert_eq!(&texts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_giant_run_is_skipped() {
        assert!(texts(&"a1".repeat(10_000)).is_empty());
    }

    proptest! {
        #[test]
        fn spans_slice_back(text in "\\PC{0,80}") {
            for piece in pieces(&text) {
                prop_assert_eq!(piece.span.slice(&text), Some(piece.text));
            }
        }
    }
}
