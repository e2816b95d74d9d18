//! RAGAS's samples, as a JSON list or JSON lines: `user_input`, `response`, `retrieved_contexts`, `reference`.
//!
//! Its older names (`question`, `answer`, `contexts`, `ground_truth`) are read too. It has no id of the question
//! and room for one accepted answer; `question_id` and `references` hold them, which RAGAS ignores.

use serde::{Deserialize, Serialize};

use super::error::ExchangeError;
use super::record::{AnyId, Context, Record, id_or_position, non_empty};

const FORM: &str = "RAGAS's JSON";

#[derive(Deserialize)]
struct Row {
    #[serde(alias = "id")]
    question_id: Option<AnyId>,
    #[serde(alias = "question")]
    user_input: String,
    #[serde(alias = "answer")]
    response: Option<String>,
    #[serde(alias = "contexts")]
    retrieved_contexts: Option<Vec<String>>,
    retrieved_context_ids: Option<Vec<AnyId>>,
    #[serde(alias = "ground_truth")]
    reference: Option<String>,
    #[serde(alias = "ground_truths")]
    references: Option<Vec<String>>,
}

#[derive(Serialize)]
struct WrittenRow<'r> {
    question_id: &'r str,
    user_input: &'r str,
    response: &'r str,
    retrieved_contexts: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retrieved_context_ids: Option<Vec<&'r str>>,
    reference: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'r [String]>,
}

/// Reads a JSON list.
pub(super) fn parse_list(bytes: &[u8]) -> Result<Vec<Record>, ExchangeError> {
    let rows: Vec<Row> = serde_json::from_slice(bytes).map_err(|e| ExchangeError::form(FORM, &e))?;
    let rows = rows.into_iter().enumerate();
    rows.map(|(index, row)| row.record(index)).collect()
}

/// Reads JSON lines.
pub(super) fn parse_lines(bytes: &[u8]) -> Result<Vec<Record>, ExchangeError> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .enumerate()
        .map(|(index, (number, line))| {
            let refused =
                |e: serde_json::Error| ExchangeError::form(FORM, &format!("line {}: {e}", number + 1));
            let row: Row = serde_json::from_slice(line).map_err(refused)?;
            row.record(index)
        })
        .collect()
}

pub(super) fn written_list(records: &[Record]) -> Result<String, ExchangeError> {
    let rows: Vec<WrittenRow<'_>> = records.iter().map(WrittenRow::of).collect();
    serde_json::to_string_pretty(&rows).map_err(|e| ExchangeError::form(FORM, &e))
}

pub(super) fn written_lines(records: &[Record]) -> Result<String, ExchangeError> {
    let mut text = String::new();
    for record in records {
        let line = serde_json::to_string(&WrittenRow::of(record));
        text.push_str(&line.map_err(|e| ExchangeError::form(FORM, &e))?);
        text.push('\n');
    }
    Ok(text)
}

impl Row {
    fn record(self, index: usize) -> Result<Record, ExchangeError> {
        let id = id_or_position(self.question_id, index);
        let texts = self.retrieved_contexts.unwrap_or_default();
        let ids: Vec<Option<String>> = match self.retrieved_context_ids {
            Some(ids) if ids.len() == texts.len() => ids.into_iter().map(AnyId::text).collect(),
            Some(ids) => {
                let reason = format!(
                    "sample {id} has {} contexts and {} ids of them",
                    texts.len(),
                    ids.len()
                );
                return Err(ExchangeError::form(FORM, &reason));
            }
            None => vec![None; texts.len()],
        };
        let contexts = ids.into_iter().zip(texts);
        Ok(Record {
            id,
            question: self.user_input,
            accepted: non_empty(
                self.references
                    .unwrap_or_else(|| self.reference.into_iter().collect()),
            ),
            response: self.response.unwrap_or_default(),
            contexts: contexts
                .map(|(document, text)| Context { document, text })
                .collect(),
        })
    }
}

impl<'r> WrittenRow<'r> {
    fn of(record: &'r Record) -> Self {
        let ids = record.contexts.iter().map(|context| context.document.as_deref());
        let knows_ids = record.contexts.iter().any(|context| context.document.is_some());
        Self {
            question_id: &record.id,
            user_input: &record.question,
            response: &record.response,
            retrieved_contexts: record
                .contexts
                .iter()
                .map(|context| context.text.as_str())
                .collect(),
            retrieved_context_ids: knows_ids.then(|| ids.map(Option::unwrap_or_default).collect()),
            reference: record.accepted.first().map_or("", String::as_str),
            references: (record.accepted.len() > 1).then_some(&record.accepted),
        }
    }
}
