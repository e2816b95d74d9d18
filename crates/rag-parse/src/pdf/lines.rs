//! Glyphs to segments: pieces of a line without a wide gap, in reading order of their characters.

use std::collections::HashSet;

use rag_core::span::BoundingBox;

use super::glyph::{Glyph, GlyphText, Page, Turn};

/// Largest distance of two baselines of one line, in font sizes: covers superscripts.
const SAME_LINE: f32 = 0.45;

/// Gap that ends a segment, in font sizes: wider than a word space, narrower than a column gutter.
const SEGMENT_GAP: f32 = 0.85;

/// Gap that is a word space, in font sizes.
const WORD_GAP: f32 = 0.17;

/// Share of the font size above and below the baseline that a line's box covers.
const ASCENT: f32 = 0.8;
const DESCENT: f32 = 0.22;

/// A piece of a line, in coordinates of the page turned so that its text runs to the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
}

impl Segment {
    pub(super) fn bounds(&self) -> BoundingBox {
        BoundingBox {
            left: self.left,
            top: self.baseline - self.size * ASCENT,
            right: self.right,
            bottom: self.baseline + self.size * DESCENT,
        }
    }

    pub(super) fn center(&self) -> f32 {
        f32::midpoint(self.left, self.right)
    }

    pub(super) fn characters(&self) -> usize {
        self.text.chars().count()
    }
}

/// The segments of a page that run in the direction `turn`, from top to bottom, then left to right.
/// Glyphs outside the page are left out, and of glyphs drawn twice one.
pub(super) fn segments(page: &Page, turn: Turn) -> Vec<Segment> {
    let size = (page.width, page.height);
    let is_inside = |glyph: &&Glyph| {
        let margin = glyph.size;
        (-margin..=page.width + margin).contains(&glyph.x)
            && (-margin..=page.height + margin).contains(&glyph.y)
    };
    let mut seen = HashSet::new();
    let mut glyphs: Vec<Glyph> = page
        .glyphs
        .iter()
        .filter(|glyph| {
            glyph.turn == turn && glyph.size > 0.5 && glyph.size.is_finite() && glyph.advance.is_finite()
        })
        .filter(is_inside)
        .filter(|glyph| is_first(&mut seen, glyph))
        .cloned()
        .map(|mut glyph| {
            (glyph.x, glyph.y) = turn.upright(size, (glyph.x, glyph.y));
            glyph
        })
        .collect();
    glyphs.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    let mut segments = Vec::new();
    for line in lines(glyphs) {
        cut_line(line, &mut segments);
    }
    segments
}

/// False when the same character was drawn at (nearly) the same place before: bold made by printing twice.
fn is_first(seen: &mut HashSet<(char, i32, i32)>, glyph: &Glyph) -> bool {
    let c = glyph.text.first();
    if c.is_whitespace() {
        return true;
    }
    let step = (glyph.size * 0.12).max(0.25);
    let (x, y) = ((glyph.x / step).round() as i32, (glyph.y / step).round() as i32);
    let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (c, x + dx, y + dy)));
    if near.into_iter().any(|place| seen.contains(&place)) {
        return false;
    }
    seen.insert((c, x, y))
}

/// Groups glyphs, sorted by baseline, into lines. The baseline of a line is that of its largest glyph.
fn lines(glyphs: Vec<Glyph>) -> Vec<Vec<Glyph>> {
    let mut lines: Vec<Vec<Glyph>> = Vec::new();
    let (mut baseline, mut size) = (f32::NEG_INFINITY, 0.0f32);
    for glyph in glyphs {
        let is_same = (glyph.y - baseline).abs() <= SAME_LINE * size.max(glyph.size);
        match lines.last_mut() {
            Some(line) if is_same => {
                if glyph.size > size {
                    (baseline, size) = (glyph.y, glyph.size);
                }
                line.push(glyph);
            }
            _ => {
                (baseline, size) = (glyph.y, glyph.size);
                lines.push(vec![glyph]);
            }
        }
    }
    lines
}

/// Cuts a line at wide gaps.
fn cut_line(mut line: Vec<Glyph>, out: &mut Vec<Segment>) {
    line.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut current: Vec<Glyph> = Vec::new();
    let mut end = f32::NEG_INFINITY;
    for glyph in line {
        if glyph.text.is_space() && current.is_empty() {
            continue;
        }
        let size = current
            .last()
            .map_or(glyph.size, |last| last.size.max(glyph.size));
        if !glyph.text.is_space() {
            if glyph.x - end > SEGMENT_GAP * size && !current.is_empty() {
                out.extend(segment(&current));
                current.clear();
            }
            end = end.max(glyph.x + glyph.advance);
            if current.is_empty() {
                end = glyph.x + glyph.advance;
            }
        }
        current.push(glyph);
    }
    out.extend(segment(&current));
}

fn segment(glyphs: &[Glyph]) -> Option<Segment> {
    let inked: Vec<&Glyph> = glyphs.iter().filter(|glyph| !glyph.text.is_space()).collect();
    let (first, last) = (inked.first()?, inked.last()?);
    let largest = inked
        .iter()
        .copied()
        .reduce(|a, b| if b.size > a.size { b } else { a })?;
    let bold = inked.iter().filter(|glyph| glyph.is_bold).count();
    let text = text_of(glyphs, largest.size, largest.y);
    Some(Segment {
        text,
        left: first.x,
        right: last.x + last.advance,
        baseline: largest.y,
        size: largest.size,
        is_bold: bold * 2 > inked.len(),
    })
}

/// The characters from left to right with word spaces, in logical order where they run right to left.
fn text_of(glyphs: &[Glyph], size: f32, baseline: f32) -> String {
    let mut pieces: Vec<GlyphText> = Vec::with_capacity(glyphs.len());
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if let Some(before) = last {
            let gap = glyph.x - (before.x + before.advance);
            let is_gap = gap > WORD_GAP * size.min(before.size.max(glyph.size));
            let is_raised = is_superscript_digit(glyph, size, baseline)
                && before.text.first().is_numeric()
                && !is_superscript_digit(before, size, baseline);
            let has_space = before.text.is_space() || glyph.text.is_space();
            if (is_gap || is_raised) && !has_space {
                pieces.push(GlyphText::One(' '));
            }
        }
        pieces.push(glyph.text.clone());
        last = Some(glyph);
    }
    let is_rtl = |text: &GlyphText| is_right_to_left(text.first());
    let strong = pieces.iter().filter(|text| text.first().is_alphabetic()).count();
    if pieces.iter().filter(|text| is_rtl(text)).count() * 2 > strong.max(1) {
        to_logical(&mut pieces);
    }
    let mut text = String::new();
    for piece in &pieces {
        piece.push_to(&mut text);
    }
    text.trim().to_owned()
}

/// A raised digit is the mark of a note: it must not join the number before it.
fn is_superscript_digit(glyph: &Glyph, size: f32, baseline: f32) -> bool {
    glyph.text.first().is_numeric() && glyph.size < size * 0.8 && baseline - glyph.y > size * 0.15
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
        && !c.is_numeric()
}

/// Turns a line around, except for the words and numbers in it that run left to right.
fn to_logical(pieces: &mut [GlyphText]) {
    pieces.reverse();
    let is_ltr = |text: &GlyphText| {
        let c = text.first();
        c.is_numeric() || (c.is_alphabetic() && !is_right_to_left(c))
    };
    let mut at = 0;
    while at < pieces.len() {
        if !is_ltr(&pieces[at]) {
            at += 1;
            continue;
        }
        // A run goes to its last strong character; what stands between two of them belongs to it.
        let mut end = at + 1;
        let mut next = end;
        while next < pieces.len() && !is_right_to_left(pieces[next].first()) {
            next += 1;
            if is_ltr(&pieces[next - 1]) {
                end = next;
            }
        }
        pieces[at..end].reverse();
        at = end;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Sets a text at a place, half the size per character.
    pub(crate) fn set(text: &str, x: f32, y: f32, size: f32) -> Vec<Glyph> {
        let glyph = |(at, c): (usize, char)| Glyph {
            text: GlyphText::One(c),
            x: x + at as f32 * size / 2.0,
            y,
            advance: size / 2.0,
            size,
            is_bold: false,
            turn: Turn::Right,
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn texts(glyphs: Vec<Glyph>) -> Vec<String> {
        let page = Page {
            width: 600.0,
            height: 800.0,
            glyphs,
            ..Page::default()
        };
        segments(&page, Turn::Right)
            .into_iter()
            .map(|segment| segment.text)
            .collect()
    }

    #[test]
    fn lines_are_cut_at_wide_gaps_only() {
        let mut glyphs = set("Second line", 50.0, 112.0, 10.0);
        glyphs.extend(set("left", 50.0, 100.0, 10.0));
        glyphs.extend(set("right", 200.0, 100.5, 10.0));
        glyphs.extend(set("of", 73.0, 100.0, 10.0));
        assert_eq!(texts(glyphs), ["left of", "right", "Second line"]);
    }

    #[test]
    fn doubled_and_outside_glyphs_are_dropped() {
        let mut glyphs = set("bold", 50.0, 100.0, 10.0);
        glyphs.extend(set("bold", 50.3, 100.0, 10.0));
        glyphs.extend(set("gone", 900.0, 100.0, 10.0));
        assert_eq!(texts(glyphs), ["bold"]);
    }

    #[test]
    fn a_raised_digit_does_not_join_a_number() {
        let mut glyphs = set("24.91", 50.0, 100.0, 10.0);
        glyphs.extend(set("2", 75.0, 96.0, 6.0));
        assert_eq!(texts(glyphs), ["24.91 2"]);
    }

    #[test]
    fn right_to_left_lines_are_in_logical_order() {
        let visual: String = "الراتب 1500 EUR شهريا".chars().rev().collect();
        let visual = visual
            .replace("0051", "1500")
            .replace("RUE", "EUR")
            .replace("EUR 1500", "1500 EUR");
        assert_eq!(texts(set(&visual, 50.0, 100.0, 10.0)), ["الراتب 1500 EUR شهريا"]);
    }
}
