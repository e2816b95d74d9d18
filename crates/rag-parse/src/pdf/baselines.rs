//! Glyphs to lines by their baselines; superscripts and subscripts join the line that they belong to.

use super::glyph::Glyph;
use super::lines::SUPERSCRIPT_SIZE;

/// Largest distance of two baselines of one line, in font sizes.
const SAME_LINE: f32 = 0.35;

/// Largest distance of a superscript or subscript from the baseline of its line, and from the glyph that
/// it follows, in sizes of the line's font.
const SCRIPT_RISE: f32 = 0.6;
const SCRIPT_GAP: f32 = 0.35;

/// Gap that ends a run of glyphs drawn one after the other, overlap from which on two such runs stand over
/// each other, both in font sizes, and the fewest glyphs of each.
const STROKE_GAP: f32 = 2.0;
const MAX_OVERLAP: f32 = 1.5;
const MIN_LAYER: usize = 3;

/// Glyphs on one baseline, which is that of the largest of them.
pub(super) struct Line {
    baseline: f32,
    size: f32,
    pub(super) glyphs: Vec<Glyph>,
}

/// Groups glyphs, sorted by baseline, into lines.
pub(super) fn lines(glyphs: Vec<Glyph>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for glyph in glyphs {
        match lines.last_mut() {
            Some(line) if (glyph.y - line.baseline).abs() <= SAME_LINE * line.size.max(glyph.size) => {
                if glyph.size > line.size {
                    (line.baseline, line.size) = (glyph.y, glyph.size);
                }
                line.glyphs.push(glyph);
            }
            _ => lines.push(Line {
                baseline: glyph.y,
                size: glyph.size,
                glyphs: vec![glyph],
            }),
        }
    }
    for line in &mut lines {
        line.glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    attach_scripts(&mut lines);
    lines.into_iter().flat_map(layers).collect()
}

/// Parts a line whose texts were drawn over each other: what was drawn as one text stays together.
fn layers(line: Line) -> Vec<Line> {
    let is_in_turn = |pair: &[Glyph]| pair[0].order < pair[1].order;
    if line.glyphs.windows(2).all(is_in_turn) {
        return vec![line];
    }
    let mut layers: Vec<(Vec<Extent>, Vec<Glyph>)> = Vec::new();
    for stroke in strokes(line.glyphs) {
        let extent = Extent::of(&stroke, line.size);
        let free = layers
            .iter()
            .position(|(taken, _)| taken.iter().all(|other| !extent.covers(other)));
        match free {
            Some(at) => {
                layers[at].0.push(extent);
                layers[at].1.extend(stroke);
            }
            None => layers.push((vec![extent], stroke)),
        }
    }
    let line_of = |(_, mut glyphs): (Vec<Extent>, Vec<Glyph>)| {
        glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
        Line { glyphs, ..line }
    };
    layers.into_iter().map(line_of).collect()
}

/// Runs of glyphs drawn one after the other from left to right.
fn strokes(mut glyphs: Vec<Glyph>) -> Vec<Vec<Glyph>> {
    glyphs.sort_by_key(|glyph| glyph.order);
    let mut strokes: Vec<Vec<Glyph>> = Vec::new();
    for glyph in glyphs {
        let goes_on = strokes
            .last()
            .and_then(|stroke| stroke.last())
            .is_some_and(|last| {
                let gap = glyph.x - (last.x + last.advance);
                glyph.x > last.x && gap <= STROKE_GAP * glyph.size
            });
        match strokes.last_mut() {
            Some(stroke) if goes_on => stroke.push(glyph),
            _ => strokes.push(vec![glyph]),
        }
    }
    strokes
}

/// Where a stroke stands on its line.
struct Extent {
    from: f32,
    to: f32,
    glyphs: usize,
    slack: f32,
}

impl Extent {
    fn of(stroke: &[Glyph], size: f32) -> Self {
        let inked = || stroke.iter().filter(|glyph| !glyph.text.is_space());
        Self {
            from: inked().map(|glyph| glyph.x).fold(f32::INFINITY, f32::min),
            to: inked()
                .map(|glyph| glyph.x + glyph.advance)
                .fold(f32::NEG_INFINITY, f32::max),
            glyphs: inked().count(),
            slack: size * MAX_OVERLAP,
        }
    }

    /// True when both are texts and stand over each other, more than accents and kerning make them.
    fn covers(&self, other: &Self) -> bool {
        self.glyphs.min(other.glyphs) >= MIN_LAYER
            && self.to.min(other.to) - self.from.max(other.from) > self.slack
    }
}

/// Moves superscripts and subscripts to the line whose glyph they follow. They have a baseline of their
/// own, which may be nearer to a line of the next column.
fn attach_scripts(lines: &mut [Line]) {
    for at in 0..lines.len() {
        let mut kept = Vec::new();
        for run in runs(std::mem::take(&mut lines[at].glyphs)) {
            let near = at.saturating_sub(2)..lines.len().min(at + 3);
            let host = near
                .into_iter()
                .find(|&other| other != at && is_host(&lines[other], &run));
            match host {
                Some(host) => lines[host].glyphs.extend(run),
                None => kept.extend(run),
            }
        }
        // What another line gave to this one in the meantime is in `lines[at]` only for later lines.
        lines[at].glyphs.extend(kept);
        lines[at].glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    for line in lines {
        line.glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
}

/// Pieces of a line without a gap or a change of size, from left to right.
fn runs(glyphs: Vec<Glyph>) -> Vec<Vec<Glyph>> {
    let mut runs: Vec<Vec<Glyph>> = Vec::new();
    for glyph in glyphs {
        let last = runs.last_mut().filter(|run| {
            run.last().is_some_and(|last| {
                let gap = glyph.x - (last.x + last.advance);
                gap <= SCRIPT_GAP * glyph.size && (last.size - glyph.size).abs() < 0.5
            })
        });
        match last {
            Some(run) => run.push(glyph),
            None => runs.push(vec![glyph]),
        }
    }
    runs
}

/// True when `run` is a superscript or subscript behind a glyph of `line`, or the mark before a note.
fn is_host(line: &Line, run: &[Glyph]) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return false;
    };
    let rise = (line.baseline - first.y).abs();
    if first.text.is_space() || first.size > line.size * SUPERSCRIPT_SIZE || rise > SCRIPT_RISE * line.size {
        return false;
    }
    line.glyphs.iter().any(|glyph| {
        let behind = first.x - (glyph.x + glyph.advance);
        let before = glyph.x - (last.x + last.advance);
        let is_beside = behind.abs().min(before.abs()) <= SCRIPT_GAP * glyph.size;
        glyph.size * SUPERSCRIPT_SIZE >= first.size && is_beside && !glyph.text.is_space()
    })
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::set;
    use super::*;

    #[test]
    fn texts_drawn_over_each_other_stay_apart() {
        let mut glyphs = set("the upper text", 50.0, 100.0, 10.0);
        glyphs.extend(set("and a lower", 62.0, 100.2, 10.0));
        glyphs.extend(set("beside", 200.0, 100.0, 10.0));
        for (order, glyph) in glyphs.iter_mut().enumerate() {
            glyph.order = order;
        }
        let text = |line: &Line| {
            line.glyphs
                .iter()
                .map(|glyph| glyph.text.first())
                .collect::<String>()
        };
        let found: Vec<String> = lines(glyphs).iter().map(text).collect();
        assert_eq!(found, ["the upper textbeside", "and a lower"]);
    }
}
