//! The labelled questions about connections in the sample corpus: the figure that README states must hold.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::Path;

use rag_core::artifact::jsonl;
use rag_core::progress::Silent;
use rag_pipeline::graph::{
    ConnectionLabel, ConnectionVerdict, Readers, build_graph, evaluate_connections, open_graph,
};
use rag_pipeline::{Settings, Store, ingest};

#[test]
fn connections_are_found_cited_and_kept_from_those_who_may_not_read_them() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let mut settings = Settings::default();
    let fetch = settings.models.fetch;
    settings.models.fetch = fetch.with_variables(|name| std::env::var(name).ok());
    settings.models.embedder = "tfidf".to_owned();
    settings.models.reranker = "lexical".to_owned();
    settings.graph.entities = Some(data.join("entities.toml"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("connections-store");
    let store = Store::open_or_create(&path, &data.join("handbook")).unwrap();
    ingest(&settings, &data.join("handbook"), &store, None, &Silent).unwrap();
    build_graph(&settings, &Readers::of(&settings.graph), &store, &Silent).unwrap();

    let labels: Vec<ConnectionLabel> = jsonl::read_all(&data.join("connections.jsonl")).unwrap();
    assert!(labels.len() >= 30);
    let graph = open_graph(&settings, &store).unwrap();
    let report = evaluate_connections(&graph, &labels, 10).unwrap();
    let failed: Vec<&ConnectionVerdict> = report
        .verdicts
        .iter()
        .filter(|verdict| !verdict.holds())
        .collect();
    assert!(report.share() >= 0.95, "{failed:?}");
    assert!(
        report.verdicts.iter().all(|verdict| verdict.leaked.is_empty()),
        "{failed:?}"
    );
}
