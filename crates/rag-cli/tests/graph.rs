//! The graph as a user sees it: built, shown per asker, refused once it is out of date. No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use serde_json::Value;
use support::{Site, lines};

const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

fn site() -> Site {
    let site = Site::new(SETTINGS);
    site.document("pumps.md", "# Pumps\n\nWe know that Osier requires Tarn.\n");
    site.document(
        "merger.md",
        "---\nid: merger\ntitle: Merger\naccess: [exec]\n---\n\nWe know that Weald belongs to Tarn.\n",
    );
    site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    site
}

fn build(site: &Site) {
    let output = site.run(&["graph", "build", "--store", "kb"]);
    assert!(output.status.success(), "{}", lines(&output.stderr));
}

fn shown(site: &Site, name: &str, groups: &str) -> Value {
    site.json(&[
        "graph", "show", name, "--store", "kb", "--groups", groups, "--json",
    ])
}

#[test]
fn an_edge_cites_its_passage_and_others_see_nothing_of_a_restricted_one() {
    let site = site();
    build(&site);
    let edges = shown(&site, "Osier", "");
    assert_eq!(edges["connections"][0]["predicate"], "requires");
    assert_eq!(
        edges["connections"][0]["evidence"][0]["quote"],
        "We know that Osier requires Tarn."
    );
    assert!(!shown(&site, "Tarn", "").to_string().contains("Weald"));
    assert!(shown(&site, "Tarn", "exec").to_string().contains("Weald"));
    let hidden = site.run(&["graph", "show", "Weald", "--store", "kb"]);
    assert!(!hidden.status.success());
    let path = site.json(&[
        "graph", "path", "Osier", "Weald", "--store", "kb", "--groups", "exec", "--json",
    ]);
    assert_eq!(path[0]["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn an_ingest_keeps_the_graph_up_to_date_with_the_same_names() {
    let site = site();
    fs_err::write(site.path("entities.toml"), "[[entity]]\nname = \"low water\"\n").unwrap();
    let built = site.run(&["graph", "build", "--store", "kb", "--entities", "entities.toml"]);
    assert!(built.status.success(), "{}", lines(&built.stderr));
    site.document(
        "pumps.md",
        "# Pumps\n\nWe know that Osier requires Nidd at low water.\n",
    );
    let report = site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    assert_eq!(report["graph"]["reused"], 1, "{report}");
    let osier = shown(&site, "Osier", "").to_string();
    assert!(osier.contains("Nidd") && !osier.contains("Tarn"), "{osier}");
    assert!(shown(&site, "low water", "").to_string().contains("Osier"));
    let deleted = site.run(&["delete", "merger", "--store", "kb"]);
    assert!(deleted.status.success(), "{}", lines(&deleted.stderr));
    let gone = site.run(&["graph", "show", "Weald", "--store", "kb", "--groups", "exec"]);
    assert!(!gone.status.success());
}

#[test]
fn a_graph_that_could_not_be_brought_up_to_date_is_refused() {
    let site = site();
    fs_err::write(site.path("entities.toml"), "[[entity]]\nname = \"low water\"\n").unwrap();
    site.run(&["graph", "build", "--store", "kb", "--entities", "entities.toml"]);
    fs_err::remove_file(site.path("entities.toml")).unwrap();
    site.document("pumps.md", "# Pumps\n\nWe know that Osier requires Nidd.\n");
    let ingest = site.run(&["ingest", "docs", "--store", "kb"]);
    assert!(
        lines(&ingest.stderr).contains("entities.toml"),
        "{}",
        lines(&ingest.stderr)
    );
    let stale = site.run(&["graph", "show", "Osier", "--store", "kb"]);
    assert!(!stale.status.success());
    assert!(
        lines(&stale.stderr).contains("graph build"),
        "{}",
        lines(&stale.stderr)
    );
    build(&site);
    assert!(shown(&site, "Osier", "").to_string().contains("Nidd"));
}

#[test]
fn a_question_walks_along_the_graph_only_where_that_was_measured_to_help() {
    let site = site();
    build(&site);
    let ask = ["ask", "What does Osier require?", "--store", "kb", "--json"];
    let notes = |answer: &Value| answer["notes"].to_string();
    assert!(!notes(&site.json(&ask)).contains("walked"));
    let labels = r#"{"id":"1","question":"What does Osier require?","relevant":["pumps"],"answerable":true}"#;
    fs_err::write(site.path("labels.jsonl"), labels).unwrap();
    let measure = [
        "graph",
        "eval",
        "--labels",
        "labels.jsonl",
        "--store",
        "kb",
        "--json",
    ];
    let report = site.json(&measure);
    assert_eq!(report["routes"]["neighbours"]["pairs"], 1, "{report}");
    // One question is not enough to tell.
    assert!(!notes(&site.json(&ask)).contains("walked"));
    let mut gains = report["routes"].clone();
    gains["neighbours"]["difference"] = 0.2.into();
    gains["neighbours"]["p_corrected"] = 0.01.into();
    fs_err::write(site.path("kb/graph-gains.json"), gains.to_string()).unwrap();
    let answer = site.json(&ask);
    assert!(notes(&answer).contains("walked along the graph"), "{answer}");
    let other = site.json(&["ask", "What rusts?", "--store", "kb", "--json"]);
    assert!(!notes(&other).contains("walked"), "{other}");
}

#[test]
fn the_graph_is_searched_with_the_legs_and_exported() {
    let site = site();
    build(&site);
    let question = [
        "graph",
        "search",
        "What does Osier require?",
        "--store",
        "kb",
        "--json",
    ];
    assert_eq!(site.json(&question)["connections"][0]["other"], "Tarn");
    let ranking = site.json(&[&question[..], &["--passages"]].concat());
    assert!(ranking["hits"][0]["legs"]["graph"]["rank"].is_u64(), "{ranking}");
    let page = site.run(&[
        "graph",
        "export",
        "--store",
        "kb",
        "--format",
        "html",
        "--out",
        "graph.html",
    ]);
    assert!(page.status.success(), "{}", lines(&page.stderr));
    let page = fs_err::read_to_string(site.path("graph.html")).unwrap();
    assert!(page.contains("Osier") && !page.contains("Weald") && !page.contains("<script"));
    let written = site.json(&[&question[..], &["--written"]].concat());
    assert_eq!(written["citations"][0]["status"], "verified", "{written}");
    assert!(!written.to_string().contains("Weald"), "{written}");
}
