//! Tables by ruling lines: lines that cross each other make a grid, and what stands in a cell is its text.

use std::ops::Range;

use rag_core::span::BoundingBox;

use super::drawn::Rule;
use super::lines::{SEGMENT_GAP, Segment};
use super::rows::{Row, bounds, rows};
use crate::table::looks_like_header;

/// Largest distance of two lines that are one, and by which lines may miss each other, in points.
const SAME_LINE: f32 = 2.5;
const REACH: f32 = 3.5;

/// Lines with gaps from which on a cell is a table of its own.
const MIN_GAPPED: usize = 3;

/// Most stretches between level lines in a table of which only parts are ruled off.
const MAX_UNRULED: usize = 3;

/// Most lines of text in several cells of one row: more is a table whose rows are not ruled.
const MAX_CELL_LINES: usize = 6;

/// Longest text that is repeated in the places of a spanning cell, in bytes: labels are, prose is not.
const MAX_REPEATED_BYTES: usize = 200;

/// Most lines of one direction in one table.
const MAX_LINES: usize = 400;

/// A table found by its lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RuledTable {
    pub(super) bounds: BoundingBox,
    /// Left and right edge of each column.
    pub(super) columns: Vec<(f32, f32)>,
    pub(super) header_rows: usize,
    pub(super) grid: Vec<Vec<String>>,
    /// Place of each cell's text, row by row.
    pub(super) places: Vec<Vec<Option<BoundingBox>>>,
    /// Cells whose text is that of a spanning cell and stands in another place too.
    pub(super) repeated: Vec<Vec<bool>>,
}

/// A cell of the grid that is being made.
#[derive(Debug, Clone, Default)]
struct Place {
    text: String,
    bounds: Option<BoundingBox>,
    is_bold: bool,
    is_repeated: bool,
}

/// Takes the tables that lines enclose out of the segments of a page.
pub(super) fn take_tables(segments: &mut Vec<Segment>, rules: &[Rule]) -> Vec<RuledTable> {
    let mut tables = Vec::new();
    for (levels, uprights) in groups(rules) {
        let frame = Frame::of(&levels, &uprights);
        if frame.ys.len() < 3
            || frame.xs.len() < 3
            || frame.ys.len() > MAX_LINES
            || frame.xs.len() > MAX_LINES
        {
            continue;
        }
        let (inside, outside): (Vec<Segment>, Vec<Segment>) =
            segments.drain(..).partition(|segment| frame.holds(segment));
        *segments = outside;
        match frame.table(&inside, &levels, &uprights) {
            Some(table) => {
                // What stands in the same frame above or below the rows is text.
                let bounds = table.bounds;
                let is_outside = |segment: &Segment| {
                    let middle = segment.baseline - segment.size * 0.3;
                    middle < bounds.top || middle > bounds.bottom
                };
                segments.extend(inside.into_iter().filter(is_outside));
                tables.push(table);
            }
            None => segments.extend(inside),
        }
    }
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    tables
}

/// Pieces of one line joined, lines sorted by where they are.
fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.from.total_cmp(&b.from)));
    let mut lines: Vec<Rule> = Vec::new();
    for rule in rules {
        let same = lines
            .iter_mut()
            .rev()
            .take_while(|line| rule.at - line.at <= SAME_LINE)
            .find(|line| rule.from <= line.to + REACH && rule.to >= line.from - REACH);
        match same {
            Some(line) => (line.from, line.to) = (line.from.min(rule.from), line.to.max(rule.to)),
            None => lines.push(rule),
        }
    }
    lines
}

/// Groups lines that cross or touch each other: each group has level lines and upright ones.
fn groups(rules: &[Rule]) -> Vec<(Vec<Rule>, Vec<Rule>)> {
    let (levels, uprights): (Vec<Rule>, Vec<Rule>) = rules.iter().partition(|rule| rule.is_level);
    let (levels, uprights) = (joined(levels), joined(uprights));
    if levels.len() + uprights.len() > MAX_LINES * 4 {
        return Vec::new();
    }
    let mut group_of: Vec<usize> = (0..levels.len()).collect();
    let mut upright_group: Vec<Option<usize>> = vec![None; uprights.len()];
    for (at, upright) in uprights.iter().enumerate() {
        let touched: Vec<usize> = (0..levels.len())
            .filter(|&level| touches(&levels[level], upright))
            .collect();
        let Some(&first) = touched.first() else {
            continue;
        };
        let target = group_of[first];
        for &level in &touched {
            let other = group_of[level];
            if other != target {
                group_of
                    .iter_mut()
                    .filter(|group| **group == other)
                    .for_each(|group| *group = target);
                upright_group
                    .iter_mut()
                    .filter(|group| **group == Some(other))
                    .for_each(|group| *group = Some(target));
            }
        }
        upright_group[at] = Some(target);
    }
    let mut numbers = group_of.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let of = |number: usize| {
        let levels = levels
            .iter()
            .zip(&group_of)
            .filter(|(_, group)| **group == number);
        let uprights = uprights
            .iter()
            .zip(&upright_group)
            .filter(|(_, group)| **group == Some(number));
        (
            levels.map(|(rule, _)| *rule).collect(),
            uprights.map(|(rule, _)| *rule).collect(),
        )
    };
    numbers.into_iter().map(of).collect()
}

fn touches(level: &Rule, upright: &Rule) -> bool {
    upright.at >= level.from - REACH
        && upright.at <= level.to + REACH
        && level.at >= upright.from - REACH
        && level.at <= upright.to + REACH
}

/// The places of a group's lines.
struct Frame {
    xs: Vec<f32>,
    ys: Vec<f32>,
}

impl Frame {
    fn of(levels: &[Rule], uprights: &[Rule]) -> Self {
        let places = |rules: &[Rule], ends: &[Rule]| {
            let mut found: Vec<f32> = rules.iter().map(|rule| rule.at).collect();
            // A table without a frame is as wide as the lines across it.
            found.extend(ends.iter().map(|rule| rule.from).reduce(f32::min));
            found.extend(ends.iter().map(|rule| rule.to).reduce(f32::max));
            found.sort_by(f32::total_cmp);
            found.dedup_by(|a, b| *a - *b <= REACH);
            found
        };
        Self {
            xs: places(uprights, levels),
            ys: places(levels, uprights),
        }
    }

    fn holds(&self, segment: &Segment) -> bool {
        let middle = segment.baseline - segment.size * 0.3;
        let is_in = |places: &[f32], at: f32| at >= places[0] && at <= places[places.len() - 1];
        is_in(&self.xs, segment.center()) && is_in(&self.ys, middle)
    }

    fn table(&self, inside: &[Segment], levels: &[Rule], uprights: &[Rule]) -> Option<RuledTable> {
        let (height, width) = (self.ys.len() - 1, self.xs.len() - 1);
        let owner = self.merged(levels, uprights);
        let mut held: Vec<Vec<Segment>> = vec![Vec::new(); height * width];
        for segment in inside {
            for piece in self.pieces(segment) {
                let row = cell_at(&self.ys, piece.baseline - piece.size * 0.3)?;
                let column = cell_at(&self.xs, piece.center())?;
                held[owner[row * width + column]].push(piece);
            }
        }
        let filled = held.iter().filter(|cell| !cell.is_empty()).count();
        let cells: std::collections::BTreeSet<usize> = owner.iter().copied().collect();
        // A frame around text, or a form with more lines than words, is no table.
        if filled < 4 || cells.len() < 4 || filled * 5 < cells.len() {
            return None;
        }
        // Where rows are ruled off, two lines side by side are wrapped cells and not two rows.
        let least_even = if height > MAX_UNRULED { 3 } else { 2 };
        let bands: Vec<Option<Vec<Vec<Place>>>> = (0..height)
            .map(|row| {
                let cells: Vec<usize> = (0..width).map(|column| row * width + column).collect();
                band(&cells, &owner, &held, &self.xs, least_even)
            })
            .collect();
        let rows = longest_run(&bands)?;
        let mut grid: Vec<Vec<Place>> = bands[rows.clone()].iter().flatten().flatten().cloned().collect();
        grid.retain(|line| line.iter().any(|place| !place.text.is_empty()));
        join_wrapped_labels(&mut grid);
        let used: Vec<usize> = (0..width)
            .filter(|&at| {
                grid.iter()
                    .any(|line| !line[at].text.is_empty() && !line[at].is_repeated)
            })
            .collect();
        if grid.len() < 2 || used.len() < 2 {
            return None;
        }
        let is_bold = |line: &Vec<Place>| line.iter().all(|place| place.is_bold || place.text.is_empty());
        let bold: Vec<bool> = grid.iter().map(is_bold).collect();
        let texts: Vec<Vec<String>> = columns_of(&grid, &used, |place| place.text.clone());
        Some(RuledTable {
            bounds: BoundingBox {
                left: self.xs[0],
                top: self.ys[rows.start],
                right: self.xs[width],
                bottom: self.ys[rows.end],
            },
            columns: used.iter().map(|&at| (self.xs[at], self.xs[at + 1])).collect(),
            header_rows: header_rows(&texts, &bold),
            grid: texts,
            places: columns_of(&grid, &used, |place| place.bounds),
            repeated: columns_of(&grid, &used, |place| place.is_repeated),
        })
    }

    /// A segment cut where it runs over an upright line between two words.
    fn pieces(&self, segment: &Segment) -> Vec<Segment> {
        let mut pieces = Vec::new();
        let mut rest = segment.clone();
        for &x in &self.xs {
            if x > rest.left + 1.0
                && x < rest.right - 1.0
                && let Some((left, right)) = rest.cut_at(x)
            {
                pieces.push(left);
                rest = right;
            }
        }
        pieces.push(rest);
        pieces
    }

    /// For each place of the grid the place that stands for its cell: cells without a line between are one.
    fn merged(&self, levels: &[Rule], uprights: &[Rule]) -> Vec<usize> {
        let (height, width) = (self.ys.len() - 1, self.xs.len() - 1);
        let mut owner: Vec<usize> = (0..height * width).collect();
        let is_drawn = |rules: &[Rule], at: f32, from: f32, to: f32| {
            let middle = f32::midpoint(from, to);
            rules
                .iter()
                .any(|rule| (rule.at - at).abs() <= REACH && rule.from <= middle && rule.to >= middle)
        };
        for row in 0..height {
            for column in 0..width {
                let here = row * width + column;
                let (top, bottom) = (self.ys[row], self.ys[row + 1]);
                let (left, right) = (self.xs[column], self.xs[column + 1]);
                if column > 0 && !is_drawn(uprights, left, top, bottom) {
                    owner[here] = owner[here - 1];
                } else if row > 0 && !is_drawn(levels, top, left, right) {
                    owner[here] = owner[here - width];
                }
            }
        }
        owner
    }
}

/// The longest run of stretches that are rows, when most of the table is one: titles and notes stand in
/// its frame too.
fn longest_run(bands: &[Option<Vec<Vec<Place>>>]) -> Option<Range<usize>> {
    let mut best = 0..0;
    let mut start = 0;
    for (at, band) in bands.iter().map(Some).chain([None]).enumerate() {
        if band.is_none_or(Option::is_none) {
            if at - start > best.len() {
                best = start..at;
            }
            start = at + 1;
        }
    }
    (best.len() * 3 >= bands.len() * 2).then_some(best)
}

/// The number of the stretch between two places that holds `at`.
fn cell_at(places: &[f32], at: f32) -> Option<usize> {
    let behind = places.partition_point(|place| *place <= at);
    (!places.is_empty()).then(|| behind.saturating_sub(1).min(places.len().saturating_sub(2)))
}

fn columns_of<T>(grid: &[Vec<Place>], used: &[usize], value: impl Fn(&Place) -> T) -> Vec<Vec<T>> {
    grid.iter()
        .map(|line| used.iter().map(|&at| value(&line[at])).collect())
        .collect()
}

/// The rows between two level lines: one, or as many as there are lines of text when the lines of most
/// cells stand side by side (at least `least_even` of them), as where only the header is ruled off. Nothing
/// when it is neither.
fn band(
    cells: &[usize],
    owner: &[usize],
    held: &[Vec<Segment>],
    xs: &[f32],
    least_even: usize,
) -> Option<Vec<Vec<Place>>> {
    let lines_of = |cell: usize| rows(sorted(held[cell].clone()));
    // A cell whose lines have gaps is a table whose columns are not ruled.
    let gapped = |cell: &usize| {
        lines_of(*cell)
            .iter()
            .filter(|line| line.segments.len() > 1)
            .count()
    };
    if cells.iter().any(|cell| gapped(cell) >= MIN_GAPPED) {
        return None;
    }
    let own = cells
        .iter()
        .copied()
        .filter(|&cell| owner[cell] == cell && !held[cell].is_empty());
    let counts: Vec<usize> = own.map(|cell| lines_of(cell).len()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let equal = counts.iter().filter(|count| **count == most).count();
    let is_even = most >= least_even && counts.len() > 2 && equal * 10 >= counts.len() * 9;
    if !is_even {
        let is_many = counts.iter().filter(|count| **count > MAX_CELL_LINES).count() > 1;
        return (!is_many).then(|| vec![cells.iter().map(|&cell| place(cell, owner, held, xs)).collect()]);
    }
    let mut found = vec![vec![Place::default(); cells.len()]; most];
    for (column, &cell) in cells.iter().enumerate() {
        for (at, line) in lines_of(owner[cell]).into_iter().enumerate().take(most) {
            found[at][column] = Place {
                text: line.text(),
                bounds: bounds(std::slice::from_ref(&line)),
                is_bold: line.is_bold(),
                is_repeated: owner[cell] != cell,
            };
        }
    }
    Some(found)
}

/// Joins a row that has nothing of its own but its label to the row above, whose other cells reach down
/// into it: the label was wrapped.
fn join_wrapped_labels(grid: &mut Vec<Vec<Place>>) {
    let mut at = 1;
    while at < grid.len() {
        let (above, line) = (&grid[at - 1], &grid[at]);
        let is_wrapped = line.len() > 2
            && !line[0].text.is_empty()
            && !line[0].is_repeated
            && !above[0].text.is_empty()
            && above[1..]
                .iter()
                .any(|place| !place.is_repeated && !place.text.is_empty())
            && line[1..].iter().zip(&above[1..]).all(|(place, above)| {
                place.text == above.text && (place.is_repeated || place.text.is_empty())
            });
        if !is_wrapped {
            at += 1;
            continue;
        }
        let label = grid.remove(at).swap_remove(0);
        let above = &mut grid[at - 1][0];
        above.text.push('\n');
        above.text.push_str(&label.text);
        above.bounds = match (above.bounds, label.bounds) {
            (Some(a), Some(b)) => Some(a.union(&b)),
            (a, b) => a.or(b),
        };
    }
}

/// The part of a line of a spanning cell that stands in a column, where its pieces stand in one each: only
/// groups of columns are ruled off.
fn own_piece(line: &Row, column: usize, xs: &[f32]) -> Option<Row> {
    let columns: Vec<Option<usize>> = line
        .segments
        .iter()
        .map(|segment| cell_at(xs, segment.center()))
        .collect();
    // Words of one text have been cut at the lines that it runs over.
    let is_apart = |pair: &[Segment]| pair[1].left - pair[0].right > SEGMENT_GAP * pair[0].size;
    let is_each_in_one = columns.len() > 1
        && columns.windows(2).all(|pair| pair[0] < pair[1])
        && line.segments.windows(2).all(is_apart);
    let pieces = line.segments.iter().zip(&columns);
    is_each_in_one.then(|| Row {
        segments: pieces
            .filter(|(_, at)| **at == Some(column))
            .map(|(segment, _)| segment.clone())
            .collect(),
    })
}

/// The text of one place; that of a spanning cell is repeated when it is a label.
fn place(cell: usize, owner: &[usize], held: &[Vec<Segment>], xs: &[f32]) -> Place {
    let column = cell % (xs.len() - 1);
    let lines = rows(sorted(held[owner[cell]].clone()));
    let is_spanning = owner.iter().filter(|other| **other == owner[cell]).count() > 1;
    let pieces = |line: &Row| is_spanning.then(|| own_piece(line, column, xs)).flatten();
    let has_own = lines.iter().any(|line| pieces(line).is_some());
    let is_repeated = owner[cell] != cell && !has_own;
    let lines: Vec<Row> = lines
        .into_iter()
        .map(|line| pieces(&line).unwrap_or(line))
        .filter(|line| !line.segments.is_empty())
        .collect();
    let texts: Vec<String> = lines.iter().map(Row::text).collect();
    let text = texts.join("\n");
    if is_repeated && text.len() > MAX_REPEATED_BYTES {
        return Place::default();
    }
    Place {
        is_bold: !lines.is_empty() && lines.iter().all(Row::is_bold),
        bounds: bounds(&lines),
        text,
        is_repeated,
    }
}

fn sorted(mut segments: Vec<Segment>) -> Vec<Segment> {
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    segments
}

/// Leading rows that are set apart: all bold, or with labels that span columns; else the first, when it
/// reads like a header.
fn header_rows(grid: &[Vec<String>], bold: &[bool]) -> usize {
    let spans = |row: &[String]| {
        row.windows(2)
            .any(|pair| !pair[0].is_empty() && pair[0] == pair[1])
    };
    let has_digit = |row: &[String]| {
        row.iter()
            .skip(1)
            .any(|cell| cell.chars().filter(char::is_ascii_digit).count() * 2 > cell.chars().count())
    };
    let most = grid.len() - 1;
    let by_weight = bold.iter().take_while(|bold| **bold).count();
    if by_weight > 0 && by_weight <= most.min(4) {
        return by_weight;
    }
    let spanning = grid.iter().take_while(|row| spans(row)).count();
    if spanning > 0 && spanning < most && !has_digit(&grid[spanning]) && spanning < 4 {
        return spanning + 1;
    }
    usize::from(looks_like_header(grid))
}

#[cfg(test)]
#[path = "lattice_tests.rs"]
mod tests;
