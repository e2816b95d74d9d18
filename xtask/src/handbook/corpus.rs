//! Reads the sample corpus back, for the tests that hold it to its purpose.
//!
//! That is `data/handbook` (for DOCX and PDF, the text of their sources) and `data/questions.jsonl`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

use super::files_below;
use super::source::{Metadata, parse_groups, parse_metadata, split_front_matter};

/// The `data` folder of the repository.
pub(super) fn data_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

/// A document with its text: tags stripped, white space collapsed, lower case.
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) metadata: Metadata,
    pub(super) text: String,
}

impl Document {
    pub(super) fn is_public(&self) -> bool {
        self.readable_by(&["everyone".to_owned()])
    }

    pub(super) fn readable_by(&self, groups: &[String]) -> bool {
        self.metadata.access.iter().any(|group| groups.contains(group))
    }

    pub(super) fn format(&self) -> &str {
        self.path.extension().and_then(|e| e.to_str()).unwrap_or("")
    }
}

/// One line of `questions.jsonl`; `data/README.md` explains the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) id: String,
    #[serde(rename = "question")]
    pub(super) text: String,
    #[serde(default)]
    pub(super) history: Vec<String>,
    pub(super) kind: String,
    pub(super) groups: Vec<String>,
    pub(super) relevant: Vec<String>,
    pub(super) answers: Vec<String>,
    #[serde(default)]
    pub(super) parts: Vec<Vec<String>>,
    pub(super) answerable: bool,
    #[serde(default)]
    pub(super) filters: Filters,
}

/// What narrows the search of a question.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filters {
    pub(super) updated_after: Option<String>,
}

/// Every document by its id, which no two may share.
pub(super) fn documents() -> BTreeMap<String, Document> {
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

/// Collapses white space and case: a stricter comparison than the judge's.
pub(super) fn normalise(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The labelled questions.
pub(super) fn questions() -> Vec<Question> {
    let file = fs_err::read_to_string(data_dir().join("questions.jsonl")).unwrap();
    file.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect()
}
