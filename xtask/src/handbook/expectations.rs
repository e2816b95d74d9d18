//! What must hold of the sample corpus and its questions, because the demo and the evaluation rely on it.

use std::collections::BTreeSet;

use regex::Regex;

use super::corpus::{Document, Question, documents, normalise, questions};
use crate::demo::PARAPHRASE;

const GROUPS: [&str; 6] = ["everyone", "finance", "exec", "hr", "legal", "security"];

/// The least number of questions of each kind.
const KINDS: [(&str, usize); 14] = [
    ("identifier", 12),
    ("paraphrase", 15),
    ("table", 12),
    ("stale", 8),
    ("restricted", 24),
    ("unanswerable", 20),
    ("multi-part", 8),
    ("follow-up", 8),
    ("arabic", 12),
    ("plain", 10),
    ("twin", 6),
    ("injection", 2),
    ("small-talk", 3),
    ("contextual", 5),
];

/// The first five letters of each word that carries meaning: a coarse stem.
fn content_stems(text: &str) -> BTreeSet<String> {
    const EMPTY: &str = "what when where which with that this from have does much many long must they \
        them there then than your into will would could should only about after before until";
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 3 && !EMPTY.split_whitespace().any(|empty| empty == *word))
        .map(|word| word.chars().take(5).collect())
        .collect()
}

#[test]
fn metadata_is_complete_and_points_to_what_exists() {
    let documents = documents();
    let date = Regex::new(r"^20\d\d-[01]\d-[0-3]\d$").unwrap();
    for (id, document) in &documents {
        let metadata = &document.metadata;
        assert!(date.is_match(&metadata.updated), "{id}: date");
        assert_eq!(metadata.language.len(), 2, "{id}: language");
        assert!(
            !metadata.title.is_empty() && !metadata.department.is_empty(),
            "{id}"
        );
        assert!(!metadata.access.is_empty(), "{id}: nobody may read it");
        for group in &metadata.access {
            assert!(GROUPS.contains(&group.as_str()), "{id}: group {group}");
        }
        if let Some(old) = &metadata.supersedes {
            let old = &documents[old].metadata;
            assert!(old.updated < metadata.updated, "{id} is older than {}", old.id);
        }
    }
}

#[test]
fn every_format_and_language_is_present() {
    let documents = documents();
    let count = |format: &str| documents.values().filter(|d| d.format() == format).count();
    for (format, least) in [
        ("md", 45),
        ("html", 12),
        ("txt", 12),
        ("csv", 6),
        ("docx", 8),
        ("pdf", 8),
    ] {
        assert!(count(format) >= least, "{} {format} files", count(format));
    }
    let arabic = documents.values().filter(|d| d.metadata.language == "ar");
    assert!(arabic.count() >= 8);
    for group in GROUPS {
        let readable = |d: &Document| d.metadata.access.iter().any(|g| g == group);
        assert!(documents.values().any(readable), "nothing for {group}");
    }
}

#[test]
fn prose_is_of_realistic_length() {
    for (id, document) in documents() {
        let words = document.text.split_whitespace().count();
        if document.format() != "csv" {
            assert!((100..=900).contains(&words), "{id} has {words} words");
        }
    }
}

#[test]
fn two_documents_share_their_text() {
    let documents = documents();
    let texts: BTreeSet<&str> = documents.values().map(|d| d.text.as_str()).collect();
    assert_eq!(texts.len(), documents.len() - 1);
}

#[test]
fn questions_are_well_formed() {
    let (documents, mut ids) = (documents(), BTreeSet::new());
    for question in questions() {
        let id = &question.id;
        assert!(ids.insert(id.clone()), "{id} is used twice");
        assert!(KINDS.iter().any(|(kind, _)| *kind == question.kind), "{id}: kind");
        assert!(
            question.groups.iter().all(|g| GROUPS.contains(&g.as_str())),
            "{id}"
        );
        assert!(question.groups.iter().any(|g| g == "everyone"), "{id}: everyone");
        assert_eq!(question.answerable, !question.relevant.is_empty(), "{id}");
        assert_eq!(question.answerable, !question.answers.is_empty(), "{id}");
        assert_eq!(question.kind == "follow-up", !question.history.is_empty(), "{id}");
        assert_eq!(question.kind == "multi-part", question.parts.len() > 1, "{id}");
        let after = question.filters.updated_after.unwrap_or_default();
        for relevant in &question.relevant {
            let document = &documents[relevant];
            assert!(document.readable_by(&question.groups), "{id}: {relevant}");
            assert!(document.metadata.updated >= after, "{id}: filtered out");
        }
    }
}

#[test]
fn answers_stand_in_a_relevant_document() {
    let documents = documents();
    for question in questions() {
        let all = question.answers.iter().chain(question.parts.iter().flatten());
        for answer in all {
            let found = question
                .relevant
                .iter()
                .any(|id| documents[id].text.contains(&normalise(answer)));
            assert!(
                found,
                "{}: `{answer}` is not in {:?}",
                question.id, question.relevant
            );
        }
    }
}

#[test]
fn every_kind_is_asked_often_enough() {
    let questions = questions();
    assert!(questions.len() >= 130);
    for (kind, least) in KINDS {
        let count = questions.iter().filter(|q| q.kind == kind).count();
        assert!(count >= least, "{count} questions of kind {kind}");
    }
}

/// Who may not read the document gets the same question, and no public document gives the answer away.
#[test]
fn restricted_questions_come_in_pairs_and_do_not_leak() {
    let (documents, questions) = (documents(), questions());
    let restricted = || questions.iter().filter(|q| q.kind == "restricted");
    let with_access: Vec<_> = restricted().filter(|q| q.answerable).collect();
    assert!(with_access.len() >= 12);
    for question in with_access {
        let id = &question.id;
        let denied = |other: &&Question| other.text == question.text && !other.answerable;
        assert!(
            restricted().any(|other| denied(&other)),
            "{id} has no counterpart"
        );
        for document in documents.values().filter(|d| d.is_public()) {
            for answer in &question.answers {
                let leaked = document.text.contains(&normalise(answer));
                assert!(!leaked, "{id}: `{answer}` is in {}", document.metadata.id);
            }
        }
    }
}

#[test]
fn paraphrases_avoid_the_words_of_their_answer() {
    let documents = documents();
    for question in questions().iter().filter(|q| q.kind == "paraphrase") {
        let asked = content_stems(&question.text);
        for document in question.relevant.iter().map(|id| &documents[id]) {
            let sentences = document.text.split(['.', '|', '?']);
            let answering = sentences.filter(|sentence| {
                let answers = question.answers.iter();
                answers.into_iter().any(|a| sentence.contains(&normalise(a)))
            });
            for sentence in answering {
                let stems = content_stems(sentence);
                let shared: Vec<_> = asked.intersection(&stems).collect();
                assert!(shared.len() <= 1, "{}: {shared:?} in {sentence}", question.id);
            }
        }
    }
}

#[test]
fn the_demo_paraphrase_shares_no_word_with_its_document() {
    let text = content_stems(&documents()["annual-leave"].text);
    let asked = content_stems(PARAPHRASE);
    assert!(!asked.is_empty());
    assert_eq!(asked.intersection(&text).count(), 0);
}
