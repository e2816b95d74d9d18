//! Paired dots: where each question's passage ranked with one method and with another.

use super::axis::Axis;
use super::frame::{Frame, Key, MAX_NAME, joined_note};
use super::style::pair_marker;
use super::svg::{Anchor, FAINT, INK, Svg, text_width};

/// Distance from row to row.
const STEP: f64 = 17.0;

/// Most rows of a figure.
const MAX_ROWS: usize = 60;

/// Width of the column for passages that were not found.
const NOT_FOUND: f64 = 64.0;

/// The ranks of one question's passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankPair {
    /// The question's id or a few words of it.
    pub name: String,
    /// Rank with each of the two methods, from 1; `None` when not found.
    pub ranks: [Option<usize>; 2],
}

/// Ranks of two methods, question by question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankPairs {
    /// What they show.
    pub title: String,
    /// On which data, with how many questions.
    pub note: String,
    /// What the ranks are of: `rank of the passage`.
    pub label: String,
    /// The two methods.
    pub methods: [String; 2],
    /// The questions, in the order of the rows; up to sixty are shown, the rest counted in the note.
    pub rows: Vec<RankPair>,
}

/// Draws `figure` as SVG.
pub fn rank_pairs(figure: &RankPairs) -> String {
    let rows = &figure.rows[..figure.rows.len().min(MAX_ROWS)];
    let names = [figure.methods[0].as_str(), figure.methods[1].as_str()];
    let widest = rows.iter().map(|row| text_width(&row.name)).fold(0.0, f64::max);
    let height = STEP * rows.len() as f64 + 14.0;
    let frame = Frame::new((460.0, height), widest.min(MAX_NAME) + 28.0, &names);
    let note = joined_note(
        &figure.note,
        figure.rows.len() - rows.len(),
        "questions are not shown",
    );
    let mut svg = frame.open(&figure.title, &note);
    let greatest = rows.iter().flat_map(|row| row.ranks).flatten().max().unwrap_or(1);
    let axis = Axis {
        range: Some((1.0, greatest.max(10) as f64)),
        ..Axis::log(&figure.label)
    };
    let ranked = Frame {
        left: frame.left + 10.0,
        right: frame.right - NOT_FOUND,
        ..frame
    };
    let x = ranked.x(&axis, []);
    ranked.draw_x(&mut svg, &x);
    let lost = frame.right - NOT_FOUND / 3.0;
    svg.line(
        (lost, frame.top),
        (lost, frame.bottom),
        &format!("stroke=\"{FAINT}\" stroke-dasharray=\"2 3\""),
    );
    svg.label((lost, frame.bottom + 18.0), Anchor::Middle, "not found");
    let at = |rank: Option<usize>| rank.map_or(lost, |rank| x.at(rank as f64));
    for (index, row) in rows.iter().enumerate() {
        let y = frame.top + 14.0 + STEP * index as f64;
        svg.label_within((frame.left - 8.0, y + 4.0), Anchor::End, &row.name, MAX_NAME);
        draw_row(&mut svg, row.ranks.map(at), y);
    }
    if rows.is_empty() {
        frame.empty(&mut svg);
    }
    frame.legend(&mut svg, Key::Pair, &names);
    svg.finish()
}

fn draw_row(svg: &mut Svg, [first, second]: [f64; 2], y: f64) {
    svg.line(
        (first, y),
        (second, y),
        &format!("stroke=\"{INK}\" stroke-width=\"1.2\""),
    );
    pair_marker(svg, 0, (first, y));
    pair_marker(svg, 1, (second, y));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_two_dots() {
        let row = |name: &str, first, second| RankPair {
            name: name.to_owned(),
            ranks: [first, second],
        };
        let mut figure = RankPairs {
            label: "rank".to_owned(),
            methods: ["plain", "contextual"].map(str::to_owned),
            rows: vec![row("q1", Some(7), Some(1)), row("q2", None, Some(3))],
            ..RankPairs::default()
        };
        let text = rank_pairs(&figure);
        // With those of the legend.
        assert_eq!(text.matches("<circle").count(), 6, "{text}");
        figure.rows = vec![row("q", Some(1), None); 65];
        assert!(rank_pairs(&figure).contains("5 questions are not shown"));
    }
}
