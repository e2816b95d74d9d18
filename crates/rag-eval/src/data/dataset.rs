//! The questions of a BEIR folder, with their judgements and accepted answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_core::artifact::jsonl;
use rag_core::question::Question;
use serde::Deserialize;

use crate::error::EvalError;
use crate::retrieval::Qrels;

/// A data set in BEIR form.
#[derive(Debug, Clone)]
pub struct Dataset {
    folder: PathBuf,
}

/// What is accepted as the answer to a question: one line of `answers.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "AnswerRow")]
pub struct GoldAnswer {
    /// The question's id.
    pub question: String,
    /// False when the corpus does not answer it.
    pub answerable: bool,
    /// The accepted answers; empty when there is none.
    pub answers: Vec<String>,
    /// The documents that state the answer (for an unanswerable question, the one it was asked
    /// about), each once, by the data set's ids.
    pub documents: Vec<String>,
}

/// One line of `answers.jsonl`: sets name one document, or the supporting sentences of several.
#[derive(Deserialize)]
struct AnswerRow {
    #[serde(rename = "_id")]
    id: String,
    answerable: Option<bool>,
    #[serde(default)]
    answers: Vec<String>,
    doc_id: Option<String>,
    #[serde(default)]
    supporting: Vec<SupportRow>,
}

#[derive(Deserialize)]
struct SupportRow {
    doc_id: String,
}

impl From<AnswerRow> for GoldAnswer {
    fn from(row: AnswerRow) -> Self {
        let mut documents: Vec<String> = row.doc_id.into_iter().collect();
        for support in row.supporting {
            if !documents.contains(&support.doc_id) {
                documents.push(support.doc_id);
            }
        }
        Self {
            question: row.id,
            answerable: row.answerable.unwrap_or(true),
            answers: row.answers,
            documents,
        }
    }
}

impl Dataset {
    /// The data set in `folder`, which must have a `queries.jsonl`.
    pub fn open(folder: &Path) -> Result<Self, EvalError> {
        let path = folder.join("queries.jsonl");
        if !path.is_file() {
            return Err(EvalError::Part {
                path,
                part: "a queries.jsonl with _id and text",
            });
        }
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder's name, by which reports call the data set.
    pub fn name(&self) -> String {
        let name = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        name.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// The judgements of `split`, such as `test`.
    pub fn qrels(&self, split: &str) -> Result<Qrels, EvalError> {
        let path = self.folder.join("qrels").join(format!("{split}.tsv"));
        if path.is_file() {
            return Qrels::read(&path);
        }
        let available = match self.splits() {
            none if none.is_empty() => "none".to_owned(),
            splits => splits.join(", "),
        };
        Err(EvalError::Split { path, available })
    }

    /// The splits that have judgements, in order.
    pub fn splits(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.folder.join("qrels"))
            .into_iter()
            .flatten()
            .flatten();
        let mut splits: Vec<String> = entries
            .filter_map(|entry| {
                entry
                    .file_name()
                    .to_str()?
                    .strip_suffix(".tsv")
                    .map(str::to_owned)
            })
            .collect();
        splits.sort();
        splits
    }

    /// All questions, in the order of the file.
    pub fn questions(&self) -> Result<Vec<Question>, EvalError> {
        Ok(jsonl::read_all(&self.folder.join("queries.jsonl"))?)
    }

    /// The questions that `qrels` judges, in the order of the file.
    pub fn judged_questions(&self, qrels: &Qrels) -> Result<Vec<Question>, EvalError> {
        let mut questions = self.questions()?;
        questions.retain(|question| qrels.of(&question.id).is_some());
        Ok(questions)
    }

    /// The accepted answers by question; empty when the data set has none.
    pub fn answers(&self) -> Result<BTreeMap<String, GoldAnswer>, EvalError> {
        let path = self.folder.join("answers.jsonl");
        if !path.is_file() {
            return Ok(BTreeMap::new());
        }
        let answers: Vec<GoldAnswer> = jsonl::read_all(&path)?;
        Ok(answers
            .into_iter()
            .map(|answer| (answer.question.clone(), answer))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset() -> (tempfile::TempDir, Dataset) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
        fs_err::create_dir(folder.path().join("qrels")).unwrap();
        write(
            "queries.jsonl",
            "{\"_id\":\"1\",\"text\":\"Why?\",\"metadata\":{}}\n{\"_id\":\"2\",\"text\":\"How?\"}\n",
        );
        write("qrels/test.tsv", "query-id\tcorpus-id\tscore\n2\td\t1\n");
        write(
            "answers.jsonl",
            "{\"_id\":\"2\",\"answerable\":true,\"answers\":[\"so\"],\"doc_id\":\"d\"}\n",
        );
        let dataset = Dataset::open(folder.path()).unwrap();
        (folder, dataset)
    }

    #[test]
    fn questions_judgements_and_answers_are_read() {
        let (_folder, dataset) = dataset();
        let qrels = dataset.qrels("test").unwrap();
        assert_eq!(dataset.questions().unwrap().len(), 2);
        assert_eq!(dataset.judged_questions(&qrels).unwrap()[0].id, "2");
        let answer = &dataset.answers().unwrap()["2"];
        assert_eq!(
            (answer.answerable, &answer.answers[..], &answer.documents[..]),
            (true, &["so".to_owned()][..], &["d".to_owned()][..])
        );
    }

    #[test]
    fn supporting_documents_are_named_once() {
        let row = r#"{"_id":"1","answers":["x"],"supporting":[{"doc_id":"a","sent":0},{"doc_id":"b"},{"doc_id":"a"}]}"#;
        let answer: GoldAnswer = serde_json::from_str(row).unwrap();
        assert!(answer.answerable);
        assert_eq!(answer.documents, ["a", "b"]);
    }

    #[test]
    fn a_missing_split_names_those_there_are() {
        let (_folder, dataset) = dataset();
        let message = dataset.qrels("dev").unwrap_err().to_string();
        assert!(message.contains("splits test"), "{message}");
    }
}
