//! CSV with a header: `question_id`, `question`, `accepted`, `response`, `contexts`.
//!
//! The accepted answers and the contexts of a row are JSON lists in their cells; a cell that is no such list is
//! one answer or one context. A cell that a spreadsheet would compute gets an apostrophe in front, which
//! reading takes away.

use csv::{ReaderBuilder, StringRecord, Writer};
use serde::de::DeserializeOwned;

use super::error::ExchangeError;
use super::ragchecker::{ContextRow, WrittenContext};
use super::record::{AnyId, Record, id_or_position, non_empty};

const FORM: &str = "CSV with a column `question` and a column `response`";

/// The columns that are written, each with other names under which it is read.
const COLUMNS: [&[&str]; 5] = [
    &["question_id", "query_id", "id"],
    &["question", "user_input", "query"],
    &["accepted", "reference", "gt_answer", "ground_truth"],
    &["response", "answer"],
    &["contexts", "retrieved_contexts", "retrieved_context"],
];

pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Record>, ExchangeError> {
    let refused = |e: csv::Error| ExchangeError::form(FORM, &e);
    let mut reader = ReaderBuilder::new().from_reader(bytes);
    let header = reader.headers().map_err(refused)?.clone();
    let places = COLUMNS.map(|names| header.iter().position(|name| names.contains(&name.trim())));
    if places[1].is_none() || places[3].is_none() {
        return Err(ExchangeError::form(FORM, &"the header lacks one"));
    }
    let rows = reader.records().enumerate();
    rows.map(|(index, row)| Ok(record(index, &row.map_err(refused)?, places)))
        .collect()
}

fn record(index: usize, row: &StringRecord, places: [Option<usize>; 5]) -> Record {
    let [id, question, accepted, response, contexts] =
        places.map(|place| fused(place.and_then(|place| row.get(place)).unwrap_or_default()));
    let accepted = list(accepted).unwrap_or_else(|| vec![accepted.to_owned()]);
    let contexts = list(contexts).unwrap_or_else(|| match contexts {
        "" => Vec::new(),
        text => vec![ContextRow::Text(text.to_owned())],
    });
    Record {
        id: id_or_position(Some(AnyId::Text(id.to_owned())), index),
        question: question.to_owned(),
        accepted: non_empty(accepted),
        response: response.to_owned(),
        contexts: contexts.into_iter().map(ContextRow::context).collect(),
    }
}

fn list<T: DeserializeOwned>(cell: &str) -> Option<Vec<T>> {
    serde_json::from_str(cell).ok()
}

pub(super) fn written(records: &[Record]) -> Result<String, ExchangeError> {
    let mut writer = Writer::from_writer(Vec::new());
    let refused = |e: csv::Error| ExchangeError::form(FORM, &e);
    writer
        .write_record(COLUMNS.map(|names| names[0]))
        .map_err(refused)?;
    for record in records {
        let contexts: Vec<WrittenContext<'_>> = record.contexts.iter().map(WrittenContext::of).collect();
        let json = |e: serde_json::Error| ExchangeError::form(FORM, &e);
        let accepted = serde_json::to_string(&record.accepted).map_err(json)?;
        let contexts = serde_json::to_string(&contexts).map_err(json)?;
        let cells = [
            &record.id,
            &record.question,
            &accepted,
            &record.response,
            &contexts,
        ];
        writer
            .write_record(cells.map(|cell| defused(cell)))
            .map_err(refused)?;
    }
    let bytes = writer.into_inner().map_err(|e| ExchangeError::form(FORM, &e))?;
    String::from_utf8(bytes).map_err(|e| ExchangeError::form(FORM, &e))
}

/// `cell` with an apostrophe in front where a spreadsheet would take it for a formula; also where it has that
/// apostrophe already, so that reading gives back what was written.
fn defused(cell: &str) -> String {
    if is_computed(cell.trim_start_matches('\'')) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// The reverse of [`defused`].
fn fused(cell: &str) -> &str {
    let rest = cell.strip_prefix('\'');
    rest.filter(|rest| is_computed(rest.trim_start_matches('\'')))
        .unwrap_or(cell)
}

/// Spreadsheets compute what begins so, in the wide forms of East Asian keyboards too; they skip tabs and line
/// breaks in front.
fn is_computed(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_defused() {
        for (cell, expected) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("-5", "'-5"),
            ("+1", "'+1"),
            ("@SUM", "'@SUM"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("plain", "plain"),
            ("it's -5", "it's -5"),
            ("", ""),
        ] {
            assert_eq!(defused(cell), expected);
            assert_eq!(fused(&defused(cell)), cell);
        }
    }

    #[test]
    fn files_of_spreadsheets_are_read() {
        let text = "query,answer,ground_truth,contexts\r\n\"Why, then?\",So.,Because,one passage\r\nHow?,\"A\nB\",,\r\n";
        let records = parse(text.as_bytes()).unwrap();
        assert_eq!((records[0].id.as_str(), records[1].id.as_str()), ("1", "2"));
        assert_eq!(records[0].question, "Why, then?");
        assert_eq!(records[0].accepted, ["Because"]);
        assert_eq!(records[0].contexts[0].text, "one passage");
        assert_eq!(
            (records[1].response.as_str(), records[1].accepted.len()),
            ("A\nB", 0)
        );
    }

    #[test]
    fn a_file_without_the_columns_or_with_ragged_rows_is_refused() {
        for (text, reason) in [("a,b\n1,2\n", "header lacks"), ("question,response\n1\n", "line")] {
            let message = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_cell_begins_a_formula_and_each_comes_back(cell in any::<String>(), mark in "['=+@-]{0,3}") {
            let cell = mark + &cell;
            prop_assert!(!is_computed(&defused(&cell)));
            let written = defused(&cell);
            prop_assert_eq!(fused(&written), cell);
        }
    }
}
