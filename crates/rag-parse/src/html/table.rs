//! HTML tables to grids: spans are filled in, header rows are told from data, layout is let be.

use scraper::ElementRef;

use super::DROPPED;
use crate::draft::clean_line;
use crate::table::{Table, looks_like_header};
use crate::text::mark_raised;

/// Largest span of a cell that is believed.
const MAX_SPAN: usize = 100;

/// Longest text that is repeated in the other cells of a span, in bytes: labels are, prose is not.
const MAX_REPEATED_BYTES: usize = 200;

/// A table of data.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) caption: Option<String>,
    pub(super) table: Table,
}

/// Reads a table of data; `None` for a table that holds a table, or only one row or column, since such
/// tables lay out a page. Cells that spans are filled in are taken off `spread_left`.
pub(super) fn read(element: ElementRef<'_>, spread_left: &mut usize) -> Option<Found> {
    let is_presentation = element.value().attr("role") == Some("presentation");
    if is_presentation || descendants(element).any(|inner| inner.value().name() == "table") {
        return None;
    }
    let rows: Vec<ElementRef<'_>> = descendants(element)
        .filter(|e| e.value().name() == "tr")
        .collect();
    let (grid, header_rows) = grid_of(&rows, spread_left);
    let width = grid.iter().map(Vec::len).max().unwrap_or_default();
    let has_header_cells = header_rows > 0 || descendants(element).any(|e| e.value().name() == "th");
    if width < 2 || (grid.len() < 2 && !has_header_cells) {
        return None;
    }
    let header_rows = match header_rows {
        0 if looks_like_header(&grid) && !has_header_cells => 1,
        counted => counted,
    };
    let caption = descendants(element)
        .find(|e| e.value().name() == "caption")
        .map(|e| cell_text(e));
    Some(Found {
        caption: caption.filter(|text| !text.is_empty()),
        table: Table::from_grid(grid, header_rows),
    })
}

fn descendants(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.descendants().skip(1).filter_map(ElementRef::wrap)
}

/// The cells of each row with spans filled in, and the number of leading rows made of header cells.
fn grid_of(rows: &[ElementRef<'_>], spread_left: &mut usize) -> (Vec<Vec<String>>, usize) {
    let mut grid: Vec<Vec<String>> = Vec::new();
    let mut header_rows = 0;
    // Cells of earlier rows that reach down: rows left and text, by column.
    let mut reaching: Vec<(usize, String)> = Vec::new();
    for row in rows {
        let mut line: Vec<String> = Vec::new();
        let mut is_header = true;
        let mut cells = 0;
        for cell in row
            .child_elements()
            .filter(|cell| matches!(cell.value().name(), "td" | "th"))
        {
            take_reaching(&mut reaching, &mut line, spread_left);
            let text = cell_text(cell);
            is_header &= cell.value().name() == "th";
            cells += 1;
            let down = span(cell, "rowspan");
            let repeated = if text.len() > MAX_REPEATED_BYTES {
                String::new()
            } else {
                text.clone()
            };
            for at in 0..span(cell, "colspan") {
                let column = line.len();
                if at > 0 && !take(spread_left) {
                    break;
                }
                line.push(if at == 0 { text.clone() } else { repeated.clone() });
                if reaching.len() <= column {
                    reaching.resize(column + 1, (0, String::new()));
                }
                reaching[column] = (down - 1, repeated.clone());
            }
        }
        take_reaching(&mut reaching, &mut line, spread_left);
        if cells == 0 {
            continue;
        }
        if is_header && header_rows == grid.len() {
            header_rows += 1;
        }
        grid.push(line);
    }
    (grid, header_rows)
}

/// Appends the cells that reach down into the next columns of `line`.
fn take_reaching(reaching: &mut [(usize, String)], line: &mut Vec<String>, spread_left: &mut usize) {
    while let Some((left, text)) = reaching.get_mut(line.len()).filter(|(left, _)| *left > 0)
        && take(spread_left)
    {
        *left -= 1;
        line.push(text.clone());
    }
}

fn take(spread_left: &mut usize) -> bool {
    let left = spread_left.checked_sub(1);
    *spread_left = left.unwrap_or(0);
    left.is_some()
}

fn span(cell: ElementRef<'_>, name: &str) -> usize {
    let value = cell
        .value()
        .attr(name)
        .and_then(|value| value.trim().parse().ok());
    value.unwrap_or(1).clamp(1, MAX_SPAN)
}

/// The text of a cell on one line; breaks and blocks inside become spaces.
fn cell_text(cell: ElementRef<'_>) -> String {
    let mut text = String::new();
    for node in cell.descendants() {
        match node.value() {
            scraper::Node::Text(piece) => {
                let around = node.parent().and_then(ElementRef::wrap);
                let around = around.map_or("", |element| element.value().name());
                let start = text.len();
                if !DROPPED.contains(&around) {
                    text.push_str(piece);
                }
                if around == "sup" {
                    mark_raised(&mut text, start);
                }
            }
            scraper::Node::Element(element) if matches!(element.name(), "br" | "p" | "div" | "li") => {
                text.push(' ');
            }
            _ => {}
        }
    }
    clean_line(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::{Html, Selector};

    fn found(html: &str) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let html = Html::parse_fragment(html);
        let table = html.select(&Selector::parse("table").unwrap()).next().unwrap();
        read(table, &mut 1_000).map(|found| (found.table.headers, found.table.rows))
    }

    #[test]
    fn spans_are_filled_and_headers_joined() {
        let html = "<table><tr><th rowspan=2>City<th colspan=2>Rate<tr><th>Low<th>High\
                    <tr><td rowspan=2>Brno<td>1<td>2<tr><td>3<td>4</table>";
        let (headers, rows) = found(html).unwrap();
        assert_eq!(headers, ["City", "Rate Low", "Rate High"]);
        assert_eq!(rows, [["Brno", "1", "2"], ["Brno", "3", "4"]]);
    }

    #[test]
    fn tables_without_header_cells_take_a_first_row_of_labels() {
        let (headers, rows) = found("<table><tr><td>Name<td>Age<tr><td>Ada<td>36</table>").unwrap();
        assert_eq!((headers.len(), rows.len()), (2, 1));
        let (headers, rows) = found("<table><tr><td>1<td>2<tr><td>3<td>4</table>").unwrap();
        assert_eq!((headers.len(), rows.len()), (0, 2));
        let (headers, rows) = found("<table><tr><th>Name<td>Ada<tr><th>Age<td>36</table>").unwrap();
        assert_eq!((headers.len(), rows.len()), (0, 2));
    }

    #[test]
    fn layout_tables_are_let_be() {
        for html in [
            "<table><tr><td>a</table>",
            "<table><tr><td>a<td>b</table>",
            "<table role=presentation><tr><th>a<th>b<tr><td>1<td>2</table>",
        ] {
            assert_eq!(found(html), None);
        }
    }

    #[test]
    fn spans_are_filled_within_a_bound() {
        let cell = "<td rowspan=65535 colspan=1000>x</td>";
        let html = format!(
            "<table><tr>{}</tr>{}</table>",
            cell.repeat(50),
            "<tr><td>y</td></tr>".repeat(200)
        );
        let (_, rows) = found(&html).unwrap();
        assert!(rows.iter().map(Vec::len).sum::<usize>() <= 1_000 + 250);
    }
}
