//! A follow-up question, made standalone by the words of the turn before it.

use std::collections::HashSet;

use rag_core::question::Question;
use rag_core::text::{Analyzer, PieceKind, pieces};

/// Words by which a question leans on what was said before.
const REFERRING: &[&str] = &[
    "it", "its", "that", "this", "they", "them", "their", "those", "these", "he", "she", "him", "her",
    "there", "one", "ones", "else", "instead", "same", "هو", "هي", "هذا", "هذه", "ذلك", "تلك", "هم", "ذاك",
];

/// Openings that continue a conversation.
const CONTINUING: &[&str] = &[
    "and ",
    "what about",
    "how about",
    "but ",
    "or ",
    "also ",
    "so ",
    "وماذا",
    "ماذا عن",
    "و ",
];

/// Words of a question that say how it asks, not what about.
const ASKING: &[&str] = &[
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "does", "did", "can",
    "could", "may", "must", "should", "would", "i", "me", "my", "we", "our", "you", "your", "have", "has",
    "had", "get", "many", "much", "long", "mean", "please", "am", "been", "from", "about", "ما", "ماذا",
    "من", "هل", "كم", "كيف", "متى", "أين", "في", "على", "عن", "إلى",
];

/// Makes a follow-up standalone: the content words of the latest turn that it does not have itself are
/// appended when it leans on earlier turns ("it", "that", "what about …"). Any other question comes back
/// as it is.
///
/// Of the earlier turns the latest with content words of its own is taken; the history stays.
pub fn standalone(question: &Question) -> Question {
    let text = &question.text;
    if question.history.is_empty() || !leans_on_history(text) {
        return question.clone();
    }
    let own = terms(text);
    let added = question.history.iter().rev().find_map(|turn| {
        let words = content_words(turn, &own);
        (!words.is_empty()).then_some(words)
    });
    let text = added.map_or_else(|| text.clone(), |words| format!("{text} {}", words.join(" ")));
    Question {
        text,
        ..question.clone()
    }
}

fn leans_on_history(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let refers = lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| REFERRING.contains(&word));
    refers || CONTINUING.iter().any(|opening| lower.starts_with(opening))
}

fn terms(text: &str) -> HashSet<String> {
    let analyzer = Analyzer::new(rag_core::language::Language::UNKNOWN);
    analyzer.terms(text).into_iter().map(|term| term.text).collect()
}

/// The words and identifiers of `turn` that say what it is about and are not among `own` terms.
fn content_words<'t>(turn: &'t str, own: &HashSet<String>) -> Vec<&'t str> {
    let says_something = |word: &str| {
        let lower = word.to_lowercase();
        !ASKING.contains(&lower.as_str())
            && !REFERRING.contains(&lower.as_str())
            && terms(word).iter().any(|t| !own.contains(t))
    };
    let whole = pieces(turn)
        .into_iter()
        .filter(|piece| piece.kind != PieceKind::Part);
    whole
        .map(|piece| piece.text)
        .filter(|word| says_something(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rag_core::access::Principal;

    #[test]
    fn follow_ups_take_the_topic_of_the_turn_before() {
        let cases: &[(&str, &[&str], &str)] = &[
            (
                "What if it fails?",
                &["How do I set up the VPN?"],
                "What if it fails? set up VPN",
            ),
            (
                "How do I fix it?",
                &["What does ERR-4012 mean?"],
                "How do I fix it? ERR-4012",
            ),
            (
                "And in Norway?",
                &["Which per diem is paid in Jordan?"],
                "And in Norway? per diem paid Jordan",
            ),
            (
                "How long is it?",
                &["Tell me of parental leave.", "Thanks, that."],
                "How long is it? Thanks",
            ),
            (
                "Who approves refunds?",
                &["How do I set up the VPN?"],
                "Who approves refunds?",
            ),
            ("What if it fails?", &[], "What if it fails?"),
            (
                "وماذا عن الموظفين الجدد؟",
                &["كم يوم إجازة؟"],
                "وماذا عن الموظفين الجدد؟ يوم إجازة",
            ),
        ];
        for (text, history, expected) in cases {
            let mut question = Question::new("1", *text, Principal::everyone());
            question.history = history.iter().map(ToString::to_string).collect();
            assert_eq!(standalone(&question).text, *expected);
        }
    }
}
