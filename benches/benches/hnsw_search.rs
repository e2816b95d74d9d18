//! When does the graph pay, and what does a filter do to it?
//!
//! Corpus: 10,000 clustered unit vectors of 384 numbers; all, one in ten or one in a hundred allowed.
//! Baseline: the exact scan of the same allowed set. `examples/dense_planner.rs` measures recall and
//! larger corpora.

use criterion::{Criterion, criterion_group, criterion_main};
use rag_benches::synthetic;
use rag_index::{Config, GraphConfig, SearchConfig};
use std::hint::black_box;

const PASSAGES: usize = 10_000;

fn hnsw_search(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let forced = |graph_cost| SearchConfig {
        graph_cost,
        ..SearchConfig::default()
    };
    let config = Config {
        graph: GraphConfig {
            min_passages: 0,
            ..GraphConfig::default()
        },
        search: forced(0.0),
        ..Config::default()
    };
    let by_graph = synthetic::generation(folder.path(), PASSAGES, 1, &config);
    let by_scan = synthetic::reopen(folder.path(), &forced(1e6));
    let query = synthetic::Cloud::new(PASSAGES).vector(1 << 40);
    let mut group = criterion.benchmark_group("hnsw_search");
    for share in ["all", "tenth", "hundredth"] {
        for (way, generation) in [("graph", &by_graph), ("scan", &by_scan)] {
            let allowed = synthetic::allowed(generation, share);
            group.bench_function(format!("{share}, {way}"), |bencher| {
                bencher.iter(|| {
                    generation
                        .dense(black_box(&query), &allowed, 10)
                        .expect("the vector is sound")
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, hnsw_search);
criterion_main!(benches);
