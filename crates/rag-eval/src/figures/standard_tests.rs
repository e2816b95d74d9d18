//! The figures of a report, drawn from made-up data.

use std::collections::BTreeMap;

use super::*;
use crate::answers::{AbstentionCurve, CoveragePoint};

const RUNGS: [&str; 7] = [
    "not in the corpus",
    "split across passages",
    "no candidate",
    "lost in fusion",
    "lost in reranking",
    "cut by the budget",
    "not used",
];

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series {
        name: name.to_owned(),
        points: points.iter().map(|&(x, y)| (x, Some(y))).collect(),
    }
}

fn recall() -> String {
    let method = |name: &str, values: [f64; 6]| {
        let points: Vec<_> = [1.0, 3.0, 5.0, 10.0, 30.0, 100.0]
            .into_iter()
            .zip(values)
            .collect();
        series(name, &points)
    };
    let methods = [
        method("bm25", [0.52, 0.66, 0.73, 0.8, 0.86, 0.91]),
        method("dense", [0.5, 0.64, 0.71, 0.78, 0.87, 0.925]),
        method("hybrid", [0.56, 0.7, 0.77, 0.84, 0.904, 0.948]),
        method("hybrid+rerank", [0.6, 0.74, 0.8, 0.86, 0.904, 0.948]),
    ];
    recall_at_k("made-up data, 300 questions", &methods)
}

fn wrong() -> String {
    let method = |name: &str, sizes: [usize; 7]| {
        let counts = RUNGS.iter().map(|&rung| rung.to_owned()).zip(sizes);
        (name.to_owned(), counts.collect())
    };
    let methods = [
        method("bm25", [4, 3, 21, 0, 0, 5, 8]),
        method("dense", [4, 3, 26, 0, 0, 4, 9]),
        method("hybrid", [4, 3, 9, 6, 0, 5, 9]),
        method("hybrid+rerank", [4, 3, 9, 2, 3, 4, 10]),
    ];
    wrong_answers("made-up data, 300 questions", &RUNGS, &methods)
}

fn ranks() -> String {
    let row = |n: usize| RankPair {
        name: format!("question {n}: how long is it?"),
        ranks: [(n % 5 != 4).then_some(n * n + 1), (n != 9).then_some(n / 2 + 1)],
    };
    fix_ranks(
        "made-up data, 14 questions",
        ["plain passages", "contextual passages"].map(str::to_owned),
        &(0..14).map(row).collect::<Vec<_>>(),
    )
}

fn declining() -> String {
    let curve = |loss: f64| AbstentionCurve {
        points: (1u8..=40)
            .map(|n| CoveragePoint {
                threshold: 1.0 - f32::from(n) / 40.0,
                coverage: f64::from(n) / 40.0,
                precision: 1.0 - loss * (f64::from(n) / 40.0).powi(2),
                given: usize::from(n),
                right: 0,
            })
            .collect(),
        aurc: Some(loss / 3.0),
        ..AbstentionCurve::default()
    };
    let (extractive, model) = (curve(0.2), curve(0.35));
    let methods = [
        ("extractive".to_owned(), &extractive),
        ("model".to_owned(), &model),
    ];
    abstention("made-up data, 40 questions", &methods)
}

fn tradeoffs() -> String {
    let methods = [
        ("bm25", 3.0, 0.679),
        ("dense", 14.0, 0.657),
        ("hybrid", 17.0, 0.71),
        ("hybrid+rerank", 410.0, 0.729),
        ("hybrid+rerank x2", 800.0, 0.727),
        ("multi-query", 60.0, 0.709),
    ];
    let methods = methods.map(|(name, cost, quality)| Tradeoff {
        name: name.to_owned(),
        cost,
        quality,
    });
    quality_against_cost(
        "made-up data, 300 questions",
        "time per question (ms)",
        "nDCG@10",
        &methods,
    )
}

fn filtered() -> String {
    let methods = [
        series(
            "planned (scan or HNSW)",
            &[(0.5, 0.998), (0.1, 0.996), (0.01, 1.0), (0.001, 1.0)],
        ),
        series(
            "HNSW, filtered afterwards",
            &[(0.5, 0.99), (0.1, 0.82), (0.01, 0.31), (0.001, 0.04)],
        ),
    ];
    filtered_recall("made-up data, k = 10", &methods)
}

/// How a figure is drawn, and words that it must have.
type Case = (fn() -> String, [&'static str; 3]);

#[test]
fn figures_are_well_formed_and_name_axes_and_methods() {
    let cases: [Case; 6] = [
        (
            recall,
            [
                "k, documents from the top",
                "share of relevant documents",
                "hybrid+rerank",
            ],
        ),
        (wrong, ["number of questions", "lost in fusion", "dense"]),
        (ranks, ["1 is best", "not found", "contextual passages"]),
        (
            declining,
            [
                "share of questions answered",
                "given answers that are right",
                "model (AURC 0.117)",
            ],
        ),
        (tradeoffs, ["time per question (ms)", "nDCG@10", "multi-query"]),
        (
            filtered,
            [
                "passages allowed",
                "recall of the exact scan",
                "HNSW, filtered afterwards",
            ],
        ),
    ];
    for (draw, words) in cases {
        let svg = draw();
        for word in words {
            assert!(svg.contains(word), "{word} is lacking: {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("\"inf"), "{svg}");
        check_nesting(&svg);
        assert_eq!(svg, draw());
    }
}

#[test]
fn a_rung_that_was_not_announced_is_shown_and_an_idle_one_is_not() {
    let counts = BTreeMap::from([("new".to_owned(), 2), ("idle".to_owned(), 0)]);
    let svg = wrong_answers("", &["idle"], &[("m".to_owned(), counts)]);
    assert!(svg.contains(">new<") && !svg.contains(">idle<"), "{svg}");
}

#[test]
fn the_questions_that_moved_most_come_first() {
    let svg = ranks();
    let place = |name: &str| svg.find(name).unwrap();
    // Found only with context, from 170 to 7, unmoved.
    assert!(place("question 4:") < place("question 13:"));
    assert!(place("question 13:") < place("question 0:"));
}

/// Every element that opens is closed, in order.
fn check_nesting(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{svg}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
