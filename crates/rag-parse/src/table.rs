//! Tables: a grid of cells whose rows become self-contained sentences.

use rag_core::document::Cell;

/// A table with its header row.
///
/// ```
/// use rag_parse::table::row_sentence;
///
/// let sentence = row_sentence(&["Grade", "Hotel cap", "Meal cap"], &["L4-L6", "200", "75"]);
/// assert_eq!(sentence, "Grade L4-L6: hotel cap 200, meal cap 75.");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Header of each column; empty when the table has none.
    pub headers: Vec<String>,
    /// The levels of each column's header, outermost first; empty when there is but one level.
    pub header_paths: Vec<Vec<String>>,
    /// Cells of each row, left to right.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table of a grid whose first `header_rows` rows are headers. Several header rows are
    /// joined per column, a text that repeats across them once.
    pub fn from_grid(grid: Vec<Vec<String>>, header_rows: usize) -> Self {
        let mut rows = grid.into_iter();
        let mut headers: Vec<String> = Vec::new();
        let mut header_paths: Vec<Vec<String>> = Vec::new();
        for row in rows.by_ref().take(header_rows) {
            headers.resize(headers.len().max(row.len()), String::new());
            header_paths.resize(headers.len(), Vec::new());
            for ((header, path), cell) in headers.iter_mut().zip(&mut header_paths).zip(row) {
                append_header(header, &cell);
                if !cell.is_empty() && path.last() != Some(&cell) {
                    path.push(cell);
                }
            }
        }
        if header_paths.iter().all(|path| path.len() < 2) {
            header_paths.clear();
        }
        let rows = rows.filter(|row| row.iter().any(|cell| !cell.is_empty()));
        Self {
            headers,
            header_paths,
            rows: rows.collect(),
        }
    }

    /// The cells of `row` with their headers, empty ones included.
    pub fn cells(&self, row: &[String]) -> Vec<Cell> {
        let columns = row.len().max(self.headers.len());
        let text = |from: &[String], at: usize| from.get(at).cloned().unwrap_or_default();
        (0..columns)
            .map(|at| Cell {
                header: text(&self.headers, at),
                value: text(row, at),
                header_path: self.header_paths.get(at).cloned().unwrap_or_default(),
                ..Cell::default()
            })
            .collect()
    }
}

fn append_header(header: &mut String, cell: &str) {
    if cell.is_empty() || header == cell || header.ends_with(&format!(" {cell}")) {
        return;
    }
    if !header.is_empty() {
        header.push(' ');
    }
    header.push_str(cell);
}

/// True when the first row of `grid` reads like a header: every cell filled, none a bare number, and
/// no two the same. A year is a label over numbers that are none, and a label may stand twice over numbers.
/// Labels that end with a colon name their row, so that there is no header above them.
pub fn looks_like_header(grid: &[Vec<String>]) -> bool {
    let Some((first, body)) = grid.split_first() else {
        return false;
    };
    let is_over_numbers = |column: usize| {
        let cells = || {
            body.iter()
                .filter_map(|row| row.get(column))
                .filter(|cell| !cell.is_empty())
        };
        cells().next().is_some() && cells().all(|cell| is_amount(cell) && !is_year(cell))
    };
    let is_header = |(column, cell): (usize, &String)| {
        let is_twice = first.iter().filter(|other| *other == cell).count() > 1;
        if is_year(cell) {
            !is_twice && is_over_numbers(column)
        } else {
            is_label(cell) && (!is_twice || is_over_numbers(column))
        }
    };
    let names_row = |row: &Vec<String>| row.len() == 2 && row[0].trim_end().ends_with(':');
    !body.is_empty()
        && first.iter().any(|cell| is_label(cell))
        && first.iter().enumerate().all(is_header)
        && !grid.iter().all(names_row)
}

fn is_label(cell: &str) -> bool {
    cell.chars().any(char::is_alphabetic) && cell.chars().count() <= 80
}

fn is_year(cell: &str) -> bool {
    cell.len() == 4
        && (cell.starts_with("19") || cell.starts_with("20"))
        && cell.bytes().all(|b| b.is_ascii_digit())
}

/// True for a number as tables have them, or a sign that stands for none.
fn is_amount(cell: &str) -> bool {
    let is_digit = |c: char| c.is_numeric();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    cell.chars().any(is_digit) && letters <= 3 || matches!(cell, "-" | "–" | "—" | "n/a")
}

/// One sentence that says what a row's numbers mean: `Grade L4-L6: hotel cap 200, meal cap 75.`
///
/// The first filled cell names the row. Empty cells are left out; a cell without header stands alone.
pub fn row_sentence<H: AsRef<str>, C: AsRef<str>>(headers: &[H], row: &[C]) -> String {
    let mut sentence = String::new();
    let mut filled = 0;
    for (at, cell) in row.iter().enumerate() {
        let value = cell.as_ref().trim();
        if value.is_empty() {
            continue;
        }
        let header = headers.get(at).map_or("", |header| header.as_ref().trim());
        let label = header.trim_end_matches(':').trim_end();
        match filled {
            0 => {}
            1 => sentence.push_str(": "),
            _ => sentence.push_str(", "),
        }
        if !label.is_empty() {
            let label = if filled == 0 {
                label.to_owned()
            } else {
                lower_words(label)
            };
            sentence.push_str(&label);
            sentence.push(' ');
        }
        sentence.push_str(value);
        filled += 1;
    }
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '؟', '。']) {
        sentence.push('.');
    }
    sentence
}

/// Lowers words that are merely capitalised; abbreviations and identifiers keep their case.
fn lower_words(header: &str) -> String {
    let lower = |word: &str| {
        let is_plain = word.chars().skip(1).all(|c| !c.is_uppercase() && !c.is_numeric());
        let is_single = word.chars().count() == 1;
        if is_plain && !is_single {
            word.to_lowercase()
        } else {
            word.to_owned()
        }
    };
    header.split(' ').map(lower).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_sentences_that_name_their_columns() {
        let cases: &[(&[&str], &[&str], &str)] = &[
            (
                &["Grade", "Hotel cap", "Meal cap"],
                &["L4-L6", "200", "75"],
                "Grade L4-L6: hotel cap 200, meal cap 75.",
            ),
            (&["Code", "SLA Hours"], &["P1", "4"], "Code P1: SLA hours 4."),
            (
                &["Code", "Meaning", "Fix"],
                &["E1", "", "Restart."],
                "Code E1: fix Restart.",
            ),
            (&["", "North"], &["Sales", "12"], "Sales: north 12."),
            (&["Name:"], &["Ada", "extra"], "Name Ada: extra."),
            (&["A"], &[""], ""),
            (&[], &["1", "2", "3"], "1: 2, 3."),
        ];
        for (headers, row, sentence) in cases {
            assert_eq!(row_sentence(headers, row), *sentence);
        }
    }

    #[test]
    fn header_rows_are_joined_per_column() {
        let grid = [
            ["2026", "2026", ""],
            ["Q1", "Q2", "Note"],
            ["1", "2", "x"],
            ["", "", ""],
        ];
        let grid = grid.map(|row| row.map(String::from).to_vec()).to_vec();
        let table = Table::from_grid(grid, 2);
        assert_eq!(table.headers, ["2026 Q1", "2026 Q2", "Note"]);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.cells(&table.rows[0])[1].header, "2026 Q2");
    }

    #[test]
    fn a_first_row_of_numbers_is_no_header() {
        let grid = |cells: &[&[&str]]| -> Vec<Vec<String>> {
            cells
                .iter()
                .map(|row| row.iter().map(|&c| c.to_owned()).collect())
                .collect()
        };
        assert!(looks_like_header(&grid(&[&["Name", "Age"], &["Ada", "36"]])));
        assert!(!looks_like_header(&grid(&[&["Ada", "36"], &["Bob", "40"]])));
        assert!(!looks_like_header(&grid(&[&["Name", "Name"], &["Ada", "Bob"]])));
        assert!(looks_like_header(&grid(&[
            &["Metric", "2023", "2024"],
            &["Revenue", "10", "12"]
        ])));
        assert!(!looks_like_header(&grid(&[
            &["Ada", "2023", "2024"],
            &["Bob", "2022", "2025"]
        ])));
        assert!(looks_like_header(&grid(&[
            &["Name", "Phone", "Phone"],
            &["Ada", "555 12", "555 13"]
        ])));
        assert!(!looks_like_header(&grid(&[
            &["Name:", "Ada"],
            &["Number:", "20417"]
        ])));
        assert!(!looks_like_header(&[]));
    }
}
