//! Tables: grids with merged cells filled in, and their header rows.

use super::body::contents;
use super::paragraph;
use crate::draft::clean_line;
use crate::table::{Table, looks_like_header};
use crate::xml::Element;

/// Widest span of a cell that is believed.
const MAX_SPAN: usize = 200;

/// Longest text that is repeated in the cells of a merge, in bytes: labels are, prose is not.
const MAX_REPEATED_BYTES: usize = 200;

/// Reads a table; `None` when it has one column only and so merely frames text.
pub(super) fn read(table: &Element) -> Option<Table> {
    let rows: Vec<&Element> = contents(table)
        .into_iter()
        .filter(|e| e.name == "tr" && !is_deleted(e))
        .collect();
    let mut grid: Vec<Vec<String>> = Vec::with_capacity(rows.len());
    for row in &rows {
        let line = row_cells(row, grid.last());
        grid.push(line);
    }
    if grid.iter().map(Vec::len).max().unwrap_or_default() < 2 {
        return None;
    }
    let marked = rows
        .iter()
        .take_while(|row| is_on(row, &["trPr", "tblHeader"]))
        .count();
    let header_rows = match marked {
        0 => usize::from(grid.len() > 1 && (looks_like_header(&grid) || has_first_row_look(table))),
        all if all == grid.len() => 1,
        some => some,
    };
    Some(Table::from_grid(grid, header_rows))
}

fn row_cells(row: &Element, above: Option<&Vec<String>>) -> Vec<String> {
    let skipped = row
        .value_at(&["trPr", "gridBefore"])
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    let mut line = vec![String::new(); MAX_SPAN.min(skipped)];
    for cell in contents(row).into_iter().filter(|element| element.name == "tc") {
        let span = cell
            .value_at(&["tcPr", "gridSpan"])
            .and_then(|span| span.parse().ok())
            .unwrap_or(1);
        let merge = cell.at(&["tcPr", "vMerge"]);
        let goes_on = merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
        let text = match above.and_then(|above| above.get(line.len())) {
            Some(text) if goes_on && text.len() <= MAX_REPEATED_BYTES => text.clone(),
            _ if goes_on => String::new(),
            _ => cell_text(cell),
        };
        let repeated = if text.len() <= MAX_REPEATED_BYTES {
            text.clone()
        } else {
            String::new()
        };
        line.push(text);
        line.extend(std::iter::repeat_n(repeated, usize::clamp(span, 1, MAX_SPAN) - 1));
    }
    line
}

/// The paragraphs of a cell on one line; a table inside it is read cell by cell.
fn cell_text(cell: &Element) -> String {
    let mut text = String::new();
    let mut pending: Vec<&Element> = contents(cell);
    pending.reverse();
    while let Some(element) = pending.pop() {
        match element.name.as_str() {
            "p" => {
                text.push(' ');
                text.push_str(&paragraph::read(element).text);
            }
            "tbl" | "tr" | "tc" => pending.extend(contents(element).into_iter().rev()),
            _ => {}
        }
    }
    clean_line(&text)
}

fn is_deleted(row: &Element) -> bool {
    row.at(&["trPr", "del"]).is_some()
}

fn is_on(element: &Element, path: &[&str]) -> bool {
    element
        .at(path)
        .is_some_and(|found| !matches!(found.attribute("val"), Some("0" | "false" | "off")))
}

/// True when the table's look sets its first row apart.
fn has_first_row_look(table: &Element) -> bool {
    let look = table.at(&["tblPr", "tblLook"]);
    let style = table.value_at(&["tblPr", "tblStyle"]).unwrap_or("TableGrid");
    look.is_some_and(|look| look.attribute("firstRow") == Some("1"))
        && !matches!(style, "TableGrid" | "TableNormal")
}
