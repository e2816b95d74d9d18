//! Identifiers that a question asks about: what answers it, or is cited for it, is about the same one.

use std::collections::HashSet;

use rag_core::text::{PieceKind, pieces};

/// An identifier in lower case, and its parts when it has several.
pub(crate) struct Identifier {
    whole: String,
    parts: Vec<String>,
}

impl Identifier {
    /// True when the identifier, or all its parts, stands in the sentence or above it; or elsewhere in the
    /// same document, provided that the sentence is not about a twin: one that differs in its digits.
    pub(crate) fn fits<'t>(
        &self,
        sentence: &str,
        head: &str,
        mut around: impl Iterator<Item = &'t str>,
    ) -> bool {
        if [sentence, head].iter().any(|text| self.stands_in(text)) {
            return true;
        }
        let shape = shape(&self.whole);
        let names_twin = [sentence, head]
            .iter()
            .flat_map(|text| identifiers(text))
            .any(|other| self::shape(&other.whole) == shape);
        !names_twin && around.any(|text| self.stands_in(text))
    }

    fn stands_in(&self, text: &str) -> bool {
        let words: HashSet<String> = pieces(text)
            .iter()
            .map(|piece| piece.text.to_lowercase())
            .collect();
        words.contains(&self.whole)
            || (!self.parts.is_empty() && self.parts.iter().all(|part| words.contains(part)))
            || words.iter().any(|word| spans(word, &self.whole))
    }
}

/// The identifiers of `text`, in order.
pub(crate) fn identifiers(text: &str) -> Vec<Identifier> {
    let mut found: Vec<Identifier> = Vec::new();
    for piece in pieces(text) {
        match (piece.kind, found.last_mut()) {
            (PieceKind::Identifier, _) => found.push(Identifier {
                whole: piece.text.to_lowercase(),
                parts: Vec::new(),
            }),
            (PieceKind::Part, Some(last)) if last.whole.contains(&piece.text.to_lowercase()) => {
                last.parts.push(piece.text.to_lowercase());
            }
            _ => {}
        }
    }
    found
}

/// An identifier with every digit alike: twins have the same shape.
fn shape(identifier: &str) -> String {
    identifier
        .chars()
        .map(|c| if c.is_numeric() { '0' } else { c })
        .collect()
}

/// True when `word` is a range, such as `g4-g6`, in which `identifier` lies.
fn spans(word: &str, identifier: &str) -> bool {
    let Some((first, last)) = word.split_once('-') else {
        return false;
    };
    let (Some(first), Some(last), Some(asked)) = (numbered(first), numbered(last), numbered(identifier))
    else {
        return false;
    };
    let is_one_series = first.0 == asked.0 && (last.0 == asked.0 || last.0.is_empty());
    is_one_series && (first.1..=last.1).contains(&asked.1)
}

/// A name of letters and the number behind it.
fn numbered(word: &str) -> Option<(&str, u32)> {
    let digits = word.find(|c: char| c.is_ascii_digit())?;
    let (name, number) = word.split_at(digits);
    let is_plain = name.chars().all(char::is_alphabetic);
    Some((name, number.parse().ok().filter(|_| is_plain)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_about_the_identifier_or_about_another() {
        let cases: &[(&str, &str, &str, &str, bool)] = &[
            ("ERR-7", "ERR-7 means a failure.", "", "", true),
            ("ERR-7", "It means a failure.", "Error ERR-7", "", true),
            ("ERR-7", "Restart it.", "", "ERR-7 is rare.", true),
            ("ERR-7", "ERR-8 means a failure.", "", "ERR-7 is rare.", false),
            ("ERR-7", "Restart it.", "", "", false),
            ("G5", "Grade G4-G6: EUR 182.", "", "", true),
            ("G7", "Grade G4-G6: EUR 182.", "", "", false),
            ("HBR-2207", "See HBR-2208.", "", "", false),
        ];
        for (asked, sentence, head, around, expected) in cases {
            let asked = identifiers(asked).remove(0);
            assert_eq!(
                asked.fits(sentence, head, [*around].into_iter()),
                *expected,
                "{sentence}"
            );
        }
    }

    #[test]
    fn ranges_are_of_one_series() {
        for (word, identifier, expected) in [
            ("g4-g6", "g4", true),
            ("g4-g6", "g6", true),
            ("g4-h6", "g5", false),
            ("4-6", "g5", false),
            ("g6-g4", "g5", false),
            ("hbr-2207", "hbr", false),
        ] {
            assert_eq!(spans(word, identifier), expected, "{word} {identifier}");
        }
    }
}
