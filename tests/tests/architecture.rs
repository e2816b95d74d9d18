//! Holds the lines between crates that ARCHITECTURE.md draws.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Direct dependencies of each crate of the workspace, development ones left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let normal = |package: &cargo_metadata::Package| -> BTreeSet<String> {
        let all = package.dependencies.iter();
        all.filter(|d| d.kind == DependencyKind::Normal)
            .map(|d| d.name.clone())
            .collect()
    };
    metadata
        .packages
        .iter()
        .map(|p| (p.name.to_string(), normal(p)))
        .collect()
}

/// Our crates from the bottom up; a crate may depend only on ones of a lower layer.
const LAYERS: &[&[&str]] = &[
    &["rag-core"],
    &["rag-models"],
    &[
        "rag-parse",
        "rag-chunk",
        "rag-index",
        "rag-rerank",
        "rag-generate",
        "rag-eval",
        "rag-graph",
    ],
    &["rag-retrieve"],
    &["rag-pipeline"],
    &["rag-cli"],
    &["rag-benches"],
    &["xtask", "rag-tests"],
];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&name))
}

#[test]
fn every_crate_depends_only_on_lower_layers() {
    for (name, dependencies) in dependencies() {
        let own = layer(&name).unwrap_or_else(|| panic!("{name} has no layer"));
        for dependency in dependencies {
            if let Some(below) = layer(&dependency) {
                assert!(below < own, "{name} must not depend on {dependency}");
            }
        }
    }
}

#[test]
fn only_retrieve_depends_on_another_stage() {
    let stages = [LAYERS[2], LAYERS[3]].concat();
    for (name, dependencies) in dependencies()
        .iter()
        .filter(|(name, _)| stages.contains(&name.as_str()))
    {
        let others: Vec<_> = dependencies
            .iter()
            .filter(|d| stages.contains(&d.as_str()))
            .collect();
        let allowed: &[&str] = if name == "rag-retrieve" {
            &["rag-index"]
        } else {
            &[]
        };
        assert_eq!(others, allowed, "{name}");
    }
}

#[test]
fn engines_stay_in_their_crate() {
    let owners = [
        ("candle-core", "rag-models"),
        ("candle-nn", "rag-models"),
        ("candle-transformers", "rag-models"),
        ("tokenizers", "rag-models"),
        ("hf-hub", "rag-models"),
        ("ureq", "rag-models"),
        ("tantivy", "rag-index"),
        ("hnsw_rs", "rag-index"),
        ("petgraph", "rag-graph"),
        ("pdfium-render", "rag-parse"),
        ("hayro-interpret", "rag-parse"),
        ("hayro-syntax", "rag-parse"),
        ("bincode", "rag-core"),
    ];
    let dependencies = dependencies();
    for (engine, owner) in owners {
        let users: Vec<&String> = dependencies
            .iter()
            .filter(|(_, own)| own.contains(engine))
            .map(|(name, _)| name)
            .collect();
        assert!(
            users.iter().all(|user| *user == owner),
            "{engine} belongs to {owner}, found in {users:?}"
        );
    }
}
