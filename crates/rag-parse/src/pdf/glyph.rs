//! Glyphs on a page, and the trait that the two engines give them through.

use rag_core::span::BoundingBox;
use unicode_normalization::UnicodeNormalization;

use super::drawn::Drawn;
use super::image::GreyImage;
use super::slanted::SlantedRun;

/// Reads the glyphs of a document's pages, in points from the top left corner of the page as shown.
pub(super) trait GlyphSource {
    /// Number of pages.
    fn page_count(&self) -> u32;

    /// Title from the document's properties.
    fn title(&self) -> Option<String>;

    /// The glyphs of a page, counted from 0; at most `limit`. The error says what is wrong with the page.
    fn page(&mut self, index: u32, limit: usize) -> Result<Page, String>;

    /// The page as a picture; nothing when the engine cannot draw.
    fn image(&mut self, _index: u32, _dpi: u32) -> Option<GreyImage> {
        None
    }

    /// The characters of a page in the engine's own order, with the breaks that the engine sees.
    fn characters(&mut self, index: u32, limit: usize) -> Result<String, String> {
        Ok(in_order(&self.page(index, limit)?.glyphs))
    }
}

/// Gap between glyphs that is a space, and change of baseline that is a new line, in font sizes.
const SPACE: f32 = 0.2;
const NEW_LINE: f32 = 0.5;

/// Glyphs in the order in which they are drawn, with spaces and line breaks where they leave a gap.
pub(super) fn in_order(glyphs: &[Glyph]) -> String {
    let mut text = String::new();
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if let Some(last) = last {
            let along = |glyph: &Glyph| match glyph.turn {
                Turn::Right => (glyph.x, glyph.y),
                Turn::Down => (glyph.y, -glyph.x),
                Turn::Left => (-glyph.x, -glyph.y),
                Turn::Up => (-glyph.y, glyph.x),
            };
            let ((x, y), (last_x, last_y)) = (along(glyph), along(last));
            let gap = x - last_x - last.advance;
            let size = glyph.size.max(last.size);
            if glyph.turn != last.turn || (y - last_y).abs() > NEW_LINE * size {
                text.push('\n');
            } else if gap > SPACE * size || gap < -size {
                text.push(' ');
            }
        }
        glyph.text.push_to(&mut text);
        last = Some(glyph);
    }
    text
}

/// A page's size and glyphs.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) glyphs: Vec<Glyph>,
    /// Glyphs beyond the limit.
    pub(super) cut: usize,
    /// Glyphs of which the file does not say what character they are.
    pub(super) unmapped: usize,
    /// Glyphs that are not drawn, of a page that draws others.
    pub(super) hidden: Vec<Glyph>,
    /// Text on a slope, each run as it is drawn.
    pub(super) slanted: Vec<SlantedRun>,
    /// What the page shows beside text.
    pub(super) drawn: Drawn,
}

/// Tangent of the slope up to which text is upright, that of 5 degrees: scans are placed a little askew,
/// and lines on a steeper slope leave their baselines within a few words.
const MAX_SLOPE: f32 = 0.087;

/// A glyph: its text, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    /// Usually one character; ligatures have several.
    pub(super) text: GlyphText,
    /// Where it begins on its baseline.
    pub(super) x: f32,
    /// Where its baseline is.
    pub(super) y: f32,
    /// How far it advances.
    pub(super) advance: f32,
    /// Size of its font as shown, in points.
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// True when the engine sees a space before it that is not drawn.
    pub(super) is_apart: bool,
    /// Number of glyphs of the page that were drawn before it.
    pub(super) order: usize,
    pub(super) turn: Turn,
}

/// The direction in which text runs on the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Turn {
    /// To the right.
    #[default]
    Right,
    /// Downwards: turned clockwise.
    Down,
    /// To the left: upside down.
    Left,
    /// Upwards: turned counter-clockwise.
    Up,
}

/// The characters of one glyph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GlyphText {
    One(char),
    Several(Box<str>),
}

impl GlyphText {
    /// The text in normal form: ligatures and presentation forms become the letters that they stand for.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut normal: String = text.nfkc().filter(|c| !is_unusable(*c)).collect();
        // The isolated form of an Arabic vowel is a space with the mark on it.
        if normal.starts_with(' ') && normal.chars().nth(1).is_some_and(is_vowel_mark) {
            normal.remove(0);
        }
        let mut characters = normal.chars();
        match (characters.next(), characters.next()) {
            (None, _) => None,
            (Some(one), None) => Some(Self::One(one)),
            _ => Some(Self::Several(normal.into())),
        }
    }

    pub(super) fn push_to(&self, out: &mut String) {
        match self {
            Self::One(c) => out.push(*c),
            Self::Several(text) => out.push_str(text),
        }
    }

    /// Length of the text in UTF-8.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::One(c) => c.len_utf8(),
            Self::Several(text) => text.len(),
        }
    }

    pub(super) fn first(&self) -> char {
        match self {
            Self::One(c) => *c,
            Self::Several(text) => text.chars().next().unwrap_or(' '),
        }
    }

    pub(super) fn is_space(&self) -> bool {
        self.first().is_whitespace()
    }
}

fn is_vowel_mark(c: char) -> bool {
    matches!(c, '\u{64B}'..='\u{65F}')
}

/// Characters that a file gives when it does not know better.
pub(super) fn is_unusable(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{FFFD}' | '\u{FFFE}' | '\u{FFFF}' | '\u{E000}'..='\u{F8FF}')
}

impl Turn {
    /// The direction of a vector on the page, y downwards; nothing when it is far from upright.
    pub(super) fn of(dx: f32, dy: f32) -> Option<Self> {
        match (dx.abs() * MAX_SLOPE >= dy.abs(), dy.abs() * MAX_SLOPE >= dx.abs()) {
            (true, false) => Some(if dx > 0.0 { Self::Right } else { Self::Left }),
            (false, true) => Some(if dy > 0.0 { Self::Down } else { Self::Up }),
            _ => None,
        }
    }

    /// Where a point of a page of this size stands when the page is turned so that the text runs right.
    pub(super) fn upright(self, (width, height): (f32, f32), (x, y): (f32, f32)) -> (f32, f32) {
        match self {
            Self::Right => (x, y),
            Self::Down => (y, width - x),
            Self::Left => (width - x, height - y),
            Self::Up => (height - y, x),
        }
    }

    /// The place on the page of a box in upright coordinates.
    pub(super) fn back(self, (width, height): (f32, f32), upright: BoundingBox) -> BoundingBox {
        let BoundingBox {
            left,
            top,
            right,
            bottom,
        } = upright;
        match self {
            Self::Right => upright,
            Self::Down => BoundingBox {
                left: width - bottom,
                top: left,
                right: width - top,
                bottom: right,
            },
            Self::Left => BoundingBox {
                left: width - right,
                top: height - bottom,
                right: width - left,
                bottom: height - top,
            },
            Self::Up => BoundingBox {
                left: top,
                top: height - right,
                right: bottom,
                bottom: height - left,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_a_page_and_back_changes_nothing() {
        let size = (200.0, 100.0);
        for turn in [Turn::Right, Turn::Down, Turn::Left, Turn::Up] {
            let (x0, y0) = turn.upright(size, (10.0, 20.0));
            let (x1, y1) = turn.upright(size, (30.0, 45.0));
            let upright = BoundingBox {
                left: x0.min(x1),
                top: y0.min(y1),
                right: x0.max(x1),
                bottom: y0.max(y1),
            };
            let back = turn.back(size, upright);
            assert_eq!(
                (back.left, back.top, back.right, back.bottom),
                (10.0, 20.0, 30.0, 45.0),
                "{turn:?}"
            );
        }
    }

    #[test]
    fn directions_and_texts_are_told() {
        let cases = [
            ((1.0, 0.0), Some(Turn::Right)),
            ((0.0, 1.0), Some(Turn::Down)),
            ((-1.0, 0.05), Some(Turn::Left)),
            ((1.0, 0.2), None),
            ((0.0, -1.0), Some(Turn::Up)),
            ((1.0, 1.0), None),
            ((0.0, 0.0), None),
        ];
        for ((dx, dy), turn) in cases {
            assert_eq!(Turn::of(dx, dy), turn);
        }
        assert_eq!(GlyphText::of("ﬁ"), Some(GlyphText::Several("fi".into())));
        assert_eq!(GlyphText::of("\u{FEFB}"), Some(GlyphText::Several("لا".into())));
        assert_eq!(GlyphText::of("\u{FE70}"), Some(GlyphText::One('\u{64B}')));
        assert_eq!(GlyphText::of("\u{0}"), None);
    }
}
