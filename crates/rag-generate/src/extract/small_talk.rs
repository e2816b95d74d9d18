//! Tells thanks and greetings from questions: they need no source and get none.

use rag_core::text::is_asking_word;

/// How small talk begins.
const OPENERS: &[&str] = &[
    "thanks",
    "thank",
    "thx",
    "cheers",
    "hi",
    "hello",
    "hey",
    "good",
    "great",
    "perfect",
    "nice",
    "ok",
    "okay",
    "bye",
    "goodbye",
    "see",
    "cool",
    "sorry",
    "شكرا",
    "شكرًا",
    "مرحبا",
    "مرحبًا",
    "أهلا",
    "أهلًا",
    "السلام",
    "وداعا",
];

/// Most words of small talk; more say something.
const MOST_WORDS: usize = 8;

/// True for a short text that opens like a greeting, thanks or farewell and asks nothing.
pub fn is_small_talk(text: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || ('\u{064B}'..='\u{0652}').contains(&c)))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let opens = words.first().is_some_and(|word| OPENERS.contains(&word.as_str()));
    let asks = text.contains(['?', '؟'])
        || words
            .iter()
            .any(|word| is_asking_word(word) || word.contains(char::is_numeric));
    opens && !asks && words.len() <= MOST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thanks_and_greetings_are_told_from_questions() {
        for (text, expected) in [
            ("Thanks, that's all for now!", true),
            ("Hello there!", true),
            ("Great, got it.", true),
            ("شكرًا جزيلًا", true),
            ("Hello, how many days of leave do I get", false),
            ("Thanks! And ERR-4012", false),
            ("Good conduct?", false),
            ("Annual leave", false),
            ("", false),
        ] {
            assert_eq!(is_small_talk(text), expected, "{text}");
        }
    }
}
