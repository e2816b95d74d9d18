//! Numbers of lines in the margin, as transcripts and contracts have them.

use super::lines::Segment;

/// Fewest numbers of one column.
const MIN_NUMBERS: usize = 8;

/// Share of the page's lines that must be numbered, and largest difference of two gaps between them.
const MIN_NUMBERED: f32 = 0.6;
const GAP_SLACK: f32 = 0.2;

/// Largest distance of one edge of the numbers of a column, in points.
const SAME_EDGE: f32 = 4.0;

/// The positions, in order, of segments that number the page's lines: they count by a constant step from
/// top to bottom, evenly spaced, at the left or right edge of the text, and most lines have one. A table's
/// column of numbers has a header above it, and lines of the page without a number around it.
pub(super) fn find(segments: &[Segment]) -> Vec<usize> {
    let numbers: Vec<(usize, i64)> = segments
        .iter()
        .enumerate()
        .filter_map(|(at, segment)| Some((at, segment.text.parse().ok().filter(|n| (1..1000).contains(n))?)))
        .collect();
    if numbers.len() < MIN_NUMBERS {
        return Vec::new();
    }
    // The edge at which more of them are aligned: numbers of one and two digits share but one.
    let mut best: Vec<(usize, i64)> = Vec::new();
    for edge in [|s: &Segment| s.right, |s: &Segment| s.left] {
        for first in &numbers {
            let place = edge(&segments[first.0]);
            let is_aligned = |(at, _): &&(usize, i64)| (edge(&segments[*at]) - place).abs() <= SAME_EDGE;
            let aligned: Vec<(usize, i64)> = numbers.iter().filter(is_aligned).copied().collect();
            if aligned.len() > best.len() {
                best = aligned;
            }
        }
    }
    if counts(&best, segments) && is_margin(&best, segments) {
        return best.into_iter().map(|(at, _)| at).collect();
    }
    Vec::new()
}

/// True when numbers grow by one step and stand evenly.
fn counts(numbers: &[(usize, i64)], segments: &[Segment]) -> bool {
    if numbers.len() < MIN_NUMBERS {
        return false;
    }
    let step = numbers[1].1 - numbers[0].1;
    let gap = |pair: &[(usize, i64)]| segments[pair[1].0].baseline - segments[pair[0].0].baseline;
    let usual = gap(&numbers[..2]);
    step > 0
        && numbers.windows(2).all(|pair| {
            pair[1].1 - pair[0].1 == step && (gap(pair) - usual).abs() <= GAP_SLACK * usual.abs().max(1.0)
        })
}

/// True when the numbers stand beside most lines of the page, with no text on their other side.
fn is_margin(numbers: &[(usize, i64)], segments: &[Segment]) -> bool {
    let is_number = |at: usize| numbers.iter().any(|(number, _)| *number == at);
    let left = numbers
        .iter()
        .map(|(at, _)| segments[*at].left)
        .fold(f32::INFINITY, f32::min);
    let right = numbers
        .iter()
        .map(|(at, _)| segments[*at].right)
        .fold(f32::NEG_INFINITY, f32::max);
    let others: Vec<&Segment> = (0..segments.len())
        .filter(|&at| !is_number(at))
        .map(|at| &segments[at])
        .collect();
    let is_left = others.iter().all(|other| other.left > left - SAME_EDGE);
    let is_right = others.iter().all(|other| other.right < right + SAME_EDGE);
    let mut lines: Vec<f32> = others.iter().map(|other| other.baseline).collect();
    lines.sort_by(f32::total_cmp);
    lines.dedup_by(|a, b| (*a - *b).abs() < 3.0);
    let is_beside = |line: &&f32| {
        numbers
            .iter()
            .any(|(at, _)| (segments[*at].baseline - **line).abs() < 5.0)
    };
    let numbered = lines.iter().filter(is_beside).count();
    // The first column of a table has cells beside it, not lines of text.
    let has_letters = |segment: &&&Segment| segment.text.contains(char::is_alphabetic);
    let is_text = others.iter().filter(has_letters).count() * 10 >= others.len() * 7
        && others.len() * 2 <= lines.len() * 3;
    is_text && (is_left || is_right) && numbered as f32 >= MIN_NUMBERED * lines.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, left: f32, baseline: f32) -> Segment {
        Segment {
            text: text.to_owned(),
            left,
            right: left + text.len() as f32 * 5.0,
            baseline,
            size: 10.0,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        }
    }

    fn page(numbers: usize, lines: usize) -> Vec<Segment> {
        let mut segments = Vec::new();
        for at in 0..lines {
            let baseline = 100.0 + at as f32 * 20.0;
            if at < numbers {
                segments.push(segment(&(at + 1).to_string(), 40.0, baseline));
            }
            segments.push(segment("some text of the transcript", 80.0, baseline));
        }
        segments
    }

    #[test]
    fn numbers_beside_most_lines_are_found() {
        assert_eq!(find(&page(12, 12)).len(), 12);
        assert_eq!(find(&page(9, 10)).len(), 9);
        assert!(find(&page(9, 40)).is_empty());
        assert!(find(&page(5, 5)).is_empty());
        let mut table = page(12, 12);
        table.extend((0..12).map(|at| segment("cell", 300.0, 100.0 + at as f32 * 20.0)));
        assert!(find(&table).is_empty());
    }
}
