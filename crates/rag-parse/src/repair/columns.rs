//! Tables in plain text, whose columns survive only as runs of two or more spaces, or tabs.

use crate::table::{Table, looks_like_header};

/// Fewest rows, the header among them, of a table with two columns: fewer may be chance.
const MIN_ROWS_OF_TWO: usize = 3;

/// The cells of a line: pieces between runs of two or more spaces, or tabs.
pub fn split_columns(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while let Some((at, gap)) = next_gap(rest) {
        cells.push(&rest[..at]);
        rest = &rest[at + gap..];
    }
    if !rest.is_empty() {
        cells.push(rest);
    }
    cells
}

/// Where the next gap between columns begins, and its length in bytes.
fn next_gap(text: &str) -> Option<(usize, usize)> {
    let mut start = None;
    let mut spaces = 0;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            start.get_or_insert(at);
            spaces += if c == '\t' { 2 } else { 1 };
            continue;
        }
        if let Some(from) = start.take().filter(|_| spaces >= 2) {
            return Some((from, at - from));
        }
        spaces = 0;
    }
    None
}

/// Finds the table with the given header row and returns its rows; `None` when there is no such header.
///
/// ```
/// use rag_parse::repair::columns::extract_table;
///
/// let text = "Caps:\nGrade    Hotel cap\nG1    145\nG2    182\nEnd of table.";
/// let table = extract_table(text, &["Grade", "Hotel cap"]).unwrap();
/// assert_eq!(table.rows, [["G1", "145"], ["G2", "182"]]);
/// ```
pub fn extract_table(text: &str, header: &[&str]) -> Option<Table> {
    let mut lines = text.lines().map(split_columns);
    lines.by_ref().find(|cells| cells == header)?;
    let rows = lines.take_while(|cells| cells.len() == header.len());
    Some(Table {
        headers: header.iter().map(|&cell| cell.to_owned()).collect(),
        header_paths: Vec::new(),
        rows: rows
            .map(|cells| cells.into_iter().map(str::to_owned).collect())
            .collect(),
    })
}

/// The table that begins at the first of `lines`, and how many lines it takes: a header row and rows
/// with as many cells.
pub fn table_at<L: AsRef<str>>(lines: &[L]) -> Option<(Table, usize)> {
    let width = split_columns(lines.first()?.as_ref()).len();
    if width < 2 {
        return None;
    }
    let mut rows = lines
        .iter()
        .map(|line| split_columns(line.as_ref()))
        .take_while(|cells| cells.len() == width)
        .map(|cells| cells.into_iter().map(str::to_owned).collect::<Vec<String>>());
    let enough = if width == 2 { MIN_ROWS_OF_TWO } else { 2 };
    let mut grid: Vec<Vec<String>> = rows.by_ref().take(enough).collect();
    if grid.len() < enough || !looks_like_header(&grid) {
        return None;
    }
    grid.extend(rows);
    let taken = grid.len();
    Some((Table::from_grid(grid, 1), taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_wide_gaps() {
        let cases: &[(&str, &[&str])] = &[
            ("  L1-L3    150          60 ", &["L1-L3", "150", "60"]),
            ("Hotel cap\tMeal cap", &["Hotel cap", "Meal cap"]),
            ("one line of text", &["one line of text"]),
            ("", &[]),
        ];
        for (line, cells) in cases {
            assert_eq!(split_columns(line), *cells);
        }
    }

    #[test]
    fn a_table_is_found_by_its_header_or_its_shape() {
        let text =
            "Text.\nGrade    Hotel cap    Meal cap\nL1-L3    150    60\nL4-L6    200    75\nPage 1 of 2";
        let header = ["Grade", "Hotel cap", "Meal cap"];
        let table = extract_table(text, &header).unwrap();
        assert_eq!(table.rows.len(), 2);
        assert!(extract_table(text, &["Grade", "Cap"]).is_none());
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(table_at(&lines), Some((table, 3)));
        assert_eq!(table_at(&["Two  columns", "once  only"]), None);
        assert_eq!(table_at(&["1  2  3", "4  5  6"]), None);
    }
}
