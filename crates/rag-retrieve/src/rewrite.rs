//! A follow-up question, made standalone by the words of the turns before it.
//!
//! A rule without a model. It knows three ways in which a question leans on what was said: it names a new
//! case of the last question ("And in Norway?"), a pronoun stands for the topic ("How do I fix it?"), or it
//! merely goes on ("And who approves?").

use std::collections::HashSet;

use rag_core::language::Language;
use rag_core::question::Question;
use rag_core::text::{Analyzer, PieceKind, is_asking_word, is_function_word, pieces};

use crate::decompose::{cuts, says_something, sub_questions};

/// Words that stand for something said before.
const PRONOUNS: &[&str] = &[
    "it", "its", "they", "them", "their", "he", "she", "him", "his", "her", "one", "ones", "that", "this",
    "those", "these",
];

/// Of these, the ones that may also stand before a noun: "that policy".
const DETERMINERS: &[&str] = &["that", "this", "those", "these", "one"];

/// Further words by which a question leans on what was said before.
const REFERRING: &[&str] = &[
    "there", "else", "instead", "same", "هو", "هي", "هذا", "هذه", "ذلك", "تلك", "هم", "ذاك",
];

/// Openings that continue a conversation; longer ones first.
const CONTINUING: &[&str] = &[
    "and what about ",
    "what about ",
    "how about ",
    "and ",
    "but ",
    "or ",
    "also ",
    "so ",
    "وماذا عن ",
    "ماذا عن ",
    "وماذا ",
    "و ",
];

/// Words that begin a circumstance of a question. `of` ties two nouns into one thing and ends none.
const PREPOSITIONS: &[&str] = &[
    "for", "in", "on", "at", "to", "from", "with", "by", "under", "after", "before", "during", "between",
    "within", "without", "above", "below",
];

/// Most words of a new case put in the place of the old one.
const MOST_CASE_WORDS: usize = 6;

/// A turn with fewer content words is read together with the one before it.
const LEAST_TOPIC_WORDS: usize = 2;

/// Makes a follow-up standalone by the turns before it. Any other question comes back as it is.
///
/// | follow-up | after | becomes |
/// |---|---|---|
/// | And in Norway? | Which per diem is paid in Jordan? | Which per diem is paid in Norway? |
/// | How do I fix it? | What does ERR-4012 mean? | How do I fix ERR-4012? |
/// | And who approves? | How do I claim travel costs? | claim travel costs: who approves? |
pub fn standalone(question: &Question) -> Question {
    let text = rewritten(&question.text, &question.history);
    Question {
        text: text.unwrap_or_else(|| question.text.clone()),
        ..question.clone()
    }
}

/// Takes a question apart into at most `most` parts. In a conversation each part is made [`standalone`] by the turns and
/// the parts before it.
pub fn standalone_parts(question: &Question, most: usize) -> Question {
    let mut turns = question.history.clone();
    let mut parts = cuts(&question.text);
    for part in &mut parts {
        if let Some(text) = rewritten(part, &turns) {
            *part = text;
        }
        turns.push(part.clone());
    }
    let are_questions = (2..=most).contains(&parts.len()) && parts.iter().all(|part| says_something(part));
    if question.history.is_empty() || !are_questions {
        let whole = standalone(question);
        let parts = several(sub_questions(&whole.text, most));
        return Question {
            sub_questions: parts,
            ..whole
        };
    }
    Question {
        text: parts.join(" "),
        sub_questions: parts,
        ..question.clone()
    }
}

/// The parts, if there is more than one.
pub(crate) fn several(parts: Vec<String>) -> Vec<String> {
    if parts.len() > 1 { parts } else { Vec::new() }
}

fn rewritten(text: &str, history: &[String]) -> Option<String> {
    let text = text.trim();
    let continuation = after_opening(text);
    let own = continuation.unwrap_or(text);
    if let Some(case) = continuation.filter(|rest| is_new_case(rest)) {
        let last = history.iter().rev().find(|turn| asks(turn));
        if let Some(other) = last.and_then(|last| with_case(last, case)) {
            return Some(other);
        }
    }
    let pronoun = pronoun(own);
    let leans = continuation.is_some() || pronoun.is_some() || refers(own);
    let topic = topic(history, own).filter(|_| leans)?;
    Some(match pronoun {
        Some(range) => format!("{}{topic}{}", &own[..range.start], &own[range.end..]),
        None => format!("{topic}: {own}"),
    })
}

/// What follows an opening that continues a conversation.
fn after_opening(text: &str) -> Option<&str> {
    CONTINUING.iter().find_map(|opening| {
        let head = text.get(..opening.len())?;
        let continues = head.to_lowercase() == *opening;
        continues.then(|| text[opening.len()..].trim_start())
    })
}

/// True for a few words that ask nothing by themselves.
fn is_new_case(rest: &str) -> bool {
    let words: Vec<String> = words(rest).map(|(_, word)| word.to_lowercase()).collect();
    let names_only = |word: &String| !is_asking_word(word) && !PRONOUNS.contains(&word.as_str());
    !words.is_empty() && words.len() <= MOST_CASE_WORDS && words.iter().all(names_only)
}

fn asks(turn: &str) -> bool {
    turn.contains(['?', '؟'])
        || words(turn)
            .next()
            .is_some_and(|(_, word)| is_asking_word(&word.to_lowercase()))
}

/// The last question with `case` in the place of its own; `None` when it names none.
fn with_case(last: &str, case: &str) -> Option<String> {
    let is_preposition = |word: &str| PREPOSITIONS.contains(&word.to_lowercase().as_str());
    let last = last.trim_end_matches(['?', '؟', '.', ' ']);
    let case = case.trim_end_matches(['?', '؟', '.', ' ']);
    let circumstances: Vec<(usize, &str)> = words(last)
        .filter(|(_, word)| is_preposition(word) || *word == "of")
        .collect();
    let first = words(case).next()?.1;
    let replaced = if is_preposition(first) {
        let same = |(_, word): &&(usize, &str)| word.eq_ignore_ascii_case(first);
        let Some(&(start, _)) = circumstances.iter().rfind(same) else {
            return Some(format!("{last} {case}?"));
        };
        start
    } else {
        let ends = circumstances.iter().rfind(|(_, word)| *word != "of");
        let tied = circumstances
            .last()
            .filter(|_| !words(case).any(|(_, word)| word == "of"));
        let &(start, word) = ends.or(tied)?;
        start + word.len() + 1
    };
    let end = circumstances
        .iter()
        .find(|(start, word)| *start > replaced && *word != "of")
        .map_or(last.len(), |(start, _)| *start);
    let (before, after) = (last.get(..replaced)?.trim_end(), last[end..].trim());
    let space = if after.is_empty() { "" } else { " " };
    Some(format!("{before} {case}{space}{after}?"))
}

/// Where the first pronoun stands that the topic can take the place of.
fn pronoun(text: &str) -> Option<std::ops::Range<usize>> {
    let all: Vec<(usize, &str)> = words(text).collect();
    let stands_alone = |at: usize| {
        let next = all.get(at + 1).map(|(_, word)| word.to_lowercase());
        next.is_none_or(|next| is_function_word(&next))
    };
    all.iter().enumerate().find_map(|(at, &(start, word))| {
        let lower = word.to_lowercase();
        let refers = PRONOUNS.contains(&lower.as_str())
            && (!DETERMINERS.contains(&lower.as_str()) || stands_alone(at));
        refers.then(|| start..start + word.len())
    })
}

fn refers(text: &str) -> bool {
    words(text).any(|(_, word)| {
        let lower = word.to_lowercase();
        REFERRING.contains(&lower.as_str()) || PRONOUNS.contains(&lower.as_str())
    })
}

/// The content words of the latest turn that has any, and of the one before it when it has few; `None` when
/// no turn adds anything to `own`.
fn topic(history: &[String], own: &str) -> Option<String> {
    let mut found: Vec<&str> = Vec::new();
    for turn in history.iter().rev() {
        let mut words = content_words(turn, own);
        words.retain(|word| !found.contains(word));
        found.splice(0..0, words);
        if found.len() >= LEAST_TOPIC_WORDS || found.iter().any(|word| has_digit(word)) {
            break;
        }
    }
    (!found.is_empty()).then(|| found.join(" "))
}

/// The words and identifiers of `turn` that say what it is about. Those that `own` has too are left out, and
/// identifiers of which `own` names another of the same form.
fn content_words<'t>(turn: &'t str, own: &str) -> Vec<&'t str> {
    let own_terms = terms(own);
    let own_forms: HashSet<String> = words(own)
        .filter(|(_, word)| has_digit(word))
        .map(|(_, word)| form(word))
        .collect();
    words(turn)
        .map(|(_, word)| word)
        .filter(|word| !is_function_word(word) && !PRONOUNS.contains(&word.to_lowercase().as_str()))
        .filter(|word| terms(word).iter().any(|term| !own_terms.contains(term)))
        .filter(|word| !(has_digit(word) && own_forms.contains(&form(word))))
        .collect()
}

fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

/// An identifier with its letters and digits masked: those of one kind look alike.
fn form(word: &str) -> String {
    let mask = |c: char| match c {
        _ if c.is_numeric() => '0',
        _ if c.is_alphabetic() => 'a',
        _ => c,
    };
    word.chars().map(mask).collect()
}

fn terms(text: &str) -> HashSet<String> {
    Analyzer::new(Language::UNKNOWN).term_set(text)
}

/// The words, identifiers and numbers of `text`, with the byte at which each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let whole = pieces(text)
        .into_iter()
        .filter(|piece| piece.kind != PieceKind::Part);
    whole.map(|piece| (piece.span.start, piece.text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rag_core::access::Principal;

    use super::*;

    fn check(cases: &[(&str, &[&str], &str)]) {
        for (text, history, expected) in cases {
            let mut question = Question::new("1", *text, Principal::everyone());
            question.history = history.iter().map(ToString::to_string).collect();
            assert_eq!(standalone(&question).text, *expected, "{text}");
        }
    }

    #[test]
    fn a_new_case_takes_the_place_of_the_old_one() {
        check(&[
            (
                "And in Norway?",
                &["Which per diem is paid in Jordan?"],
                "Which per diem is paid in Norway?",
            ),
            (
                "And for grades G7-G9?",
                &["What is the cap for grades G4-G6 in the policy 2026?"],
                "What is the cap for grades G7-G9 in the policy 2026?",
            ),
            (
                "What about gateways?",
                &["How long is the warranty on meters?"],
                "How long is the warranty on gateways?",
            ),
            (
                "What about the head of sales?",
                &["How many days has the head of support?"],
                "days support: the head of sales?",
            ),
            (
                "And for guests?",
                &["How do I set up the VPN?"],
                "How do I set up the VPN for guests?",
            ),
            (
                "What about phones?",
                &["Who repairs laptops?"],
                "repairs laptops: phones?",
            ),
        ]);
    }

    #[test]
    fn a_pronoun_is_replaced_by_the_topic() {
        check(&[
            (
                "How do I fix it?",
                &["What does ERR-4012 mean?"],
                "How do I fix ERR-4012?",
            ),
            (
                "What if it fails?",
                &["How do I set up the VPN?"],
                "What if set up VPN fails?",
            ),
            (
                "And how long does it last?",
                &["How do I sign in to Harbour Connect?", "A session, I mean."],
                "how long does sign Harbour Connect session last?",
            ),
            (
                "How long is it?",
                &["Tell me of parental leave.", "Thanks, that."],
                "How long is parental leave?",
            ),
            (
                "Who wrote that policy?",
                &["How do I book travel?"],
                "book travel: Who wrote that policy?",
            ),
        ]);
    }

    #[test]
    fn other_questions_stay_or_get_their_topic_before_them() {
        check(&[
            (
                "And who approves?",
                &["How do I claim travel costs?"],
                "claim travel costs: who approves?",
            ),
            (
                "Who approves refunds?",
                &["How do I set up the VPN?"],
                "Who approves refunds?",
            ),
            ("What if it fails?", &[], "What if it fails?"),
            ("What if it fails?", &["Thanks!"], "What if it fails?"),
            (
                "وماذا عن الموظفين الجدد؟",
                &["كم يوم إجازة؟"],
                "يوم إجازة: الموظفين الجدد؟",
            ),
            ("", &["Why?"], ""),
        ]);
    }

    #[test]
    fn each_part_of_a_follow_up_is_made_standalone() {
        let mut question = Question::new(
            "1",
            "How do I fix it, and who approves refunds? And how long does that take?",
            Principal::everyone(),
        );
        question.history = vec!["What does ERR-4012 mean?".into()];
        let parts = standalone_parts(&question, 4).sub_questions;
        assert_eq!(
            parts,
            [
                "How do I fix ERR-4012",
                "who approves refunds?",
                "how long does approves refunds take?"
            ]
        );
        question.history.clear();
        assert_eq!(standalone_parts(&question, 4), question);
        question.text = "Who approves?".into();
        assert_eq!(standalone_parts(&question, 4), question);
    }

    proptest! {
        #[test]
        fn any_conversation_gives_a_question(text in "\\PC{0,60}", history in prop::collection::vec("\\PC{0,60}", 0..3)) {
            let mut question = Question::new("1", text.clone(), Principal::everyone());
            question.history = history;
            let found = standalone(&question);
            prop_assert!(!question.history.is_empty() || found.text == text);
            prop_assert_eq!(found.text.is_empty(), text.is_empty());
        }
    }
}
