//! Glyphs to segments: pieces of a line without a wide gap, in reading order of their characters.

use std::collections::HashMap;

use rag_core::span::BoundingBox;

use super::baselines::lines;
use super::drawn::Rule;
use super::glyph::{Glyph, GlyphText, Page, Turn};
use crate::config::RepairConfig;

/// Size of a superscript at most, as a share of its line's.
pub(super) const SUPERSCRIPT_SIZE: f32 = 0.8;

/// Gap that ends a segment, in font sizes: wider than a word space, narrower than a column gutter.
pub(super) const SEGMENT_GAP: f32 = 0.85;

/// Gap between a bullet or a number and its item, in font sizes, and the longest such number.
const BULLET_GAP: f32 = 3.5;
const NUMBER_GAP: f32 = 2.2;
const MAX_LABEL: usize = 3;

/// Gap that is a word space, in font sizes, and that is enough where the engine sees one.
const WORD_GAP: f32 = 0.17;
const HINTED_GAP: f32 = 0.07;

/// Least and widest spacing of letters, in font sizes, and fewest gaps of a line that tell it.
const MIN_TRACKING: f32 = 0.08;
const MAX_TRACKING: f32 = 0.15;
const MIN_TRACKED: usize = 6;

/// Narrowest glyph that is a space by itself, in font sizes: what is narrower may only end a text in the
/// file, and needs as wide a gap.
const MIN_SPACE: f32 = 0.02;

/// Furthest that a glyph may reach over the upright line beside it, in font sizes.
const RULE_SLACK: f32 = 0.15;

/// Share of the font size above and below the baseline that a line's box covers.
const ASCENT: f32 = 0.8;
const DESCENT: f32 = 0.22;

/// Largest distance of two drawings of one glyph, in font sizes: less than the narrowest letters advance.
const SAME_PLACE: f32 = 0.1;

/// Cells in which drawings of one glyph are looked for, in points, and how many of a cell are remembered.
const CELL: f32 = 4.0;
const MAX_PER_CELL: usize = 16;

/// A piece of a line, in coordinates of the page turned so that its text runs to the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// When its first glyph was drawn: the number of glyphs of the page before it.
    pub(super) order: usize,
    /// Where it can be cut in two, if it runs left to right.
    pub(super) spaces: Vec<Space>,
}

/// A space between two words of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Space {
    /// Right edge of the word before, and left edge of the word behind.
    pub(super) left: f32,
    pub(super) right: f32,
    /// Where the space stands in the text.
    pub(super) at: usize,
}

impl Segment {
    /// Cuts the segment at a space over `x`; nothing when there is none.
    pub(super) fn cut_at(&self, x: f32) -> Option<(Self, Self)> {
        let slack = self.size * 0.1;
        let index = self
            .spaces
            .iter()
            .position(|space| space.left - slack <= x && x <= space.right + slack)?;
        let space = self.spaces[index];
        let (before, behind) = (self.text.get(..space.at)?, self.text.get(space.at..)?);
        let lead = behind.len() - behind.trim_start().len();
        let shift = space.at + lead;
        let later = self.spaces[index + 1..].iter().map(|space| Space {
            at: space.at.saturating_sub(shift),
            ..*space
        });
        let left = Self {
            text: before.trim_end().to_owned(),
            right: space.left,
            spaces: self.spaces[..index].to_vec(),
            ..self.clone()
        };
        let right = Self {
            text: behind.trim_start().to_owned(),
            left: space.right,
            spaces: later.collect(),
            ..self.clone()
        };
        Some((left, right))
    }

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

/// Glyphs that were left out of a page's segments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// Those outside the page.
    pub(super) clipped: String,
    /// Those drawn again at the same place.
    pub(super) overprinted: String,
}

/// The segments of a page that run in the direction `turn`, from top to bottom, then left to right.
/// As asked for, glyphs outside the page are left out, and of glyphs drawn twice one.
pub(super) fn segments(page: &Page, turn: Turn, repair: &RepairConfig) -> (Vec<Segment>, LeftOut) {
    let size = (page.width, page.height);
    let mut left_out = LeftOut::default();
    let is_inside = |glyph: &&Glyph| {
        let margin = glyph.size * 0.5;
        (-margin..=page.width + margin).contains(&glyph.x)
            && (-margin..=page.height + margin).contains(&glyph.y)
    };
    let mut seen = Seen::new();
    let mut glyphs: Vec<Glyph> = page
        .glyphs
        .iter()
        .filter(|glyph| {
            glyph.turn == turn && glyph.size > 0.5 && glyph.size.is_finite() && glyph.advance.is_finite()
        })
        .filter(|glyph| {
            let is_kept = !repair.clip_to_page || is_inside(glyph);
            if !is_kept {
                glyph.text.push_to(&mut left_out.clipped);
            }
            is_kept
        })
        .filter(|glyph| {
            let is_kept = !repair.drop_overprinted || is_first(&mut seen, glyph);
            if !is_kept {
                glyph.text.push_to(&mut left_out.overprinted);
            }
            is_kept
        })
        .cloned()
        .map(|mut glyph| {
            (glyph.x, glyph.y) = turn.upright(size, (glyph.x, glyph.y));
            glyph
        })
        .collect();
    glyphs.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    let mut segments = Vec::new();
    let uprights: Vec<Rule> = page.drawn.upright(size, turn);
    let uprights: Vec<Rule> = uprights
        .into_iter()
        .filter(|rule| !rule.is_level && !rule.is_edge)
        .collect();
    for line in lines(glyphs) {
        cut_line(line.glyphs, &uprights, &mut segments);
    }
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.left.total_cmp(&b.left)));
    (segments, left_out)
}

/// Remembers where each character was drawn, in cells of [`CELL`] points.
type Seen = HashMap<(char, i32, i32), Vec<(f32, f32)>>;

/// False when the same character was drawn at (nearly) the same place before: bold made by printing twice.
fn is_first(seen: &mut Seen, glyph: &Glyph) -> bool {
    let c = glyph.text.first();
    if c.is_whitespace() {
        return true;
    }
    let near = (glyph.size * SAME_PLACE).min(glyph.advance * 0.5);
    let (x, y) = ((glyph.x / CELL).floor() as i32, (glyph.y / CELL).floor() as i32);
    let is_near = |(other_x, other_y): &(f32, f32)| {
        (other_x - glyph.x).abs() <= near && (other_y - glyph.y).abs() <= near
    };
    let cells = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (c, x + dx, y + dy)));
    if cells
        .into_iter()
        .any(|cell| seen.get(&cell).is_some_and(|places| places.iter().any(is_near)))
    {
        return false;
    }
    let places = seen.entry((c, x, y)).or_default();
    if places.len() < MAX_PER_CELL {
        places.push((glyph.x, glyph.y));
    }
    true
}

/// Cuts a line at wide gaps, and where an upright line stands between two glyphs.
fn cut_line(line: Vec<Glyph>, uprights: &[Rule], out: &mut Vec<Segment>) {
    let middle = line.first().map_or(0.0, |glyph| glyph.y - glyph.size * 0.3);
    let is_beside = |rule: &&Rule| rule.from <= middle && rule.to >= middle;
    let uprights: Vec<f32> = uprights.iter().filter(is_beside).map(|rule| rule.at).collect();
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
            let is_ruled_off = || {
                let slack = RULE_SLACK * size;
                uprights
                    .iter()
                    .any(|x| (end - slack..=glyph.x + slack).contains(x))
            };
            if !current.is_empty() && (glyph.x - end > allowed_gap(&current) * size || is_ruled_off()) {
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

/// The gap that may follow, in font sizes: a bullet or number belongs to the item behind it.
fn allowed_gap(current: &[Glyph]) -> f32 {
    let mut label = String::new();
    for glyph in current
        .iter()
        .filter(|glyph| !glyph.text.is_space())
        .take(MAX_LABEL + 1)
    {
        glyph.text.push_to(&mut label);
    }
    let is_number = label.ends_with(['.', ')']) && label.starts_with(|c: char| c.is_ascii_digit());
    match label.as_str() {
        "•" | "●" | "○" | "▪" | "■" | "◦" | "‣" | "∙" | "·" | "–" | "▫" | "□" | "➢" | "✓" => {
            BULLET_GAP
        }
        _ if is_number && label.len() <= MAX_LABEL => NUMBER_GAP,
        _ => SEGMENT_GAP,
    }
}

fn segment(glyphs: &[Glyph]) -> Option<Segment> {
    let start = glyphs.iter().position(|glyph| !glyph.text.is_space())?;
    let end = glyphs.iter().rposition(|glyph| !glyph.text.is_space())?;
    let glyphs = &glyphs[start..=end];
    let inked = || glyphs.iter().filter(|glyph| !glyph.text.is_space());
    let largest = inked().reduce(|a, b| if b.size > a.size { b } else { a })?;
    let bold = inked().filter(|glyph| glyph.is_bold).count();
    let last = glyphs.last()?;
    let (text, spaces) = text_of(glyphs, largest.size, largest.y);
    Some(Segment {
        text,
        left: glyphs[0].x,
        right: last.x + last.advance,
        baseline: largest.y,
        size: largest.size,
        is_bold: bold * 2 > inked().count(),
        order: inked().map(|glyph| glyph.order).min().unwrap_or_default(),
        spaces,
    })
}

/// The characters from left to right with word spaces, in logical order where they run right to left.
fn text_of(glyphs: &[Glyph], size: f32, baseline: f32) -> (String, Vec<Space>) {
    let mut pieces: Vec<GlyphText> = Vec::with_capacity(glyphs.len());
    let mut spaces = Vec::new();
    let mut length = 0;
    let mut last: Option<&Glyph> = None;
    let tracking = tracking(glyphs, size);
    // Whether a space without width stands before the glyph.
    let mut is_hinted = false;
    for glyph in glyphs {
        if glyph.text.is_space() {
            if glyph.advance < MIN_SPACE * size {
                is_hinted = true;
            } else if !pieces.last().is_some_and(GlyphText::is_space) {
                pieces.push(GlyphText::One(' '));
            }
            continue;
        }
        if let Some(before) = last {
            let end = before.x + before.advance;
            // The space that the engine sees stands before the glyph that is drawn later.
            let later = if before.order > glyph.order { before } else { glyph };
            let least = match (is_hinted, later.is_apart) {
                (true, _) => MIN_SPACE,
                (false, true) => HINTED_GAP,
                (false, false) => WORD_GAP,
            };
            let is_gap = glyph.x - end > tracking + least * size.min(before.size.max(glyph.size));
            let is_raised = is_superscript_digit(glyph, size, baseline)
                && before.text.first().is_numeric()
                && !is_superscript_digit(before, size, baseline);
            let has_space = pieces.last().is_some_and(GlyphText::is_space);
            if (is_gap || is_raised) && !has_space {
                pieces.push(GlyphText::One(' '));
            }
            if is_gap || is_raised || has_space {
                spaces.push(Space {
                    left: end,
                    right: glyph.x,
                    at: length,
                });
                length += 1;
            }
        }
        length += glyph.text.bytes();
        pieces.push(glyph.text.clone());
        last = Some(glyph);
        is_hinted = false;
    }
    let strong = pieces.iter().filter(|text| text.first().is_alphabetic()).count();
    let right_to_left = pieces
        .iter()
        .filter(|text| is_right_to_left(text.first()))
        .count();
    if right_to_left > 0 {
        spaces.clear();
    }
    if right_to_left * 2 > strong.max(1) {
        to_logical(&mut pieces);
    }
    let mut text = String::with_capacity(length);
    for piece in &pieces {
        if right_to_left > 0 && is_change_of_script(&text, piece.first()) {
            text.push(' ');
        }
        piece.push_to(&mut text);
    }
    (text, spaces)
}

/// How far the letters of a line are set apart, in points: the usual gap between two glyphs.
fn tracking(glyphs: &[Glyph], size: f32) -> f32 {
    let between = |pair: &[Glyph]| {
        let is_inked = !pair[0].text.is_space() && !pair[1].text.is_space();
        is_inked.then(|| pair[1].x - pair[0].x - pair[0].advance)
    };
    let mut gaps: Vec<f32> = glyphs.windows(2).filter_map(between).collect();
    if gaps.len() < MIN_TRACKED {
        return 0.0;
    }
    let middle = gaps.len() / 2;
    let (_, usual, _) = gaps.select_nth_unstable_by(middle, f32::total_cmp);
    if *usual < MIN_TRACKING * size {
        return 0.0;
    }
    usual.min(MAX_TRACKING * size)
}

/// True between letters that run to the left and letters that run to the right: words of two languages
/// are two words, though the space between them is drawn on the other side of one of them.
fn is_change_of_script(text: &str, next: char) -> bool {
    let Some(last) = text.chars().next_back() else {
        return false;
    };
    let is_other = |c: char| c.is_alphabetic() && !is_right_to_left(c);
    is_right_to_left(last) && is_other(next) || is_other(last) && is_right_to_left(next)
}

/// A raised digit is the mark of a note: it must not join the number before it.
fn is_superscript_digit(glyph: &Glyph, size: f32, baseline: f32) -> bool {
    glyph.text.first().is_numeric()
        && glyph.size <= size * SUPERSCRIPT_SIZE
        && baseline - glyph.y > size * 0.15
}

/// True for letters of scripts that run from right to left.
pub(super) fn is_right_to_left(c: char) -> bool {
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
            is_apart: false,
            order: 0,
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
        segments(&page, Turn::Right, &RepairConfig::default())
            .0
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
        let mut glyphs = set("●", 50.0, 100.0, 10.0);
        glyphs.extend(set("an item", 80.0, 100.0, 10.0));
        assert_eq!(texts(glyphs), ["● an item"]);
    }

    #[test]
    fn doubled_and_outside_glyphs_are_dropped() {
        let mut glyphs = set("bold", 50.0, 100.0, 10.0);
        glyphs.extend(set("bold", 50.3, 100.0, 10.0));
        glyphs.extend(set("gone", 900.0, 100.0, 10.0));
        let mut narrow = set("lll", 200.0, 100.0, 10.0);
        for (at, glyph) in narrow.iter_mut().enumerate() {
            (glyph.x, glyph.advance) = (200.0 + at as f32 * 2.2, 2.2);
        }
        glyphs.extend(narrow);
        assert_eq!(texts(glyphs), ["bold", "lll"]);
    }

    #[test]
    fn a_segment_is_cut_at_a_space() {
        let page = Page {
            width: 600.0,
            height: 800.0,
            glyphs: set("one two three", 50.0, 100.0, 10.0),
            ..Page::default()
        };
        let whole = segments(&page, Turn::Right, &RepairConfig::default()).0.remove(0);
        let (left, right) = whole.cut_at(87.0).unwrap();
        assert_eq!((left.text.as_str(), right.text.as_str()), ("one two", "three"));
        assert_eq!((left.right, right.left), (85.0, 90.0));
        assert_eq!(right.cut_at(100.0), None);
        let (_, behind) = whole.cut_at(67.0).unwrap();
        assert_eq!(behind.cut_at(87.0).unwrap().0.text, "two");
    }

    #[test]
    fn a_raised_digit_does_not_join_a_number() {
        let mut glyphs = set("24.91", 50.0, 100.0, 10.0);
        glyphs.extend(set("2", 75.0, 96.0, 6.0));
        assert_eq!(texts(glyphs), ["24.91 2"]);
    }

    #[test]
    fn letters_that_are_set_apart_are_one_word() {
        let mut glyphs = set("formattedtext", 50.0, 100.0, 10.0);
        for (at, glyph) in glyphs.iter_mut().enumerate() {
            glyph.x += at as f32 * 1.9 + if at >= 9 { 4.0 } else { 0.0 };
            glyph.is_apart = at % 2 == 1;
        }
        assert_eq!(texts(glyphs), ["formatted text"]);
    }

    #[test]
    fn a_narrow_gap_is_a_space_where_the_engine_sees_one() {
        let mut glyphs = set("ofan", 50.0, 100.0, 10.0);
        glyphs[2].x += 1.3;
        glyphs[3].x += 1.3;
        assert_eq!(texts(glyphs.clone()), ["ofan"]);
        glyphs[2].is_apart = true;
        assert_eq!(texts(glyphs.clone()), ["of an"]);
        let mut end = set(" ", 56.0, 100.0, 10.0);
        end[0].advance = 0.0;
        let mut number = set("12.0", 50.0, 100.0, 10.0);
        number.extend(end);
        assert_eq!(texts(number), ["12.0"]);
    }

    #[test]
    fn an_upright_line_ends_a_text() {
        let mut page = Page {
            width: 600.0,
            height: 800.0,
            glyphs: set("Elizab1254", 50.0, 100.0, 10.0),
            ..Page::default()
        };
        page.drawn.rules.push(Rule {
            is_level: false,
            is_edge: false,
            at: 80.2,
            from: 90.0,
            to: 105.0,
        });
        let found = segments(&page, Turn::Right, &RepairConfig::default()).0;
        let texts: Vec<&str> = found.iter().map(|segment| segment.text.as_str()).collect();
        assert_eq!(texts, ["Elizab", "1254"]);
    }

    #[test]
    fn words_of_two_scripts_are_two_words() {
        let visual: String = "لغة البرمجة".chars().rev().collect();
        let glyphs = set(&format!("{visual}Rust"), 50.0, 100.0, 10.0);
        assert_eq!(texts(glyphs), ["Rust لغة البرمجة"]);
    }

    #[test]
    fn a_superscript_stays_in_its_column() {
        let mut glyphs = set("left column", 50.0, 100.0, 10.0);
        glyphs.extend(set("practice", 300.0, 107.0, 10.0));
        glyphs.extend(set("1", 340.0, 103.0, 6.0));
        glyphs.extend(set(", indicating", 343.0, 107.0, 10.0));
        assert_eq!(texts(glyphs), ["left column", "practice1, indicating"]);
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
