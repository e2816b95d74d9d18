//! When two names are one: the key that spellings of a name share.

use rag_core::language::{Language, is_arabic_letter};
use rag_core::text::Analyzer;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest name that is kept, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 120;

/// Makes the keys of names.
pub(crate) struct Namer {
    analyzer: Analyzer,
}

impl Default for Namer {
    fn default() -> Self {
        Self {
            analyzer: Analyzer::new(Language::ENGLISH),
        }
    }
}

impl Namer {
    /// The key of `name`: its words in lower case without accents, a leading article left out; Arabic words
    /// without affixes, since article and prepositions are written onto them. Empty when it has no word.
    pub(crate) fn key(&self, name: &str) -> String {
        let words: Vec<String> = words(name).map(|word| self.word_key(word)).collect();
        let has_article = words.len() > 1 && words[0] == "the";
        words[usize::from(has_article)..].join(" ")
    }

    /// The keys of the words of `text`, in order.
    pub(crate) fn word_keys(&self, text: &str) -> Vec<String> {
        words(text).map(|word| self.word_key(word)).collect()
    }

    /// A looser key for finding what a question means: stems of the words, function words left out.
    pub(crate) fn loose_key(&self, name: &str) -> String {
        let terms: Vec<String> = words(name)
            .filter_map(|word| self.analyzer.terms(word).into_iter().next())
            .map(|term| term.text)
            .collect();
        terms.join(" ")
    }

    fn word_key(&self, word: &str) -> String {
        if word.contains(is_arabic_letter) {
            return self.analyzer.terms(word).into_iter().map(|t| t.text).collect();
        }
        if word.is_ascii() {
            return word.to_ascii_lowercase();
        }
        word.nfkd()
            .filter(|&c| !is_combining_mark(c))
            .flat_map(char::to_lowercase)
            .collect()
    }
}

/// The words of `text`: runs of letters, digits and marks; `-`, `.`, `_`, `/`, `&` and `'` join where they
/// stand between two of them. An English possessive ending is left out.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_character(c) && !is_joint(c))
        .map(|word| word.trim_matches(is_joint))
        .map(without_possessive)
        .filter(|word| !word.is_empty())
}

pub(crate) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || c == '\u{0640}'
}

pub(crate) fn is_joint(c: char) -> bool {
    matches!(
        c,
        '-' | '.' | '_' | '/' | '&' | '\'' | '’' | '\u{2010}' | '\u{2011}'
    )
}

pub(crate) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_share_a_key() {
        let namer = Namer::default();
        for (one, other) in [
            ("Lenka Dvořáčková", "lenka dvorackova"),
            ("the Tarn Board", "Tarn Board"),
            ("Fathom's", "Fathom"),
            ("SLC-1140.", "slc-1140"),
            ("مكتب عمّان", "مكتب عمان"),
            ("العربية", "عربية"),
        ] {
            assert_eq!(namer.key(one), namer.key(other));
        }
        assert_ne!(namer.key("SLC-1140"), namer.key("SLC-1141"));
        assert_eq!(namer.key("…"), "");
        assert_eq!(namer.key("The"), "the");
    }

    #[test]
    fn a_loose_key_joins_singular_and_plural() {
        let namer = Namer::default();
        assert_eq!(
            namer.loose_key("the Heads of Hardware"),
            namer.loose_key("head hardware")
        );
    }
}
