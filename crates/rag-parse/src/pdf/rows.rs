//! Segments of a region to rows: what stands on one baseline, from left to right.

use rag_core::span::BoundingBox;

use super::lines::Segment;

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

    pub(super) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect();
        texts.join(" ")
    }
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
