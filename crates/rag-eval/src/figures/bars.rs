//! Stacked bars: how a whole divides into parts, by method.

use super::axis::{Axis, plain};
use super::frame::{Frame, Key, MAX_NAME, joined_note};
use super::style::{MAX_DISTINCT, define_hatches, fill};
use super::svg::{Anchor, Svg, text_width};

/// Height of a bar.
const BAR: f64 = 26.0;

/// Distance from bar to bar.
const STEP: f64 = 40.0;

/// Most bars of a figure.
const MAX_BARS: usize = 40;

/// Stacked bars, one for each method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StackedBars {
    /// What they show.
    pub title: String,
    /// On which data, with how many questions.
    pub note: String,
    /// The axis along the bars.
    pub axis: Axis,
    /// What the parts are called, from the bar's start; up to twelve can be told apart.
    pub parts: Vec<String>,
    /// Each bar's name and the sizes of its parts, as many as there are parts. A part that is negative or
    /// not finite is not drawn.
    pub bars: Vec<(String, Vec<f64>)>,
}

/// Draws `figure` as SVG. Bars beyond forty and parts beyond twelve are left out and counted in the note.
pub fn stacked_bars(figure: &StackedBars) -> String {
    let bars = &figure.bars[..figure.bars.len().min(MAX_BARS)];
    let parts: Vec<&str> = figure
        .parts
        .iter()
        .take(MAX_DISTINCT)
        .map(String::as_str)
        .collect();
    let names = bars.iter().map(|(name, _)| text_width(name)).fold(0.0, f64::max);
    let height = STEP * bars.len().max(1) as f64 + 12.0;
    let frame = Frame::new((460.0, height), names.min(MAX_NAME) + 28.0, &parts);
    let left_out = figure.bars.len() - bars.len() + figure.parts.len() - parts.len();
    let note = joined_note(&figure.note, left_out, "bars or parts are not shown");
    let mut svg = frame.open(&figure.title, &note);
    define_hatches(&mut svg, parts.len());
    let sizes =
        |sizes: &[f64]| -> Vec<f64> { sizes.iter().take(parts.len()).map(|&size| shown(size)).collect() };
    let totals = bars.iter().map(|(_, parts)| sizes(parts).iter().sum::<f64>());
    let x = frame.x(&figure.axis, totals.chain([0.0]));
    frame.draw_x(&mut svg, &x);
    for (index, (name, parts)) in bars.iter().enumerate() {
        let top = frame.top + 12.0 + STEP * index as f64;
        svg.label_within((frame.left - 8.0, top + 17.0), Anchor::End, name, MAX_NAME);
        let mut sum = 0.0;
        for (part, size) in sizes(parts)
            .into_iter()
            .enumerate()
            .filter(|&(_, size)| size > 0.0)
        {
            let (from, to) = (x.at(sum), x.at(sum + size));
            svg.rect((from, top), (to - from, BAR), &fill(part));
            size_within(&mut svg, (from, to), top, &plain(size));
            sum += size;
        }
    }
    if bars.is_empty() {
        frame.empty(&mut svg);
    }
    frame.legend(&mut svg, Key::Area, &parts);
    svg.finish()
}

fn shown(size: f64) -> f64 {
    if size.is_finite() { size.max(0.0) } else { 0.0 }
}

/// Writes a part's size on a white ground in its middle, where there is room.
fn size_within(svg: &mut Svg, (from, to): (f64, f64), top: f64, text: &str) {
    let width = text_width(text) + 6.0;
    if to - from < width + 4.0 {
        return;
    }
    let middle = f64::midpoint(from, to);
    svg.rect(
        (middle - width / 2.0, top + 5.0),
        (width, 16.0),
        "fill=\"#ffffff\" rx=\"2\"",
    );
    svg.label((middle, top + 17.0), Anchor::Middle, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_above_zero_is_an_area() {
        let figure = StackedBars {
            title: "Wrong answers".to_owned(),
            axis: Axis::linear("questions"),
            parts: ["retrieval", "generation", "parsing"].map(str::to_owned).to_vec(),
            bars: vec![
                ("bm25".to_owned(), vec![5.0, 3.0, 0.0]),
                ("a > b".to_owned(), vec![2.0, f64::NAN, -1.0]),
            ],
            ..StackedBars::default()
        };
        let text = stacked_bars(&figure);
        // Three in the bars and three in the legend.
        assert_eq!(text.matches("url(#h").count(), 6, "{text}");
        assert!(text.contains("a &gt; b"), "{text}");
        assert!(stacked_bars(&StackedBars::default()).contains("no values to show"));
    }
}
