//! The standing checks as a user runs them: what they find, and how they end. No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use serde_json::Value;
use support::{Site, lines};

const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

const QUESTIONS: &str = r#"{"id":"q1","question":"What does ERR-4012 mean?","groups":["everyone"],"relevant":["vpn"],"answers":["tunnel"],"answerable":true}
{"id":"q2","question":"What is the heron budget?","groups":["everyone"],"relevant":["heron"],"answers":["nine"],"answerable":true}
{"id":"q3","question":"What is the heron budget?","groups":["finance"],"relevant":["heron"],"answers":["nine"],"answerable":true}
"#;

/// A store `kb` in which most of what says `heron` is the finance department's.
fn site(more_settings: &str) -> Site {
    let site = Site::new(&format!("{SETTINGS}{more_settings}"));
    let document = |id: &str, access: &str, text: &str| {
        let front = format!("---\nid: {id}\ntitle: {id}\naccess: [{access}]\n---\n\n");
        site.document(&format!("{id}.md"), front + text);
    };
    document(
        "vpn",
        "everyone",
        "ERR-4012 means that the tunnel could not be established.\n",
    );
    document(
        "heron",
        "everyone",
        "The heron budget of the canteen is nine coins.\n",
    );
    document(
        "lunch",
        "everyone",
        "Lunch is served at noon, and the budget pays for it.\n",
    );
    for n in 0..4 {
        document(
            &format!("secret-{n}"),
            "finance",
            &format!("Heron acquisition, part {n}: heron heron heron.\n"),
        );
    }
    fs_err::write(site.path("questions.jsonl"), QUESTIONS).unwrap();
    let ingested = site.run(&["ingest", "docs", "--store", "kb"]);
    assert!(ingested.status.success(), "{}", lines(&ingested.stderr));
    site
}

/// Runs the audit; its exit code and what it printed as JSON.
fn audit(site: &Site, arguments: &[&str]) -> (Option<i32>, Value) {
    let arguments = [&["audit"], arguments, &["--json"]].concat();
    let output = site.run(&arguments);
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|_| panic!("{arguments:?}: {}", lines(&output.stderr)));
    (output.status.code(), json)
}

#[test]
fn the_leak_of_statistics_over_all_passages_is_found_and_readable_ones_have_none() {
    let site = site("");
    let asked = [
        "non-interference",
        "--store",
        "kb",
        "--questions",
        "questions.jsonl",
    ];
    let (code, report) = audit(&site, &asked);
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(
        (&report["questions"], &report["restricted"]),
        (&3.into(), &2.into()),
        "{report}"
    );
    for leg in ["bm25_leg", "dense_leg"] {
        assert!(
            report["surfaces"][leg]["worst_score"].as_f64() > Some(0.0),
            "{leg}: {report}"
        );
    }
    for again in 0..2 {
        let (code, report) = audit(&site, &[&asked[..], &["--statistics", "readable"]].concat());
        assert_eq!(
            (code, &report["differing"]),
            (Some(0), &0.into()),
            "{again}: {report}"
        );
        assert_eq!(report["restricted"], 2);
    }
}

#[test]
fn readable_statistics_are_a_setting_that_search_obeys() {
    let site = site("[retrieve]\nstatistics = \"readable\"\n");
    let found = site
        .json(&["search", "heron budget", "--store", "kb", "--json"])
        .to_string();
    assert!(found.contains("learned from all passages"), "{found}");
    assert!(found.contains("nine coins"), "{found}");
}

#[test]
fn recall_under_filters_passes_by_scanning_and_fails_by_a_poor_graph() {
    let site = site("");
    let (code, report) = audit(
        &site,
        &[
            "filtered-recall",
            "--synthetic",
            "1000",
            "--queries",
            "20",
            "--svg",
            "recall.svg",
        ],
    );
    assert_eq!((code, &report["passed"]), (Some(0), &true.into()), "{report}");
    assert_eq!(report["bands"].as_array().map(Vec::len), Some(24));
    assert!(
        fs_err::read_to_string(site.path("recall.svg"))
            .unwrap()
            .starts_with("<svg")
    );
    let (code, _) = audit(
        &site,
        &[
            "filtered-recall",
            "--store",
            "kb",
            "--queries",
            "20",
            "--bands",
            "1,0.5",
        ],
    );
    assert_eq!(code, Some(0));
    let poor = "[index.graph]\nmin_passages = 1\nconnections = 2\nef_construction = 8\n[index.search]\nef = 10\ngraph_cost = 0.0\n";
    fs_err::write(site.path("poor.toml"), format!("{SETTINGS}{poor}")).unwrap();
    let asked = [
        "filtered-recall",
        "--synthetic",
        "1000",
        "--queries",
        "20",
        "--work",
        "poor",
        "--config",
        "poor.toml",
    ];
    let (code, report) = audit(&site, &asked);
    assert_eq!((code, &report["passed"]), (Some(1), &false.into()), "{report}");
}

#[test]
fn gold_passages_beyond_the_contexts_budget_are_counted() {
    let site = site("[generate.context]\nmax_tokens = 12\n");
    let asked = ["truncation", "--store", "kb", "--questions", "questions.jsonl"];
    let (code, report) = audit(&site, &asked);
    assert_eq!(code, Some(0), "{report}");
    let lines = report["lines"].as_array().unwrap();
    let line = |component: &str, of: &str| {
        let found = lines
            .iter()
            .find(|line| line["component"] == component && line["of"] == of);
        found.unwrap_or_else(|| panic!("{component} {of}: {report}"))
    };
    assert_eq!(line("embedder", "passages")["tokens"], 0);
    assert!(
        line("context", "kept_gold_passages")["tokens"].as_u64() > Some(0),
        "{report}"
    );
    let (code, _) = audit(&site, &[&asked[..], &["--strict"]].concat());
    assert_eq!(code, Some(1));
}

#[test]
fn a_dead_leg_is_reported_and_strict_fails_on_it() {
    let site = site("");
    let run = |out: &str, config: &str| {
        let output = site.run(&[
            "run",
            "--store",
            "kb",
            "--questions",
            "questions.jsonl",
            "--out",
            out,
            "--config",
            config,
        ]);
        assert!(output.status.success(), "{}", lines(&output.stderr));
    };
    run("runs/both", "rag.toml");
    let (code, report) = audit(&site, &["legs", "runs/both", "--strict"]);
    assert_eq!(
        (code, &report["dead"]),
        (Some(0), &Value::Array(Vec::new())),
        "{report}"
    );
    let readable = format!("{SETTINGS}[retrieve]\nstatistics = \"readable\"\n");
    fs_err::write(site.path("readable.toml"), readable).unwrap();
    run("runs/one", "readable.toml");
    assert_eq!(audit(&site, &["legs", "runs/one"]).0, Some(0));
    let (code, report) = audit(&site, &["legs", "runs/one", "--strict"]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report["dead"].to_string().contains("dense"), "{report}");
}
