//! Files of records: which form they have, read and written within bounds.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::ExchangeError;
use super::record::Record;
use super::{csv_form, ragas, ragchecker};

/// Largest file that is read; all of it is held in memory.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The form of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `ragchecker`: one JSON object with `results`.
    RagChecker,
    /// `ragas`: one JSON list of samples.
    Ragas,
    /// `ragas-lines`: a sample a line.
    RagasLines,
    /// `csv`: a header and a question a row.
    Csv,
}

/// Reads the records of the file at `path`, whichever form it has.
pub fn read(path: &Path) -> Result<Vec<Record>, ExchangeError> {
    let bytes = fs_err::metadata(path)?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(ExchangeError::TooLarge {
            path: path.to_owned(),
            bytes,
            limit: MAX_FILE_BYTES,
        });
    }
    parse(&fs_err::read(path)?).map_err(|source| ExchangeError::File {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

/// Writes `records` to `path`.
pub fn write(path: &Path, records: &[Record], form: Form) -> Result<(), ExchangeError> {
    Ok(fs_err::write(path, written(records, form)?)?)
}

/// Reads the records of a file's content, whichever form it has. A byte order mark is skipped.
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, ExchangeError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match form_of(bytes) {
        Some(Form::RagChecker) => ragchecker::parse(bytes),
        Some(Form::Ragas) => ragas::parse_list(bytes),
        Some(Form::RagasLines) => ragas::parse_lines(bytes),
        Some(Form::Csv) => csv_form::parse(bytes),
        None => Ok(Vec::new()),
    }
}

/// The content of a file with `records`.
pub fn written(records: &[Record], form: Form) -> Result<String, ExchangeError> {
    match form {
        Form::RagChecker => ragchecker::written(records),
        Form::Ragas => ragas::written_list(records),
        Form::RagasLines => ragas::written_lines(records),
        Form::Csv => csv_form::written(records),
    }
}

/// The form that `bytes` begin like; `None` for an empty file, which has no records in any form.
fn form_of(bytes: &[u8]) -> Option<Form> {
    let start = bytes.trim_ascii_start();
    match start.first()? {
        b'[' => Some(Form::Ragas),
        b'{' if has_results(start) => Some(Form::RagChecker),
        b'{' => Some(Form::RagasLines),
        _ => Some(Form::Csv),
    }
}

/// True when the object begins with `results`, which also tells a broken file, or has it further on.
fn has_results(object: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Results {
        #[serde(rename = "results")]
        _results: IgnoredAny,
    }
    object[1..].trim_ascii_start().starts_with(b"\"results\"")
        || serde_json::from_slice::<Results>(object).is_ok()
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RagChecker => "ragchecker",
            Self::Ragas => "ragas",
            Self::RagasLines => "ragas-lines",
            Self::Csv => "csv",
        })
    }
}

impl FromStr for Form {
    type Err = ExchangeError;

    fn from_str(name: &str) -> Result<Self, ExchangeError> {
        let forms = [Self::RagChecker, Self::Ragas, Self::RagasLines, Self::Csv];
        let found = forms.into_iter().find(|form| form.to_string() == name);
        found.ok_or_else(|| ExchangeError::UnknownForm {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;
    use proptest::prelude::*;

    const FORMS: [&str; 4] = ["ragchecker", "ragas", "ragas-lines", "csv"];

    #[test]
    fn files_of_the_tools_are_read() {
        let context = |document: Option<&str>| Context {
            document: document.map(str::to_owned),
            text: "Text.".to_owned(),
        };
        let record = |id: &str, document| Record {
            id: id.to_owned(),
            question: "Why?".to_owned(),
            accepted: vec!["So".to_owned()],
            response: "So.".to_owned(),
            contexts: vec![context(document)],
        };
        let cases = [
            (
                r#"{"metrics":{},"results":[{"query_id":"000","query":"Why?","gt_answer":"So","response":"So.","response_claims":[],
                    "retrieved_context":[{"doc_id":"d1","text":"Text."}]}]}"#,
                record("000", Some("d1")),
            ),
            (
                r#"[{"user_input":"Why?","response":"So.","retrieved_contexts":["Text."],"reference":"So","rubrics":null}]"#,
                record("1", None),
            ),
            (
                "\u{feff}{\"question\":\"Why?\",\"answer\":\"So.\",\"contexts\":[\"Text.\"],\"ground_truth\":\"So\"}\r\n\r\n",
                record("1", None),
            ),
            (
                r#"{"id":7,"user_input":"Why?","response":"So.","retrieved_contexts":["Text."],"retrieved_context_ids":[3],"reference":"So"}"#,
                record("7", Some("3")),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text.as_bytes()).unwrap(), [expected], "{text}");
        }
        assert_eq!(parse(b" \n").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("{\"results\":[{}]}", "query"),
            ("[{\"response\":\"x\"}]", "user_input"),
            ("{\"user_input\":\"a\"}\n{\"user_input\":1}", "line 2"),
            (
                r#"[{"user_input":"a","retrieved_contexts":["x"],"retrieved_context_ids":[]}]"#,
                "1 contexts and 0 ids",
            ),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (text, expected) in cases {
            fs_err::write(&path, text).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(
                message.contains(expected) && message.contains("file"),
                "{message}"
            );
        }
        assert!("xml".parse::<Form>().is_err());
    }

    fn record() -> impl Strategy<Value = Record> {
        let text = || "\\PC{0,12}|[=+@'\"\n\r,{\\[-]{0,6}|\\s{0,3}";
        let some_text = || "[ -~\n]{1,9}|[=+@'-]{1,3}";
        let context = (prop::option::of(some_text()), text());
        (
            some_text(),
            text(),
            prop::collection::vec(some_text(), 0..3),
            text(),
            prop::collection::vec(context, 0..3),
        )
            .prop_map(|(id, question, accepted, response, contexts)| Record {
                id,
                question,
                accepted,
                response,
                contexts: contexts
                    .into_iter()
                    .map(|(document, text)| Context { document, text })
                    .collect(),
            })
    }

    proptest! {
        #[test]
        fn records_come_back_from_every_form(records in prop::collection::vec(record(), 0..4)) {
            for name in FORMS {
                let form: Form = name.parse().unwrap();
                let text = written(&records, form).unwrap();
                prop_assert_eq!(&parse(text.as_bytes()).unwrap(), &records, "{}: {}", name, text);
            }
        }

        #[test]
        fn no_content_makes_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), start in "(\\[|\\{|\\{\"results\":)?") {
            let _ = parse(&[start.as_bytes(), &bytes].concat());
        }
    }
}
