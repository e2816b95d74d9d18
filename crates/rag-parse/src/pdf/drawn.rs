//! What a page shows beside text: ruling lines, images, and how much of its text is invisible.

use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Shape};

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

/// A straight line along the page's edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) is_level: bool,
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
}

impl Drawn {
    /// Adds the straight lines of a path.
    pub(super) fn path(&mut self, path: &BezPath, transform: Affine, is_filled: bool, is_stroked: bool) {
        if is_filled && !is_stroked {
            self.filled(path, transform);
        } else if is_stroked {
            self.stroked(path, transform);
        }
    }

    /// A filled shape is a line when it is thin; the edges of a larger one may be those of a cell.
    fn filled(&mut self, path: &BezPath, transform: Affine) {
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
                self.push(true, bounds.center().y, bounds.x0, bounds.x1);
            } else if width <= MAX_THICKNESS && height >= MIN_LENGTH {
                self.push(false, bounds.center().x, bounds.y0, bounds.y1);
            } else if width >= MIN_CELL && height >= MIN_CELL {
                for y in [bounds.y0, bounds.y1] {
                    self.push(true, y, bounds.x0, bounds.x1);
                }
                for x in [bounds.x0, bounds.x1] {
                    self.push(false, x, bounds.y0, bounds.y1);
                }
            }
        }
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
            self.push(true, f64::midpoint(a.y, b.y), a.x.min(b.x), a.x.max(b.x));
        } else if width <= MAX_SLANT && height >= MIN_LENGTH {
            self.push(false, f64::midpoint(a.x, b.x), a.y.min(b.y), a.y.max(b.y));
        }
    }

    fn push(&mut self, is_level: bool, at: f64, from: f64, to: f64) {
        if self.rules.len() >= MAX_RULES {
            self.cut += 1;
            return;
        }
        self.rules.push(Rule {
            is_level,
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
        drawn.path(&path, Affine::IDENTITY, true, false);
        assert_eq!(drawn.rules.len(), 5);
        let mut drawn = Drawn::default();
        let path = BezPath::from_svg("M0 0 L100 0 L100 40 M0 0 L50 50").unwrap();
        drawn.path(&path, Affine::IDENTITY, false, true);
        assert_eq!(drawn.rules.len(), 2);
        assert_eq!(
            drawn.upright((200.0, 100.0), Turn::Down)[0],
            Rule {
                is_level: false,
                at: 0.0,
                from: 100.0,
                to: 200.0
            }
        );
    }
}
