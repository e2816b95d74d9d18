//! Line charts: values of several methods along a quantity.

use super::axis::Axis;
use super::frame::{Frame, Key, joined_note};
use super::style::{MAX_DISTINCT, marker, stroke};
use super::svg::{Point, Svg};

/// Markers closer than this are left out: a curve of a thousand points is a line.
const MARKER_DISTANCE: f64 = 14.0;

/// One line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Places along the horizontal axis with their values; one that could not be computed leaves a gap.
    pub points: Vec<(f64, Option<f64>)>,
}

/// A line chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineChart {
    /// What it shows.
    pub title: String,
    /// On which data, with how many questions.
    pub note: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines; up to twelve can be told apart, further ones are left out and counted in the note.
    pub series: Vec<Series>,
}

/// Draws `chart` as SVG.
pub fn line_chart(chart: &LineChart) -> String {
    let shown = &chart.series[..chart.series.len().min(MAX_DISTINCT)];
    let names: Vec<&str> = shown.iter().map(|series| series.name.as_str()).collect();
    let frame = Frame::new((460.0, 300.0), 78.0, &names);
    let note = joined_note(
        &chart.note,
        chart.series.len() - shown.len(),
        "series are not shown",
    );
    let mut svg = frame.open(&chart.title, &note);
    let runs: Vec<Vec<Vec<Point>>> = shown.iter().map(|series| runs(series, chart)).collect();
    let points = || runs.iter().flatten().flatten();
    let x = frame.x(&chart.x, points().map(|&(x, _)| x));
    let y = frame.y(&chart.y, points().map(|&(_, y)| y));
    frame.draw_y(&mut svg, &y);
    frame.draw_x(&mut svg, &x);
    for (index, runs) in runs.iter().enumerate() {
        for run in runs {
            let places: Vec<Point> = run.iter().map(|&(at, value)| (x.at(at), y.at(value))).collect();
            svg.polyline(&places, &stroke(index));
            draw_markers(&mut svg, index, &places);
        }
    }
    if points().next().is_none() {
        frame.empty(&mut svg);
    }
    frame.legend(&mut svg, Key::Line, &names);
    svg.finish()
}

/// The points that can be shown, split where a value is missing.
fn runs(series: &Series, chart: &LineChart) -> Vec<Vec<Point>> {
    let shown = |(x, y): &(f64, Option<f64>)| {
        let y = y.filter(|&y| chart.y.shows(y))?;
        chart.x.shows(*x).then_some((*x, y))
    };
    let places: Vec<Option<Point>> = series.points.iter().map(shown).collect();
    places
        .split(Option::is_none)
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().copied().flatten().collect())
        .collect()
}

fn draw_markers(svg: &mut Svg, index: usize, places: &[Point]) {
    let mut last: Option<Point> = None;
    for &(x, y) in places {
        let is_far = last.is_none_or(|(from_x, from_y)| (x - from_x).hypot(y - from_y) >= MARKER_DISTANCE);
        if is_far {
            marker(svg, index, (x, y));
            last = Some((x, y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chart(series: Vec<Series>) -> LineChart {
        LineChart {
            title: "Recall <by> \"method\"".to_owned(),
            note: "12 questions".to_owned(),
            x: Axis::log("k"),
            y: Axis::share("recall"),
            series,
        }
    }

    fn series(name: &str, values: &[Option<f64>]) -> Series {
        let points = values.iter().enumerate();
        Series {
            name: name.to_owned(),
            points: points
                .map(|(index, &value)| ((index + 1) as f64, value))
                .collect(),
        }
    }

    #[test]
    fn a_missing_value_leaves_a_gap() {
        let values = [Some(0.1), Some(0.2), None, Some(f64::NAN), Some(0.4), Some(0.6)];
        let text = line_chart(&chart(vec![series("bm25", &values)]));
        assert_eq!(text.matches("<polyline").count(), 2, "{text}");
    }

    #[test]
    fn every_text_is_escaped_and_the_bytes_are_the_same() {
        let drawn = || line_chart(&chart(vec![series("a < b & c", &[Some(0.5)])]));
        let text = drawn();
        assert!(text.contains("Recall &lt;by&gt; &quot;method&quot;"), "{text}");
        assert!(text.contains("a &lt; b &amp; c"), "{text}");
        assert_eq!(text, drawn());
    }

    #[test]
    fn what_is_not_shown_is_said() {
        assert!(line_chart(&chart(Vec::new())).contains("no values to show"));
        let many = (0..15).map(|n| series(&n.to_string(), &[Some(0.5)])).collect();
        assert!(line_chart(&chart(many)).contains("12 questions; 3 series are not shown"));
    }

    proptest! {
        #[test]
        fn any_values_give_finite_places(points in prop::collection::vec((any::<f64>(), prop::option::of(any::<f64>())), 0..6)) {
            for x in [Axis::linear("x"), Axis::log("x")] {
                for y in [Axis::linear("y"), Axis::log("y")] {
                    let series = vec![Series { name: "s".to_owned(), points: points.clone() }];
                    let text = line_chart(&LineChart { x: x.clone(), y, series, ..LineChart::default() });
                    prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
                    prop_assert!(text.len() < 20_000, "{}", text.len());
                }
            }
        }
    }
}
