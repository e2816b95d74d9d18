//! What tells series apart without colour: dashes, markers and hatches; colours differ in lightness too.

use super::svg::{Point, Svg, number};

/// Colours after Okabe and Ito (2008), which most colour-blind readers can tell apart, dark enough for lines.
const COLOURS: [&str; 6] = ["#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00"];

const DASHES: [&str; 6] = ["none", "8 4", "2 3", "10 3 2 3", "14 5", "6 2 2 2 2 2"];

/// Fills from dark to light; the hatch over them tells neighbours apart.
const FILLS: [&str; 6] = ["#555555", "#e8e8e8", "#9fc5e8", "#f6e3b4", "#c9a9c6", "#ffffff"];

/// Most series that can be told apart.
pub(super) const MAX_DISTINCT: usize = 12;

pub(super) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// Attributes of the line of series `index`.
pub(super) fn stroke(index: usize) -> String {
    // The second six have other dashes with the same colours.
    let dash = DASHES[(index + index / COLOURS.len()) % DASHES.len()];
    format!(
        "stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\" stroke-linejoin=\"round\"",
        colour(index)
    )
}

/// Draws the marker of series `index`.
pub(super) fn marker(svg: &mut Svg, index: usize, at: Point) {
    let colour = colour(index);
    let fill = if index.is_multiple_of(2) {
        colour
    } else {
        "#ffffff"
    };
    let paint = format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"");
    shape(svg, index, at, &paint);
}

/// Draws the ring of a pair's first dot or the smaller disc of its second, which shows inside the ring where
/// both are in one place.
pub(super) fn pair_marker(svg: &mut Svg, index: usize, (x, y): Point) {
    let look = match index {
        0 => "r=\"5.5\" fill=\"#ffffff\" stroke=\"#222222\" stroke-width=\"1.5\"",
        _ => "r=\"3.2\" fill=\"#222222\"",
    };
    svg.element(
        "circle",
        &format!("cx=\"{}\" cy=\"{}\" {look}", number(x), number(y)),
    );
}

/// Draws the shape of series `index` with the attributes `paint`.
pub(super) fn shape(svg: &mut Svg, index: usize, (x, y): Point, paint: &str) {
    let corners: &[Point] = match index % 6 {
        0 => {
            return svg.element(
                "circle",
                &format!("cx=\"{}\" cy=\"{}\" r=\"4\" {paint}", number(x), number(y)),
            );
        }
        1 => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
        2 => &[(0.0, -5.0), (4.5, 3.5), (-4.5, 3.5)],
        3 => &[(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)],
        4 => &[(0.0, 5.0), (4.5, -3.5), (-4.5, -3.5)],
        _ => &[(-5.0, -2.0), (0.0, -5.0), (5.0, -2.0), (3.0, 4.0), (-3.0, 4.0)],
    };
    let corners: Vec<String> = corners
        .iter()
        .map(|(dx, dy)| format!("{},{}", number(x + dx), number(y + dy)))
        .collect();
    svg.element("polygon", &format!("points=\"{}\" {paint}", corners.join(" ")));
}

/// Defines the hatches that [`fill`] uses; once, at the start of the figure.
pub(super) fn define_hatches(svg: &mut Svg, count: usize) {
    for index in 0..count {
        let ground = FILLS[index % FILLS.len()];
        let ink = if index.is_multiple_of(FILLS.len()) {
            "#ffffff"
        } else {
            "#333333"
        };
        let lines = match (index + index / FILLS.len()) % 6 {
            0 => "",
            1 => "M0 8L8 0M-2 2L2 -2M6 10L10 6",
            2 => "M0 0L8 8M-2 6L2 10M6 -2L10 2",
            3 => "M0 4H8",
            4 => "M4 0V8",
            _ => "M0 4H8M4 0V8",
        };
        svg.pattern(&format!("h{index}"), ground, lines, ink);
    }
}

/// Attributes of the area of part `index`.
pub(super) fn fill(index: usize) -> String {
    format!("fill=\"url(#h{index})\" stroke=\"#222222\" stroke-width=\"0.8\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn series_differ_without_colour() {
        let looks: BTreeSet<String> = (0..MAX_DISTINCT).map(stroke).collect();
        assert_eq!(looks.len(), MAX_DISTINCT);
        let mut svg = Svg::new((1.0, 1.0), "");
        define_hatches(&mut svg, MAX_DISTINCT);
        let text = svg.finish();
        let hatches: BTreeSet<&str> = text.lines().filter(|line| line.contains("pattern")).collect();
        assert_eq!(hatches.len(), MAX_DISTINCT);
    }
}
