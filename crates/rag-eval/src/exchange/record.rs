//! One question with its answer, as plain text.

use rag_core::answer::Answer;
use serde::Deserialize;

use crate::answers::Label;

/// A question, what is accepted as its answer, what was answered, and from what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The question's id; where a file has none, its position from 1.
    pub id: String,
    /// The question.
    pub question: String,
    /// The accepted answers; empty when there is none. None of them is empty.
    pub accepted: Vec<String>,
    /// The answer that was given.
    pub response: String,
    /// The passages that it was written from, best first.
    pub contexts: Vec<Context>,
}

/// A passage that an answer was written from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// The document's id; `None` when it is not known, never empty.
    pub document: Option<String>,
    /// The text.
    pub text: String,
}

impl Record {
    /// The record of a labelled question and its answer. The contexts are those of the answer, which its
    /// asker may read.
    pub fn of(label: &Label, answer: &Answer) -> Self {
        let contexts = answer.passages.iter().map(|hit| Context {
            document: Some(hit.passage.document_id().to_string()),
            text: hit.passage.text.clone(),
        });
        Self {
            id: label.question.id.clone(),
            question: label.question.text.clone(),
            accepted: non_empty(label.answers.iter().cloned()),
            response: answer.text.clone(),
            contexts: contexts.collect(),
        }
    }
}

/// An id, which some tools write as a number.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum AnyId {
    Text(String),
    Number(serde_json::Number),
}

impl AnyId {
    /// The id as text; `None` when it is empty.
    pub(super) fn text(self) -> Option<String> {
        let text = match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The id that a file gives, or else the position from 1.
pub(super) fn id_or_position(id: Option<AnyId>, index: usize) -> String {
    id.and_then(AnyId::text)
        .unwrap_or_else(|| (index + 1).to_string())
}

/// The texts that are not empty.
pub(super) fn non_empty(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}
