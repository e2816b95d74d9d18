//! Splits a question that asks several things into questions that ask one.

use std::collections::HashSet;
use std::sync::LazyLock;

use rag_core::language::Language;
use rag_core::text::{ASKING, ASKING_ARABIC, Analyzer, PieceKind, is_asking_word, is_function_word, pieces};
use regex::Regex;

/// Where one question ends and the next begins: a question mark with text behind it, or an "and" before
/// a word that begins a question.
static BOUNDARY: LazyLock<Regex> = LazyLock::new(|| {
    let (asking, asking_arabic) = (ASKING.join("|"), ASKING_ARABIC.join("|"));
    let arabic = format!(r"[,،]?\s+و(?:{asking_arabic})\s");
    let english = format!(r"(?i)[,;]?\s+(?:and|&)(?:\s+also)?\s+(?:{asking})\b");
    Regex::new(&format!(r"[?؟]\s+\S|{english}|{arabic}")).expect("the pattern is a constant")
});

/// Two identifiers joined by "and" that the rest of the question asks about alike.
static TWO_IDENTIFIERS: LazyLock<Regex> = LazyLock::new(|| {
    let identifier = r"\b[A-Za-z]{1,8}[-\s]?[0-9][\w.-]*";
    Regex::new(&format!(
        r"({identifier})(?:\s+(?:and|&|or)\s+|\s+و\s?)({identifier})"
    ))
    .expect("the pattern is a constant")
});

/// Splits `question` into at most `most` questions, in order. Most questions are one; one that would be
/// more than `most` stays whole.
///
/// A part that names no subject ("and which has the R3?") takes over the content words of the first part.
pub fn sub_questions(question: &str, most: usize) -> Vec<String> {
    let mut cuts = cuts(question);
    // A greeting or a lone word before the question is no question of its own.
    if !cuts.iter().all(|part| says_something(part)) {
        cuts = vec![question.trim().to_owned()];
    }
    if let [only] = &cuts[..] {
        cuts = split_identifiers(only);
    }
    if cuts.len() > most.max(1) {
        return vec![question.trim().to_owned()];
    }
    let first = cuts[0].clone();
    cuts.into_iter()
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { completed(part, &first) })
        .collect()
}

/// True when a word or an identifier says what `part` is about.
pub(crate) fn says_something(part: &str) -> bool {
    content(part).next().is_some()
}

/// `question` cut where one question ends and another begins.
pub(crate) fn cuts(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for boundary in BOUNDARY.find_iter(question) {
        let text = boundary.as_str();
        let (end, next) = if text.starts_with(['?', '؟']) {
            let mark = text.chars().next().map_or(0, char::len_utf8);
            (boundary.start() + mark, boundary.start() + mark)
        } else {
            (boundary.start(), boundary.start() + joint_len(text))
        };
        found.push(question[start..end].trim().to_owned());
        start = next;
    }
    found.push(question[start..].trim().to_owned());
    found
}

/// Length of what joins two questions, up to the word that begins the second.
fn joint_len(boundary: &str) -> usize {
    if let Some(at) = boundary.rfind(" و") {
        return at + " و".len();
    }
    boundary
        .trim_end()
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + 1)
}

fn split_identifiers(question: &str) -> Vec<String> {
    let Some(found) = TWO_IDENTIFIERS
        .captures(question)
        .filter(|_| asks_of_each(question))
    else {
        return vec![question.to_owned()];
    };
    let range = found.get(0).expect("group 0 is the match").range();
    let (first, second) = (&found[1], &found[2]);
    [first, second]
        .iter()
        .map(|identifier| {
            format!(
                "{}{identifier}{}",
                &question[..range.start],
                &question[range.end..]
            )
        })
        .collect()
}

/// False for a statement, and for a question about two things together.
fn asks_of_each(question: &str) -> bool {
    const TOGETHER: &[&str] = &[
        "between",
        "both",
        "combination",
        "combined",
        "difference",
        "together",
        "versus",
        "vs",
    ];
    let mut words = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .peekable();
    let opens = words.peek().is_some_and(|word| is_asking_word(word));
    (opens || question.contains(['?', '؟'])) && !words.any(|word| TOGETHER.contains(&word.as_str()))
}

/// `part`, with the content words of `first` behind it when it has no word of its own that could be the
/// subject: identifiers and numbers alone are not one.
fn completed(part: String, first: &str) -> String {
    if content(&part).any(|(_, kind)| kind == PieceKind::Word) {
        return part;
    }
    let own: HashSet<String> = terms(&part);
    let words: Vec<&str> = content(first)
        .filter(|(word, kind)| *kind == PieceKind::Word && terms(word).is_disjoint(&own))
        .map(|(word, _)| word)
        .collect();
    format!("{part} {}", words.join(" ")).trim().to_owned()
}

fn terms(text: &str) -> HashSet<String> {
    Analyzer::new(Language::ENGLISH).term_set(text)
}

/// The words and identifiers that say what a question is about.
fn content(text: &str) -> impl Iterator<Item = (&str, PieceKind)> {
    pieces(text)
        .into_iter()
        .filter(|piece| piece.kind != PieceKind::Part && !is_function_word(piece.text))
        .map(|piece| (piece.text, piece.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_split_where_it_asks_again() {
        let cases: &[(&str, &[&str])] = &[
            ("How long is the warranty?", &["How long is the warranty?"]),
            (
                "How do I upload receipts, and when is the money paid?",
                &["How do I upload receipts", "when is the money paid?"],
            ),
            (
                "What does lunch cost? Who approves refunds?",
                &["What does lunch cost?", "Who approves refunds?"],
            ),
            (
                "What do ERR-7 and ERR-8 mean?",
                &["What do ERR-7 mean?", "What do ERR-8 mean?"],
            ),
            (
                "Which battery life has the R2 and which has the R3?",
                &["Which battery life has the R2", "which has the R3? battery life"],
            ),
            (
                "Terms and conditions of travel",
                &["Terms and conditions of travel"],
            ),
            (
                "Between 5 and 10 days of what?",
                &["Between 5 and 10 days of what?"],
            ),
            ("TDP-43 and ND3 interact", &["TDP-43 and ND3 interact"]),
            (
                "What is the difference between ERR-7 and ERR-8?",
                &["What is the difference between ERR-7 and ERR-8?"],
            ),
            ("Hello? What does lunch cost", &["Hello? What does lunch cost"]),
            ("كم يوما للإجازة ومتى تسقط؟", &["كم يوما للإجازة", "متى تسقط؟"]),
            ("", &[""]),
        ];
        for (question, expected) in cases {
            assert_eq!(&sub_questions(question, 4), expected, "{question}");
        }
    }

    #[test]
    fn a_question_with_too_many_parts_stays_whole() {
        let question = "What costs lunch and what costs tea and what costs cake";
        assert_eq!(sub_questions(question, 2), [question]);
    }
}
