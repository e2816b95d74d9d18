//! Values of trec_eval itself on rankings with ties and other edges: `trec_eval.json`, which
//! `trec_eval.py` prints.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::{Evaluation, Metric, Qrels, Run};

/// The reference prints six decimals.
const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
struct Case {
    name: String,
    /// Score by document, as the text of a run file.
    run: BTreeMap<String, String>,
    qrels: BTreeMap<String, i32>,
    values: BTreeMap<String, f64>,
}

#[test]
fn values_are_those_of_trec_eval() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("trec_eval.json")).unwrap();
    assert_eq!(cases.len(), 20);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trec");
    for case in cases {
        let mut lines = String::new();
        for (document, score) in &case.run {
            writeln!(lines, "q Q0 {document} 0 {score} reference").unwrap();
        }
        fs_err::write(&path, lines).unwrap();
        let mut qrels = Qrels::default();
        for (document, &gain) in &case.qrels {
            qrels.insert("q", document, gain);
        }
        let metrics: Vec<Metric> = case.values.keys().map(|name| name.parse().unwrap()).collect();
        let means = Evaluation::of(&Run::read_trec(&path).unwrap(), &qrels, &metrics).means();
        for (name, expected) in case.values {
            let value = means[&name].unwrap();
            assert!(
                (value - expected).abs() <= TOLERANCE,
                "{}, {name}: {value} is not {expected}",
                case.name
            );
        }
    }
}
