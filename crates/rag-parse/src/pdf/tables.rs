//! Tables by alignment: rows whose segments fall into the same columns.

use rag_core::span::BoundingBox;

use super::drawn::Rule;
use super::rows::Row;
use crate::table::looks_like_header;

/// Largest distance of two rows of one table, in font sizes.
const MAX_ROW_GAP: f32 = 3.2;

/// Gap between lines from which on a new row begins, where a table has gaps of two kinds: this times
/// the smallest.
const ROW_GAP_FACTOR: f32 = 1.2;

/// How much a ruling line may be shorter than its table, and how near two may be, in points.
const RULE_SLACK: f32 = 6.0;

/// Fewest rows with several cells.
const MIN_ROWS: usize = 2;

/// A table found on a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundTable {
    /// Left and right edge of each column.
    pub(super) columns: Vec<(f32, f32)>,
    pub(super) header_rows: usize,
    pub(super) grid: Vec<Vec<String>>,
    /// Numbers of the page rows that each row of the grid is made of: first, and one past the last.
    pub(super) lines: Vec<(usize, usize)>,
    /// Number of page rows that the table takes.
    pub(super) taken: usize,
}

/// The table that begins at the first of `rows`.
pub(super) fn table_at(rows: &[Row], rules: &[Rule]) -> Option<FoundTable> {
    if rows.first()?.segments.len() < 2 {
        return None;
    }
    let (columns, taken) = extent(rows)?;
    let rows = &rows[..taken];
    let lines = ruled_lines(rows, &columns, rules).unwrap_or_else(|| group_lines(rows, &columns));
    let grid: Vec<Vec<String>> = lines
        .iter()
        .map(|&(from, to)| cells(&rows[from..to], &columns))
        .collect();
    if grid.len() < MIN_ROWS || !is_table(&grid) {
        return None;
    }
    let has_bold_head =
        rows[lines[0].0].is_bold() && lines[1..].iter().any(|&(from, _)| !rows[from].is_bold());
    let header_rows = usize::from(has_bold_head || looks_like_header(&grid));
    Some(FoundTable {
        columns,
        header_rows,
        grid,
        lines,
        taken,
    })
}

/// The columns of the longest run of rows that fall into the same ones, and the number of rows.
fn extent(rows: &[Row]) -> Option<(Vec<(f32, f32)>, usize)> {
    let mut columns: Vec<(f32, f32)> = edges(&rows[0]);
    let mut taken = 1;
    let mut filled = 1;
    for at in 1..rows.len() {
        let (row, before) = (&rows[at], &rows[at - 1]);
        let gap = row.baseline() - before.baseline();
        if gap <= 0.0 || gap > MAX_ROW_GAP * before.size().max(row.size()) {
            break;
        }
        let Some(merged) = merge(&columns, row) else {
            break;
        };
        // A line on its own goes on a cell only when it is close to the line above it.
        let is_alone = row.segments.len() == 1;
        let is_close = gap <= 1.6 * row.size();
        if is_alone && !(is_close && fits_inside(&columns, row)) {
            break;
        }
        columns = merged;
        taken = at + 1;
        filled += usize::from(!is_alone);
    }
    (filled >= MIN_ROWS && columns.len() >= 2).then_some((columns, taken))
}

fn edges(row: &Row) -> Vec<(f32, f32)> {
    row.segments
        .iter()
        .map(|segment| (segment.left, segment.right))
        .collect()
}

/// The columns widened by a row's segments; nothing when a segment touches two columns. A segment
/// between columns becomes one of its own.
fn merge(columns: &[(f32, f32)], row: &Row) -> Option<Vec<(f32, f32)>> {
    let mut merged = columns.to_vec();
    for segment in &row.segments {
        let touched: Vec<usize> = (0..merged.len())
            .filter(|&at| segment.left < merged[at].1 && segment.right > merged[at].0)
            .collect();
        match touched[..] {
            [] => {
                let at = merged.partition_point(|column| column.0 < segment.left);
                merged.insert(at, (segment.left, segment.right));
            }
            [at] => merged[at] = (merged[at].0.min(segment.left), merged[at].1.max(segment.right)),
            _ => return None,
        }
    }
    // Cells of one row never share a column.
    let own = |segment: &super::lines::Segment| {
        merged
            .iter()
            .position(|column| segment.center() >= column.0 && segment.center() <= column.1)
    };
    let places: Vec<Option<usize>> = row.segments.iter().map(own).collect();
    places.windows(2).all(|pair| pair[0] != pair[1]).then_some(merged)
}

/// True when a single segment lies in one column, more or less, and does not span the table.
fn fits_inside(columns: &[(f32, f32)], row: &Row) -> bool {
    let segment = &row.segments[0];
    let slack = segment.size * 2.0;
    columns
        .iter()
        .any(|column| segment.left >= column.0 - slack && segment.right <= column.1 + slack)
}

/// Groups the lines between level ruling lines, when at least two such lines part the table.
fn ruled_lines(rows: &[Row], columns: &[(f32, f32)], rules: &[Rule]) -> Option<Vec<(usize, usize)>> {
    let (left, right) = (columns[0].0, columns[columns.len() - 1].1);
    let is_wide =
        |rule: &&Rule| rule.is_level && rule.from < left + RULE_SLACK && rule.to > right - RULE_SLACK * 4.0;
    let (top, bottom) = (rows[0].baseline(), rows[rows.len() - 1].baseline());
    let mut ys: Vec<f32> = rules.iter().filter(is_wide).map(|rule| rule.at).collect();
    ys.retain(|y| (top..bottom).contains(y));
    ys.sort_by(f32::total_cmp);
    ys.dedup_by(|a, b| *a - *b < RULE_SLACK);
    if ys.len() < 3 {
        return None;
    }
    let band = |row: &Row| ys.partition_point(|y| *y < row.baseline() - row.size() * 0.3);
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match lines.last_mut().filter(|last| band(&rows[last.0]) == band(row)) {
            Some(last) => last.1 = at + 1,
            None => lines.push((at, at + 1)),
        }
    }
    Some(lines)
}

/// Groups the lines of wrapped cells into rows.
///
/// Where the gaps between lines are of two kinds, the wide ones part rows. Otherwise a line without a
/// first cell goes on the row above it.
fn group_lines(rows: &[Row], columns: &[(f32, f32)]) -> Vec<(usize, usize)> {
    let gaps: Vec<f32> = rows
        .windows(2)
        .map(|pair| pair[1].baseline() - pair[0].baseline())
        .collect();
    let least = gaps.iter().copied().fold(f32::INFINITY, f32::min);
    let most = gaps.iter().copied().fold(0.0, f32::max);
    let has_two_kinds = most > least * ROW_GAP_FACTOR && least < rows[0].size() * 1.6;
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let goes_on = at > 0 && {
            let has_first = row
                .segments
                .iter()
                .any(|segment| segment.center() <= columns[0].1);
            let is_close = gaps[at - 1] <= least * ROW_GAP_FACTOR;
            if has_two_kinds {
                is_close && !(has_first && row.segments.len() == columns.len())
            } else {
                !has_first
            }
        };
        match lines.last_mut() {
            Some(last) if goes_on => last.1 = at + 1,
            _ => lines.push((at, at + 1)),
        }
    }
    lines
}

/// The cells of a table row made of these lines.
fn cells(rows: &[Row], columns: &[(f32, f32)]) -> Vec<String> {
    let mut cells = vec![String::new(); columns.len()];
    for segment in rows.iter().flat_map(|row| &row.segments) {
        let at = columns
            .partition_point(|column| column.1 < segment.center())
            .min(columns.len() - 1);
        if !cells[at].is_empty() {
            cells[at].push('\n');
        }
        cells[at].push_str(&segment.text);
    }
    cells
}

/// The place of each cell of a row made of these lines.
pub(super) fn cell_bounds(rows: &[Row], columns: &[(f32, f32)]) -> Vec<Option<BoundingBox>> {
    let mut places: Vec<Option<BoundingBox>> = vec![None; columns.len()];
    for segment in rows.iter().flat_map(|row| &row.segments) {
        let at = columns
            .partition_point(|column| column.1 < segment.center())
            .min(columns.len() - 1);
        let bounds = segment.bounds();
        places[at] = Some(places[at].map_or(bounds, |place| place.union(&bounds)));
    }
    places
}

/// Tells a table from prose with wide gaps: most rows have several cells, and cells are mostly short.
fn is_table(grid: &[Vec<String>]) -> bool {
    let several = |row: &&Vec<String>| row.iter().filter(|cell| !cell.is_empty()).count() >= 2;
    let rows_of_several = grid.iter().filter(several).count();
    let mut lengths: Vec<usize> = grid
        .iter()
        .flatten()
        .filter(|cell| !cell.is_empty())
        .map(|cell| cell.chars().count())
        .collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    rows_of_several * 10 >= grid.len() * 6 && median <= 60
}

#[cfg(test)]
mod tests {
    use super::super::lines::Segment;
    use super::*;

    fn row(baseline: f32, cells: &[(&str, f32)]) -> Row {
        let segment = |(text, left): &(&str, f32)| Segment {
            text: (*text).to_owned(),
            left: *left,
            right: left + text.chars().count() as f32 * 5.0,
            baseline,
            size: 10.0,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        };
        Row {
            segments: cells.iter().map(segment).collect(),
        }
    }

    #[test]
    fn aligned_rows_are_a_table_with_its_header() {
        let rows = [
            row(
                100.0,
                &[("Grade", 50.0), ("Hotel cap", 150.0), ("Meal cap", 250.0)],
            ),
            row(116.0, &[("G1-G3", 50.0), ("EUR 145", 150.0), ("EUR 52", 250.0)]),
            row(132.0, &[("G4-G6", 50.0), ("EUR 182", 150.0), ("EUR 64", 250.0)]),
            row(160.0, &[("In London the cap is raised by thirty percent.", 50.0)]),
        ];
        let table = table_at(&rows, &[]).unwrap();
        assert_eq!((table.taken, table.header_rows, table.columns.len()), (3, 1, 3));
        assert_eq!(table.grid[2], ["G4-G6", "EUR 182", "EUR 64"]);
    }

    #[test]
    fn wrapped_cells_are_joined() {
        let rows = [
            row(100.0, &[("When", 50.0), ("What", 150.0)]),
            row(120.0, &[("Day 1", 50.0), ("Tour, badge, laptop,", 150.0)]),
            row(132.0, &[("lunch with the team", 150.0)]),
            row(152.0, &[("Day 3", 50.0), ("Code of conduct", 150.0)]),
        ];
        let table = table_at(&rows, &[]).unwrap();
        assert_eq!(
            table.grid,
            [
                ["When", "What"],
                ["Day 1", "Tour, badge, laptop,\nlunch with the team"],
                ["Day 3", "Code of conduct"]
            ]
        );
        assert_eq!(table.lines, [(0, 1), (1, 3), (3, 4)]);
    }

    #[test]
    fn prose_is_no_table() {
        let rows = [
            row(100.0, &[("One line.", 50.0)]),
            row(112.0, &[("Another line.", 50.0)]),
        ];
        assert_eq!(table_at(&rows, &[]), None);
        let rows = [
            row(100.0, &[("Left", 50.0), ("right", 300.0)]),
            row(200.0, &[("far", 50.0), ("away", 300.0)]),
        ];
        assert_eq!(table_at(&rows, &[]), None);
    }
}
