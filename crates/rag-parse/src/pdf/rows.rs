//! Segments of a region to rows: what stands on one baseline, from left to right.

use rag_core::span::BoundingBox;

use super::lines::{Segment, is_right_to_left};

/// Segments on one baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) segments: Vec<Segment>,
}

impl Row {
    pub(super) fn baseline(&self) -> f32 {
        self.segments.first().map_or(0.0, |segment| segment.baseline)
    }

    pub(super) fn size(&self) -> f32 {
        self.segments
            .iter()
            .map(|segment| segment.size)
            .fold(0.0, f32::max)
    }

    pub(super) fn left(&self) -> f32 {
        self.segments
            .iter()
            .map(|segment| segment.left)
            .fold(f32::INFINITY, f32::min)
    }

    pub(super) fn right(&self) -> f32 {
        self.segments
            .iter()
            .map(|segment| segment.right)
            .fold(f32::NEG_INFINITY, f32::max)
    }

    pub(super) fn is_bold(&self) -> bool {
        self.segments.iter().all(|segment| segment.is_bold)
    }

    /// The text in reading order, which is from the right where most of it runs that way.
    pub(super) fn text(&self) -> String {
        let mut texts: Vec<&str> = self
            .segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect();
        if texts.len() > 1 && runs_right_to_left(&texts) {
            texts.reverse();
        }
        texts.join(" ")
    }
}

/// True when most letters belong to scripts that run from right to left.
fn runs_right_to_left(texts: &[&str]) -> bool {
    let letters = || {
        texts
            .iter()
            .flat_map(|text| text.chars())
            .filter(|c| c.is_alphabetic())
    };
    letters().filter(|c| is_right_to_left(*c)).count() * 2 > letters().count()
}

/// The smallest box around rows.
pub(super) fn bounds(rows: &[Row]) -> Option<BoundingBox> {
    let boxes = rows.iter().flat_map(|row| &row.segments).map(Segment::bounds);
    boxes.reduce(|a, b| a.union(&b))
}

/// Groups segments, sorted by baseline, into rows.
pub(super) fn rows(segments: Vec<Segment>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for segment in segments {
        match rows.last_mut() {
            Some(row) if (segment.baseline - row.baseline()).abs() <= 0.35 * segment.size.max(row.size()) => {
                row.segments.push(segment);
            }
            _ => rows.push(Row {
                segments: vec![segment],
            }),
        }
    }
    for row in &mut rows {
        row.segments.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_line_from_right_to_left_are_joined_from_the_right() {
        let segment = |text: &str, left: f32| Segment {
            text: text.to_owned(),
            left,
            right: left + 40.0,
            baseline: 100.0,
            size: 10.0,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        };
        let row = |texts: [&str; 2]| rows(vec![segment(texts[0], 50.0), segment(texts[1], 150.0)]).remove(0);
        assert_eq!(row(["المصرية", "الحكومة"]).text(), "الحكومة المصرية");
        assert_eq!(row(["left", "right"]).text(), "left right");
    }
}
