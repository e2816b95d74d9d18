//! What figures have in common: title, note, axes with grid, and a legend beside the plot.

use super::axis::{Axis, Placed};
use super::style::{fill, marker, pair_marker, stroke};
use super::svg::{Anchor, FAINT, INK, Point, Svg, TITLE, number, text_width};

/// Space above the plot for the title and the note.
const TOP: f64 = 66.0;

/// Space below the plot for ticks and the axis's label.
const BOTTOM: f64 = 52.0;

/// Space right of the plot without a legend.
const RIGHT: f64 = 24.0;

/// Greatest width of a legend's or row's name.
pub(super) const MAX_NAME: f64 = 280.0;

/// Height of a line of the legend.
const LEGEND_LINE: f64 = 20.0;

/// How a legend shows its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Line,
    Area,
    Pair,
}

/// The plot's place in a figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) width: f64,
}

impl Frame {
    /// A plot of `width` by `height` with `left` for what stands before it and room for a legend of `names`.
    pub(super) fn new((width, height): Point, left: f64, names: &[&str]) -> Self {
        let widest = names.iter().map(|name| text_width(name)).fold(0.0, f64::max);
        let legend = if names.is_empty() {
            0.0
        } else {
            widest.min(MAX_NAME) + 56.0
        };
        Self {
            left,
            right: left + width,
            top: TOP,
            bottom: TOP + height.max(LEGEND_LINE * names.len() as f64),
            width: left + width + RIGHT + legend,
        }
    }

    /// Opens the figure with its title and, in smaller letters, a note.
    pub(super) fn open(&self, title: &str, note: &str) -> Svg {
        let wide = self
            .width
            .max(text_width(title) * TITLE / 12.0 + 32.0)
            .max(text_width(note) + 32.0);
        let mut svg = Svg::new((wide, self.bottom + BOTTOM), title);
        svg.sized((16.0, 24.0), Anchor::Start, TITLE, title);
        svg.label((16.0, 43.0), Anchor::Start, note);
        svg
    }

    pub(super) fn x<'a>(&self, axis: &'a Axis, values: impl IntoIterator<Item = f64>) -> Placed<'a> {
        axis.over(values, (self.left, self.right))
    }

    pub(super) fn y<'a>(&self, axis: &'a Axis, values: impl IntoIterator<Item = f64>) -> Placed<'a> {
        axis.over(values, (self.bottom, self.top))
    }

    /// Draws the horizontal axis with its grid.
    pub(super) fn draw_x(&self, svg: &mut Svg, x: &Placed<'_>) {
        for (value, text) in x.ticks() {
            let at = x.at(value);
            svg.line(
                (at, self.top),
                (at, self.bottom),
                &format!("stroke=\"{FAINT}\" stroke-width=\"0.7\""),
            );
            svg.line(
                (at, self.bottom),
                (at, self.bottom + 4.0),
                &format!("stroke=\"{INK}\""),
            );
            svg.label((at, self.bottom + 18.0), Anchor::Middle, &text);
        }
        svg.line(
            (self.left, self.bottom),
            (self.right, self.bottom),
            &format!("stroke=\"{INK}\""),
        );
        let middle = f64::midpoint(self.left, self.right);
        svg.label((middle, self.bottom + 40.0), Anchor::Middle, &x.axis.label);
    }

    /// Draws the vertical axis with its grid.
    pub(super) fn draw_y(&self, svg: &mut Svg, y: &Placed<'_>) {
        for (value, text) in y.ticks() {
            let at = y.at(value);
            svg.line(
                (self.left, at),
                (self.right, at),
                &format!("stroke=\"{FAINT}\" stroke-width=\"0.7\""),
            );
            svg.line(
                (self.left - 4.0, at),
                (self.left, at),
                &format!("stroke=\"{INK}\""),
            );
            svg.label((self.left - 8.0, at + 4.0), Anchor::End, &text);
        }
        svg.line(
            (self.left, self.top),
            (self.left, self.bottom),
            &format!("stroke=\"{INK}\""),
        );
        svg.upright((18.0, f64::midpoint(self.top, self.bottom)), &y.axis.label);
    }

    /// Draws the legend right of the plot.
    pub(super) fn legend(&self, svg: &mut Svg, key: Key, names: &[&str]) {
        let left = self.right + 20.0;
        for (index, name) in names.iter().enumerate() {
            let y = self.top + 8.0 + LEGEND_LINE * index as f64;
            match key {
                Key::Line => {
                    svg.line((left, y), (left + 28.0, y), &stroke(index));
                    marker(svg, index, (left + 14.0, y));
                }
                Key::Area => svg.rect((left + 8.0, y - 7.0), (16.0, 14.0), &fill(index)),
                Key::Pair => pair_marker(svg, index, (left + 14.0, y)),
            }
            svg.label_within((left + 36.0, y + 4.0), Anchor::Start, name, MAX_NAME);
        }
    }

    /// Says that there is nothing to show.
    pub(super) fn empty(&self, svg: &mut Svg) {
        let middle = (
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.top, self.bottom),
        );
        svg.label(middle, Anchor::Middle, "no values to show");
    }
}

/// A figure's note on what it leaves out, after the caller's own.
pub(super) fn joined_note(own: &str, left_out: usize, what: &str) -> String {
    match (own, left_out) {
        (own, 0) => own.to_owned(),
        ("", count) => format!("{} {what}", number(count as f64)),
        (own, count) => format!("{own}; {} {what}", number(count as f64)),
    }
}
