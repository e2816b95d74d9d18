//! Glyphs to lines by their baselines; superscripts and subscripts join the line that they belong to.

use super::glyph::Glyph;
use super::lines::SUPERSCRIPT_SIZE;

/// Largest distance of two baselines of one line, in font sizes.
const SAME_LINE: f32 = 0.35;

/// Largest distance of a superscript or subscript from the baseline of its line, and from the glyph that
/// it follows, in sizes of the line's font.
const SCRIPT_RISE: f32 = 0.6;
const SCRIPT_GAP: f32 = 0.35;

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
    lines
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
