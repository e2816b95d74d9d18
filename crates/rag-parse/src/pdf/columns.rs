//! Reading order: a page's segments to regions, each a column or a stretch across all columns.

use super::lines::Segment;

/// Fewest lines on each side of a gutter.
const MIN_LINES: usize = 4;

/// Narrowest gutter, in font sizes.
const MIN_GUTTER: f32 = 0.8;

/// Median length of the lines of a column of prose, in characters: cells of tables are shorter.
const MIN_PROSE: usize = 16;

/// Share of a column's lines that fill it, from which on it is prose and not cells.
const MIN_FILLED: f32 = 0.5;

/// Most times that a region is cut again.
const MAX_DEPTH: usize = 6;

/// Puts segments in reading order: regions from top to bottom, columns from left to right.
pub(super) fn regions(segments: Vec<Segment>) -> Vec<Vec<Segment>> {
    let mut found = Vec::new();
    cut(segments, 0, &mut found);
    found
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
        if crosses(&segment, gutter) {
            flush_band(&mut band, gutter, depth, out, &mut across);
            across.push(segment);
        } else {
            band.push(segment);
        }
    }
    flush_band(&mut band, gutter, depth, out, &mut across);
    flush(&mut across, out);
}

/// Ends a band of lines that leave the gutter free: two columns if both are prose, else part of what
/// stands across.
fn flush_band(
    band: &mut Vec<Segment>,
    gutter: f32,
    depth: usize,
    out: &mut Vec<Vec<Segment>>,
    across: &mut Vec<Segment>,
) {
    if band.is_empty() {
        return;
    }
    let (left, right): (Vec<Segment>, Vec<Segment>) =
        band.drain(..).partition(|segment| segment.right <= gutter);
    if is_prose(&left) && is_prose(&right) {
        flush(across, out);
        cut(left, depth + 1, out);
        cut(right, depth + 1, out);
        return;
    }
    across.extend(left);
    across.extend(right);
    across.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
}

fn flush(across: &mut Vec<Segment>, out: &mut Vec<Vec<Segment>>) {
    if !across.is_empty() {
        out.push(std::mem::take(across));
    }
}

fn crosses(segment: &Segment, x: f32) -> bool {
    segment.left < x && segment.right > x
}

/// The x that most pairs of neighbouring segments leave free, when the lines on both sides are prose.
fn best_gutter(segments: &[Segment]) -> Option<f32> {
    let mut candidates: Vec<f32> = gaps(segments);
    candidates.sort_by(f32::total_cmp);
    candidates.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    let mut best: Option<(usize, f32)> = None;
    for x in candidates {
        let (left, right): (Vec<&Segment>, Vec<&Segment>) = segments
            .iter()
            .filter(|segment| !crosses(segment, x))
            .partition(|segment| segment.right <= x);
        let support = left.len().min(right.len());
        if support < MIN_LINES || best.is_some_and(|(most, _)| most >= support) {
            continue;
        }
        if is_prose_of(left.iter().copied()) && is_prose_of(right.iter().copied()) {
            best = Some((support, x));
        }
    }
    best.map(|(_, x)| x)
}

/// Middles of the gaps between segments that stand side by side.
fn gaps(segments: &[Segment]) -> Vec<f32> {
    let pairs = segments.windows(2).filter_map(|pair| {
        let [left, right] = pair else { return None };
        let is_beside = (left.baseline - right.baseline).abs() < left.size && right.left > left.right;
        let gap = right.left - left.right;
        (is_beside && gap >= MIN_GUTTER * left.size.min(right.size))
            .then_some(f32::midpoint(left.right, right.left))
    });
    pairs.take(2_000).collect()
}

fn is_prose(segments: &[Segment]) -> bool {
    is_prose_of(segments.iter())
}

/// True when there are enough lines, most of them long and as wide as the column.
fn is_prose_of<'s>(segments: impl Iterator<Item = &'s Segment> + Clone) -> bool {
    let mut lengths: Vec<usize> = segments.clone().map(Segment::characters).collect();
    if lengths.len() < MIN_LINES {
        return false;
    }
    lengths.sort_unstable();
    let left = segments
        .clone()
        .map(|segment| segment.left)
        .fold(f32::INFINITY, f32::min);
    let right = segments
        .clone()
        .map(|segment| segment.right)
        .fold(f32::NEG_INFINITY, f32::max);
    let is_filled = |segment: &&Segment| segment.right - segment.left >= 0.7 * (right - left);
    let filled = segments.filter(is_filled).count();
    lengths[lengths.len() / 2] >= MIN_PROSE && filled as f32 >= MIN_FILLED * lengths.len() as f32
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
