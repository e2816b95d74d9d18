//! Ligatures whose character the file does not say: programs forget those of `fi` and its like, and engines
//! then give a word with a hole. Which one it is shows in the page's other words and the letter behind it.

use std::collections::HashSet;

use super::glyph::{Glyph, GlyphText};

/// Stands for a glyph without a character until the page is read.
pub(super) const LOST: char = '\u{FFFD}';

/// The ligatures that fonts have, the most frequent first.
const LIGATURES: [&str; 5] = ["fi", "fl", "ff", "ffi", "ffl"];

/// Gap between two glyphs of one word at most, and change of baseline, in font sizes.
const SAME_WORD: f32 = 0.15;
const SAME_LINE: f32 = 0.1;

/// Replaces lost glyphs within words by the ligatures they must be, and takes out all others. Returns how
/// many were replaced.
pub(super) fn mend(glyphs: &mut Vec<Glyph>) -> usize {
    if !glyphs.iter().any(is_lost) {
        return 0;
    }
    let words = words(glyphs);
    let mut mended = Vec::new();
    for at in (0..glyphs.len()).filter(|at| is_lost(&glyphs[*at])) {
        let before = letters(glyphs[..at].iter().rev(), &glyphs[at]);
        let behind = letters(glyphs[at + 1..].iter(), &glyphs[at]);
        let before: String = before.chars().rev().collect();
        if behind.starts_with(char::is_lowercase) {
            mended.push((at, ligature(&before, &behind, &words)));
        }
    }
    let count = mended.len();
    for (at, text) in mended {
        glyphs[at].text = GlyphText::Several(text.into());
    }
    glyphs.retain(|glyph| !is_lost(glyph));
    count
}

fn is_lost(glyph: &Glyph) -> bool {
    glyph.text == GlyphText::One(LOST)
}

/// The ligature that makes a word of the page, else the one that goes with the letter behind it.
fn ligature(before: &str, behind: &str, words: &HashSet<String>) -> &'static str {
    let makes_word = |ligature: &&&str| words.contains(&format!("{before}{ligature}{behind}").to_lowercase());
    if let Some(known) = LIGATURES.iter().find(makes_word) {
        return known;
    }
    let mut next = behind.chars();
    match (next.next(), next.next()) {
        // `field`, `specified`, `identifies` against `reflect`, `fleet`.
        (Some('e'), Some('d' | 'l' | 'r' | 's')) => "fi",
        (Some('a' | 'e' | 'i' | 'o' | 'u' | 'y'), _) => "fl",
        _ => "fi",
    }
}

/// The letters of the word that goes on from a glyph, in the order of `glyphs`.
fn letters<'g>(glyphs: impl Iterator<Item = &'g Glyph>, from: &'g Glyph) -> String {
    let mut text = String::new();
    let mut last = from;
    for glyph in glyphs {
        if !is_beside(last, glyph) || !glyph.text.first().is_alphabetic() {
            break;
        }
        glyph.text.push_to(&mut text);
        last = glyph;
    }
    text
}

/// True when two glyphs stand side by side in one word, in either order.
fn is_beside(a: &Glyph, b: &Glyph) -> bool {
    let size = a.size.max(b.size);
    let (left, right) = if a.x <= b.x { (a, b) } else { (b, a) };
    a.turn == b.turn
        && (a.y - b.y).abs() <= SAME_LINE * size
        && (right.x - left.x - left.advance).abs() <= SAME_WORD * size
}

/// The page's words without holes, in lower case.
fn words(glyphs: &[Glyph]) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut word = String::new();
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        let goes_on = glyph.text.first().is_alphabetic() && last.is_some_and(|last| is_beside(last, glyph));
        if !goes_on {
            words.insert(std::mem::take(&mut word).to_lowercase());
        }
        glyph.text.push_to(&mut word);
        last = Some(glyph);
    }
    words.insert(word.to_lowercase());
    words
}

#[cfg(test)]
mod tests {
    use super::super::glyph::Turn;
    use super::*;

    /// Text set in glyphs of one width; `?` is a lost one, a space is a gap.
    fn set(text: &str) -> Vec<Glyph> {
        let glyph = |(at, c): (usize, char)| Glyph {
            text: GlyphText::One(if c == '?' { LOST } else { c }),
            x: at as f32 * 5.0,
            y: 100.0,
            advance: 5.0,
            size: 10.0,
            is_bold: false,
            is_apart: false,
            order: at,
            turn: Turn::Right,
        };
        text.chars()
            .enumerate()
            .filter(|(_, c)| *c != ' ')
            .map(glyph)
            .collect()
    }

    #[test]
    fn holes_in_words_are_filled_and_others_go() {
        let cases = [
            ("bene?ts", "benefits"),
            ("?rst", "first"),
            ("re?ect", "reflect"),
            ("in?ation", "inflation"),
            ("speci?ed", "specified"),
            ("office o?ce", "officeoffice"),
            ("Offer o?er", "Offeroffer"),
            ("? item", "item"),
            ("12?5", "125"),
            ("plain", "plain"),
        ];
        for (text, expected) in cases {
            let mut glyphs = set(text);
            mend(&mut glyphs);
            let mut mended = String::new();
            for glyph in &glyphs {
                glyph.text.push_to(&mut mended);
            }
            assert_eq!(mended, expected, "{text}");
        }
    }
}
