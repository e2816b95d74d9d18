//! XLSX to blocks: each sheet a section, its tables found by the empty rows and columns around them,
//! values as displayed with the stored one kept, comments as notes.
//!
//! Read without a spreadsheet library: what a cell displays hangs on its style, which libraries that give
//! values leave out. Sheets that only a program can show (`veryHidden`) are left out and named in a warning; charts and pictures have no text.

mod dates;
mod number_format;
mod regions;
mod sheet;
mod styles;

use rag_core::document::BlockKind;

use crate::config::Config;
use crate::draft::{Draft, clean_line};
use crate::error::Failure;
use crate::package::{Package, properties};
use crate::table::{Table, looks_like_header};
use crate::xml::Element;
use regions::Region;
use sheet::Sheet;
use styles::Styles;

/// Longest name of a hidden sheet in a warning, and most of them.
const MAX_LISTED: usize = 10;

/// Reads an XLSX file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut package = Package::open(bytes, config)?;
    let main = package.main_part("xl/workbook.xml")?;
    let Some(workbook) = package.part(&main)? else {
        return Err(Failure::lasting(
            "damaged",
            "it holds no workbook; open it in a spreadsheet program and save it again",
        ));
    };
    properties::read(&mut package, draft)?;
    let parts = package.related(&main)?;
    let strings = match parts.of_kind("sharedStrings") {
        Some(name) => package.part(name)?.map(|part| shared_strings(&part)),
        None => None,
    };
    let styles = match parts.of_kind("styles") {
        Some(name) => package.part(name)?.map(|part| Styles::read(&part)),
        None => None,
    };
    let properties = workbook.child("workbookPr");
    let is_1904 = properties
        .and_then(|properties| properties.attribute("date1904"))
        .is_some_and(|value| value == "1" || value == "true");
    let book = sheet::Book {
        strings: strings.unwrap_or_default(),
        styles: styles.unwrap_or_default(),
        is_1904,
    };
    let mut hidden = Vec::new();
    let sheets = workbook.child("sheets");
    for entry in sheets.iter().flat_map(|sheets| sheets.elements()) {
        let name = clean_line(entry.attribute("name").unwrap_or("Sheet"));
        if entry.attribute("state") == Some("veryHidden") {
            hidden.push(name);
            continue;
        }
        let target = entry.attribute("id").and_then(|id| parts.target(id));
        if let Some(target) = target.map(str::to_owned) {
            read_sheet(&mut package, &target, &name, &book, draft)?;
        }
    }
    if !hidden.is_empty() {
        let listed = hidden
            .iter()
            .take(MAX_LISTED)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        draft.warn(
            "hidden-sheet",
            format!("{} hidden sheets were left out: {listed}", hidden.len()),
        );
    }
    Ok(())
}

/// The texts that cells refer to by number; readings of characters are no part of them.
fn shared_strings(part: &Element) -> Vec<String> {
    part.elements()
        .filter(|element| element.name == "si")
        .map(rich_text)
        .collect()
}

/// The text of runs without the readings (`rPh`) beside them.
fn rich_text(element: &Element) -> String {
    let mut text = String::new();
    for inner in element.elements() {
        match inner.name.as_str() {
            "t" => text.push_str(&inner.text()),
            "r" => text.push_str(&rich_text(inner)),
            _ => {}
        }
    }
    text
}

fn read_sheet(
    package: &mut Package<'_>,
    target: &str,
    name: &str,
    book: &sheet::Book,
    draft: &mut Draft,
) -> Result<(), Failure> {
    let Some(bytes) = package.bytes(target)? else {
        return Ok(());
    };
    let sheet = sheet::read(&bytes, book)?;
    if sheet.skipped > 0 {
        draft.warn(
            "damaged",
            format!("{} cells of the sheet `{name}` cannot be read", sheet.skipped),
        );
    }
    let related = package.related(target)?;
    let comments = match related.of_kind("comments") {
        Some(part) => package.part(part)?,
        None => None,
    };
    if sheet.cells.is_empty() && comments.is_none() {
        return Ok(());
    }
    draft.heading(1, name);
    for region in regions::regions(&sheet) {
        read_region(&sheet, &region, draft);
    }
    if let Some(comments) = comments {
        read_comments(&comments, draft);
    }
    Ok(())
}

/// A region of one column is text; a wider one is a title and a table.
fn read_region(sheet: &Sheet, region: &Region, draft: &mut Draft) {
    let mut rows: Vec<usize> = region.rows.clone();
    let width = region.columns.len();
    // Rows with one cell above the table are its titles.
    while let Some(&row) = rows.first() {
        let [title] = sheet.shown(row, &region.columns)[..] else {
            break;
        };
        draft.prose(BlockKind::Paragraph, &title.text);
        rows.remove(0);
    }
    if rows.is_empty() {
        return;
    }
    // Rows with one cell below it are its notes.
    let is_note = |row: &&usize| width > 2 && sheet.shown(**row, &region.columns).len() == 1;
    let notes = rows.split_off(rows.len() - rows.iter().rev().take_while(is_note).count());
    read_table(sheet, region, &rows, draft);
    for row in notes {
        for cell in sheet.filled(row, &region.columns) {
            draft.prose(BlockKind::Note, &cell.text);
        }
    }
}

fn read_table(sheet: &Sheet, region: &Region, rows: &[usize], draft: &mut Draft) {
    let grid: Vec<Vec<String>> = rows.iter().map(|row| sheet.line(*row, &region.columns)).collect();
    let table = Table::from_grid(grid.clone(), header_rows(sheet, region, rows, &grid));
    let skipped = grid.len() - table.rows.len();
    if table.rows.is_empty() {
        draft.table(&table);
        return;
    }
    for (line, &row) in table.rows.iter().zip(&rows[skipped..]) {
        if let Some(block) = draft.row(&table, line) {
            for (column, cell) in region.columns.iter().zip(&mut block.cells) {
                cell.raw = sheet.raw(row, *column);
            }
        }
    }
}

/// How many rows of the grid are its header: while a label spans columns or stands over an empty place,
/// the next row of labels belongs to it too.
fn header_rows(sheet: &Sheet, region: &Region, rows: &[usize], grid: &[Vec<String>]) -> usize {
    let is_labels = |row: usize| {
        let filled = sheet.filled(row, &region.columns);
        !filled.is_empty() && filled.iter().all(|cell| !cell.is_number)
    };
    let mut count = 0;
    while count + 1 < rows.len() && is_labels(rows[count]) {
        let is_whole = sheet.filled(rows[count], &region.columns).len() == grid[count].len();
        let next_has_numbers = !is_labels(rows[count + 1]);
        count += 1;
        if is_whole || next_has_numbers {
            break;
        }
    }
    let ends_in_numbers = rows.get(count).is_some_and(|row| !is_labels(*row));
    match count {
        0 => 0,
        1 => usize::from(
            ends_in_numbers || looks_like_header(grid) || sheet.is_bold_row(rows[0], &region.columns),
        ),
        more if ends_in_numbers => more,
        // Rows of text all through: only the first can be told to be a header.
        _ => 1,
    }
}

fn read_comments(part: &Element, draft: &mut Draft) {
    let comments = part.child("commentList");
    for comment in comments.iter().flat_map(|list| list.elements()) {
        let place = comment.attribute("ref").unwrap_or_default();
        let text = comment.child("text").map(rich_text).unwrap_or_default();
        if !text.trim().is_empty() {
            draft.prose(BlockKind::Note, &format!("Comment on {place}: {text}"));
        }
    }
}

#[cfg(test)]
mod tests;
