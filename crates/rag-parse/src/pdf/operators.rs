//! What a page shows beside text, read from its drawing operators alone: its fonts and images are not
//! loaded, which costs a small part of interpreting the page.

use std::hash::{DefaultHasher, Hash, Hasher};

use hayro_interpret::TransformExt;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::dict::keys::{MATRIX, RESOURCES, SUBTYPE};
use hayro_syntax::object::{Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::drawn::{Colour, Drawn, Paint};

/// Deepest nesting of forms, and most operators of a page: more is a page that wants to be a bomb.
const MAX_DEPTH: usize = 12;
const MAX_OPERATORS: usize = 2_000_000;

/// Most saved graphics states.
const MAX_SAVED: usize = 512;

/// The text rendering mode that draws nothing.
const INVISIBLE: i64 = 3;

/// Reads the ruling lines, the image area and the visibility of the text of a page.
pub(super) fn drawn(page: &Page<'_>) -> Drawn {
    let mut scan = Scan {
        drawn: Drawn::default(),
        left: MAX_OPERATORS,
    };
    let state = State {
        transform: page.initial_transform(true).to_kurbo(),
        is_invisible: false,
        colour: Colour::default(),
    };
    scan.run(page.typed_operations(), page.resources(), state, 0);
    scan.drawn
}

/// The part of the graphics state that matters here.
#[derive(Debug, Clone, Copy)]
struct State {
    transform: Affine,
    is_invisible: bool,
    /// The colour that fills.
    colour: Colour,
}

struct Scan {
    drawn: Drawn,
    /// Operators that may still be read.
    left: usize,
}

impl Scan {
    fn run(&mut self, mut operators: TypedIter<'_>, resources: &Resources<'_>, start: State, depth: usize) {
        let mut state = start;
        let mut saved: Vec<State> = Vec::new();
        let mut path = BezPath::new();
        while let Some(operator) = operators.next() {
            let Some(left) = self.left.checked_sub(1) else {
                return;
            };
            self.left = left;
            match &operator {
                TypedInstruction::SaveState(_) if saved.len() < MAX_SAVED => saved.push(state),
                TypedInstruction::RestoreState(_) => state = saved.pop().unwrap_or(state),
                TypedInstruction::Transform(matrix) => {
                    let numbers = [matrix.0, matrix.1, matrix.2, matrix.3, matrix.4, matrix.5];
                    state.transform *= Affine::new(numbers.map(|number| number.as_f64()));
                }
                TypedInstruction::TextRenderingMode(mode) => {
                    state.is_invisible = mode.0.as_i64() == INVISIBLE;
                }
                TypedInstruction::XObject(name) => {
                    if let Some(stream) = resources.get_x_object(name.0) {
                        self.object(&stream, resources, state, depth);
                    }
                }
                TypedInstruction::InlineImage(_) => self.drawn.image(state.transform),
                _ => {
                    if let Some(colour) = colour(&operator) {
                        state.colour = colour;
                    } else if let Some(paints) = paints(&operator, &mut path, state.colour) {
                        self.paint(&path, state.transform, &paints);
                        path.truncate(0);
                    } else {
                        construct(&operator, &mut path);
                        self.text(&operator, state.is_invisible);
                    }
                }
            }
        }
    }

    /// A form is read like the page; an image covers the unit square.
    fn object(&mut self, stream: &Stream<'_>, resources: &Resources<'_>, state: State, depth: usize) {
        let dictionary = stream.dict();
        if dictionary
            .get::<Name<'_>>(SUBTYPE)
            .is_some_and(|name| name.as_ref() == b"Image")
        {
            return self.drawn.image(state.transform);
        }
        if depth >= MAX_DEPTH {
            return;
        }
        let Ok(content) = stream.decoded_data() else {
            return;
        };
        let matrix = dictionary
            .get::<[f64; 6]>(MATRIX)
            .map_or(Affine::IDENTITY, Affine::new);
        let own = dictionary.get(RESOURCES).map(Resources::new);
        let state = State {
            transform: state.transform * matrix,
            ..state
        };
        let operators = TypedIter::new(content.as_ref());
        self.run(operators, own.as_ref().unwrap_or(resources), state, depth + 1);
    }

    fn paint(&mut self, path: &BezPath, transform: Affine, paints: &[Option<Paint>; 2]) {
        for paint in paints.iter().flatten() {
            match (paint, line_of_flat(path, transform)) {
                (Paint::Fill(_), Some(line)) => self.drawn.path(&line, transform, Paint::Stroke),
                _ => self.drawn.path(path, transform, *paint),
            }
        }
    }

    /// Counts shown text by its codes.
    fn text(&mut self, operator: &TypedInstruction<'_, '_>, is_invisible: bool) {
        let count = match operator {
            TypedInstruction::ShowText(text) => text.0.as_bytes().len(),
            TypedInstruction::NextLineAndShowText(text) => text.0.as_bytes().len(),
            TypedInstruction::ShowTextWithParameters(text) => text.2.as_bytes().len(),
            TypedInstruction::ShowTexts(texts) => texts
                .0
                .iter::<Object<'_>>()
                .map(|object| match object {
                    Object::String(text) => text.as_bytes().len(),
                    _ => 0,
                })
                .sum(),
            _ => 0,
        };
        if is_invisible {
            self.drawn.invisible += count;
        } else {
            self.drawn.visible += count;
        }
    }
}

/// The colour that an operator chooses for filling.
fn colour(operator: &TypedInstruction<'_, '_>) -> Option<Colour> {
    use TypedInstruction as Op;
    let digest = |space: u8, numbers: &[Number]| {
        let mut hasher = DefaultHasher::new();
        space.hash(&mut hasher);
        for number in numbers {
            number.as_f64().to_bits().hash(&mut hasher);
        }
        Some(Colour(hasher.finish()))
    };
    match operator {
        Op::NonStrokeColorDeviceGray(gray) => digest(1, &[gray.0]),
        Op::NonStrokeColorDeviceRgb(rgb) => digest(2, &[rgb.0, rgb.1, rgb.2]),
        Op::NonStrokeColorCmyk(cmyk) => digest(3, &[cmyk.0, cmyk.1, cmyk.2, cmyk.3]),
        Op::NonStrokeColor(color) => digest(4, &color.0),
        Op::NonStrokeColorNamed(color) => digest(4, &color.0),
        _ => None,
    }
}

/// How an operator paints the path, which it may close first; nothing when it does not end the path.
fn paints(
    operator: &TypedInstruction<'_, '_>,
    path: &mut BezPath,
    colour: Colour,
) -> Option<[Option<Paint>; 2]> {
    use TypedInstruction as Op;
    let closes = matches!(
        operator,
        Op::CloseAndStrokePath(_) | Op::CloseFillAndStrokeNonZero(_) | Op::CloseFillAndStrokeEvenOdd(_)
    );
    if closes && !path.elements().is_empty() {
        path.close_path();
    }
    let fill = Some(Paint::Fill(colour));
    let stroke = Some(Paint::Stroke);
    match operator {
        Op::FillPathNonZero(_) | Op::FillPathNonZeroCompatibility(_) | Op::FillPathEvenOdd(_) => {
            Some([fill, None])
        }
        Op::StrokePath(_) | Op::CloseAndStrokePath(_) => Some([stroke, None]),
        Op::FillAndStrokeNonZero(_)
        | Op::FillAndStrokeEvenOdd(_)
        | Op::CloseFillAndStrokeNonZero(_)
        | Op::CloseFillAndStrokeEvenOdd(_) => Some([fill, stroke]),
        Op::EndPath(_) => Some([None, None]),
        _ => None,
    }
}

/// Adds a piece to the path.
fn construct(operator: &TypedInstruction<'_, '_>, path: &mut BezPath) {
    use TypedInstruction as Op;
    let point = |x: &Number, y: &Number| Point::new(x.as_f64(), y.as_f64());
    // A piece without a beginning is no path.
    let has_start = !path.elements().is_empty();
    match operator {
        Op::MoveTo(to) => path.move_to(point(&to.0, &to.1)),
        Op::LineTo(to) if has_start => path.line_to(point(&to.0, &to.1)),
        Op::CubicTo(to) if has_start => {
            path.curve_to(point(&to.0, &to.1), point(&to.2, &to.3), point(&to.4, &to.5));
        }
        Op::CubicStartTo(to) if has_start => {
            path.quad_to(point(&to.0, &to.1), point(&to.2, &to.3));
        }
        Op::CubicEndTo(to) if has_start => path.quad_to(point(&to.0, &to.1), point(&to.2, &to.3)),
        Op::ClosePath(_) if has_start => path.close_path(),
        Op::RectPath(rect) => {
            let (x, y) = (rect.0.as_f64(), rect.1.as_f64());
            path.extend(Rect::new(x, y, x + rect.2.as_f64(), y + rect.3.as_f64()).path_elements(0.1));
        }
        _ => {}
    }
}

/// A filled path without area as the line that viewers show.
fn line_of_flat(path: &BezPath, transform: Affine) -> Option<BezPath> {
    let bounds = path.control_box();
    let shown = (transform * path.clone()).control_box();
    if shown.width() > 1e-4 && shown.height() > 1e-4 {
        return None;
    }
    let ends = [(bounds.x0, bounds.y0), (bounds.x1, bounds.y1)];
    let mut line = BezPath::new();
    line.move_to(ends[0]);
    line.line_to(ends[1]);
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro_syntax::Pdf;

    /// A page of 200 by 100 points with this content, and a form of it called `F`.
    fn drawn_by(content: &str) -> Drawn {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R\
             /Resources<</XObject<</F 5 0 R/I 6 0 R>>>>>>"
                .to_owned(),
            stream("", content),
            stream(
                "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Matrix[1 0 0 1 0 20]",
                "0 0 m 50 0 l S /F Do",
            ),
            stream("/Type/XObject/Subtype/Image/Width 1/Height 1", "x"),
        ];
        let numbered = objects
            .iter()
            .enumerate()
            .map(|(at, object)| format!("{} 0 obj\n{object}\nendobj\n", at + 1));
        let mut file = String::from("%PDF-1.4\n");
        file.extend(numbered);
        file.push_str("trailer<</Root 1 0 R/Size 7>>\n%%EOF");
        let pdf = Pdf::new(file.into_bytes()).unwrap();
        drawn(&pdf.pages()[0])
    }

    fn stream(dictionary: &str, content: &str) -> String {
        format!(
            "<<{dictionary}/Length {}>>stream\n{content}\nendstream",
            content.len()
        )
    }

    #[test]
    fn lines_images_and_text_are_found_in_operators() {
        let shown = drawn_by("q 2 0 0 2 0 0 cm 0 5 m 40 5 l S Q 0 50 60 1 re f 10 70 90 0 re f");
        let places: Vec<(f32, f32, f32)> = shown
            .rules
            .iter()
            .map(|rule| (rule.at, rule.from, rule.to))
            .collect();
        assert_eq!(
            places,
            [(90.0, 0.0, 80.0), (49.5, 0.0, 60.0), (30.0, 10.0, 100.0)]
        );
        let shown = drawn_by("q 100 0 0 50 0 0 cm /I Do Q BT (ab) Tj 3 Tr [(c) 9 (de)] TJ ET");
        assert_eq!((shown.image_area, shown.visible, shown.invisible), (5000.0, 2, 3));
        assert!(drawn_by("0 0 50 50 re W n").rules.is_empty());
    }

    #[test]
    fn a_form_that_draws_itself_ends() {
        let shown = drawn_by("/F Do");
        assert_eq!(shown.rules.len(), MAX_DEPTH);
        assert_eq!(shown.rules[0].at, 80.0);
    }
}
