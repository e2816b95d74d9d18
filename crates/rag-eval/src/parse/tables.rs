//! Tables compared: rows that stay whole, and cells that stay neighbours.

use std::collections::{BTreeMap, BTreeSet};

use rag_core::document::{Block, BlockKind, Document};

use super::words::{Bag, bag, words};

/// How many words a line may have beside those of the row that is looked for: as many again, and this.
const SLACK_WORDS: usize = 4;

/// A cell of a table with the rows and columns that it covers, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridCell {
    /// First and last row, from 0.
    pub rows: (usize, usize),
    /// First and last column, from 0.
    pub columns: (usize, usize),
    /// Its text.
    pub text: String,
}

/// A table as cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grid {
    /// Page it stands on, from 1, where it is known.
    pub page: Option<u32>,
    /// Its cells, in no order.
    pub cells: Vec<GridCell>,
}

impl Grid {
    /// Makes a grid of rows whose cells cover one place each.
    pub fn of_rows(rows: &[Vec<String>], page: Option<u32>) -> Self {
        let mut cells = Vec::new();
        for (row, line) in rows.iter().enumerate() {
            for (column, text) in line.iter().enumerate() {
                cells.push(GridCell {
                    rows: (row, row),
                    columns: (column, column),
                    text: text.clone(),
                });
            }
        }
        Self { page, cells }
    }

    /// The words of each cell of each row that has several filled cells.
    pub fn row_words(&self) -> Vec<Vec<Vec<String>>> {
        let mut rows: BTreeMap<usize, Vec<&GridCell>> = BTreeMap::new();
        for cell in self.cells.iter().filter(|cell| !cell.text.trim().is_empty()) {
            rows.entry(cell.rows.0).or_default().push(cell);
        }
        let words_of = |mut cells: Vec<&GridCell>| {
            cells.sort_by_key(|cell| cell.columns.0);
            cells
                .iter()
                .map(|cell| words(&cell.text))
                .filter(|words| !words.is_empty())
                .collect::<Vec<Vec<String>>>()
        };
        rows.into_values()
            .filter(|cells| cells.len() > 1)
            .map(words_of)
            .filter(|cells| cells.iter().map(Vec::len).sum::<usize>() > 1)
            .collect()
    }

    /// The neighbourhoods of filled cells: text, direction, text of the next filled cell that way.
    pub fn adjacencies(&self) -> Bag {
        let filled: Vec<(&GridCell, String)> = self
            .cells
            .iter()
            .map(|cell| (cell, squeezed(&cell.text)))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        let mut at: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let (mut height, mut width) = (0, 0);
        for (index, (cell, _)) in filled.iter().enumerate() {
            (height, width) = (height.max(cell.rows.1 + 1), width.max(cell.columns.1 + 1));
            for row in cell.rows.0..=cell.rows.1 {
                for column in cell.columns.0..=cell.columns.1 {
                    at.insert((row, column), index);
                }
            }
        }
        let mut found: BTreeSet<(usize, char, usize)> = BTreeSet::new();
        for (index, (cell, _)) in filled.iter().enumerate() {
            for row in cell.rows.0..=cell.rows.1 {
                let next = (cell.columns.1 + 1..width).find_map(|column| at.get(&(row, column)));
                found.extend(next.map(|next| (index, '→', *next)));
            }
            for column in cell.columns.0..=cell.columns.1 {
                let next = (cell.rows.1 + 1..height).find_map(|row| at.get(&(row, column)));
                found.extend(next.map(|next| (index, '↓', *next)));
            }
        }
        bag(found
            .into_iter()
            .map(|(from, way, to)| format!("{}{way}{}", filled[from].1, filled[to].1)))
    }
}

/// A cell's text without spaces and punctuation.
fn squeezed(text: &str) -> String {
    words(text).concat()
}

/// The tables of a document: rows that follow each other under the same header, headers included.
pub fn document_grids(document: &Document) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut rows: Vec<&Block> = Vec::new();
    for block in &document.blocks {
        let is_row = block.kind == BlockKind::TableRow && !block.cells.is_empty();
        let goes_on = is_row && rows.last().is_some_and(|last| is_same_table(last, block));
        if !goes_on {
            grids.extend(grid_of(&std::mem::take(&mut rows)));
        }
        if is_row {
            rows.push(block);
        }
    }
    grids.extend(grid_of(&rows));
    grids
}

fn is_same_table(a: &Block, b: &Block) -> bool {
    let headers = |block: &Block| {
        let cells = block.cells.iter();
        cells
            .map(rag_core::document::Cell::header_levels)
            .collect::<Vec<_>>()
    };
    headers(a) == headers(b)
}

fn grid_of(rows: &[&Block]) -> Option<Grid> {
    let first = rows.first()?;
    let levels: Vec<Vec<String>> = first
        .cells
        .iter()
        .map(rag_core::document::Cell::header_levels)
        .collect();
    let depth = levels.iter().map(Vec::len).max().unwrap_or_default();
    let mut cells = Vec::new();
    for level in 0..depth {
        header_row(&levels, level, depth, &mut cells);
    }
    for (at, row) in rows.iter().enumerate() {
        for (column, cell) in row.cells.iter().enumerate() {
            // The text of a spanning cell stands in each of its places: they are one cell.
            let spanning = cells.iter_mut().rev().find(|other: &&mut GridCell| {
                let is_beside = other.rows.1 == depth + at && other.columns.1 + 1 == column;
                let is_below = other.rows.1 + 1 == depth + at && other.columns.0 == column;
                cell.repeated && other.text == cell.value && (is_beside || is_below)
            });
            if let Some(other) = spanning {
                other.rows.1 = depth + at;
                other.columns.1 = other.columns.1.max(column);
                continue;
            }
            cells.push(GridCell {
                rows: (depth + at, depth + at),
                columns: (column, column),
                text: cell.value.clone(),
            });
        }
    }
    Some(Grid {
        page: first.page,
        cells,
    })
}

/// One level of the header. The same text over neighbouring columns is one cell that spans them; a
/// column with fewer levels has its header at the bottom.
fn header_row(levels: &[Vec<String>], level: usize, depth: usize, cells: &mut Vec<GridCell>) {
    let mut open: Option<GridCell> = None;
    for (column, header) in levels.iter().enumerate() {
        let text = (level + header.len())
            .checked_sub(depth)
            .and_then(|at| header.get(at))
            .cloned()
            .unwrap_or_default();
        let is_last = level + 1 == depth;
        match open
            .as_mut()
            .filter(|open| !is_last && !text.is_empty() && open.text == text)
        {
            Some(open) => open.columns.1 = column,
            None => {
                cells.extend(open.replace(GridCell {
                    rows: (level, level),
                    columns: (column, column),
                    text,
                }));
            }
        }
    }
    cells.extend(open);
}

/// Of the wanted rows, each by the words of its cells, how many stand in one of the lines: every word, in
/// order, in a line that has not many more words than that. Ground truth may run the words of a cell
/// together or part them elsewhere, so a row counts too whose cells have, one after the other, the
/// letters of whole words of the line.
pub fn intact_rows(lines: &[Vec<String>], wanted: &[Vec<Vec<String>>]) -> usize {
    let holds = |line: &[String], row: &[Vec<String>]| {
        let mut rest = line.iter();
        let count = row.iter().map(Vec::len).sum::<usize>();
        line.len() <= count * 2 + SLACK_WORDS
            && (row.iter().flatten().all(|word| rest.any(|other| other == word)) || holds_letters(line, row))
    };
    wanted
        .iter()
        .filter(|row| lines.iter().any(|line| holds(line, row)))
        .count()
}

/// True when the letters of each cell are those of neighbouring whole words of the line, in order.
fn holds_letters(line: &[String], row: &[Vec<String>]) -> bool {
    let mut at = 0;
    row.iter().all(|cell| {
        let letters = cell.concat();
        let found = (at..line.len()).find_map(|from| {
            let mut rest = letters.as_str();
            let mut to = from;
            while let Some(behind) = line.get(to).and_then(|word| rest.strip_prefix(word.as_str())) {
                (rest, to) = (behind, to + 1);
            }
            rest.is_empty().then_some(to)
        });
        at = found.unwrap_or(at);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[&str]]) -> Grid {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        Grid::of_rows(&rows, None)
    }

    #[test]
    fn neighbours_skip_empty_cells() {
        let found = grid(&[&["a", "", "b"], &["c", "d", "e"]]).adjacencies();
        let mut names: Vec<&str> = found.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["a→b", "a↓c", "b↓e", "c→d", "d→e"]);
    }

    #[test]
    fn a_spanning_cell_is_next_to_all_that_it_touches() {
        let mut spanning = grid(&[&["x"], &["p", "q"]]);
        spanning.cells[0].columns = (0, 1);
        assert_eq!(spanning.adjacencies().len(), 3);
    }

    #[test]
    fn a_row_is_intact_in_one_line_only() {
        let row = vec![words("Grade 4"), words("145")];
        let whole = [words("Grade 4 145")];
        let split = [words("Grade 4"), words("145")];
        let flooded = [words(&format!("Grade 4 {} 145", "x ".repeat(30)))];
        assert_eq!(intact_rows(&whole, std::slice::from_ref(&row)), 1);
        assert_eq!(intact_rows(&split, std::slice::from_ref(&row)), 0);
        assert_eq!(intact_rows(&flooded, std::slice::from_ref(&row)), 0);
        let run_together = vec![words("UnitedKingdom"), words("139")];
        assert_eq!(
            intact_rows(
                &[words("United Kingdom 139")],
                std::slice::from_ref(&run_together)
            ),
            1
        );
        assert_eq!(
            intact_rows(
                &[words("United Kingdoms 139")],
                std::slice::from_ref(&run_together)
            ),
            0
        );
    }
}
