//! The order in which the shapes of a slide are read.
//!
//! A file lists shapes from back to front, which mostly is the order they were made in and that people
//! read them in. It is changed only where it must be wrong: where a shape stands right above one that
//! comes before it. Columns stay whole.

use crate::xml::Element;

/// Most shapes that are put in order.
const MAX_SHAPES: usize = 300;

/// Where a shape stands, in units of the file.
#[derive(Debug, Clone, Copy)]
struct Place {
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
}

impl Place {
    fn of(shape: &Element) -> Option<Self> {
        let properties = ["spPr", "grpSpPr"].iter().find_map(|name| shape.child(name));
        let frame = properties.unwrap_or(shape).child("xfrm")?;
        let number = |name: &str, attribute: &str| -> Option<i64> {
            frame.child(name)?.attribute(attribute)?.parse().ok()
        };
        let (left, top) = (number("off", "x")?, number("off", "y")?);
        let size = |attribute| number("ext", attribute).unwrap_or(0).max(0);
        Some(Self {
            left,
            right: left.saturating_add(size("cx")),
            top,
            bottom: top.saturating_add(size("cy")),
        })
    }

    /// True when this stands right above `other`.
    fn is_above(&self, other: &Self) -> bool {
        self.bottom <= other.top
            && self.top < other.top
            && self.left <= other.right
            && other.left <= self.right
    }
}

/// Puts shapes behind those right above them. Shapes whose place is that of the layout stay where they are.
pub(super) fn from_top(shapes: Vec<&Element>) -> Vec<&Element> {
    let places: Vec<(usize, Place)> = shapes
        .iter()
        .enumerate()
        .filter_map(|(at, shape)| Some((at, Place::of(shape)?)))
        .collect();
    if places.len() > MAX_SHAPES {
        return shapes;
    }
    let mut ordered = shapes.clone();
    let mut waiting = places.clone();
    for (slot, _) in &places {
        let is_free = |(_, place): &(usize, Place)| !waiting.iter().any(|(_, other)| other.is_above(place));
        // To be above is to have a smaller top, so that there always is one with none above it.
        let next = waiting.iter().position(is_free).unwrap_or(0);
        ordered[*slot] = shapes[waiting.remove(next).0];
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_those_above_them_and_columns_stay_whole() {
        let shape = |name: &str, x: i64, y: i64| {
            format!(
                "<sp id='{name}'><spPr><xfrm><off x='{x}' y='{y}'/><ext cx='10' cy='5'/></xfrm></spPr></sp>"
            )
        };
        let cases = [
            (vec![shape("bottom", 0, 50), shape("top", 0, 0)], "top bottom"),
            (
                vec![
                    shape("a1", 0, 0),
                    shape("a2", 0, 10),
                    shape("b1", 20, 0),
                    shape("b2", 20, 10),
                ],
                "a1 a2 b1 b2",
            ),
            (
                vec![shape("b", 0, 10), "<sp id='own'/>".to_owned(), shape("a", 0, 0)],
                "a own b",
            ),
        ];
        for (shapes, expected) in cases {
            let tree = crate::xml::parse(format!("<t>{}</t>", shapes.concat()).as_bytes(), 9).unwrap();
            let ordered = from_top(tree.elements().collect());
            let names: Vec<&str> = ordered.iter().filter_map(|shape| shape.attribute("id")).collect();
            assert_eq!(names.join(" "), expected);
        }
    }
}
