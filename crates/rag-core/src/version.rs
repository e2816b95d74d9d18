//! Tells whether two documents are versions of each other, or about one topic.

use std::collections::BTreeSet;

use crate::passage::Passage;

/// Least letters of a title's word that names a topic.
const LEAST_LETTERS: usize = 4;

/// How closely two documents are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// One says that it replaces the other, or their titles differ in numbers only: "Travel policy 2023", "Travel policy 2026". A letter with a
    /// digit names another thing: "Meter R2" and "Meter R3" are no versions.
    Versions,
    /// Their titles share a word.
    Topic,
    /// They have nothing in common, or are the same document.
    None,
}

/// How the documents of two passages are related.
pub fn kinship(one: &Passage, other: &Passage) -> Kinship {
    if one.document_id() == other.document_id() {
        return Kinship::None;
    }
    if says_it_replaces(one, other) || says_it_replaces(other, one) {
        return Kinship::Versions;
    }
    let (one, other) = (words(&one.title), words(&other.title));
    let shares_topic = one
        .intersection(&other)
        .any(|word| word.chars().count() >= LEAST_LETTERS);
    match shares_topic {
        true if one == other => Kinship::Versions,
        true => Kinship::Topic,
        false => Kinship::None,
    }
}

/// True when the document of `one` takes the place of that of `other`: it says so, or they are versions and it
/// was changed later.
pub fn replaces(one: &Passage, other: &Passage) -> bool {
    if says_it_replaces(one, other) {
        return true;
    }
    let is_newer = kinship(one, other) == Kinship::Versions && one.updated > other.updated;
    is_newer && !says_it_replaces(other, one)
}

fn says_it_replaces(new: &Passage, old: &Passage) -> bool {
    new.supersedes.as_ref() == Some(old.document_id())
}

/// True when `question` names a year, which says what version is meant.
fn names_year(question: &str) -> bool {
    question.split(|c: char| !c.is_alphanumeric()).any(|word| {
        word.len() == 4 && word.starts_with(['1', '2']) && word.bytes().all(|b| b.is_ascii_digit())
    })
}

/// True when `question` says which version it means: it names a year, or a number in the title of `older` that the
/// title of `newer` does not have.
pub fn names_version(question: &str, older: &Passage, newer: &Passage) -> bool {
    let numbers = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        let trimmed = parts.map(|part| part.trim_matches('.').to_lowercase());
        trimmed
            .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
            .collect()
    };
    let own: BTreeSet<String> = numbers(&older.title)
        .difference(&numbers(&newer.title))
        .cloned()
        .collect();
    names_year(question) || !own.is_disjoint(&numbers(question))
}

/// The words of a title, numbers left out.
fn words(title: &str) -> BTreeSet<String> {
    title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.contains(char::is_alphabetic))
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(id: &str, title: &str) -> Passage {
        Passage {
            title: title.to_owned(),
            ..Passage::new(id.parse().unwrap(), "x")
        }
    }

    #[test]
    fn titles_tell_versions_from_topics() {
        for (one, other, expected) in [
            ("Travel policy 2023", "Travel policy 2026", Kinship::Versions),
            (
                "Password policy 2022",
                "Password and passphrase policy",
                Kinship::Topic,
            ),
            ("Rill R2 datasheet", "Rill R3 datasheet", Kinship::Topic),
            ("Annual leave", "Travel policy", Kinship::None),
            ("", "", Kinship::None),
        ] {
            let (a, mut b) = (passage("a#0", one), passage("b#0", other));
            assert_eq!(kinship(&a, &b), expected, "{one} / {other}");
            b.id = a.id.clone();
            assert_eq!(kinship(&a, &b), Kinship::None);
        }
    }

    #[test]
    fn what_says_that_it_replaces_wins_over_dates() {
        let day = |text: &str| Some(text.parse().unwrap());
        let mut old = passage("a#0", "Leave 2024");
        let mut new = passage("b#0", "Leave 2026");
        (old.updated, new.updated) = (day("2024-01-01"), day("2026-01-01"));
        assert!(replaces(&new, &old) && !replaces(&old, &new));
        old.supersedes = Some(new.document_id().clone());
        assert!(replaces(&old, &new) && !replaces(&new, &old));
        let other = passage("c#0", "Lunch");
        assert!(!replaces(&other, &old) && !replaces(&old, &other));
    }

    #[test]
    fn a_question_may_say_which_version_it_means() {
        let (old, new) = (passage("a#0", "Fathom 9.4"), passage("b#0", "Fathom 9.5"));
        for (question, expected) in [
            ("What is new in Fathom 9.4?", true),
            ("What is new in Fathom 9.5?", false),
            ("What is new in Fathom?", false),
            ("What was new in 2024?", true),
        ] {
            assert_eq!(names_version(question, &old, &new), expected, "{question}");
        }
    }

    #[test]
    fn a_year_is_told_from_other_numbers() {
        assert!(names_year("the cap of 2023?"));
        assert!(!names_year("error 40123, cost centre 4220, room B2001"));
    }
}
