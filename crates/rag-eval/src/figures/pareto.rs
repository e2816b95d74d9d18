//! Quality against cost: which methods no other one beats at both.

use super::axis::Axis;
use super::frame::{Frame, joined_note};
use super::style::shape;
use super::svg::{Anchor, INK, Point, Svg, TEXT, text_width};

/// Most methods of a figure.
const MAX_METHODS: usize = 60;

/// Room right of the plot for the names of the dearest methods.
const NAME_ROOM: f64 = 90.0;

/// A method's place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tradeoff {
    /// The method.
    pub name: String,
    /// What it costs; less is better.
    pub cost: f64,
    /// How good it is; more is better.
    pub quality: f64,
}

/// Methods by cost and quality.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pareto {
    /// What it shows.
    pub title: String,
    /// On which data, with how many questions.
    pub note: String,
    /// The axis of cost.
    pub cost: Axis,
    /// The axis of quality.
    pub quality: Axis,
    /// The methods. Those whose values cannot be shown and those beyond sixty are left out and counted in
    /// the note.
    pub methods: Vec<Tradeoff>,
}

/// Draws `figure` as SVG: filled dots joined by steps are the methods that no other one beats, being at
/// least as good and cheaper, or better and no dearer.
pub fn pareto(figure: &Pareto) -> String {
    let mut frame = Frame::new((560.0, 320.0), 78.0, &[]);
    frame.width += NAME_ROOM;
    let is_shown = |m: &&Tradeoff| figure.cost.shows(m.cost) && figure.quality.shows(m.quality);
    let methods: Vec<&Tradeoff> = figure.methods.iter().filter(is_shown).take(MAX_METHODS).collect();
    let left_out = figure.methods.len() - methods.len();
    let note = joined_note(&figure.note, left_out, "methods are not shown");
    let mut svg = frame.open(&figure.title, &note);
    let x = frame.x(&figure.cost, methods.iter().map(|method| method.cost));
    let y = frame.y(&figure.quality, methods.iter().map(|method| method.quality));
    frame.draw_y(&mut svg, &y);
    frame.draw_x(&mut svg, &x);
    let place = |method: &Tradeoff| (x.at(method.cost), y.at(method.quality));
    let best = frontier(&methods);
    let steps: Vec<Point> = best.iter().map(|method| place(method)).collect();
    let steps = draw_steps(&mut svg, &steps);
    let places: Vec<Point> = methods.iter().map(|method| place(method)).collect();
    let mut labels = Labels::new(&frame, &places, &steps);
    for (method, &at) in methods.iter().zip(&places) {
        let is_best = best.iter().any(|best| std::ptr::eq(*best, *method));
        let fill = if is_best { INK } else { "#ffffff" };
        shape(
            &mut svg,
            0,
            at,
            &format!("fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.5\""),
        );
        labels.draw(&mut svg, at, &method.name);
    }
    if methods.is_empty() {
        frame.empty(&mut svg);
    }
    svg.finish()
}

/// The methods that no other one beats, from the cheapest.
fn frontier<'m>(methods: &[&'m Tradeoff]) -> Vec<&'m Tradeoff> {
    let beats = |a: &Tradeoff, b: &Tradeoff| {
        a.cost <= b.cost && a.quality >= b.quality && (a.cost < b.cost || a.quality > b.quality)
    };
    let mut best: Vec<&Tradeoff> = methods
        .iter()
        .copied()
        .filter(|method| !methods.iter().any(|other| beats(other, method)))
        .collect();
    best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    best
}

/// Draws the steps and returns their corners.
fn draw_steps(svg: &mut Svg, places: &[Point]) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    for &(x, y) in places {
        if let Some(&(_, before)) = steps.last() {
            steps.push((x, before));
        }
        steps.push((x, y));
    }
    if steps.len() > 1 {
        svg.polyline(
            &steps,
            &format!("stroke=\"{INK}\" stroke-width=\"1\" stroke-dasharray=\"4 3\""),
        );
    }
    steps
}

/// Places names beside their dots where they cover neither dots nor one another.
struct Labels {
    taken: Vec<(Point, Point)>,
    left: f64,
    right: f64,
}

impl Labels {
    /// `steps` are the corners of the line that names should not cross.
    fn new(frame: &Frame, dots: &[Point], steps: &[Point]) -> Self {
        let around = |&(x, y): &Point| ((x - 6.0, y - 6.0), (x + 6.0, y + 6.0));
        let along = |corners: &[Point]| {
            let (from, to) = (corners[0], corners[1]);
            (
                (from.0 - 1.0, from.1.min(to.1) - 1.0),
                (to.0 + 1.0, from.1.max(to.1) + 1.0),
            )
        };
        let lines = steps.windows(2).map(along);
        Self {
            taken: dots.iter().map(around).chain(lines).collect(),
            left: frame.left,
            right: frame.right + NAME_ROOM + 16.0,
        }
    }

    fn draw(&mut self, svg: &mut Svg, (x, y): Point, name: &str) {
        let width = text_width(name);
        let offsets = [
            (10.0, 4.0),
            (-10.0 - width, 4.0),
            (-width / 2.0, -10.0),
            (-width / 2.0, 20.0),
            (10.0, -9.0),
            (10.0, 18.0),
            (-10.0 - width, -9.0),
            (-10.0 - width, 18.0),
        ];
        let boxes = offsets.map(|(dx, dy)| {
            let left = x + dx;
            ((left, y + dy - TEXT + 2.0), (left + width, y + dy + 3.0))
        });
        let is_free = |&&(from, to): &&(Point, Point)| {
            let overlaps = |(a, b): &(Point, Point)| from.0 < b.0 && a.0 < to.0 && from.1 < b.1 && a.1 < to.1;
            from.0 > self.left && to.0 < self.right && !self.taken.iter().any(overlaps)
        };
        let chosen = *boxes.iter().find(is_free).unwrap_or(&boxes[0]);
        svg.label((chosen.0.0, chosen.1.1 - 3.0), Anchor::Start, name);
        self.taken.push(chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(name: &str, cost: f64, quality: f64) -> Tradeoff {
        Tradeoff {
            name: name.to_owned(),
            cost,
            quality,
        }
    }

    #[test]
    fn the_frontier_is_what_no_method_beats() {
        let all = [
            method("dear and bad", 9.0, 0.5),
            method("good", 8.0, 0.9),
            method("cheap", 1.0, 0.6),
            method("middle", 3.0, 0.8),
            method("as cheap, worse", 1.0, 0.5),
            method("as good, dearer", 5.0, 0.8),
        ];
        let best: Vec<&str> = frontier(&all.iter().collect::<Vec<_>>())
            .iter()
            .map(|m| m.name.as_str())
            .collect();
        assert_eq!(best, ["cheap", "middle", "good"]);
    }

    #[test]
    fn methods_without_values_are_counted() {
        let figure = Pareto {
            cost: Axis::log("ms"),
            quality: Axis::linear("nDCG@10"),
            methods: vec![
                method("a", 0.0, 0.5),
                method("b", 2.0, 0.5),
                method("c", 2.0, f64::NAN),
            ],
            ..Pareto::default()
        };
        let text = pareto(&figure);
        assert!(text.contains("2 methods are not shown"), "{text}");
        assert_eq!(text.matches("<circle").count(), 1);
    }
}
