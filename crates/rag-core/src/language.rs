//! The language of a text, as an ISO 639-1 code.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::is_stop_word;

/// Shortest text, in letters, for which a statistical guess of the language is worth anything.
const MIN_LETTERS_TO_DETECT: usize = 12;

/// A language as its ISO 639-1 code, or [`Language::UNKNOWN`] (`und`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language([u8; 3]);

/// A text that is not a language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a language code: write two letters as in ISO 639-1, such as en or ar")]
pub struct LanguageError {
    /// The refused text.
    pub text: String,
}

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(*b"en\0");
    /// Arabic.
    pub const ARABIC: Self = Self(*b"ar\0");
    /// Not known (`und`).
    pub const UNKNOWN: Self = Self(*b"und");

    /// The code: two letters, or `und`.
    pub fn code(&self) -> &str {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(3);
        std::str::from_utf8(&self.0[..end]).expect("codes are checked to be ASCII letters")
    }

    /// Guesses the language of `text`: by script where that decides (Arabic), else by letter
    /// statistics. Short or undecided text is [`Language::UNKNOWN`].
    pub fn detect(text: &str) -> Self {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let arabic = text.chars().filter(|&c| is_arabic_letter(c)).count();
        if arabic * 2 > letters && !text.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی', 'ٹ', 'ے']) {
            return Self::ARABIC;
        }
        if letters < MIN_LETTERS_TO_DETECT {
            return Self::UNKNOWN;
        }
        match whatlang::detect(text) {
            Some(guess) if guess.is_reliable() => Self::from_iso_639_3(guess.lang().code()),
            _ if has_english_function_words(text) => Self::ENGLISH,
            _ => Self::UNKNOWN,
        }
    }

    fn from_iso_639_3(code: &str) -> Self {
        const PAIRS: &[(&str, &str)] = &[
            ("eng", "en"),
            ("ara", "ar"),
            ("fra", "fr"),
            ("deu", "de"),
            ("spa", "es"),
            ("ita", "it"),
            ("por", "pt"),
            ("nld", "nl"),
            ("swe", "sv"),
            ("dan", "da"),
            ("nob", "no"),
            ("fin", "fi"),
            ("rus", "ru"),
            ("ukr", "uk"),
            ("pol", "pl"),
            ("ces", "cs"),
            ("slk", "sk"),
            ("hun", "hu"),
            ("ron", "ro"),
            ("bul", "bg"),
            ("srp", "sr"),
            ("hrv", "hr"),
            ("slv", "sl"),
            ("ell", "el"),
            ("tur", "tr"),
            ("heb", "he"),
            ("pes", "fa"),
            ("urd", "ur"),
            ("hin", "hi"),
            ("ben", "bn"),
            ("tam", "ta"),
            ("tel", "te"),
            ("tha", "th"),
            ("vie", "vi"),
            ("ind", "id"),
            ("cmn", "zh"),
            ("jpn", "ja"),
            ("kor", "ko"),
            ("lit", "lt"),
            ("lav", "lv"),
            ("est", "et"),
            ("cat", "ca"),
        ];
        PAIRS
            .iter()
            .find(|(long, _)| *long == code)
            .and_then(|(_, short)| short.parse().ok())
            .unwrap_or(Self::UNKNOWN)
    }
}

/// True for letters of the Arabic script, presentation forms included.
pub fn is_arabic_letter(c: char) -> bool {
    matches!(c, '\u{0620}'..='\u{064A}' | '\u{066E}'..='\u{06D3}' | '\u{06FA}'..='\u{06FF}'
        | '\u{0750}'..='\u{077F}' | '\u{08A0}'..='\u{08FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// True when a fifth of the words are English function words: tells English in texts, such as
/// questions, that are too short for letter statistics.
fn has_english_function_words(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let known = words.iter().filter(|word| is_stop_word(word)).count();
    known >= 2 && known * 5 >= words.len()
}

impl Default for Language {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl FromStr for Language {
    type Err = LanguageError;

    /// Reads `en`, `EN`, `en-GB`, `en_US` or `und`; the region is dropped.
    fn from_str(text: &str) -> Result<Self, LanguageError> {
        let code = text
            .split(['-', '_'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match code.as_bytes() {
            b"und" => Ok(Self::UNKNOWN),
            [a, b] if a.is_ascii_lowercase() && b.is_ascii_lowercase() => Ok(Self([*a, *b, 0])),
            _ => Err(LanguageError {
                text: text.chars().take(40).collect(),
            }),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl TryFrom<String> for Language {
    type Error = LanguageError;

    fn try_from(text: String) -> Result<Self, LanguageError> {
        text.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.code().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_and_written() {
        for (text, code) in [("en", "en"), ("AR", "ar"), ("en-GB", "en"), ("und", "und")] {
            assert_eq!(text.parse::<Language>().unwrap().to_string(), code);
        }
        for bad in ["", "e", "english", "1a"] {
            assert!(bad.parse::<Language>().is_err(), "{bad}");
        }
    }

    #[test]
    fn languages_are_detected() {
        let cases = [
            ("كم يوما من الإجازة السنوية؟", Language::ARABIC),
            (
                "How many days of annual leave do employees receive in a year?",
                Language::ENGLISH,
            ),
            ("42", Language::UNKNOWN),
            ("", Language::UNKNOWN),
        ];
        for (text, language) in cases {
            assert_eq!(Language::detect(text), language, "{text}");
        }
    }
}
