//! One sheet as a stream of cells: large sheets never become a tree.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::number_format::{display, general, is_time};
use super::styles::Styles;
use crate::draft::clean_line;
use crate::encoding::decode;
use crate::error::Failure;

/// Furthest row and column that the format allows, and most cells that a merge is spread over.
const MAX_ROW: usize = 1 << 20;
const MAX_COLUMN: usize = 1 << 14;
const MAX_MERGED: usize = 10_000;

/// Most cells that all merges of a sheet are spread over.
const MAX_SPREAD: usize = 200_000;

/// Most cells of a sheet that are held: more would not fit into the memory of a worker.
const MAX_CELLS: usize = 2_000_000;

/// Longest text that is repeated in the cells of a merge, in bytes: labels are, prose is not.
const MAX_REPEATED_BYTES: usize = 200;

/// What the cells of all sheets refer to.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) strings: Vec<String>,
    pub(super) styles: Styles,
    pub(super) is_1904: bool,
}

/// A cell as displayed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    /// The stored value, where another is displayed.
    pub(super) raw: Option<String>,
    pub(super) is_number: bool,
    /// True for a number that is a date, a time or, by its size, a year.
    pub(super) is_time: bool,
    pub(super) is_bold: bool,
    /// Where its text stands.
    pub(super) origin: Origin,
}

/// Where the text of a cell stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// In the cell itself.
    #[default]
    Own,
    /// In another cell of the row, with which it is merged.
    SameRow,
    /// In a cell of a row above, with which it is merged.
    Above,
}

/// The filled cells of a sheet by row and column, from 0.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) cells: BTreeMap<(usize, usize), Cell>,
    /// Rows and columns so thin that they only set space: where empty, they part nothing.
    pub(super) thin_rows: BTreeSet<usize>,
    pub(super) thin_columns: BTreeSet<usize>,
    /// Cells whose place or value cannot be read.
    pub(super) skipped: usize,
    /// Cells beyond the most that are held.
    pub(super) dropped: usize,
    /// Hidden rows with text, and hidden columns.
    pub(super) hidden_rows: BTreeSet<usize>,
    pub(super) hidden_columns: BTreeSet<usize>,
}

impl Sheet {
    /// The cells of a row in these columns, which are sorted, with the place of each among them.
    fn row<'s>(&'s self, row: usize, columns: &'s [usize]) -> impl Iterator<Item = (usize, &'s Cell)> {
        let first = columns.first().copied().unwrap_or(1);
        let last = columns.last().copied().unwrap_or(0);
        let bounds = (row, first)..(row, last.saturating_add(1)).max((row, first));
        self.cells
            .range(bounds)
            .filter_map(|((_, column), cell)| Some((columns.binary_search(column).ok()?, cell)))
    }

    /// The cells of a row in these columns that hold text of their own.
    pub(super) fn filled<'s>(&'s self, row: usize, columns: &'s [usize]) -> Vec<&'s Cell> {
        let cells = self.row(row, columns).map(|(_, cell)| cell);
        cells.filter(|cell| cell.origin == Origin::Own).collect()
    }

    /// The cells of a row in these columns that its own merges leave: those of a merge that reaches down
    /// into the row belong to it like others.
    pub(super) fn shown<'s>(&'s self, row: usize, columns: &'s [usize]) -> Vec<&'s Cell> {
        let cells = self.row(row, columns).map(|(_, cell)| cell);
        cells.filter(|cell| cell.origin != Origin::SameRow).collect()
    }

    /// The texts of a row in these columns, empty cells included.
    pub(super) fn line(&self, row: usize, columns: &[usize]) -> Vec<String> {
        let mut line = vec![String::new(); columns.len()];
        for (at, cell) in self.row(row, columns) {
            line[at].clone_from(&cell.text);
        }
        line
    }

    /// True when every cell of a row names what is below it, up to row `below`: text, and dates and years
    /// over other numbers. Numbers alone name nothing unless they stand beside an empty corner.
    pub(super) fn is_labels(&self, row: usize, below: Option<usize>, columns: &[usize]) -> bool {
        let is_label = |(at, cell): (usize, &Cell)| {
            let under = below.and_then(|below| self.cells.get(&(below, columns[at])));
            let is_over_amount = under.is_some_and(|under| under.is_number && !under.is_time);
            !cell.is_number || (cell.is_time && is_over_amount)
        };
        let cells = || {
            self.row(row, columns)
                .filter(|(_, cell)| cell.origin == Origin::Own)
        };
        let has_text = cells().any(|(_, cell)| !cell.is_number);
        let has_corner = columns
            .first()
            .is_some_and(|first| !self.cells.contains_key(&(row, *first)));
        cells().next().is_some() && (has_text || has_corner) && cells().all(is_label)
    }

    pub(super) fn raw(&self, row: usize, column: usize) -> Option<String> {
        self.cells.get(&(row, column))?.raw.clone()
    }

    pub(super) fn is_bold_row(&self, row: usize, columns: &[usize]) -> bool {
        self.filled(row, columns).iter().all(|cell| cell.is_bold)
    }
}

/// A cell while it is read.
#[derive(Debug, Default)]
struct Open {
    place: Option<(usize, usize)>,
    style: usize,
    kind: String,
    value: String,
}

/// Reads a sheet.
pub(super) fn read(bytes: &[u8], book: &Book) -> Result<Sheet, Failure> {
    let text = decode(bytes, None)?.text;
    let mut reader = Reader::from_str(&text);
    let mut sheet = Sheet::default();
    let mut merges: Vec<String> = Vec::new();
    let mut open: Option<Open> = None;
    let (mut is_value, mut is_reading) = (false, false);
    let mut next = (0, 0);
    loop {
        match reader.read_event().map_err(|error| damaged(&error))? {
            Event::Start(start) => match name_of(&start).as_str() {
                "row" => open_row(&start, &mut next, &mut sheet),
                "c" => open = Some(open_cell(&start, &mut next)),
                "v" | "t" => is_value = !is_reading,
                "rPh" => is_reading = true,
                _ => {}
            },
            Event::Empty(start) => match name_of(&start).as_str() {
                "row" => open_row(&start, &mut next, &mut sheet),
                "c" => drop(open_cell(&start, &mut next)),
                "col" => columns(&start, &mut sheet),
                "mergeCell" => merges.extend(attribute(&start, "ref")),
                _ => {}
            },
            Event::End(end) => match end.local_name().into_inner() {
                "c" => {
                    if let Some(cell) = open.take() {
                        close_cell(&cell, book, &mut sheet);
                    }
                }
                "v" | "t" => is_value = false,
                "rPh" => is_reading = false,
                _ => {}
            },
            Event::Text(piece) if is_value => push(&mut open, &piece.xml10_content()),
            Event::CData(piece) if is_value => push(&mut open, &piece.xml10_content()),
            Event::GeneralRef(reference) if is_value => {
                let character = reference.resolve_char_ref().ok().flatten();
                let name = reference.into_inner();
                match character {
                    Some(c) => push(&mut open, c.encode_utf8(&mut [0; 4])),
                    None => push(
                        &mut open,
                        quick_xml::escape::resolve_predefined_entity(&name).unwrap_or_default(),
                    ),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let mut left = MAX_SPREAD;
    for merge in merges {
        spread(&mut sheet, &merge, &mut left);
    }
    Ok(sheet)
}

fn damaged(error: &quick_xml::Error) -> Failure {
    Failure::lasting("damaged", format!("one of its sheets cannot be read: {error}"))
}

fn name_of(start: &BytesStart<'_>) -> String {
    start.local_name().into_inner().to_owned()
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.into_inner() == name)?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// Height of a row, in points, and width of a column, in characters, up to which they only set space.
const THIN_ROW: f64 = 8.0;
const THIN_COLUMN: f64 = 4.0;

fn open_row(start: &BytesStart<'_>, next: &mut (usize, usize), sheet: &mut Sheet) {
    let number = attribute(start, "r").and_then(|r| r.parse().ok());
    *next = (number.unwrap_or(next.0 + 1).min(MAX_ROW + 1), 0);
    if is_hidden(start) {
        sheet.hidden_rows.insert(next.0.saturating_sub(1));
    }
    let height = attribute(start, "ht").and_then(|height| height.parse::<f64>().ok());
    if height.is_some_and(|height| height <= THIN_ROW) {
        sheet.thin_rows.insert(next.0.saturating_sub(1));
    }
}

fn columns(start: &BytesStart<'_>, sheet: &mut Sheet) {
    let number = |name| attribute(start, name).and_then(|value| value.parse::<usize>().ok());
    let width = attribute(start, "width").and_then(|width| width.parse::<f64>().ok());
    let (Some(first @ 1..), Some(last)) = (number("min"), number("max")) else {
        return;
    };
    if is_hidden(start) {
        sheet.hidden_columns.extend(first - 1..last.min(MAX_COLUMN));
    } else if width.is_some_and(|width| width <= THIN_COLUMN) {
        sheet.thin_columns.extend(first - 1..last.min(MAX_COLUMN));
    }
}

fn is_hidden(start: &BytesStart<'_>) -> bool {
    matches!(attribute(start, "hidden").as_deref(), Some("1" | "true"))
}

/// Begins a cell; one without a place stands behind the one before.
fn open_cell(start: &BytesStart<'_>, next: &mut (usize, usize)) -> Open {
    let place = match attribute(start, "r") {
        Some(reference) => place_of(&reference),
        None => Some((next.0.saturating_sub(1), next.1)),
    };
    if let Some((_, column)) = place {
        next.1 = column + 1;
    }
    Open {
        place: place.filter(|(row, column)| *row < MAX_ROW && *column < MAX_COLUMN),
        style: attribute(start, "s")
            .and_then(|style| style.parse().ok())
            .unwrap_or(0),
        kind: attribute(start, "t").unwrap_or_default(),
        value: String::new(),
    }
}

fn push(open: &mut Option<Open>, piece: &str) {
    if let Some(open) = open {
        open.value.push_str(piece);
    }
}

/// `B4` to row 3, column 1.
fn place_of(reference: &str) -> Option<(usize, usize)> {
    let letters = reference.chars().take_while(char::is_ascii_alphabetic).count();
    let column = reference[..letters].bytes().try_fold(0usize, |sum, letter| {
        sum.checked_mul(26)?
            .checked_add(usize::from(letter.to_ascii_uppercase() - b'A') + 1)
    })?;
    let row: usize = reference[letters..].parse().ok()?;
    Some((row.checked_sub(1)?, column.checked_sub(1)?))
}

fn close_cell(open: &Open, book: &Book, sheet: &mut Sheet) {
    if open.value.is_empty() {
        return;
    }
    let (Some(place), Some(mut cell)) = (open.place, displayed(open, book)) else {
        sheet.skipped += 1;
        return;
    };
    cell.text = clean_line(&cell.text);
    cell.is_bold = book.styles.is_bold(open.style);
    if cell.text.is_empty() {
        return;
    }
    if sheet.cells.len() < MAX_CELLS {
        sheet.cells.insert(place, cell);
    } else {
        sheet.dropped += 1;
    }
}

/// True for a whole number that is written like a year of our time.
fn is_year(value: f64) -> bool {
    (1900.0..2100.0).contains(&value) && value.fract() == 0.0
}

/// What a cell shows, by its type (ECMA-376 part 1, 18.18.11).
fn displayed(open: &Open, book: &Book) -> Option<Cell> {
    let text = |text: String| Cell {
        text,
        ..Cell::default()
    };
    match open.kind.as_str() {
        "s" => {
            let number: usize = open.value.trim().parse().ok()?;
            Some(text(book.strings.get(number)?.clone()))
        }
        "b" => Some(text(
            if open.value.trim() == "0" { "FALSE" } else { "TRUE" }.to_owned(),
        )),
        "str" | "inlineStr" | "e" => Some(text(open.value.clone())),
        "d" => Some(Cell {
            is_number: true,
            is_time: true,
            ..text(open.value.replace('T', " "))
        }),
        _ => {
            let value: f64 = open.value.trim().parse().ok()?;
            let shown = display(value, book.styles.code(open.style), book.is_1904);
            let raw = general(value);
            Some(Cell {
                raw: (shown != raw).then(|| open.value.trim().to_owned()),
                is_number: true,
                is_time: is_year(value) && shown == raw || is_time(book.styles.code(open.style)),
                ..text(shown)
            })
        }
    }
}

/// Repeats the text of a merge's first cell in its others, which are taken off what is `left`.
fn spread(sheet: &mut Sheet, reference: &str, left: &mut usize) {
    let Some((from, to)) = reference.split_once(':') else {
        return;
    };
    let (Some(from), Some(to)) = (place_of(from), place_of(to)) else {
        return;
    };
    let side = |from: usize, to: usize| to.saturating_sub(from).saturating_add(1);
    let area = side(from.0, to.0).saturating_mul(side(from.1, to.1));
    let Some(first) = sheet.cells.get(&from).cloned() else {
        return;
    };
    if area > MAX_MERGED.min(*left) || first.text.len() > MAX_REPEATED_BYTES {
        return;
    }
    *left -= area;
    for row in from.0..=to.0 {
        for column in from.1..=to.1 {
            sheet.cells.entry((row, column)).or_insert_with(|| Cell {
                origin: if row > from.0 {
                    Origin::Above
                } else {
                    Origin::SameRow
                },
                ..first.clone()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_by_their_type_and_merges_repeat() {
        let xml = r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in &amp; line</t><rPh><t>reading</t></rPh></is></c></row>
            <row r="2"><c r="A2"><v>2.5</v></c><c t="b"><v>1</v></c><c r="ZZZZ9"><v>1</v></c></row></sheetData>
            <mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>"#;
        let book = Book {
            strings: vec!["shared".to_owned()],
            ..Book::default()
        };
        let sheet = read(xml.as_bytes(), &book).unwrap();
        assert_eq!(sheet.line(0, &[0, 1, 2]), ["shared", "shared", "in & line"]);
        assert_eq!(sheet.line(1, &[0, 1]), ["2.5", "TRUE"]);
        assert_eq!((sheet.skipped, sheet.filled(0, &[0, 1, 2]).len()), (1, 2));
    }

    #[test]
    fn places_beyond_all_bounds_are_skipped_and_merges_are_bounded_together() {
        let huge = usize::MAX;
        let xml = format!(
            r#"<worksheet><sheetData><row r="{huge}"><c><v>1</v></c></row><row><c><v>2</v></c></row>
            <row r="1"><c r="A1"><v>3</v></c></row></sheetData>
            <mergeCells><mergeCell ref="A1:XFD{huge}"/></mergeCells></worksheet>"#
        );
        let sheet = read(xml.as_bytes(), &Book::default()).unwrap();
        assert_eq!((sheet.cells.len(), sheet.skipped), (1, 2));
        let starts = || (0..30).map(|at| at * 9_000 + 1);
        let merge = |first| format!(r#"<mergeCell ref="A{first}:A{}"/>"#, first + 8_999);
        let row = |first| format!(r#"<row r="{first}"><c r="A{first}"><v>1</v></c></row>"#);
        let merges = starts().map(merge).collect::<Vec<_>>().concat();
        let cells = starts().map(row).collect::<Vec<_>>().concat();
        let xml =
            format!("<worksheet><sheetData>{cells}</sheetData><mergeCells>{merges}</mergeCells></worksheet>");
        assert!(read(xml.as_bytes(), &Book::default()).unwrap().cells.len() <= MAX_SPREAD + 30);
    }

    #[test]
    fn places_are_read() {
        assert_eq!(place_of("B4"), Some((3, 1)));
        assert_eq!(place_of("AA10"), Some((9, 26)));
        assert_eq!(place_of("A0"), None);
        assert_eq!(place_of("7"), None);
    }
}
