//! Holds the sample corpus and its questions to what the demo and the evaluation rely on.
//!
//! Reads `data/handbook` (for DOCX and PDF, the text of their sources) and `data/questions.jsonl`.
//! Compiled for tests only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

use super::files_below;
use super::source::{Metadata, parse_groups, parse_metadata, split_front_matter};

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

/// The paraphrase of the demo: no word of it occurs in the document that answers it.
const DEMO_PARAPHRASE: &str = "How long is surveillance footage stored?";

/// The `data` folder of the repository.
pub(super) fn data_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

/// A document with its text: tags stripped, white space collapsed, lower case.
struct Document {
    path: PathBuf,
    metadata: Metadata,
    text: String,
}

impl Document {
    fn is_public(&self) -> bool {
        self.readable_by(&["everyone".to_owned()])
    }

    fn readable_by(&self, groups: &[String]) -> bool {
        self.metadata.access.iter().any(|group| groups.contains(group))
    }

    fn format(&self) -> &str {
        self.path.extension().and_then(|e| e.to_str()).unwrap_or("")
    }
}

/// One line of `questions.jsonl`; `data/README.md` explains the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    id: String,
    #[serde(rename = "question")]
    text: String,
    #[serde(default)]
    history: Vec<String>,
    kind: String,
    groups: Vec<String>,
    relevant: Vec<String>,
    answers: Vec<String>,
    #[serde(default)]
    parts: Vec<Vec<String>>,
    answerable: bool,
    #[serde(default)]
    filters: Filters,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Filters {
    updated_after: Option<String>,
}

fn documents() -> BTreeMap<String, Document> {
    let root = data_dir().join("handbook");
    let mut documents = BTreeMap::new();
    for path in files_below(&root).unwrap() {
        if path.to_string_lossy().ends_with(".meta.toml") {
            continue;
        }
        let (metadata, text) = load(&root, &path);
        let text = normalise(&text);
        let id = metadata.id.clone();
        let document = Document { path, metadata, text };
        let earlier = documents.insert(id.clone(), document);
        assert!(earlier.is_none(), "{id} is used twice");
    }
    documents
}

fn load(root: &Path, path: &Path) -> (Metadata, String) {
    let full = root.join(path);
    let refuse = |key: &str, _: &str| anyhow::bail!("unknown key {key} in {}", path.display());
    match path.extension().and_then(|e| e.to_str()) {
        Some("md") => {
            let file = fs_err::read_to_string(full).unwrap();
            let (front, body) = split_front_matter(&file).unwrap();
            (parse_metadata(front, refuse).unwrap(), body.to_owned())
        }
        Some("html") => {
            let file = fs_err::read_to_string(full).unwrap();
            (html_metadata(&file), strip_tags(&file))
        }
        Some("docx" | "pdf") => {
            let source = format!("{}.md", data_dir().join("handbook-src").join(path).display());
            let file = fs_err::read_to_string(source).unwrap();
            let (_, body) = split_front_matter(&file).unwrap();
            (sidecar(&full), body.to_owned())
        }
        Some("txt" | "csv") => (sidecar(&full), fs_err::read_to_string(full).unwrap()),
        _ => panic!("{} is of no known format", path.display()),
    }
}

fn sidecar(file: &Path) -> Metadata {
    let text = fs_err::read_to_string(format!("{}.meta.toml", file.display())).unwrap();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn html_metadata(file: &str) -> Metadata {
    let tag = Regex::new(r#"<meta name="(\w+)" content="([^"]*)">"#).unwrap();
    let mut fields = serde_json::Map::new();
    for found in tag.captures_iter(file) {
        let (key, value) = (&found[1], &found[2]);
        let value = match key {
            "access" => parse_groups(value).into(),
            _ => value.into(),
        };
        fields.insert(key.to_owned(), value);
    }
    serde_json::from_value(fields.into()).unwrap()
}

fn strip_tags(file: &str) -> String {
    let body = file.split_once("<body>").unwrap().1;
    Regex::new("<[^>]+>").unwrap().replace_all(body, " ").into_owned()
}

fn normalise(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn questions() -> Vec<Question> {
    let file = fs_err::read_to_string(data_dir().join("questions.jsonl")).unwrap();
    file.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect()
}

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
    let (documents, questions) = (documents(), questions());
    let question = questions.iter().find(|q| q.text == DEMO_PARAPHRASE).unwrap();
    let text = content_stems(&documents[&question.relevant[0]].text);
    let asked = content_stems(&question.text);
    assert_eq!(asked.intersection(&text).count(), 0);
}
