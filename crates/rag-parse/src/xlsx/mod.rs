//! XLSX to blocks: each sheet a section, its tables found by the empty rows and columns around them,
//! values as displayed with the stored one kept, the text of shapes, comments as notes.
//!
//! Read without a spreadsheet library: what a cell displays hangs on its style, which libraries that give
//! values leave out. Sheets that only a program can show (`veryHidden`) are left out and named in a warning; of charts only
//! the titles are read, since their values are cells.

mod dates;
mod number_format;
mod regions;
mod sheet;
mod styles;

use rag_core::document::BlockKind;

use crate::chart::Chart;
use crate::config::Config;
use crate::draft::{Draft, clean_line};
use crate::error::Failure;
use crate::package::{Package, Related, properties};
use crate::pptx::paragraphs;
use crate::table::{Table, looks_like_header};
use crate::xml::Element;
use regions::Region;
use sheet::Sheet;
use styles::Styles;

/// Longest name of a hidden sheet in a warning, and most of them.
const MAX_LISTED: usize = 10;

/// Reads an XLSX file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut package = Package::open(bytes, config, draft)?;
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
    let mut shown_hidden = Vec::new();
    let sheets = workbook.child("sheets");
    for entry in sheets.iter().flat_map(|sheets| sheets.elements()) {
        let name = clean_line(entry.attribute("name").unwrap_or("Sheet"));
        if entry.attribute("state") == Some("veryHidden") {
            hidden.push(name);
            continue;
        }
        if entry.attribute("state") == Some("hidden") {
            shown_hidden.push(name.clone());
        }
        let target = entry.attribute("id").and_then(|id| parts.target(id));
        if let Some(target) = target.map(str::to_owned) {
            package.forget_parts();
            read_sheet(&mut package, &target, &name, &book, draft)?;
        }
    }
    report_sheets(&hidden, "left out", draft);
    report_sheets(&shown_hidden, "read like others", draft);
    Ok(())
}

fn report_sheets(hidden: &[String], fate: &str, draft: &mut Draft) {
    if hidden.is_empty() {
        return;
    }
    let listed: Vec<&str> = hidden.iter().take(MAX_LISTED).map(String::as_str).collect();
    let listed = listed.join(", ");
    let were = if hidden.len() == 1 {
        "sheet was"
    } else {
        "sheets were"
    };
    draft.warn(
        "hidden-sheet",
        format!("{} hidden {were} {fate}: {listed}", hidden.len()),
    );
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
    if sheet.dropped > 0 {
        draft.warn(
            "limit",
            format!(
                "{} cells of the sheet `{name}` are more than can be held and were left out",
                sheet.dropped
            ),
        );
    }
    report_hidden(&sheet, name, draft);
    let related = package.related(target)?;
    let remarks = remarks(package, &related)?;
    let drawn = drawn(package, &related)?;
    if sheet.cells.is_empty() && remarks.is_empty() && drawn.is_empty() {
        return Ok(());
    }
    draft.heading(1, name);
    for region in regions::regions(&sheet) {
        read_region(&sheet, &region, draft);
    }
    for text in drawn {
        draft.prose(BlockKind::Paragraph, &text);
    }
    for (place, text) in remarks {
        draft.prose(BlockKind::Note, &format!("Comment on {place}: {text}"));
    }
    Ok(())
}

/// Hidden rows and columns are read like others: people who hide them know that anybody can show them.
fn report_hidden(sheet: &Sheet, name: &str, draft: &mut Draft) {
    let is_hidden = |place: &(usize, usize)| {
        sheet.hidden_rows.contains(&place.0) || sheet.hidden_columns.contains(&place.1)
    };
    let hidden = match (sheet.hidden_rows.is_empty(), sheet.hidden_columns.is_empty()) {
        (true, true) => 0,
        _ => sheet.cells.keys().filter(|place| is_hidden(place)).count(),
    };
    if hidden > 0 {
        let message = format!(
            "{hidden} cells of the sheet `{name}` stand in hidden rows or columns; they are read like others"
        );
        draft.warn("hidden-cells", message);
    }
}

/// Comments by the cell they are on: threads, and notes without the copies of threads among them.
fn remarks(package: &mut Package<'_>, related: &Related) -> Result<Vec<(String, String)>, Failure> {
    let mut threads = Vec::new();
    let mut notes = Vec::new();
    if let Some(part) = related
        .of_kind("threadedComment")
        .map(|part| package.part(part))
        .transpose()?
        .flatten()
    {
        threads.extend(
            part.elements()
                .filter_map(|comment| remark(comment, Element::text)),
        );
    }
    if let Some(part) = related
        .of_kind("comments")
        .map(|part| package.part(part))
        .transpose()?
        .flatten()
    {
        let list = part.child("commentList");
        let comments = list.iter().flat_map(|list| list.elements());
        notes.extend(comments.filter_map(|comment| remark(comment, rich_text)));
    }
    notes.retain(|(place, _)| threads.iter().all(|(other, _)| other != place));
    threads.append(&mut notes);
    Ok(threads)
}

fn remark(comment: &Element, text: impl Fn(&Element) -> String) -> Option<(String, String)> {
    let text = clean_line(&text(comment.child("text")?));
    let place = comment.attribute("ref").unwrap_or_default().to_owned();
    (!text.is_empty()).then_some((place, text))
}

/// The text of shapes that are drawn on a sheet, and the titles of its charts, whose values are cells.
fn drawn(package: &mut Package<'_>, related: &Related) -> Result<Vec<String>, Failure> {
    let Some(target) = related.of_kind("drawing").map(str::to_owned) else {
        return Ok(Vec::new());
    };
    let Some(drawing) = package.part_unless_damaged(&target)? else {
        return Ok(Vec::new());
    };
    let mut texts = Vec::new();
    let mut charts = Vec::new();
    let mut pending: Vec<&Element> = drawing.elements().rev().collect();
    while let Some(element) = pending.pop() {
        match element.name.as_str() {
            "txBody" => texts.extend(
                paragraphs(element)
                    .into_iter()
                    .map(|paragraph| clean_line(&paragraph.text)),
            ),
            "chart" => charts.extend(element.relation().map(str::to_owned)),
            "Fallback" => {}
            _ => pending.extend(element.elements().rev()),
        }
    }
    let parts = package.related(&target)?;
    for id in charts {
        let part = parts
            .target(&id)
            .map(|part| package.part_unless_damaged(part))
            .transpose()?
            .flatten();
        texts.extend(
            part.map(|part| Chart::read(&part).into_titles())
                .unwrap_or_default(),
        );
    }
    texts.retain(|text| !text.is_empty());
    Ok(texts)
}

/// A region of one column is text; a wider one is a title and a table.
fn read_region(sheet: &Sheet, region: &Region, draft: &mut Draft) {
    let width = region.columns.len();
    // Rows with one cell above the table are its titles.
    let mut titles = 0;
    for &row in &region.rows {
        let [title] = sheet.shown(row, &region.columns)[..] else {
            break;
        };
        draft.prose(BlockKind::Paragraph, &title.text);
        titles += 1;
    }
    let mut rows: Vec<usize> = region.rows[titles..].to_vec();
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

/// Rows that decide how many of them are the header.
const LOOKED_AT: usize = 32;

fn read_table(sheet: &Sheet, region: &Region, rows: &[usize], draft: &mut Draft) {
    let line = |row: &usize| sheet.line(*row, &region.columns);
    let start: Vec<Vec<String>> = rows.iter().take(LOOKED_AT).map(line).collect();
    let header = header_rows(sheet, region, rows, &start);
    let table = Table::from_grid(start.into_iter().take(header).collect(), header);
    if header == rows.len() {
        draft.table(&table);
    }
    // One row at a time: a grid of all would be larger than its cells by far where they are few.
    for row in &rows[header..] {
        if let Some(block) = draft.row(&table, &line(row)) {
            for (column, cell) in region.columns.iter().zip(&mut block.cells) {
                cell.raw = sheet.raw(*row, *column);
            }
        }
    }
}

/// How many rows of a table are its header: while a label spans columns or stands over an empty place,
/// the next row of labels belongs to it too. `start` is how the table begins.
fn header_rows(sheet: &Sheet, region: &Region, rows: &[usize], start: &[Vec<String>]) -> usize {
    let is_labels = |at: usize| sheet.is_labels(rows[at], rows.get(at + 1).copied(), &region.columns);
    let mut count = 0;
    while count + 1 < rows.len().min(LOOKED_AT) && is_labels(count) {
        let is_whole = sheet.filled(rows[count], &region.columns).len() == region.columns.len();
        let next_has_numbers = !is_labels(count + 1);
        count += 1;
        if is_whole || next_has_numbers {
            break;
        }
    }
    let ends_in_numbers = count < rows.len() && !is_labels(count);
    match count {
        0 => 0,
        1 => usize::from(
            ends_in_numbers || looks_like_header(start) || sheet.is_bold_row(rows[0], &region.columns),
        ),
        more if ends_in_numbers => more,
        // Rows of text all through: only the first can be told to be a header.
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
