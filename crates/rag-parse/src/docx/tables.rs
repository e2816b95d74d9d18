//! Tables: grids with merged cells filled in, and their header rows.

use super::body::{Body, Hanging, contents};
use crate::draft::clean_line;
use crate::table::{Table, looks_like_header};
use crate::xml::Element;

/// Widest span of a cell that is believed.
const MAX_SPAN: usize = 200;

/// Most cells of a document that merged ones are repeated in.
pub(super) const MAX_SPREAD: usize = 200_000;

/// Longest text that is repeated in the cells of a merge, in bytes: labels are, prose is not.
const MAX_REPEATED_BYTES: usize = 200;

/// The rows of a table but for deleted ones.
pub(super) fn rows(table: &Element) -> Vec<&Element> {
    contents(table)
        .into_iter()
        .filter(|element| element.name == "tr" && !is_deleted(element))
        .collect()
}

/// True for a table of one column, which merely frames text.
pub(super) fn is_frame(table: &Element) -> bool {
    rows(table).into_iter().all(|row| {
        let cells = contents(row).into_iter().filter(|element| element.name == "tc");
        skipped(row) + cells.map(span).sum::<usize>() < 2
    })
}

/// Reads a table; what hangs on its cells is added to `hanging`.
pub(super) fn read(body: &mut Body<'_>, table: &Element, hanging: &mut Hanging) -> Table {
    let rows = rows(table);
    let had_room = body.spread_left > 0;
    let mut grid: Vec<Vec<String>> = Vec::with_capacity(rows.len());
    for row in &rows {
        let line = row_cells(body, row, grid.last(), hanging);
        grid.push(line);
    }
    if had_room && body.spread_left == 0 {
        let message = format!("merged cells are not repeated in more than {MAX_SPREAD} places");
        body.draft.warn("limit", message);
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
    Table::from_grid(grid, header_rows)
}

fn skipped(row: &Element) -> usize {
    let skipped = row
        .value_at(&["trPr", "gridBefore"])
        .and_then(|count| count.parse().ok());
    skipped.unwrap_or(0).min(MAX_SPAN)
}

fn span(cell: &Element) -> usize {
    let span = cell
        .value_at(&["tcPr", "gridSpan"])
        .and_then(|span| span.parse().ok());
    span.unwrap_or(1).clamp(1, MAX_SPAN)
}

fn row_cells(
    body: &mut Body<'_>,
    row: &Element,
    above: Option<&Vec<String>>,
    hanging: &mut Hanging,
) -> Vec<String> {
    let skipped = body.spread_left.min(skipped(row));
    body.spread_left -= skipped;
    let mut line = vec![String::new(); skipped];
    for cell in contents(row).into_iter().filter(|element| element.name == "tc") {
        let merge = cell.at(&["tcPr", "vMerge"]);
        let goes_on = merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
        let text = match above.and_then(|above| above.get(line.len())) {
            Some(text) if goes_on && text.len() <= MAX_REPEATED_BYTES => text.clone(),
            _ if goes_on => String::new(),
            _ => clean_line(&body.line(cell, hanging)),
        };
        let repeated = if text.len() <= MAX_REPEATED_BYTES {
            text.clone()
        } else {
            String::new()
        };
        let times = body.spread_left.min(span(cell) - 1);
        body.spread_left -= times;
        line.push(text);
        line.extend(std::iter::repeat_n(repeated, times));
    }
    line
}

pub(super) fn is_deleted(row: &Element) -> bool {
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
