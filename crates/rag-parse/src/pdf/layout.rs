//! Rows to blocks: headings by size and weight, paragraphs, list items, table rows and captions.

use std::collections::BTreeMap;

use rag_core::document::{Block, BlockKind};
use rag_core::span::BoundingBox;

use super::drawn::Rule;
use super::glyph::Turn;
use super::lattice::RuledTable;
use super::lines::Segment;
use super::notes;
use super::rows::{Row, bounds};
use super::tables::{FoundTable, table_at};
use super::wording::{
    ends_sentence, goes_on, is_caption, is_contents_entry, is_list_item, list_item, starts_with_bullet,
};
use crate::config::RepairConfig;
use crate::draft::Draft;
use crate::repair::hyphens::{KnownWords, rejoin_onto};
use crate::table::Table;

/// How much larger than the body a line must be to be a heading.
const HEADING_SIZE: f32 = 1.12;

/// Longest heading, in characters.
const MAX_HEADING: usize = 200;

/// Longest heading that is only bold, in characters.
const MAX_BOLD_HEADING: usize = 90;

/// Gap between lines that ends a paragraph: this times the usual one of the region.
const PARAGRAPH_GAP: f32 = 1.3;

/// Largest difference of two sizes of one text, in points.
const SAME_SIZE: f32 = 0.6;

/// Indent of a first line, in font sizes.
const INDENT: f32 = 0.9;

/// What stands for a ruled table among the segments: a character that no text has.
const MARK: char = '\u{FFFF}';

/// Largest shift of a column between two pages of one table, in points.
const SAME_COLUMN: f32 = 12.0;

/// Font sizes of a document: that of its body, and those of its headings, largest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sizes {
    body: f32,
    headings: Vec<f32>,
}

impl Sizes {
    /// Finds the sizes in all rows of a document: the body is the size of most characters.
    pub(super) fn of<'r>(rows: impl Iterator<Item = (f32, usize, &'r str)>) -> Self {
        let mut counts: BTreeMap<i32, (usize, bool)> = BTreeMap::new();
        for (size, characters, text) in rows {
            let entry = counts.entry(half_points(size)).or_default();
            entry.0 += characters;
            entry.1 |= text.chars().any(char::is_alphabetic);
        }
        let body = counts
            .iter()
            .max_by_key(|(_, (count, _))| *count)
            .map_or(0, |(size, _)| *size);
        let is_heading = |size: &i32| *size as f32 >= body as f32 * HEADING_SIZE;
        let headings = counts
            .iter()
            .rev()
            .filter(|(size, (_, has_letters))| is_heading(size) && *has_letters);
        Self {
            body: body as f32 / 2.0,
            headings: headings.map(|(size, _)| *size as f32 / 2.0).collect(),
        }
    }

    /// The heading level of a font size, 1 for the largest; nothing for the body's.
    fn level(&self, size: f32) -> Option<usize> {
        let size = half_points(size) as f32 / 2.0;
        self.headings
            .iter()
            .position(|heading| (heading - size).abs() < 0.01)
            .map(|at| at + 1)
    }
}

fn half_points(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// Where the rows that are being read stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) page: u32,
    pub(super) size: (f32, f32),
    pub(super) turn: Turn,
    /// Text that runs in another direction than most of the page: stamps and labels.
    pub(super) is_aside: bool,
}

impl Place {
    /// Height of the page, turned so that its text runs to the right.
    pub(super) fn height(&self) -> f32 {
        match self.turn {
            Turn::Right | Turn::Left => self.size.1,
            Turn::Down | Turn::Up => self.size.0,
        }
    }
}

/// Reads the regions of all pages into a draft.
pub(super) struct Layout<'l> {
    pub(super) draft: &'l mut Draft,
    pub(super) repair: &'l RepairConfig,
    pub(super) known: KnownWords,
    pub(super) sizes: Sizes,
    /// Tables by ruling lines on the page that is being read, and its ruling lines.
    pub(super) tables: Vec<RuledTable>,
    pub(super) rules: Vec<Rule>,
    /// The table that ended the region before, if it ended in one.
    pub(super) open_table: Option<OpenTable>,
    /// The paragraph that ended the region before in the middle of a sentence.
    pub(super) open_paragraph: Option<Open>,
    /// Notes that stand below that paragraph, each with its place.
    pub(super) open_notes: Vec<(String, Option<BoundingBox>, Place)>,
}

/// Columns and header of a table that may go on in the next region.
#[derive(Debug)]
pub(super) struct OpenTable {
    columns: Vec<(f32, f32)>,
    table: Table,
}

/// A table that is about to be written.
struct Grid {
    columns: Vec<(f32, f32)>,
    header_rows: usize,
    /// True when its first row is set apart.
    is_bold: bool,
    texts: Vec<Vec<String>>,
    /// Place of each row and of each cell.
    rows: Vec<Option<BoundingBox>>,
    cells: Vec<Vec<Option<BoundingBox>>>,
    /// Cells that repeat a spanning one; empty when there are none.
    repeated: Vec<Vec<bool>>,
}

/// A paragraph that may go on in the next column or on the next page.
#[derive(Debug)]
pub(super) struct Open {
    lines: Vec<String>,
    bounds: Option<BoundingBox>,
    place: Place,
}

impl Layout<'_> {
    /// Writes paragraphs that have no lines here: what recognition read, and labels on a slope.
    pub(super) fn read_text(&mut self, paragraphs: &[(String, BoundingBox)], place: Place) {
        for (text, bounds) in paragraphs {
            self.close_paragraph();
            let (kind, text) = match list_item(text) {
                Some(item) => (BlockKind::ListItem, item),
                None => (BlockKind::Paragraph, text.as_str()),
            };
            if let Some(block) = self.draft.prose(kind, text) {
                locate(block, Some(*bounds), place);
            }
        }
    }

    /// Puts a mark where each ruled table stands, so that it comes in its turn.
    pub(super) fn mark_tables(&self, segments: &mut Vec<Segment>) {
        let mark = |(number, table): (usize, &RuledTable)| Segment {
            text: format!("{MARK}{number}"),
            left: table.bounds.left,
            right: table.bounds.right,
            baseline: table.bounds.top + self.sizes.body,
            size: self.sizes.body,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        };
        segments.extend(self.tables.iter().enumerate().map(mark));
        segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    }

    /// The ruled tables whose marks stand in a row.
    fn marked(&self, row: &Row) -> Vec<RuledTable> {
        let numbers = row
            .segments
            .iter()
            .filter_map(|segment| segment.text.strip_prefix(MARK)?.parse::<usize>().ok());
        numbers
            .filter_map(|number| self.tables.get(number).cloned())
            .collect()
    }

    fn ruled_table(&mut self, found: RuledTable, place: Place) {
        let rows = found
            .places
            .iter()
            .map(|line| line.iter().flatten().copied().reduce(|a, b| a.union(&b)))
            .collect();
        self.write_table(
            Grid {
                columns: found.columns,
                header_rows: found.header_rows,
                is_bold: found.header_rows > 0,
                rows,
                cells: found.places,
                repeated: found.repeated,
                texts: found.grid,
            },
            place,
        );
    }

    /// Reads the rows of one region: its text, then the notes below it.
    pub(super) fn region(&mut self, rows: &[Row], place: Place) {
        let notes = if place.is_aside {
            rows.len()
        } else {
            notes::begin(rows, self.sizes.body, place.height())
        };
        self.body(&rows[..notes], place);
        self.notes(&rows[notes..], place);
    }

    /// Keeps notes until the paragraph above them has ended, which may go on in the next column.
    fn notes(&mut self, rows: &[Row], place: Place) {
        for note in rows.chunk_by(|_, row| !notes::begins_note(&row.text())) {
            let lines: Vec<String> = note.iter().map(Row::text).collect();
            let text = self.join(&lines);
            self.open_notes.push((text, bounds(note), place));
        }
        if self.open_paragraph.is_none() {
            self.close_notes();
        }
    }

    fn close_notes(&mut self) {
        for (text, bounds, place) in std::mem::take(&mut self.open_notes) {
            if let Some(block) = self.draft.prose(BlockKind::Note, &text) {
                locate(block, bounds, place);
            }
        }
    }

    fn body(&mut self, rows: &[Row], place: Place) {
        let gaps = usual_gaps(rows);
        let mut at = 0;
        while at < rows.len() {
            let marked = self.marked(&rows[at]);
            if !marked.is_empty() {
                self.close_paragraph();
                for table in marked {
                    self.ruled_table(table, place);
                }
                let mut rest = rows[at].clone();
                rest.segments.retain(|segment| !segment.text.starts_with(MARK));
                if !rest.segments.is_empty() {
                    self.paragraph(&[rest], false, place);
                }
                at += 1;
                continue;
            }
            if let Some(table) = table_at(&rows[at..], &self.rules) {
                self.close_paragraph();
                self.table(&table, &rows[at..], place);
                at += table.taken;
                continue;
            }
            self.open_table = None;
            let leading = gaps
                .get(&half_points(rows[at].size()))
                .copied()
                .unwrap_or_default();
            let taken = self.paragraph_length(&rows[at..], leading);
            at += taken;
            self.paragraph(&rows[at - taken..at], at == rows.len(), place);
        }
    }

    /// Writes the paragraph that was left open, if there is one.
    pub(super) fn close_paragraph(&mut self) {
        if let Some(Open { lines, bounds, place }) = self.open_paragraph.take() {
            let text = self.join(&lines);
            if let Some(block) = self.draft.prose(BlockKind::Paragraph, &text) {
                locate(block, bounds, place);
            }
        }
        self.close_notes();
    }

    fn table(&mut self, found: &FoundTable, rows: &[Row], place: Place) {
        let lines = found.lines.iter().map(|&(from, to)| &rows[from..to]);
        self.write_table(
            Grid {
                columns: found.columns.clone(),
                header_rows: found.header_rows,
                is_bold: rows[0].is_bold(),
                rows: lines.clone().map(bounds).collect(),
                cells: lines
                    .map(|rows| super::tables::cell_bounds(rows, &found.columns))
                    .collect(),
                repeated: Vec::new(),
                texts: found.grid.clone(),
            },
            place,
        );
    }

    /// Writes the rows of a table; one that goes on where the last region ended keeps that header.
    fn write_table(&mut self, found: Grid, place: Place) {
        let continued = self
            .open_table
            .take()
            .filter(|open| is_same_columns(&open.columns, &found.columns));
        let head = Table::from_grid(found.texts.clone(), found.header_rows);
        let (mut table, skipped) = match continued {
            // The header again, on the next page.
            Some(open) if head.headers == open.table.headers && found.header_rows > 0 => {
                (open.table, found.header_rows)
            }
            Some(open) if found.texts[0] == open.table.headers => (open.table, 1),
            Some(open) if found.header_rows == 0 || !(open.table.headers.is_empty() || found.is_bold) => {
                (open.table, 0)
            }
            _ => (head, found.header_rows),
        };
        table.rows.clear();
        for (at, texts) in found.texts.iter().enumerate().skip(skipped) {
            let texts: Vec<String> = texts
                .iter()
                .map(|text| self.join(&text.lines().map(str::to_owned).collect::<Vec<_>>()))
                .collect();
            let Some(block) = self.draft.row(&table, &texts) else {
                continue;
            };
            locate(block, found.rows[at], place);
            for (cell, is_repeated) in block
                .cells
                .iter_mut()
                .zip(found.repeated.get(at).into_iter().flatten())
            {
                cell.repeated = *is_repeated;
            }
            for (cell, bounds) in block.cells.iter_mut().zip(&found.cells[at]) {
                cell.bounding_box = bounds.map(|bounds| rounded(place.turn.back(place.size, bounds)));
            }
        }
        self.open_table = Some(OpenTable {
            columns: found.columns,
            table,
        });
    }

    /// How many rows make the paragraph or heading that begins here.
    fn paragraph_length(&self, rows: &[Row], leading: f32) -> usize {
        let first = &rows[0];
        let level = self.heading_level(first);
        let is_item = is_list_item(&first.text());
        let mut taken = 1;
        while let Some(row) = rows.get(taken) {
            let before = &rows[taken - 1];
            let gap = row.baseline() - before.baseline();
            let size = before.size().max(row.size());
            let usual = if level.is_some() {
                size * 1.3
            } else {
                leading.max(size)
            };
            let is_other = (row.size() - first.size()).abs() > SAME_SIZE && row.segments.len() == 1
                || row.is_bold() != first.is_bold() && (level.is_some() || self.heading_level(row).is_some());
            let is_indented = !is_item
                && row.left() > before.left() + row.size() * INDENT
                && level.is_none()
                && before.right() < row.right().max(first.right()) - row.size() * 2.0;
            let begins_item = is_list_item(&row.text());
            let begins_table = row.segments.len() > 1 && table_at(&rows[taken..], &self.rules).is_some()
                || row.segments.iter().any(|segment| segment.text.starts_with(MARK));
            if gap <= 0.0
                || gap > usual * PARAGRAPH_GAP
                || is_other
                || is_indented
                || is_contents_entry(&before.text())
                || begins_item
                || begins_table
            {
                break;
            }
            taken += 1;
        }
        taken
    }

    fn paragraph(&mut self, rows: &[Row], is_last: bool, place: Place) {
        let mut lines: Vec<String> = rows.iter().map(Row::text).collect();
        let text = self.join(&lines);
        let is_heading = !place.is_aside && !starts_with_bullet(&text) && is_heading_text(&text, rows);
        let level = self.heading_level(&rows[0]).filter(|_| is_heading);
        let bounds = bounds(rows);
        let is_prose = level.is_none() && list_item(&text).is_none() && !is_caption(&text);
        if is_prose && (is_last || self.open_paragraph.is_some()) {
            let mut open = Open {
                lines: Vec::new(),
                bounds,
                place,
            };
            match self.open_paragraph.take_if(|_| goes_on(&text)) {
                Some(before) => open = before,
                None => self.close_paragraph(),
            }
            open.lines.append(&mut lines);
            self.open_paragraph = Some(open);
            if !is_last || ends_sentence(&text) {
                self.close_paragraph();
            }
            return;
        }
        self.close_paragraph();
        let block = if let Some(level) = level {
            self.draft.heading(level, &text)
        } else if let Some(item) = list_item(&text) {
            self.draft.prose(BlockKind::ListItem, item)
        } else if is_caption(&text) {
            self.draft.prose(BlockKind::Caption, &text)
        } else {
            self.draft.prose(BlockKind::Paragraph, &text)
        };
        if let Some(block) = block {
            locate(block, bounds, place);
        }
    }

    /// Joins the lines of a paragraph, and the words that were cut at their ends.
    fn join(&self, lines: &[String]) -> String {
        let mut text = String::new();
        for line in lines {
            let is_joined = self.repair.rejoin_hyphens && rejoin_onto(&mut text, line, &self.known);
            if !is_joined {
                if !text.is_empty() {
                    text.push(if self.repair.unwrap_paragraphs { ' ' } else { '\n' });
                }
                text.push_str(line);
            }
        }
        text
    }

    fn heading_level(&self, row: &Row) -> Option<usize> {
        if row.segments.len() > 2 {
            return None;
        }
        let by_size = self.sizes.level(row.size());
        let is_bold_line = row.is_bold() && row.size() >= self.sizes.body * 0.95;
        by_size.or_else(|| is_bold_line.then(|| self.sizes.headings.len() + 1))
    }
}

fn locate(block: &mut Block, bounds: Option<BoundingBox>, place: Place) {
    block.page = Some(place.page);
    block.bounding_box = bounds.map(|bounds| rounded(place.turn.back(place.size, bounds)));
}

/// Tenths of a point are finer than anybody can see and keep the artifact small.
fn rounded(bounds: BoundingBox) -> BoundingBox {
    let round = |x: f32| (x * 10.0).round() / 10.0;
    BoundingBox {
        left: round(bounds.left),
        top: round(bounds.top),
        right: round(bounds.right),
        bottom: round(bounds.bottom),
    }
}

fn is_same_columns(a: &[(f32, f32)], b: &[(f32, f32)]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| (a.0 - b.0).abs() <= SAME_COLUMN || (a.1 - b.1).abs() <= SAME_COLUMN)
}

/// The usual gap between neighbouring rows of each font size: not the median, since in lists every
/// second gap is one between paragraphs.
fn usual_gaps(rows: &[Row]) -> BTreeMap<i32, f32> {
    let mut gaps: BTreeMap<i32, Vec<f32>> = BTreeMap::new();
    for pair in rows.windows(2) {
        let gap = pair[1].baseline() - pair[0].baseline();
        if gap > 0.0 && (pair[0].size() - pair[1].size()).abs() < SAME_SIZE {
            gaps.entry(half_points(pair[0].size())).or_default().push(gap);
        }
    }
    let usual = gaps.into_iter().map(|(size, mut gaps)| {
        gaps.sort_by(f32::total_cmp);
        (size, gaps[gaps.len() / 3])
    });
    usual.collect()
}

/// A heading has letters, is not too long, and if only its weight sets it apart, stands alone and does
/// not end like a sentence.
fn is_heading_text(text: &str, rows: &[Row]) -> bool {
    let characters = text.chars().count();
    let is_only_bold = rows.iter().all(Row::is_bold) && rows.len() == 1;
    let longest = if is_only_bold {
        MAX_BOLD_HEADING
    } else {
        MAX_HEADING
    };
    characters <= longest
        && text.chars().any(char::is_alphabetic)
        && !text.ends_with(['.', ',', ';'])
        && !is_contents_entry(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_the_size_of_most_characters() {
        let rows = [
            (18.0, 20, "Title"),
            (13.0, 40, "Part"),
            (10.0, 900, "text"),
            (10.1, 300, "text"),
            (8.0, 50, "note"),
            (20.0, 3, "***"),
        ];
        let sizes = Sizes::of(rows.into_iter());
        assert_eq!((sizes.body, sizes.headings.clone()), (10.0, vec![18.0, 13.0]));
        assert_eq!(
            (
                sizes.level(18.1),
                sizes.level(13.0),
                sizes.level(10.0),
                sizes.level(8.0)
            ),
            (Some(1), Some(2), None, None)
        );
    }
}
