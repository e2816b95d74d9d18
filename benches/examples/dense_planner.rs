//! Measures where a scan and the graph cost the same, and the graph's recall by share of allowed passages.
//!
//! `cargo run -p rag-benches --example dense_planner -- 50000 200` builds a synthetic generation of that
//! many passages, searches it both ways with that `ef`, and prints a table. The settings `graph.min_passages`,
//! `search.ef` and `search.graph_cost` come from it.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use rag_benches::synthetic;
use std::time::Instant;

use rag_index::{AllowedSet, Candidate, Config, Generation, GraphConfig, SearchConfig};

const QUERIES: u64 = 200;
const K: usize = 10;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|number| number.parse().ok());
    let passages = arguments.next().unwrap_or(20_000);
    let ef = arguments.next().unwrap_or(200);
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let search = |graph_cost| SearchConfig {
        ef: ef as u32,
        graph_cost,
        ..SearchConfig::default()
    };
    let config = Config {
        graph: GraphConfig {
            min_passages: 0,
            ..GraphConfig::default()
        },
        search: search(0.0),
        ..Config::default()
    };
    let started = Instant::now();
    let by_graph = synthetic::generation(folder.path(), passages, 1, &config);
    println!(
        "{passages} passages, ef {ef}, built in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    let by_scan = synthetic::reopen(folder.path(), &search(1e6));
    println!("opened in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let cloud = synthetic::Cloud::new(passages);
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|n| cloud.vector(n + (1 << 40))).collect();
    println!("allowed      scan ms  graph ms  recall@{K}");
    for share in ["all", "tenth", "hundredth", "thousandth"] {
        let (exact, scan_ms) = timed(&by_scan, &synthetic::allowed(&by_scan, share), &queries);
        let (found, graph_ms) = timed(&by_graph, &synthetic::allowed(&by_graph, share), &queries);
        println!(
            "{share:<12} {scan_ms:7.3}  {graph_ms:8.3}  {:.4}",
            recall(&exact, &found)
        );
    }
}

/// The results of all queries and the mean milliseconds of one.
fn timed(generation: &Generation, allowed: &AllowedSet, queries: &[Vec<f32>]) -> (Vec<Vec<Candidate>>, f64) {
    let search = |query: &Vec<f32>| {
        generation
            .dense(query, allowed, K)
            .expect("the vectors are sound")
    };
    queries.iter().take(20).map(search).for_each(drop);
    let started = Instant::now();
    let found: Vec<_> = queries.iter().map(search).collect();
    (
        found,
        started.elapsed().as_secs_f64() * 1e3 / queries.len() as f64,
    )
}

fn recall(exact: &[Vec<Candidate>], found: &[Vec<Candidate>]) -> f64 {
    let hits = exact
        .iter()
        .zip(found)
        .map(|(exact, found)| exact.iter().filter(|c| found.contains(c)).count());
    let wanted: usize = exact.iter().map(Vec::len).sum();
    hits.sum::<usize>() as f64 / wanted.max(1) as f64
}
