//! Places in a document: half-open ranges of its text, and boxes on its pages.

use serde::{Deserialize, Serialize};

/// A half-open range `[start, end)` of UTF-8 bytes in a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Makes the span `[start, end)`; an end before the start is moved to it.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// True when the span covers nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part of `text` that the span covers, or `None` when it lies outside or splits a character.
    pub fn slice<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.start..self.end)
    }

    /// True when the two spans share at least one byte.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The same range moved right by `offset` bytes; what would lie beyond the largest number stays there, so that
    /// a forged place is outside of every text instead of an overflow.
    #[must_use]
    pub fn shifted(&self, offset: usize) -> Self {
        Self::new(self.start.saturating_add(offset), self.end.saturating_add(offset))
    }
}

/// A rectangle on a page, in points (1/72 inch) from the page's top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoundingBox {
    /// Distance of the left edge from the page's left edge.
    pub left: f32,
    /// Distance of the top edge from the page's top edge.
    pub top: f32,
    /// Distance of the right edge from the page's left edge.
    pub right: f32,
    /// Distance of the bottom edge from the page's top edge.
    pub bottom: f32,
}

impl BoundingBox {
    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_slices_only_whole_characters() {
        let text = "aé b";
        assert_eq!(Span::new(1, 3).slice(text), Some("é"));
        assert_eq!(Span::new(1, 2).slice(text), None);
        assert_eq!(Span::new(4, 40).slice(text), None);
        assert_eq!(Span::new(1, 3).shifted(usize::MAX).slice(text), None);
    }

    #[test]
    fn touching_spans_do_not_overlap() {
        assert!(!Span::new(0, 3).overlaps(&Span::new(3, 5)));
        assert!(Span::new(0, 4).overlaps(&Span::new(3, 5)));
    }
}
