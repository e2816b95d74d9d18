//! The documents of a BEIR folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_core::access::AccessList;
use rag_core::artifact::{Digest, jsonl};
use rag_core::document::{BlockKind, Document, TextBuilder};
use rag_core::language::Language;
use serde::Deserialize;

use super::acl::Permissions;
use super::id::document_id;
use crate::error::EvalError;

const CORPUS_FILE: &str = "corpus.jsonl";
const DISTRACTORS_FILE: &str = "distractors.jsonl";

/// Documents looked at to find the corpus's main language.
const LANGUAGE_SAMPLE: usize = 200;

/// Whether `distractors.jsonl`, documents that answer no question, belongs to the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distractors {
    /// Only `corpus.jsonl`, as the published figures.
    #[default]
    LeaveOut,
    /// Both files, where there are both.
    Include,
}

/// Characters of a document that its language is found from: more only takes longer.
const LANGUAGE_CHARS: usize = 600;

/// The documents of a data set, to be streamed.
#[derive(Debug, Clone)]
pub struct Corpus {
    files: Vec<PathBuf>,
    main_language: Language,
}

/// One line of `corpus.jsonl`.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

impl Corpus {
    /// Looks at the data set in `folder` and finds its main language.
    pub fn open(folder: &Path, distractors: Distractors) -> Result<Self, EvalError> {
        let path = folder.join(CORPUS_FILE);
        if !path.is_file() {
            return Err(EvalError::Part {
                path,
                part: "a corpus.jsonl with _id, title and text",
            });
        }
        let main_language = main_language(&path)?;
        let more = folder.join(DISTRACTORS_FILE);
        let includes_more = distractors == Distractors::Include && more.is_file();
        Ok(Self {
            files: std::iter::once(path)
                .chain(includes_more.then_some(more))
                .collect(),
            main_language,
        })
    }

    /// The files that are read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The documents in the order of the files. Everybody may read them, or, with `permissions`,
    /// whom those name.
    pub fn documents<'c>(
        &'c self,
        permissions: Option<&'c Permissions>,
    ) -> impl Iterator<Item = Result<Document, EvalError>> + 'c {
        self.files.iter().flat_map(move |path| {
            let (rows, failed) = match jsonl::Reader::<Row>::open(path) {
                Ok(rows) => (Some(rows), None),
                Err(error) => (None, Some(Err(error.into()))),
            };
            let documents = rows
                .into_iter()
                .flatten()
                .map(move |row| self.document(path, row?, permissions));
            failed.into_iter().chain(documents)
        })
    }

    fn document(
        &self,
        path: &Path,
        row: Row,
        permissions: Option<&Permissions>,
    ) -> Result<Document, EvalError> {
        let id = document_id(&row.id).map_err(|source| EvalError::DocumentId {
            path: path.to_owned(),
            id: row.id.clone(),
            source,
        })?;
        let access = permissions.map_or_else(AccessList::public, |all| all.access(&row.id));
        let mut builder = TextBuilder::default();
        // A document that is only a title is found by it.
        let body = if row.text.trim().is_empty() {
            &row.title
        } else {
            &row.text
        };
        if !body.trim().is_empty() {
            builder.push(BlockKind::Paragraph, body);
        }
        let (text, blocks) = builder.finish();
        Ok(Document {
            id,
            source: file_name(path),
            media_type: "application/jsonl".to_owned(),
            department: None,
            updated: None,
            language: self.language(&text),
            access,
            supersedes: None,
            metadata: BTreeMap::new(),
            content_digest: Digest::of_parts([row.title.as_bytes(), row.text.as_bytes()]).to_string(),
            pages: None,
            title: row.title,
            text,
            blocks,
        })
    }

    /// The corpus's main language, unless the script says otherwise: letter statistics err on short
    /// and technical texts, and one language gives one set of stems.
    fn language(&self, text: &str) -> Language {
        let own = detect(text);
        let differs_in_script = (own == Language::ARABIC) != (self.main_language == Language::ARABIC);
        if differs_in_script && own != Language::UNKNOWN {
            return own;
        }
        self.main_language
    }
}

fn main_language(path: &Path) -> Result<Language, EvalError> {
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for row in jsonl::Reader::<Row>::open(path)?.take(LANGUAGE_SAMPLE) {
        let language = detect(&row?.text);
        if language != Language::UNKNOWN {
            *counts.entry(language).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|&(_, count)| count);
    Ok(most.map_or(Language::UNKNOWN, |(language, _)| language))
}

fn detect(text: &str) -> Language {
    let end = text
        .char_indices()
        .nth(LANGUAGE_CHARS)
        .map_or(text.len(), |(at, _)| at);
    Language::detect(&text[..end])
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rag_core::access::Principal;

    fn corpus(distractors: Distractors) -> Vec<Document> {
        let folder = tempfile::tempdir().unwrap();
        let rows = concat!(
            r#"{"_id":"1","title":"Wings","text":"The lift of a wing in a slipstream was measured at several angles."}"#,
            "\n",
            r#"{"_id":"two b","title":"Only a title","text":""}"#,
            "\n",
            r#"{"_id":"3","title":"","text":"يحق للموظف عشرون يوما من الإجازة السنوية."}"#,
        );
        fs_err::write(folder.path().join(CORPUS_FILE), rows).unwrap();
        fs_err::write(
            folder.path().join(DISTRACTORS_FILE),
            r#"{"_id":"x","text":"Noise."}"#,
        )
        .unwrap();
        let corpus = Corpus::open(folder.path(), distractors).unwrap();
        corpus.documents(None).collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn rows_become_documents_that_everybody_may_read() {
        let documents = corpus(Distractors::LeaveOut);
        let ids: Vec<&str> = documents.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(ids, ["1", "two%20b", "3"]);
        assert_eq!(
            (documents[0].title.as_str(), documents[0].blocks.len()),
            ("Wings", 1)
        );
        assert_eq!(documents[1].text, "Only a title");
        assert!(documents[0].access.allows(&Principal::everyone()));
        let languages: Vec<Language> = documents.iter().map(|d| d.language).collect();
        assert_eq!(
            languages,
            [Language::ENGLISH, Language::ENGLISH, Language::ARABIC]
        );
    }

    #[test]
    fn distractors_come_only_when_asked_for() {
        assert_eq!(corpus(Distractors::LeaveOut).len(), 3);
        assert_eq!(corpus(Distractors::Include).len(), 4);
    }

    #[test]
    fn a_folder_without_a_corpus_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = Corpus::open(folder.path(), Distractors::default())
            .unwrap_err()
            .to_string();
        assert!(message.contains("corpus.jsonl"), "{message}");
    }
}
