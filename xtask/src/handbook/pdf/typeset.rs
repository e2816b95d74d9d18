//! Turns blocks into rows of text that a page can take one after the other.

use std::rc::Rc;

use super::fonts::{BULLET, Font};
use super::wrap::{Hyphenation, wrap};
use crate::handbook::source::{Block, ListKind, Table, TableRules};

const BODY_SIZE: f32 = 11.0;
const BODY_LEADING: f32 = 16.0;
const TABLE_SIZE: f32 = 9.5;
const TABLE_LEADING: f32 = 13.0;
const CELL_PADDING: f32 = 5.0;
const LIST_INDENT: f32 = 18.0;

/// A run of text on one line; `x` counts from the left of the column, `drop` from the top of the row
/// down to the baseline. All lengths here are in points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) x: f32,
    pub(super) drop: f32,
    pub(super) font: Font,
    pub(super) size: f32,
    pub(super) text: String,
}

/// What is never divided between two pages: a line of text or a table row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    /// Space above, dropped at the top of a page.
    pub(super) gap: f32,
    pub(super) height: f32,
    pub(super) pieces: Vec<Piece>,
    /// Left and right edges of the cells to be framed.
    pub(super) frames: Vec<(f32, f32)>,
    /// Whether the next row must stand on the same page.
    pub(super) bond: Bond,
    /// The header to repeat when this row begins a page.
    pub(super) repeat: Option<Rc<Row>>,
}

/// Whether a row may be the last one of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Bond {
    #[default]
    Loose,
    KeepWithNext,
}

/// Blocks set in one column of the given width, or side by side.
pub(super) enum Section {
    Single(Vec<Row>),
    TwoColumns(Vec<Row>),
}

/// Sets `blocks` in columns of `width` points; two columns leave `gutter` between them.
pub(super) fn sections(blocks: &[Block], rules: TableRules, width: f32, gutter: f32) -> Vec<Section> {
    let mut sections = vec![Section::Single(Vec::new())];
    for block in blocks {
        if let Block::Columns(inner) = block {
            let narrow = (width - gutter) / 2.0;
            let rows = inner.iter().flat_map(|block| rows(block, rules, narrow));
            sections.push(Section::TwoColumns(rows.collect()));
            sections.push(Section::Single(Vec::new()));
        } else if let Some(Section::Single(current)) = sections.last_mut() {
            current.extend(rows(block, rules, width));
        }
    }
    sections
}

fn rows(block: &Block, rules: TableRules, width: f32) -> Vec<Row> {
    match block {
        Block::Heading(level, text) => heading(*level, text, width),
        Block::Paragraph(text) => lines(text, 0.0, width, 7.0),
        Block::List(kind, items) => list(*kind, items, width),
        Block::Table(table) => table_rows(table, rules, width),
        // Columns within columns are set one below the other.
        Block::Columns(inner) => inner.iter().flat_map(|block| rows(block, rules, width)).collect(),
    }
}

fn heading(level: u8, text: &str, width: f32) -> Vec<Row> {
    let (size, gap) = match level {
        1 => (20.0, 0.0),
        2 => (13.5, 16.0),
        _ => (11.5, 11.0),
    };
    wrap(text, Font::Bold, size, width, Hyphenation::Off)
        .into_iter()
        .enumerate()
        .map(|(position, text)| Row {
            gap: if position == 0 { gap } else { 0.0 },
            height: size * 1.3,
            pieces: vec![piece(0.0, size, Font::Bold, size, text)],
            bond: Bond::KeepWithNext,
            ..Row::default()
        })
        .collect()
}

/// A paragraph that starts `gap` below what precedes it and `indent` from the left.
fn lines(text: &str, indent: f32, width: f32, gap: f32) -> Vec<Row> {
    wrap(text, Font::Regular, BODY_SIZE, width - indent, Hyphenation::On)
        .into_iter()
        .enumerate()
        .map(|(position, text)| Row {
            gap: if position == 0 { gap } else { 0.0 },
            height: BODY_LEADING,
            pieces: vec![piece(indent, BODY_SIZE, Font::Regular, BODY_SIZE, text)],
            ..Row::default()
        })
        .collect()
}

fn list(kind: ListKind, items: &[String], width: f32) -> Vec<Row> {
    let mut rows = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let gap = if position == 0 { 7.0 } else { 2.0 };
        let mark = match kind {
            ListKind::Bulleted => BULLET.to_string(),
            ListKind::Numbered => format!("{}.", position + 1),
        };
        let mut item = lines(item, LIST_INDENT, width, gap);
        if let Some(first) = item.first_mut() {
            let mark = piece(2.0, BODY_SIZE, Font::Regular, BODY_SIZE, mark);
            first.pieces.insert(0, mark);
        }
        rows.extend(item);
    }
    rows
}

fn table_rows(table: &Table, rules: TableRules, width: f32) -> Vec<Row> {
    let widths = column_widths(table, width);
    let header = Rc::new(Row {
        bond: Bond::KeepWithNext,
        ..table_row(&table.header, &widths, Font::Bold, rules)
    });
    let mut rows = vec![Row {
        gap: 10.0,
        ..Row::clone(&header)
    }];
    rows.extend(table.rows.iter().map(|cells| Row {
        repeat: Some(Rc::clone(&header)),
        ..table_row(cells, &widths, Font::Regular, rules)
    }));
    rows
}

fn table_row(cells: &[String], widths: &[f32], font: Font, rules: TableRules) -> Row {
    let mut row = Row::default();
    let (mut x, mut tallest) = (0.0, 1);
    for (cell, width) in cells.iter().zip(widths) {
        let inner = width - 2.0 * CELL_PADDING;
        let lines = wrap(cell, font, TABLE_SIZE, inner, Hyphenation::Off);
        tallest = tallest.max(lines.len());
        for (position, text) in lines.into_iter().enumerate() {
            let drop = 2.0 + TABLE_SIZE + position as f32 * TABLE_LEADING;
            row.pieces
                .push(piece(x + CELL_PADDING, drop, font, TABLE_SIZE, text));
        }
        if rules == TableRules::Grid {
            row.frames.push((x, x + width));
        }
        x += width;
    }
    row.height = tallest as f32 * TABLE_LEADING + 4.0;
    row
}

/// Natural widths if they fit; otherwise the space beyond each column's longest word is shared out.
fn column_widths(table: &Table, width: f32) -> Vec<f32> {
    let all = || std::iter::once(&table.header).chain(&table.rows);
    let measure = |text: &str| Font::Bold.width(text, TABLE_SIZE) + 2.0 * CELL_PADDING + 1.0;
    let widest =
        |column: usize, of: &dyn Fn(&str) -> f32| all().map(|row| of(&row[column])).fold(0.0_f32, f32::max);
    let longest_word = |cell: &str| cell.split_whitespace().map(measure).fold(0.0_f32, f32::max);
    let columns = 0..table.header.len();
    let natural: Vec<f32> = columns.clone().map(|c| widest(c, &measure)).collect();
    let least: Vec<f32> = columns.map(|c| widest(c, &longest_word)).collect();
    let (total, floor): (f32, f32) = (natural.iter().sum(), least.iter().sum());
    if total <= width {
        return natural;
    }
    let share = ((width - floor) / (total - floor)).clamp(0.0, 1.0);
    least
        .iter()
        .zip(&natural)
        .map(|(least, natural)| least + (natural - least) * share)
        .collect()
}

fn piece(x: f32, drop: f32, font: Font, size: f32, text: String) -> Piece {
    Piece {
        x,
        drop,
        font,
        size,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[&[&str]]) -> Table {
        let mut rows = cells
            .iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
        Table {
            header: rows.next().unwrap(),
            rows: rows.collect(),
        }
    }

    #[test]
    fn narrow_tables_keep_their_natural_width_and_wide_ones_wrap() {
        let small = table(&[&["Grade", "Cap"], &["G1-G3", "EUR 145"]]);
        let widths = column_widths(&small, 450.0);
        assert!(widths.iter().sum::<f32>() < 200.0);

        let long = "a rather long explanation that goes on and on and on".repeat(2);
        let wide = table(&[&["Grade", "Meaning"], &["G1-G3", &long]]);
        let widths = column_widths(&wide, 300.0);
        assert!((widths.iter().sum::<f32>() - 300.0).abs() < 0.1);
        let rows = table_rows(&wide, TableRules::Grid, 300.0);
        assert!(rows[1].height > rows[0].height);
        assert_eq!(rows[1].frames.len(), 2);
        assert!(rows[1].repeat.is_some());
    }

    #[test]
    fn list_items_hang_behind_their_marks() {
        let rows = list(ListKind::Numbered, &["one".into(), "two".into()], 200.0);
        assert_eq!(rows[1].pieces[0].text, "2.");
        assert!(rows[1].pieces[1].x > rows[1].pieces[0].x);
    }
}
