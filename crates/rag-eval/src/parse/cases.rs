//! Cases: single facts about single files that a parser gets wrong easily, each checked by a general kind
//! of check. Their list is `cases.toml`, which holds the few words that tell and no text of the files.

use std::collections::BTreeMap;

use rag_core::artifact::Digest;
use rag_core::document::{Block, BlockKind, Document};
use serde::{Deserialize, Serialize};

use super::score::Read;

/// The list.
const LIST: &str = include_str!("cases.toml");

/// The reason that stands for pages that recognition has read.
const RECOGNISED: &str = "recognised";

/// The checks of all cases, and what became of those that were made.
#[derive(Debug, Clone)]
pub struct Cases {
    checks: Vec<Check>,
    /// Of each case that a file was read for: what failed.
    failed: BTreeMap<String, Vec<String>>,
}

/// What became of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// True when all its checks hold.
    pub right: bool,
    /// What does not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// What must hold of one file; `cases.toml` says what each field is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Check {
    case: String,
    file: String,
    digest: String,
    contains: Vec<String>,
    lacks: Vec<String>,
    together: Vec<String>,
    apart: Vec<[String; 2]>,
    notes: Vec<String>,
    rows: Vec<Vec<String>>,
    words: Option<(usize, usize)>,
    reasons: Vec<String>,
}

#[derive(Deserialize)]
struct List {
    check: Vec<Check>,
}

impl Default for Cases {
    fn default() -> Self {
        let list: List = toml::from_str(LIST).expect("the list is part of this program and a test reads it");
        Self {
            checks: list.check,
            failed: BTreeMap::new(),
        }
    }
}

impl Cases {
    /// Makes the checks of the file with these bytes, if there are any.
    pub fn judge(&mut self, bytes: &[u8], read: &Read) {
        let digest = Digest::of(bytes).to_string();
        for check in &self.checks {
            if !check.digest.is_empty() && digest.starts_with(&check.digest) {
                let failures = check.failures(read);
                let named = failures
                    .into_iter()
                    .map(|failure| format!("{}: {failure}", check.file));
                self.failed.entry(check.case.clone()).or_default().extend(named);
            }
        }
    }

    /// The cases whose files were read, in the order of the list.
    pub fn outcome(self) -> Vec<Case> {
        let mut failed = self.failed;
        self.checks
            .iter()
            .filter_map(|check| failed.remove_entry(&check.case))
            .map(|(name, why)| Case {
                name,
                right: why.is_empty(),
                why,
            })
            .collect()
    }
}

impl Check {
    /// What does not hold, in words.
    fn failures(&self, read: &Read) -> Vec<String> {
        let mut failures = Vec::new();
        if read.is_crashed() {
            failures.push("the reader died or passed a limit".to_owned());
        }
        let is_recognised = |document: &Document| document.metadata.contains_key("ocr_pages");
        let is_there = |reason: &String| {
            read.reasons.contains(reason)
                || reason == RECOGNISED && read.document.as_ref().is_some_and(is_recognised)
        };
        if !self.reasons.is_empty() && !self.reasons.iter().any(is_there) {
            failures.push(format!("no diagnostic of {}", self.reasons.join(", ")));
        }
        match &read.document {
            Some(document) => self.failures_of_text(document, &mut failures),
            None if self.asks_for_text() => failures.push("there is no document".to_owned()),
            None => {}
        }
        failures
    }

    fn asks_for_text(&self) -> bool {
        let lists = [&self.contains, &self.together, &self.notes];
        lists.iter().any(|list| !list.is_empty()) || !self.rows.is_empty() || self.words.is_some()
    }

    fn failures_of_text(&self, document: &Document, failures: &mut Vec<String>) {
        let text = folded(&document.text);
        let block_text = |block: &Block| folded(document.block_text(block));
        let blocks: Vec<String> = document.blocks.iter().map(block_text).collect();
        if let Some(missing) = first_missing(&text, &self.contains) {
            failures.push(format!("`{missing}` is missing or out of order"));
        }
        failures.extend(
            self.lacks
                .iter()
                .filter(|unwanted| text.contains(&folded(unwanted)))
                .map(|unwanted| format!("`{unwanted}` is there")),
        );
        if !self.together.is_empty()
            && !blocks
                .iter()
                .any(|block| first_missing(block, &self.together).is_none())
        {
            failures.push(format!("no block has all of `{}`", self.together.join("`, `")));
        }
        for [one, other] in &self.apart {
            if blocks
                .iter()
                .any(|block| block.contains(&folded(one)) && block.contains(&folded(other)))
            {
                failures.push(format!("a block has both `{one}` and `{other}`"));
            }
        }
        let notes = document.blocks.iter().zip(&blocks);
        let notes: Vec<&String> = notes
            .filter(|(block, _)| block.kind == BlockKind::Note)
            .map(|(_, text)| text)
            .collect();
        failures.extend(
            self.notes
                .iter()
                .filter(|wanted| !notes.iter().any(|note| note.contains(&folded(wanted))))
                .map(|wanted| format!("no note has `{wanted}`")),
        );
        failures.extend(
            self.rows
                .iter()
                .filter(|row| !document.blocks.iter().any(|block| is_row(block, row)))
                .map(|row| format!("no row has the cells `{}`", row.join("`, `"))),
        );
        let count = text.split(' ').count();
        if let Some((fewest, most)) = self
            .words
            .filter(|(fewest, most)| !(*fewest..=*most).contains(&count))
        {
            failures.push(format!("it has {count} words, not {fewest} to {most}"));
        }
    }
}

/// True for a row with all these cells, `Header=value` or only a value.
fn is_row(block: &Block, wanted: &[String]) -> bool {
    let has = |wanted: &String| {
        let (header, value) = wanted.split_once('=').unwrap_or(("", wanted));
        block.cells.iter().any(|cell| {
            let is_under = header.is_empty() || folded(&cell.header_levels().join(" ")).contains(header);
            is_under && folded(&cell.value) == value
        })
    };
    !block.cells.is_empty() && wanted.iter().all(has)
}

/// The first of some texts that does not follow those before it.
fn first_missing<'w>(text: &str, wanted: &'w [String]) -> Option<&'w str> {
    let mut rest = text;
    for wanted in wanted {
        let folded = folded(wanted);
        match rest.find(&folded) {
            Some(at) => rest = &rest[at + folded.len()..],
            None => return Some(wanted),
        }
    }
    None
}

/// The text with each run of spaces and line breaks as one space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::score::tests::table;

    fn read(document: Option<Document>, reasons: &[&str]) -> Read {
        Read {
            document,
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            ..Read::default()
        }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn the_list_can_be_read_and_every_check_names_a_file() {
        for check in Cases::default().checks {
            let is_digest = check.digest.len() == 32 && check.digest.chars().all(|c| c.is_ascii_hexdigit());
            assert!(
                is_digest && !check.case.is_empty() && !check.file.is_empty(),
                "{check:?}"
            );
        }
    }

    #[test]
    fn each_kind_of_check_tells_right_from_wrong() {
        let document = table(&[&[("Grade", "G1"), ("Cap", "")]]);
        let right = Check {
            contains: strings(&["a", "sentence"]),
            lacks: strings(&["Sentence"]),
            rows: vec![strings(&["Grade=G1", "Cap="]), strings(&["G1"])],
            words: Some((1, 2)),
            reasons: strings(&["other", "no-text"]),
            ..Check::default()
        };
        assert_eq!(
            right.failures(&read(Some(document.clone()), &["no-text"])),
            [""; 0]
        );
        let wrong = Check {
            contains: strings(&["sentence", "a"]),
            lacks: strings(&["a  sentence"]),
            together: strings(&["b"]),
            apart: vec![["a".to_owned(), "sentence".to_owned()]],
            notes: strings(&["a"]),
            rows: vec![strings(&["Grade=", "Cap="])],
            words: Some((3, 4)),
            reasons: strings(&["no-text"]),
            ..Check::default()
        };
        assert_eq!(wrong.failures(&read(Some(document), &[])).len(), 8);
        assert_eq!(wrong.failures(&read(None, &["timeout"])).len(), 3);
    }

    #[test]
    fn a_case_is_right_when_all_its_checks_hold_and_left_out_without_a_file() {
        let check = |case: &str, bytes: &[u8], contains: &str| Check {
            case: case.to_owned(),
            digest: Digest::of(bytes).to_string()[..32].to_owned(),
            contains: strings(&[contains]),
            ..Check::default()
        };
        let mut cases = Cases {
            checks: vec![
                check("one", b"1", "a"),
                check("one", b"2", "b"),
                check("two", b"1", "a"),
                check("three", b"3", "a"),
            ],
            failed: BTreeMap::new(),
        };
        let document = table(&[&[("Grade", "G1")]]);
        cases.judge(b"1", &read(Some(document.clone()), &[]));
        cases.judge(b"2", &read(Some(document), &[]));
        let outcome = cases.outcome();
        let told: Vec<(&str, bool)> = outcome
            .iter()
            .map(|case| (case.name.as_str(), case.right))
            .collect();
        assert_eq!(told, [("one", false), ("two", true)]);
    }
}
