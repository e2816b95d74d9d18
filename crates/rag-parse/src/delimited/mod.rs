//! Separated values (CSV, TSV) to blocks: the delimiter is sniffed, each row becomes a sentence.

mod header;
mod quotes;

use rag_core::document::BlockKind;

use crate::draft::Draft;
use crate::error::Failure;
use crate::metadata::split_front_matter;
use crate::table::Table;

use header::has_header;
use quotes::{sections, without_unclosed_quotes};

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records from which the delimiter is chosen.
const SNIFFED_RECORDS: usize = 64;

/// Reads separated values into `draft`.
pub(crate) fn parse(text: &str, draft: &mut Draft) -> Result<(), Failure> {
    let front = split_front_matter(text)?;
    draft.metadata = front.metadata;
    let (text, named) = excel_hint(front.body);
    let text = match named {
        // It may also stand behind the hint.
        Some(_) => {
            let behind = split_front_matter(text)?;
            draft.metadata = std::mem::take(&mut draft.metadata).or(behind.metadata);
            behind.body
        }
        None => text,
    };
    let delimiter = named.unwrap_or_else(|| sniff(text));
    let (text, unclosed) = without_unclosed_quotes(text, delimiter);
    if let Some(line) = unclosed {
        draft.warn(
            "damaged",
            format!("the quotation mark that opens in line {line} is never closed; it was left out"),
        );
    }
    let mut reader = Reader {
        draft,
        table: Table::default(),
        has_header: false,
        wider: 0,
        count: 0,
    };
    for section in sections(&text, delimiter) {
        reader.section(section, delimiter)?;
    }
    reader.finish();
    Ok(())
}

/// Records of a section that decide whether it has a header.
const LOOKED_AT: usize = 32;

/// Reads sections, of which those without a header of their own go on with the table before.
struct Reader<'d> {
    draft: &'d mut Draft,
    table: Table,
    has_header: bool,
    /// Rows with more cells than the header, and all rows below it.
    wider: usize,
    count: usize,
}

impl Reader<'_> {
    fn section(&mut self, text: &str, delimiter: u8) -> Result<(), Failure> {
        let mut records = records(text, delimiter).peekable();
        let width = common_width(text, delimiter);
        let mut titles = Vec::new();
        while let Some(Ok(record)) = records.peek() {
            let filled = record.iter().filter(|cell| !cell.trim().is_empty()).count();
            if width < 2 || filled * 2 > width {
                break;
            }
            titles.push(row_of(record));
            records.next();
        }
        let mut records = records.map(|record| record.map(|cells| row_of(&cells)));
        let mut first: Vec<Vec<String>> = Vec::new();
        for row in records.by_ref().take(LOOKED_AT) {
            first.push(row.map_err(|error| unreadable(&error))?);
        }
        let is_first = self.count == 0 && !self.has_header;
        let has_title = !titles.is_empty() && has_header(&first);
        let is_new = is_first || has_title || self.is_other_table(&first);
        if is_new {
            self.close();
            for title in &titles {
                let cells: Vec<&str> = title
                    .iter()
                    .map(String::as_str)
                    .filter(|cell| !cell.is_empty())
                    .collect();
                self.draft.prose(BlockKind::Paragraph, &cells.join(" "));
            }
        } else {
            titles.append(&mut first);
            first = titles;
        }
        let mut first = first.into_iter();
        if is_new {
            let rows = first.as_slice();
            self.has_header = has_header(rows) || rows.len() == 1 && (is_first || has_title);
            self.table.headers = if self.has_header {
                first.next().unwrap_or_default()
            } else {
                Vec::new()
            };
        }
        for row in first.map(Ok).chain(records) {
            let row = row.map_err(|error| unreadable(&error))?;
            self.wider += usize::from(self.has_header && row.len() > self.table.headers.len());
            self.draft.row(&self.table, &row);
            self.count += 1;
        }
        Ok(())
    }

    /// True for rows behind an empty one that begin with labels over numbers, or are of another width.
    fn is_other_table(&self, rows: &[Vec<String>]) -> bool {
        let is_number = |cell: &String| cell.chars().any(char::is_numeric);
        let [header, body, ..] = rows else {
            return false;
        };
        let is_over_numbers = body.iter().any(is_number) && !header.iter().any(is_number);
        let is_wider = self.has_header && header.len() != self.table.headers.len();
        has_header(rows) && (is_wider || is_over_numbers)
    }

    /// Ends a table: a header alone is a paragraph.
    fn close(&mut self) {
        if self.has_header && self.count == 0 {
            let header = self.table.headers.join(", ");
            self.draft.prose(BlockKind::Paragraph, &header);
        }
        self.table.headers.clear();
        (self.has_header, self.count) = (false, 0);
    }

    fn finish(mut self) {
        self.close();
        if self.wider > 0 {
            let message = format!(
                "{} rows have more cells than the header; those cells have no column name",
                self.wider
            );
            self.draft.warn("uneven-rows", message);
        }
    }
}

fn unreadable(error: &csv::Error) -> Failure {
    Failure::lasting("damaged", format!("the rows cannot be read: {error}"))
}

fn row_of(record: &csv::StringRecord) -> Vec<String> {
    record.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn records(text: &str, delimiter: u8) -> impl Iterator<Item = Result<csv::StringRecord, csv::Error>> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .into_records()
}

/// The line `sep=;` that spreadsheets put first, cut off.
fn excel_hint(text: &str) -> (&str, Option<u8>) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    match line.trim_end().strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) if delimiter.is_ascii() => (rest, Some(*delimiter)),
        _ => (text, None),
    }
}

/// The delimiter under which most records have the same number of cells; more cells break ties.
fn sniff(text: &str) -> u8 {
    let score = |delimiter: u8| {
        let widths = widths(text, delimiter);
        let common = most_common(&widths);
        if common < 2 {
            return (0, 0);
        }
        let agreeing = widths.iter().filter(|width| **width == common).count();
        (agreeing * 1000 / widths.len().max(1), common)
    };
    let mut best = (b',', (0, 0));
    for delimiter in DELIMITERS {
        let found = score(delimiter);
        if found > best.1 {
            best = (delimiter, found);
        }
    }
    best.0
}

fn widths(text: &str, delimiter: u8) -> Vec<usize> {
    let records = records(text, delimiter).take(SNIFFED_RECORDS);
    records.map_while(Result::ok).map(|record| record.len()).collect()
}

fn common_width(text: &str, delimiter: u8) -> usize {
    most_common(&widths(text, delimiter))
}

/// The most frequent number; the larger one of two that are equally frequent.
fn most_common(numbers: &[usize]) -> usize {
    let count = |number: usize| numbers.iter().filter(|n| **n == number).count();
    numbers
        .iter()
        .copied()
        .max_by_key(|&number| (count(number), number))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;

    fn sentences(text: &str) -> Vec<String> {
        let mut draft = Draft::new(&Limits::default());
        parse(text, &mut draft).unwrap();
        let (text, ..) = draft.finish();
        text.blocks
            .iter()
            .map(|b| b.span.slice(&text.text).unwrap().to_owned())
            .collect()
    }

    #[test]
    fn front_matter_before_rows_is_no_row() {
        for text in [
            "---\naccess: hr\n---\na,b\n1,2\n",
            "sep=,\n---\naccess: hr\n---\na,b\n1,2\n",
            "---\naccess: hr\n---\nsep=,\na,b\n1,2\n",
        ] {
            let mut draft = Draft::new(&Limits::default());
            parse(text, &mut draft).unwrap();
            let (text, metadata, ..) = draft.finish();
            assert_eq!(text.text, "a 1: b 2.");
            assert_eq!(metadata.access.unwrap().groups().collect::<Vec<_>>(), ["hr"]);
        }
        let broken = parse(
            "---\naccess: [hr\n---\na,b\n",
            &mut Draft::new(&Limits::default()),
        );
        assert_eq!(broken.unwrap_err().reason, "metadata");
    }

    #[test]
    fn rows_of_any_delimiter_become_sentences() {
        let cases: &[(&str, &[&str])] = &[
            ("Role,Limit\nLead,EUR 1500\n", &["Role Lead: limit EUR 1500."]),
            (
                "a;b;c\n1,5;2;3\n4,5;5;6\n",
                &["a 1,5: b 2, c 3.", "a 4,5: b 5, c 6."],
            ),
            ("a\tb\nx, y\tz\n", &["a x, y: b z."]),
            ("a|b\n1|2\n", &["a 1: b 2."]),
            ("sep=;\na;b\n1;2\n", &["a 1: b 2."]),
            (
                "Name,Note\nAda,\"one, \"\"two\"\"\nthree\"\n",
                &["Name Ada: note one, \"two\" three."],
            ),
            (
                "Report for May,,\nName,Age,City\nAda,36,London\nBob,40,Rome\n",
                &[
                    "Report for May",
                    "Name Ada: age 36, city London.",
                    "Name Bob: age 40, city Rome.",
                ],
            ),
            ("1,2\n3,4\n", &["1: 2.", "3: 4."]),
            ("a,b\n1,2,3\n", &["a 1: b 2, 3."]),
            ("only\n", &["only"]),
            // No header, a column without a name, a second table, a quotation mark without an end.
            (
                "Ada,London\nBob,Rome\nCyd,Paris\n",
                &["Ada: London.", "Bob: Rome.", "Cyd: Paris."],
            ),
            (
                "A-101,Pump\nA-102,Valve\nA-103,Seal\n",
                &["A-101: Pump.", "A-102: Valve.", "A-103: Seal."],
            ),
            (
                "Name,City\nAda,London\nBob,Rome\n",
                &["Name Ada: city London.", "Name Bob: city Rome."],
            ),
            (
                "Name,,Qty\nAda,x,2\nBob,y,3\n",
                &["Name Ada: x, qty 2.", "Name Bob: y, qty 3."],
            ),
            (
                "Table one\nName,City\nAda,London\n\nTable two\nItem,Price\nPen,2\n",
                &[
                    "Table one",
                    "Name Ada: city London.",
                    "Table two",
                    "Item Pen: price 2.",
                ],
            ),
            (
                "Name,City\nAda,London\n,\nItem,Price\nPen,2\n",
                &["Name Ada: city London.", "Item Pen: price 2."],
            ),
            (
                "Name,City\nAda,London\n\nBob,Rome\n",
                &["Name Ada: city London.", "Name Bob: city Rome."],
            ),
            (
                "Name,Note\nAda,\"open\nBob,fine\nCyd,\"a\n\nb\"\n",
                &[
                    "Name Ada: note open.",
                    "Name Bob: note fine.",
                    "Name Cyd: note a b.",
                ],
            ),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), *expected, "{text:?}");
        }
    }
}
