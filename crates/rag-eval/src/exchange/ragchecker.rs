//! RAGChecker's JSON (Ru et al., 2024): `{"results": [{query_id, query, gt_answer, response, retrieved_context}]}`.
//!
//! It has room for one accepted answer; more are kept in `gt_answers`, which RAGChecker ignores.

use serde::{Deserialize, Serialize};

use super::error::ExchangeError;
use super::record::{AnyId, Context, Record, id_or_position, non_empty};

const FORM: &str = "RAGChecker's JSON";

#[derive(Deserialize)]
struct Results<R> {
    results: Vec<R>,
}

#[derive(Serialize)]
struct WrittenResults<'r> {
    results: Vec<WrittenRow<'r>>,
}

#[derive(Deserialize)]
struct Row {
    query_id: Option<AnyId>,
    query: String,
    gt_answer: Option<String>,
    gt_answers: Option<Vec<String>>,
    response: Option<String>,
    retrieved_context: Option<Vec<ContextRow>>,
}

#[derive(Serialize)]
struct WrittenRow<'r> {
    query_id: &'r str,
    query: &'r str,
    gt_answer: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    gt_answers: Option<&'r [String]>,
    response: &'r str,
    retrieved_context: Vec<WrittenContext<'r>>,
}

/// A passage, also in the cells of CSV; some tools write only its text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ContextRow {
    Text(String),
    Full { doc_id: Option<AnyId>, text: String },
}

/// A passage as it is written; a document that is not known is an empty id.
#[derive(Serialize)]
pub(super) struct WrittenContext<'r> {
    doc_id: &'r str,
    text: &'r str,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Record>, ExchangeError> {
    let file: Results<Row> = serde_json::from_slice(bytes).map_err(|e| ExchangeError::form(FORM, &e))?;
    let rows = file.results.into_iter().enumerate();
    Ok(rows.map(|(index, row)| row.record(index)).collect())
}

pub(super) fn written(records: &[Record]) -> Result<String, ExchangeError> {
    let results = records.iter().map(|record| WrittenRow {
        query_id: &record.id,
        query: &record.question,
        gt_answer: record.accepted.first().map_or("", String::as_str),
        gt_answers: (record.accepted.len() > 1).then_some(&record.accepted),
        response: &record.response,
        retrieved_context: record.contexts.iter().map(WrittenContext::of).collect(),
    });
    let file = WrittenResults {
        results: results.collect(),
    };
    serde_json::to_string_pretty(&file).map_err(|e| ExchangeError::form(FORM, &e))
}

impl Row {
    fn record(self, index: usize) -> Record {
        let accepted = self
            .gt_answers
            .unwrap_or_else(|| self.gt_answer.into_iter().collect());
        let contexts = self.retrieved_context.unwrap_or_default();
        Record {
            id: id_or_position(self.query_id, index),
            question: self.query,
            accepted: non_empty(accepted),
            response: self.response.unwrap_or_default(),
            contexts: contexts.into_iter().map(ContextRow::context).collect(),
        }
    }
}

impl ContextRow {
    pub(super) fn context(self) -> Context {
        match self {
            Self::Text(text) => Context { document: None, text },
            Self::Full { doc_id, text } => Context {
                document: doc_id.and_then(AnyId::text),
                text,
            },
        }
    }
}

impl<'r> WrittenContext<'r> {
    pub(super) fn of(context: &'r Context) -> Self {
        Self {
            doc_id: context.document.as_deref().unwrap_or_default(),
            text: &context.text,
        }
    }
}
