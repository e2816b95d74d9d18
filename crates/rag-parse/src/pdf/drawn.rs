//! What a page shows beside text: ruling lines, images, and how much of its text is invisible.

use std::collections::VecDeque;

use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};

use super::glyph::Turn;

/// Thickest filled shape that is a line, and shortest line, in points.
const MAX_THICKNESS: f64 = 2.5;
const MIN_LENGTH: f64 = 6.0;

/// Smallest filled area whose edges may be those of a cell, in points.
const MIN_CELL: f64 = 6.0;

/// Furthest that the ends of a straight line may be apart across it, in points.
const MAX_SLANT: f64 = 1.0;

/// Most lines of a page that are kept: drawings have more, and no tables.
const MAX_RULES: usize = 5_000;

/// How many filled areas are remembered.
const MAX_AREAS: usize = 64;

/// A straight line along the page's edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) is_level: bool,
    /// True for the edge of a filled area.
    pub(super) is_edge: bool,
    /// Where it is across its direction.
    pub(super) at: f32,
    /// Where it begins and ends.
    pub(super) from: f32,
    pub(super) to: f32,
}

/// What a page shows beside text.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawn {
    pub(super) rules: Vec<Rule>,
    /// Lines beyond the limit.
    pub(super) cut: usize,
    /// Area that images cover, in square points, overlaps counted twice.
    pub(super) image_area: f32,
    /// Glyphs that are drawn and that are not.
    pub(super) visible: usize,
    pub(super) invisible: usize,
    /// The areas that were filled last, and their colours.
    areas: VecDeque<(Rect, Colour)>,
}

/// How a path is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Fill(Colour),
    Stroke,
}

/// A colour, by a digest of what chose it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u64);

impl Drawn {
    /// Adds the straight lines of a path.
    pub(super) fn path(&mut self, path: &BezPath, transform: Affine, paint: Paint) {
        match paint {
            Paint::Fill(colour) => self.filled(path, transform, colour),
            Paint::Stroke => self.stroked(path, transform),
        }
    }

    /// A filled shape is a line when it is thin; the edges of a larger one may be those of a cell.
    fn filled(&mut self, path: &BezPath, transform: Affine, colour: Colour) {
        // Each part of a path is a shape: programs draw all lines of a table as one path.
        for part in parts(path) {
            if part
                .elements()
                .iter()
                .any(|element| matches!(element, PathEl::CurveTo(..) | PathEl::QuadTo(..)))
            {
                continue;
            }
            let bounds = (transform * part).bounding_box();
            let (width, height) = (bounds.width(), bounds.height());
            if height <= MAX_THICKNESS && width >= MIN_LENGTH {
                self.push((true, false), bounds.center().y, bounds.x0, bounds.x1);
            } else if width <= MAX_THICKNESS && height >= MIN_LENGTH {
                self.push((false, false), bounds.center().x, bounds.y0, bounds.y1);
            } else if width >= MIN_CELL && height >= MIN_CELL && self.is_seen(bounds, colour) {
                for y in [bounds.y0, bounds.y1] {
                    self.push((true, true), y, bounds.x0, bounds.x1);
                }
                for x in [bounds.x0, bounds.x1] {
                    self.push((false, true), x, bounds.y0, bounds.y1);
                }
            }
        }
    }

    /// False for an area within another of its colour, as programs draw the backgrounds of lines within
    /// that of a cell.
    fn is_seen(&mut self, bounds: Rect, colour: Colour) -> bool {
        let holds =
            |(area, other): &(Rect, Colour)| *other == colour && area.inflate(1.0, 1.0).contains_rect(bounds);
        let is_seen = !self.areas.iter().any(holds);
        if self.areas.len() >= MAX_AREAS {
            self.areas.pop_front();
        }
        self.areas.push_back((bounds, colour));
        is_seen
    }

    fn stroked(&mut self, path: &BezPath, transform: Affine) {
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            let next = match *element {
                PathEl::MoveTo(point) => {
                    (start, last) = (point, point);
                    continue;
                }
                PathEl::ClosePath => start,
                PathEl::LineTo(point) => point,
                PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => {
                    last = point;
                    continue;
                }
            };
            self.segment(transform * last, transform * next);
            last = next;
        }
    }

    fn segment(&mut self, a: Point, b: Point) {
        let (width, height) = ((a.x - b.x).abs(), (a.y - b.y).abs());
        if height <= MAX_SLANT && width >= MIN_LENGTH {
            self.push((true, false), f64::midpoint(a.y, b.y), a.x.min(b.x), a.x.max(b.x));
        } else if width <= MAX_SLANT && height >= MIN_LENGTH {
            self.push(
                (false, false),
                f64::midpoint(a.x, b.x),
                a.y.min(b.y),
                a.y.max(b.y),
            );
        }
    }

    fn push(&mut self, (is_level, is_edge): (bool, bool), at: f64, from: f64, to: f64) {
        if self.rules.len() >= MAX_RULES {
            self.cut += 1;
            return;
        }
        self.rules.push(Rule {
            is_level,
            is_edge,
            at: at as f32,
            from: from as f32,
            to: to as f32,
        });
    }

    /// Adds an image, which fills the unit square before its transform.
    pub(super) fn image(&mut self, transform: Affine) {
        self.image_area += transform.determinant().abs() as f32;
    }

    /// The lines of the page turned so that its text runs right.
    pub(super) fn upright(&self, size: (f32, f32), turn: Turn) -> Vec<Rule> {
        let turned = |rule: &Rule| {
            let (a, b) = if rule.is_level {
                ((rule.from, rule.at), (rule.to, rule.at))
            } else {
                ((rule.at, rule.from), (rule.at, rule.to))
            };
            let (a, b) = (turn.upright(size, a), turn.upright(size, b));
            let is_level = (a.1 - b.1).abs() < (a.0 - b.0).abs();
            let (at, from, to) = if is_level {
                (a.1, a.0, b.0)
            } else {
                (a.0, a.1, b.1)
            };
            Rule {
                is_level,
                is_edge: rule.is_edge,
                at,
                from: from.min(to),
                to: from.max(to),
            }
        };
        self.rules.iter().map(turned).collect()
    }
}

/// The parts of a path, each from one move to the next.
fn parts(path: &BezPath) -> Vec<BezPath> {
    let mut parts: Vec<BezPath> = Vec::new();
    for element in path.elements().iter().take(MAX_RULES) {
        match parts.last_mut() {
            Some(part) if !matches!(element, PathEl::MoveTo(_)) => part.push(*element),
            _ => parts.push(BezPath::from_vec(vec![*element])),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thin_fills_and_strokes_are_lines_and_areas_have_edges() {
        let path = BezPath::from_svg("M0 0 L100 0 L100 1 L0 1 Z M0 50 L80 50 L80 70 L0 70 Z").unwrap();
        let mut drawn = Drawn::default();
        drawn.path(&path, Affine::IDENTITY, Paint::Fill(Colour::default()));
        assert_eq!(drawn.rules.len(), 5);
        let inside = BezPath::from_svg("M5 51 L75 51 L75 60 L5 60 Z").unwrap();
        drawn.path(&inside, Affine::IDENTITY, Paint::Fill(Colour::default()));
        assert_eq!(drawn.rules.len(), 5);
        drawn.path(&inside, Affine::IDENTITY, Paint::Fill(Colour(1)));
        assert_eq!(drawn.rules.len(), 9);
        let mut drawn = Drawn::default();
        let path = BezPath::from_svg("M0 0 L100 0 L100 40 M0 0 L50 50").unwrap();
        drawn.path(&path, Affine::IDENTITY, Paint::Stroke);
        assert_eq!(drawn.rules.len(), 2);
        assert_eq!(
            drawn.upright((200.0, 100.0), Turn::Down)[0],
            Rule {
                is_level: false,
                is_edge: false,
                at: 0.0,
                from: 100.0,
                to: 200.0
            }
        );
    }
}
