//! Tells whether two documents are versions of each other, or about one topic, by their titles.

use std::collections::BTreeSet;

use rag_core::passage::Passage;

/// Least letters of a title's word that names a topic.
const LEAST_LETTERS: usize = 4;

/// How closely two documents are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kinship {
    /// Their titles differ in numbers only: "Travel policy 2023", "Travel policy 2026". A letter with a
    /// digit names another thing: "Meter R2" and "Meter R3" are no versions.
    Versions,
    /// Their titles share a word.
    Topic,
    /// They have nothing in common, or are the same document.
    None,
}

/// How the documents of two passages are related.
pub(super) fn kinship(one: &Passage, other: &Passage) -> Kinship {
    if one.document_id() == other.document_id() {
        return Kinship::None;
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

/// True when `question` names a year, which says what version is meant.
pub(super) fn names_year(question: &str) -> bool {
    question.split(|c: char| !c.is_alphanumeric()).any(|word| {
        word.len() == 4 && word.starts_with(['1', '2']) && word.bytes().all(|b| b.is_ascii_digit())
    })
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
    use crate::testing::hit;

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
            let (mut a, mut b) = (hit("a#0", "x").passage, hit("b#0", "x").passage);
            a.title = one.into();
            b.title = other.into();
            assert_eq!(kinship(&a, &b), expected, "{one} / {other}");
            b.id = a.id.clone();
            assert_eq!(kinship(&a, &b), Kinship::None);
        }
    }

    #[test]
    fn a_year_is_told_from_other_numbers() {
        assert!(names_year("the cap of 2023?"));
        assert!(!names_year("error 40123, cost centre 4220, room B2001"));
    }
}
