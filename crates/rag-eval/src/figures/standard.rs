//! The figures of a report, each from its data to SVG with the right axes.

use std::collections::BTreeMap;

use super::axis::{Axis, TickFormat};
use super::bars::{StackedBars, stacked_bars};
use super::lines::{LineChart, Series, line_chart};
use super::pairs::{RankPair, RankPairs, rank_pairs};
use super::pareto::{Pareto, Tradeoff, pareto};
use crate::answers::AbstentionCurve;

/// Most places along an axis that each have a tick of their own.
const MAX_CUTS: usize = 10;

/// Recall by the number of documents looked at: a series of `(k, recall)` for each method.
pub fn recall_at_k(note: &str, methods: &[Series]) -> String {
    let x = Axis {
        ticks: cuts(methods),
        ..Axis::log("k, documents from the top (logarithmic)")
    };
    line_chart(&LineChart {
        title: "Recall at k by method".to_owned(),
        note: note.to_owned(),
        x,
        y: Axis::share("recall (share of relevant documents)"),
        series: methods.to_vec(),
    })
}

/// Number of wrong answers by the rung that lost them, a bar for each method. `rungs` is their order; a
/// count of another rung is added at the end, so that no answer is missing.
pub fn wrong_answers(note: &str, rungs: &[&str], methods: &[(String, BTreeMap<String, usize>)]) -> String {
    let mut parts: Vec<String> = rungs.iter().map(|&rung| rung.to_owned()).collect();
    for rung in methods.iter().flat_map(|(_, counts)| counts.keys()) {
        if !parts.contains(rung) {
            parts.push(rung.clone());
        }
    }
    // Rungs that lost nothing would only fill the legend.
    parts.retain(|rung| {
        methods
            .iter()
            .any(|(_, counts)| counts.get(rung).is_some_and(|&count| count > 0))
    });
    let sizes = |counts: &BTreeMap<String, usize>| {
        let size = |rung: &String| counts.get(rung).copied().unwrap_or(0) as f64;
        parts.iter().map(size).collect()
    };
    stacked_bars(&StackedBars {
        title: "Where wrong answers come from".to_owned(),
        note: note.to_owned(),
        axis: Axis::linear("wrong answers (number of questions)"),
        bars: methods
            .iter()
            .map(|(name, counts)| (name.clone(), sizes(counts)))
            .collect(),
        parts,
    })
}

/// Rank of the passage that answers each question, by two methods, such as with plain and with contextual passages;
/// questions that moved most come first.
pub fn fix_ranks(note: &str, methods: [String; 2], rows: &[RankPair]) -> String {
    let mut rows = rows.to_vec();
    let place = |rank: Option<usize>| rank.map_or(f64::MAX.ln(), |rank| (rank.max(1) as f64).ln());
    let moved = |row: &RankPair| (place(row.ranks[0]) - place(row.ranks[1])).abs();
    rows.sort_by(|a, b| moved(b).total_cmp(&moved(a)).then_with(|| a.name.cmp(&b.name)));
    rank_pairs(&RankPairs {
        title: "Rank of the passage that answers".to_owned(),
        note: note.to_owned(),
        label: "rank among the candidates (1 is best, logarithmic)".to_owned(),
        methods,
        rows,
    })
}

/// Share of right answers among those given, by the share of questions answered.
pub fn abstention(note: &str, methods: &[(String, &AbstentionCurve)]) -> String {
    let series = |(name, curve): &(String, &AbstentionCurve)| Series {
        name: match curve.aurc {
            Some(aurc) => format!("{name} (AURC {aurc:.3})"),
            None => name.clone(),
        },
        points: curve
            .points
            .iter()
            .map(|point| (point.coverage, Some(point.precision)))
            .collect(),
    };
    line_chart(&LineChart {
        title: "What declining buys".to_owned(),
        note: note.to_owned(),
        x: Axis::share("coverage (share of questions answered)"),
        y: Axis::share("precision (share of given answers that are right)"),
        series: methods.iter().map(series).collect(),
    })
}

/// Quality against cost, with the methods that no other one beats. `cost` and `quality` name both axes with
/// their units.
pub fn quality_against_cost(note: &str, cost: &str, quality: &str, methods: &[Tradeoff]) -> String {
    pareto(&Pareto {
        title: "Quality against cost".to_owned(),
        note: note.to_owned(),
        cost: Axis::log(&format!("{cost}, logarithmic")),
        quality: Axis::linear(quality),
        methods: methods.to_vec(),
    })
}

/// Recall of a filtered search against the exact scan, by the share of passages that the filter allows:
/// a series of `(selectivity, recall)` for each method.
pub fn filtered_recall(note: &str, methods: &[Series]) -> String {
    line_chart(&LineChart {
        title: "Recall under a filter".to_owned(),
        note: note.to_owned(),
        x: Axis {
            format: TickFormat::Percent,
            ticks: cuts(methods),
            ..Axis::log("selectivity (share of passages allowed, logarithmic)")
        },
        y: Axis::share("recall of the exact scan's top k"),
        series: methods.to_vec(),
    })
}

/// The places that have values, to put ticks there, unless there are many.
fn cuts(methods: &[Series]) -> Option<Vec<f64>> {
    let places = methods
        .iter()
        .flat_map(|method| method.points.iter().map(|&(x, _)| x));
    let mut cuts: Vec<f64> = places.collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    (cuts.len() <= MAX_CUTS).then_some(cuts)
}
