//! Lines that were read to paragraphs in reading order, by the rules of pages with text.

use rag_core::span::BoundingBox;

use super::super::ReadParagraph;
use crate::pdf::columns;
use crate::pdf::lines::Segment;
use crate::pdf::rows::{Row, rows};

/// Share of a line's height that is its font size, and that lies above its baseline.
const SIZE: f32 = 0.8;
const ABOVE: f32 = 0.75;

/// Distance of baselines from which on a line begins another paragraph, in font sizes.
const PARAGRAPH_GAP: f32 = 1.9;

/// A line, its place in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadLine {
    pub(super) text: String,
    pub(super) bounds: BoundingBox,
}

/// Columns one after the other, and in them lines that stand close together.
pub(super) fn paragraphs(lines: Vec<ReadLine>, dpi: u32) -> Vec<ReadParagraph> {
    let scale = 72.0 / dpi.max(1) as f32;
    let mut heights: Vec<f32> = lines
        .iter()
        .map(|line| line.bounds.bottom - line.bounds.top)
        .collect();
    heights.sort_by(f32::total_cmp);
    let usual = heights.get(heights.len() / 2).copied().unwrap_or_default();
    let mut segments: Vec<Segment> = lines
        .into_iter()
        .map(|line| segment(line, usual, scale))
        .collect();
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    for (order, segment) in segments.iter_mut().enumerate() {
        segment.order = order;
    }
    let mut found = Vec::new();
    for region in columns::regions(segments) {
        region_paragraphs(&rows(region), scale, &mut found);
    }
    found
}

/// The line in points. Heights vary with the letters in a line, so that those near the usual one are it.
fn segment(line: ReadLine, usual: f32, scale: f32) -> Segment {
    let bounds = line.bounds;
    let height = bounds.bottom - bounds.top;
    let size = if (0.7..1.35).contains(&(height / usual)) {
        usual
    } else {
        height
    };
    Segment {
        text: line.text,
        left: bounds.left * scale,
        right: bounds.right * scale,
        baseline: (bounds.top + height * ABOVE) * scale,
        size: size * SIZE * scale,
        is_bold: false,
        order: 0,
        spaces: Vec::new(),
    }
}

fn region_paragraphs(rows: &[Row], scale: f32, out: &mut Vec<ReadParagraph>) {
    let mut last: Option<&Row> = None;
    for row in rows {
        let bounds = crate::pdf::rows::bounds(std::slice::from_ref(row)).map(|bounds| BoundingBox {
            left: bounds.left / scale,
            top: bounds.top / scale,
            right: bounds.right / scale,
            bottom: bounds.bottom / scale,
        });
        let Some(bounds) = bounds else { continue };
        let is_close = last.is_some_and(|last| {
            row.baseline() - last.baseline() < PARAGRAPH_GAP * last.size().max(row.size())
                && (row.size() - last.size()).abs() < 0.3 * row.size()
        });
        match out.last_mut().filter(|_| is_close) {
            Some(paragraph) => {
                paragraph.lines.push(row.text());
                paragraph.bounds = paragraph.bounds.union(&bounds);
            }
            None => out.push(ReadParagraph {
                lines: vec![row.text()],
                bounds,
            }),
        }
        last = Some(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, top: f32) -> ReadLine {
        ReadLine {
            text: text.to_owned(),
            bounds: BoundingBox {
                left,
                top,
                right: left + text.len() as f32 * 14.0,
                bottom: top + 40.0,
            },
        }
    }

    #[test]
    fn lines_become_paragraphs_and_columns_come_one_after_the_other() {
        let mut lines = vec![line("A title over both columns of the page", 300.0, 100.0)];
        for at in 0..6 {
            let y = 300.0 + at as f32 * 44.0;
            lines.push(line(&format!("right line {at} is of some words"), 900.0, y + 3.0));
            lines.push(line(&format!("left line {at} is of some words"), 150.0, y));
        }
        lines.push(line("apart", 150.0, 900.0));
        let found = paragraphs(lines, 200);
        let firsts: Vec<(&str, usize)> = found
            .iter()
            .map(|paragraph| (paragraph.lines[0].as_str(), paragraph.lines.len()))
            .collect();
        assert_eq!(
            firsts,
            [
                ("A title over both columns of the page", 1),
                ("left line 0 is of some words", 6),
                ("apart", 1),
                ("right line 0 is of some words", 6)
            ]
        );
        assert!((found[1].bounds.left - 150.0).abs() < 1.0);
    }
}
