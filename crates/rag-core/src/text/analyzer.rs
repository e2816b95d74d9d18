//! From text to terms: lower-cased, normalised and stemmed pieces, by script and language.

use std::collections::HashSet;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::arabic;
use super::segment::{Piece, PieceKind, pieces};
use super::stop_words::is_stop_word;
use crate::language::{Language, is_arabic_letter};
use crate::span::Span;

/// A term and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// The normalised text that is compared.
    pub text: String,
    /// Where it stands in the analysed text.
    pub span: Span,
    /// What the piece was.
    pub kind: PieceKind,
}

/// Turns text of one language into terms.
///
/// Arabic script is normalised and stemmed as Arabic whatever the language; Latin and other
/// alphabets are stemmed with the language's Snowball stemmer, English where there is none;
/// scripts without spaces become overlapping pairs of characters. Identifiers, numbers and percents
/// are kept whole and also split. English function words are dropped.
///
/// ```
/// use rag_core::{language::Language, text::Analyzer};
///
/// let terms = Analyzer::new(Language::ENGLISH).terms("Connections to ERR-4012");
/// let texts: Vec<&str> = terms.iter().map(|t| t.text.as_str()).collect();
/// assert_eq!(texts, ["connect", "err-4012", "err", "4012"]);
/// ```
pub struct Analyzer {
    stemmer: Stemmer,
    drops_stop_words: bool,
}

impl Analyzer {
    /// An analyser for text of `language`.
    pub fn new(language: Language) -> Self {
        Self {
            stemmer: Stemmer::new(algorithm(language)),
            drops_stop_words: matches!(language.code(), "en" | "und" | "ar"),
        }
    }

    /// The terms of `text`, in order.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        for piece in pieces(text) {
            self.push_terms(piece, &mut terms);
        }
        terms
    }

    /// The distinct terms of `text`.
    pub fn term_set(&self, text: &str) -> HashSet<String> {
        self.terms(text).into_iter().map(|term| term.text).collect()
    }

    fn drops(&self, word: &str) -> bool {
        is_stray_letter(word) || (self.drops_stop_words && is_stop_word(word))
    }

    fn push_terms(&self, piece: Piece<'_>, terms: &mut Vec<Term>) {
        let lower = piece.text.nfkc().collect::<String>().to_lowercase();
        let mut push = |text: String, span: Span| {
            if !text.is_empty() {
                terms.push(Term {
                    text,
                    span,
                    kind: piece.kind,
                });
            }
        };
        if piece.kind == PieceKind::Identifier {
            push(arabic::normalize(&lower), piece.span);
        } else if piece.kind == PieceKind::Number {
            push(canonical_number(&arabic::normalize(&lower)), piece.span);
        } else if lower.contains(is_arabic_letter) {
            push(arabic::stem(&lower), piece.span);
        } else if lower.contains(is_unspaced) {
            push_pairs(&lower, |pair| push(pair, piece.span));
        } else if !self.drops(&lower) {
            push(fold_accents(&self.stemmer.stem(&lower)), piece.span);
        }
    }
}

/// The terms of a question over passages in `languages`: the union of each language's analysis, each
/// (term, place) once. The language of a short question cannot be told reliably, so it is not asked.
pub fn query_terms(question: &str, languages: &[Language]) -> Vec<Term> {
    let fallback = [Language::UNKNOWN];
    let languages = if languages.is_empty() {
        &fallback
    } else {
        languages
    };
    let mut algorithms = HashSet::new();
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    for &language in languages {
        if !algorithms.insert(format!("{:?}", algorithm(language))) {
            continue;
        }
        for term in Analyzer::new(language).terms(question) {
            if seen.insert((term.span, term.text.clone())) {
                terms.push(term);
            }
        }
    }
    terms
}

fn algorithm(language: Language) -> Algorithm {
    match language.code() {
        "fr" => Algorithm::French,
        "de" => Algorithm::German,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        "nl" => Algorithm::Dutch,
        "sv" => Algorithm::Swedish,
        "da" => Algorithm::Danish,
        "no" | "nb" | "nn" => Algorithm::Norwegian,
        "fi" => Algorithm::Finnish,
        "ru" => Algorithm::Russian,
        "hu" => Algorithm::Hungarian,
        "ro" => Algorithm::Romanian,
        "tr" => Algorithm::Turkish,
        "el" => Algorithm::Greek,
        _ => Algorithm::English,
    }
}

/// Single Latin letters ("s" of "bank's", list labels) say nothing; single digits do.
fn is_stray_letter(word: &str) -> bool {
    word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Drops thousands separators: `1,200.50` and `1200.50` are the same number.
fn canonical_number(number: &str) -> String {
    let is_grouped = number
        .split('.')
        .next()
        .is_some_and(|whole| whole.contains(',') && whole.split(',').skip(1).all(|group| group.len() == 3));
    if is_grouped {
        number.replace(',', "")
    } else {
        number.replace('٬', "")
    }
}

fn fold_accents(word: &str) -> String {
    if word.is_ascii() {
        return word.to_owned();
    }
    word.nfkd()
        .filter(|&c| !unicode_normalization::char::is_combining_mark(c))
        .collect()
}

/// Scripts written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

fn push_pairs(word: &str, mut push: impl FnMut(String)) {
    let characters: Vec<char> = word.chars().collect();
    if characters.len() == 1 {
        push(word.to_owned());
    }
    for pair in characters.windows(2) {
        push(pair.iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(language: &str, text: &str) -> Vec<String> {
        Analyzer::new(language.parse().unwrap())
            .terms(text)
            .into_iter()
            .map(|t| t.text)
            .collect()
    }

    #[test]
    fn text_becomes_terms() {
        let cases: &[(&str, &str, &[&str])] = &[
            ("en", "The fees are refunded", &["fee", "refund"]),
            (
                "en",
                "5.99 and 25% of 1,200",
                &["5.99", "5", "99", "25%", "25", "1200", "1", "200"],
            ),
            ("ar", "الإجازة السنويّة ٢١ يوماً", &["اجاز", "سنو", "21", "يوما"]),
            ("ar", "سياسة سياسات", &["سياس", "سياس"]),
            ("fr", "les élèves", &["le", "elev"]),
            ("und", "東京都", &["東京", "京都"]),
            ("en", "it's bank's", &["bank"]),
        ];
        for (language, text, expected) in cases {
            assert_eq!(&texts(language, text), expected, "{text}");
        }
    }

    #[test]
    fn spellings_of_an_arabic_word_agree() {
        assert_eq!(texts("ar", "أحمد"), texts("en", "احمد"));
    }

    #[test]
    fn a_question_is_analysed_in_every_language_present_without_repeats() {
        let languages = [
            "en".parse().unwrap(),
            "ar".parse().unwrap(),
            "fr".parse().unwrap(),
        ];
        let terms: Vec<String> = query_terms("refunds", &languages)
            .into_iter()
            .map(|t| t.text)
            .collect();
        assert_eq!(terms, ["refund"]);
    }
}
