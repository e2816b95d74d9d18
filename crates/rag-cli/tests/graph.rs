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
fn a_graph_of_other_passages_is_refused_until_it_is_built_again() {
    let site = site();
    build(&site);
    site.document("pumps.md", "# Pumps\n\nWe know that Osier requires Nidd.\n");
    site.json(&["ingest", "docs", "--store", "kb", "--json"]);
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
}
