//! Text far from upright, such as labels on a slope and stamps: runs of glyphs along one line.

use rag_core::span::BoundingBox;

use super::glyph::GlyphText;

/// Gap along the line that is a word space, and that ends a run, in font sizes.
const WORD_GAP: f32 = 0.17;
const RUN_GAP: f32 = 2.5;

/// Furthest that a glyph may stand beside the line of its run, in font sizes.
const LINE_SLACK: f32 = 0.5;

/// Least cosine of the angle between two directions that are one.
const SAME_DIRECTION: f32 = 0.98;

/// A glyph whose baseline is far from upright.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SlantedGlyph {
    pub(super) text: GlyphText,
    /// Where it begins.
    pub(super) start: (f32, f32),
    /// The direction of its baseline, of length 1.
    pub(super) direction: (f32, f32),
    /// How far it advances, where the engine says so.
    pub(super) advance: Option<f32>,
    pub(super) size: f32,
}

/// Glyphs drawn one after the other along one line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SlantedRun {
    pub(super) text: String,
    pub(super) bounds: BoundingBox,
    last: SlantedGlyph,
}

/// Adds a glyph to the last run, or begins another.
pub(super) fn push(runs: &mut Vec<SlantedRun>, glyph: SlantedGlyph) {
    let gap = runs.last().and_then(|run| gap(&run.last, &glyph));
    if let (Some(run), Some(gap)) = (runs.last_mut(), gap) {
        let is_spaced = run.last.text.is_space() || glyph.text.is_space();
        if !is_spaced && run.last.advance.is_some() && gap > WORD_GAP * glyph.size {
            run.text.push(' ');
        }
        glyph.text.push_to(&mut run.text);
        run.bounds = run.bounds.union(&bounds(&glyph));
        run.last = glyph;
        return;
    }
    let mut text = String::new();
    glyph.text.push_to(&mut text);
    runs.push(SlantedRun {
        text,
        bounds: bounds(&glyph),
        last: glyph,
    });
}

/// Ends the word that the last run ends in.
pub(super) fn push_space(runs: &mut [SlantedRun]) {
    if let Some(run) = runs.last_mut().filter(|run| !run.text.ends_with(' ')) {
        run.text.push(' ');
    }
}

/// The gap between two glyphs along their line; nothing when they do not stand on one.
fn gap(last: &SlantedGlyph, next: &SlantedGlyph) -> Option<f32> {
    let (dx, dy) = last.direction;
    let cosine = dx * next.direction.0 + dy * next.direction.1;
    let (x, y) = (next.start.0 - last.start.0, next.start.1 - last.start.1);
    let gap = x * dx + y * dy - last.advance.unwrap_or(0.0);
    let beside = (y * dx - x * dy).abs();
    let size = last.size.max(next.size);
    let is_on_line = cosine > SAME_DIRECTION && beside <= LINE_SLACK * size;
    (is_on_line && (-size..=RUN_GAP * size).contains(&gap)).then_some(gap)
}

/// A square around a glyph.
fn bounds(glyph: &SlantedGlyph) -> BoundingBox {
    let (x, y) = glyph.start;
    let half = glyph.size / 2.0;
    BoundingBox {
        left: x - half,
        top: y - half,
        right: x + half,
        bottom: y + half,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, start: (f32, f32), runs: &mut Vec<SlantedRun>) {
        for (at, c) in text.chars().enumerate().filter(|(_, c)| *c != ' ') {
            let along = at as f32 * 5.0 * std::f32::consts::FRAC_1_SQRT_2;
            let glyph = SlantedGlyph {
                text: GlyphText::One(c),
                start: (start.0 + along, start.1 + along),
                direction: (std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2),
                advance: Some(5.0),
                size: 10.0,
            };
            push(runs, glyph);
        }
    }

    #[test]
    fn lines_on_a_slope_keep_their_words_apart() {
        let mut runs = Vec::new();
        set("on a slope", (10.0, 10.0), &mut runs);
        set("below", (0.0, 25.0), &mut runs);
        let texts: Vec<&str> = runs.iter().map(|run| run.text.as_str()).collect();
        assert_eq!(texts, ["on a slope", "below"]);
        assert!(runs[0].bounds.left > 0.0 && runs[0].bounds.right < 60.0);
    }
}
