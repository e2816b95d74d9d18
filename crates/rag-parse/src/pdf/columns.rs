//! Reading order: a page's segments to regions, each a column or a stretch across all columns.

use super::lines::Segment;

/// Fewest lines on each side of a gutter, for it to be found at all and for it to be beyond doubt.
const MIN_LINES: usize = 4;
const MANY_LINES: usize = 12;

/// Narrowest gutter, in font sizes.
const MIN_GUTTER: f32 = 0.8;

/// Median length of the lines of a column of prose, in characters: cells of tables are shorter.
const MIN_PROSE: usize = 16;

/// Share of a column's lines that fill it, from which on it is prose and not cells; and the share that
/// is enough where there are many lines, none of them short as a rule: ragged lists fill few.
const MIN_FILLED: f32 = 0.5;
const MIN_FILLED_OF_MANY: f32 = 0.2;

/// Largest distance of a line's beginning from the edge of its column, in points.
const EDGE_SLACK: f32 = 2.0;

/// Deepest indent of a line in its column, in font sizes.
const MAX_INDENT: f32 = 4.0;

/// Most gutters that are tried for one region.
const MAX_CANDIDATES: usize = 64;

/// Most times that a region is cut again.
const MAX_DEPTH: usize = 6;

/// Puts segments in reading order: regions from top to bottom, columns from left to right.
pub(super) fn regions(segments: Vec<Segment>) -> Vec<Vec<Segment>> {
    let mut found = Vec::new();
    cut(segments, 0, &mut found);
    found
}

/// A strip between two columns.
#[derive(Debug, Clone, Copy)]
struct Gutter {
    x: f32,
    /// Lines on the side that has fewer.
    support: usize,
    /// Where the lines of the columns on both sides begin.
    left_edge: f32,
    right_edge: f32,
    /// Size of their font.
    size: f32,
}

impl Gutter {
    /// True when short columns are columns all the same: there are many lines elsewhere on the page, and
    /// these begin where those begin, which the cells of a table do not.
    fn is_beyond_doubt(self, left: &[Segment], right: &[Segment]) -> bool {
        let begins_at = |segments: &[Segment], side, edge: f32| {
            let all: Vec<&Segment> = segments.iter().collect();
            let lines = nearest(&all, side);
            let is_aligned =
                |line: &&&Segment| (-EDGE_SLACK..=MAX_INDENT * self.size).contains(&(line.left - edge));
            lines.iter().filter(is_aligned).count() * 2 >= lines.len()
        };
        self.support >= MANY_LINES
            && (is_long(left) || is_long(right))
            && begins_at(left, Side::Left, self.left_edge)
            && begins_at(right, Side::Right, self.right_edge)
    }

    /// The two lines that a segment over the gutter is made of, where the columns are so close that
    /// their lines run together. A title across the columns has no word that begins just at the edge.
    fn part(self, segment: &Segment) -> Option<(Segment, Segment)> {
        if self.support < MANY_LINES || (segment.size - self.size).abs() > 0.1 * self.size {
            return None;
        }
        segment
            .cut_at(self.x)
            .filter(|(_, right)| (right.left - self.right_edge).abs() <= EDGE_SLACK)
    }
}

fn cut(segments: Vec<Segment>, depth: usize, out: &mut Vec<Vec<Segment>>) {
    let gutter = if depth < MAX_DEPTH {
        best_gutter(&segments)
    } else {
        None
    };
    let Some(gutter) = gutter else {
        if !segments.is_empty() {
            out.push(segments);
        }
        return;
    };
    let mut band: Vec<Segment> = Vec::new();
    let mut across: Vec<Segment> = Vec::new();
    for segment in segments {
        if !crosses(&segment, gutter.x) {
            band.push(segment);
        } else if let Some((left, right)) = gutter.part(&segment) {
            band.extend([left, right]);
        } else {
            flush_band(&mut band, gutter, depth, out, &mut across);
            across.push(segment);
        }
    }
    flush_band(&mut band, gutter, depth, out, &mut across);
    flush(&mut across, out);
}

/// Ends a band of lines that leave the gutter free: two columns if they read like prose, else part of
/// what stands across.
fn flush_band(
    band: &mut Vec<Segment>,
    gutter: Gutter,
    depth: usize,
    out: &mut Vec<Vec<Segment>>,
    across: &mut Vec<Segment>,
) {
    if band.is_empty() {
        return;
    }
    let headings = trailing_headings(band, gutter.size);
    let (left, right): (Vec<Segment>, Vec<Segment>) =
        band.drain(..).partition(|segment| segment.right <= gutter.x);
    let is_boxes = gutter.support < MIN_LINES;
    if is_boxes
        || gutter.is_beyond_doubt(&left, &right)
        || (is_prose(&left, Side::Left) && is_prose(&right, Side::Right))
    {
        flush(across, out);
        cut(left, depth + 1, out);
        cut(right, depth + 1, out);
    } else {
        across.extend(left);
        across.extend(right);
    }
    across.extend(headings);
    across.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
}

/// Takes the headings off the end of a band: they belong to what stands below it across the columns.
fn trailing_headings(band: &mut Vec<Segment>, size: f32) -> Vec<Segment> {
    let text = band
        .iter()
        .rposition(|segment| segment.size < size * 1.1 && !segment.is_bold);
    band.split_off(text.map_or(0, |at| at + 1))
}

fn flush(across: &mut Vec<Segment>, out: &mut Vec<Vec<Segment>>) {
    if !across.is_empty() {
        out.push(std::mem::take(across));
    }
}

fn crosses(segment: &Segment, x: f32) -> bool {
    segment.left < x && segment.right > x
}

/// The gutter that the most lines leave free on both sides, when those next to it are prose.
fn best_gutter(segments: &[Segment]) -> Option<Gutter> {
    let mut best: Option<Gutter> = None;
    for x in candidates(segments) {
        let free = segments.iter().filter(|segment| !crosses(segment, x));
        let (left, right): (Vec<&Segment>, Vec<&Segment>) = free.partition(|segment| segment.right <= x);
        let (left, right) = (nearest(&left, Side::Left), nearest(&right, Side::Right));
        let support = left.len().min(right.len());
        let is_boxes = support < MIN_LINES && is_drawn_by_columns(&left, &right);
        if support < MIN_LINES && !is_boxes || best.is_some_and(|best| best.support >= support) {
            continue;
        }
        if is_boxes || is_column(&left) && is_column(&right) && !is_drawn_by_rows(&left, &right) {
            let left_edge = median(left.iter().map(|segment| segment.left));
            let right_edge = median(right.iter().map(|segment| segment.left));
            let size = median(right.iter().map(|segment| segment.size));
            best = Some(Gutter {
                x,
                support,
                left_edge,
                right_edge,
                size,
            });
        }
    }
    best
}

fn median(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut numbers: Vec<f32> = numbers.collect();
    numbers.sort_by(f32::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Middles of the gaps between segments that stand side by side, the most frequent first.
fn candidates(segments: &[Segment]) -> Vec<f32> {
    let mut found: std::collections::BTreeMap<i32, usize> = std::collections::BTreeMap::new();
    for pair in segments.windows(2) {
        let [left, right] = pair else { continue };
        let is_beside = (left.baseline - right.baseline).abs() < left.size && right.left > left.right;
        if is_beside && right.left - left.right >= MIN_GUTTER * left.size.min(right.size) {
            *found
                .entry(f32::midpoint(left.right, right.left).round() as i32)
                .or_default() += 1;
        }
    }
    let mut found: Vec<(usize, i32)> = found.into_iter().map(|(x, count)| (count, x)).collect();
    found.sort_by_key(|(count, x)| (std::cmp::Reverse(*count), *x));
    found
        .into_iter()
        .take(MAX_CANDIDATES)
        .map(|(_, x)| x as f32)
        .collect()
}

/// A side of a gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Of each line on a side of a gutter, the segment that is nearest to it: there may be further columns.
fn nearest<'s>(segments: &[&'s Segment], side: Side) -> Vec<&'s Segment> {
    let mut lines: Vec<&Segment> = Vec::new();
    for &segment in segments {
        match lines.last_mut() {
            Some(last) if (last.baseline - segment.baseline).abs() < segment.size * 0.5 => {
                let is_nearer = match side {
                    Side::Left => segment.right > last.right,
                    Side::Right => segment.left < last.left,
                };
                if is_nearer {
                    *last = segment;
                }
            }
            _ => lines.push(segment),
        }
    }
    lines
}

/// True when the lines on both sides were drawn row by row, as programs draw tables, and do not fill their
/// columns as prose does: recognised scans are drawn row by row too.
fn is_drawn_by_rows(left: &[&Segment], right: &[&Segment]) -> bool {
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for line in left {
        let beside = right
            .iter()
            .find(|other| (other.baseline - line.baseline).abs() < line.size * 0.5);
        rows.extend(beside.map(|other| (line.order, other.order)));
    }
    let in_turn = rows
        .windows(2)
        .filter(|pair| pair[0].0 < pair[0].1 && pair[0].1 < pair[1].0)
        .count();
    rows.len() >= MIN_LINES && in_turn * 10 >= (rows.len() - 1) * 9 && !(is_filled(left) && is_filled(right))
}

/// True when most lines are as wide as the widest ones.
fn is_filled(lines: &[&Segment]) -> bool {
    let width = lines
        .iter()
        .map(|line| line.right - line.left)
        .fold(0.0, f32::max);
    let filled = lines
        .iter()
        .filter(|line| line.right - line.left >= 0.8 * width)
        .count();
    filled * 10 >= lines.len() * 6
}

/// True for a few lines of words that were drawn one side after the other: two boxes of text.
fn is_drawn_by_columns(left: &[&Segment], right: &[&Segment]) -> bool {
    let is_text = |lines: &[&Segment]| {
        let words = lines
            .iter()
            .filter(|line| line.text.split_whitespace().filter(|word| word.len() > 2).count() >= 3);
        lines.len() > 1 && words.count() == lines.len()
    };
    let last = left.iter().map(|line| line.order).max();
    let first = right.iter().map(|line| line.order).min();
    is_text(left) && is_text(right) && last < first
}

fn is_prose(segments: &[Segment], side: Side) -> bool {
    let all: Vec<&Segment> = segments.iter().collect();
    is_column(&nearest(&all, side))
}

/// True when half of the segments are long.
fn is_long(segments: &[Segment]) -> bool {
    let long = segments
        .iter()
        .filter(|segment| segment.characters() >= MIN_PROSE)
        .count();
    long > 0 && long * 2 >= segments.len()
}

/// True when there are enough lines, most of them long and as wide as the column.
fn is_column(lines: &[&Segment]) -> bool {
    let mut lengths: Vec<usize> = lines.iter().map(|segment| segment.characters()).collect();
    if lengths.len() < MIN_LINES {
        return false;
    }
    lengths.sort_unstable();
    let mut widths: Vec<f32> = lines.iter().map(|segment| segment.right - segment.left).collect();
    widths.sort_by(f32::total_cmp);
    // The width of the column is that of all but its widest lines, which may belong to something else.
    let width = widths[(widths.len() - 1) * 9 / 10];
    let filled = widths.iter().filter(|line| **line >= 0.8 * width).count();
    let needed = if lengths.len() >= MANY_LINES {
        MIN_FILLED_OF_MANY
    } else {
        MIN_FILLED
    };
    lengths[lengths.len() / 2] >= MIN_PROSE && filled as f32 >= needed * lengths.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, left: f32, baseline: f32, right: f32) -> Segment {
        Segment {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size: 10.0,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        }
    }

    fn order(segments: Vec<Segment>) -> Vec<Vec<String>> {
        let texts = |region: Vec<Segment>| region.into_iter().map(|segment| segment.text).collect();
        regions(segments).into_iter().map(texts).collect()
    }

    fn two_columns(from: f32, lines: usize) -> Vec<Segment> {
        let line = |at: usize| {
            let y = from + at as f32 * 12.0;
            let left = segment(&format!("left column line {at} with words"), 50.0, y, 290.0);
            [
                left,
                segment(&format!("right column line {at} with words"), 310.0, y, 550.0),
            ]
        };
        (0..lines).flat_map(line).collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other_below_a_title() {
        let mut page = vec![segment("A title across both of the columns", 100.0, 50.0, 500.0)];
        page.extend(two_columns(80.0, 5));
        page.push(segment(
            "A line across the bottom of the page",
            50.0,
            160.0,
            550.0,
        ));
        let regions = order(page);
        let firsts: Vec<&str> = regions.iter().map(|region| region[0].as_str()).collect();
        assert_eq!(firsts.len(), 4, "{regions:?}");
        assert!(firsts[0].starts_with("A title") && firsts[1].starts_with("left column line 0"));
        assert!(firsts[2].starts_with("right column line 0") && firsts[3].starts_with("A line"));
    }

    #[test]
    fn cells_of_a_table_are_no_columns() {
        let row = |at: usize| {
            let y = 100.0 + at as f32 * 12.0;
            [
                segment("G1-G3", 50.0, y, 90.0),
                segment("EUR 145", 200.0, y, 240.0),
            ]
        };
        assert_eq!(order((0..6).flat_map(row).collect()).len(), 1);
        assert_eq!(order(Vec::new()).len(), 0);
    }
}
