//! Writing SVG: shapes and escaped text, the same bytes for the same figure.

use rag_core::text::markup;
use std::fmt::Write;

/// Text size of labels.
pub(super) const TEXT: f64 = 12.0;

/// Text size of the title.
pub(super) const TITLE: f64 = 15.0;

/// Ink for text and axes.
pub(super) const INK: &str = "#222222";

/// Grid lines and what stands back.
pub(super) const FAINT: &str = "#d0d0d0";

/// A place in the figure, from its upper left corner.
pub(super) type Point = (f64, f64);

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A figure being written.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// Opens a figure with a white ground, so that it reads on any page.
    pub(super) fn new((width, height): Point, title: &str) -> Self {
        let (width, height, title) = (number(width), number(height), markup(title));
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{title}\" font-family=\"sans-serif\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        Self { text }
    }

    /// The whole figure.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// An element whose `attributes` are ours, never a caller's text.
    pub(super) fn element(&mut self, name: &str, attributes: &str) {
        self.push(format_args!("<{name} {attributes}/>\n"));
    }

    pub(super) fn line(&mut self, from: Point, to: Point, style: &str) {
        let ((x1, y1), (x2, y2)) = (numbers(from), numbers(to));
        self.push(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>\n"
        ));
    }

    pub(super) fn polyline(&mut self, points: &[Point], style: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|&point| {
                let (x, y) = numbers(point);
                format!("{x},{y}")
            })
            .collect();
        let points = points.join(" ");
        self.push(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" {style}/>\n"
        ));
    }

    /// A rectangle with its upper left corner at `at`.
    pub(super) fn rect(&mut self, at: Point, (width, height): Point, style: &str) {
        let ((x, y), (width, height)) = (numbers(at), numbers((width, height)));
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>\n"
        ));
    }

    /// A label.
    pub(super) fn label(&mut self, at: Point, anchor: Anchor, text: &str) {
        self.sized(at, anchor, TEXT, text);
    }

    /// A label within `width`: a longer one is shortened and shows its whole text when pointed at.
    pub(super) fn label_within(&mut self, at: Point, anchor: Anchor, text: &str, width: f64) {
        let shown = shortened(text, width);
        if shown == text {
            return self.label(at, anchor, text);
        }
        self.push(format_args!("<g><title>{}</title>\n", markup(text)));
        self.label(at, anchor, &shown);
        self.text.push_str("</g>\n");
    }

    pub(super) fn sized(&mut self, at: Point, anchor: Anchor, size: f64, text: &str) {
        let ((x, y), size, anchor, text) = (numbers(at), number(size), anchor.name(), markup(text));
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{text}</text>\n"
        ));
    }

    /// A label that reads upwards, centred at `at`.
    pub(super) fn upright(&mut self, at: Point, text: &str) {
        let ((x, y), text) = (numbers(at), markup(text));
        self.push(format_args!(
            "<text transform=\"translate({x} {y}) rotate(-90)\" font-size=\"{TEXT}\" text-anchor=\"middle\" \
             fill=\"{INK}\">{text}</text>\n"
        ));
    }

    /// Defines a pattern of 8 by 8: `lines`, a path, on a ground. It paints as `url(#id)`.
    pub(super) fn pattern(&mut self, id: &str, ground: &str, lines: &str, ink: &str) {
        self.push(format_args!(
            "<pattern id=\"{id}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"8\" height=\"8\" fill=\"{ground}\"/><path d=\"{lines}\" stroke=\"{ink}\"/></pattern>\n"
        ));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.text
            .write_fmt(text)
            .expect("writing to a string cannot fail");
    }
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A coordinate with at most two decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn numbers((x, y): Point) -> (String, String) {
    (number(x), number(y))
}

/// About how wide a label is: fonts differ, so this is on the wide side.
pub(super) fn text_width(text: &str) -> f64 {
    let em = |c: char| if u32::from(c) >= 0x1100 { 1.0 } else { 0.58 };
    text.chars().map(em).sum::<f64>() * TEXT
}

fn shortened(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if text_width(&kept) + TEXT > width {
            break;
        }
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (1.0, "1"),
            (-0.001, "0"),
            (12.345, "12.35"),
            (100.0, "100"),
            (0.5, "0.5"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn long_labels_are_shortened_and_keep_their_text() {
        let mut svg = Svg::new((10.0, 10.0), "t");
        svg.label_within((0.0, 0.0), Anchor::Start, "a rather long name & more", 60.0);
        let text = svg.finish();
        assert!(
            text.contains("<title>a rather long name &amp; more</title>"),
            "{text}"
        );
        assert!(text.contains(">a rathe…<"), "{text}");
    }

    proptest! {
        #[test]
        fn no_text_breaks_out(text in any::<String>()) {
            let written = markup(&text);
            let is_harmful = |c: char| matches!(c, '<' | '>' | '"' | '\'') || c.is_control();
            prop_assert!(!written.contains(is_harmful));
        }
    }
}
