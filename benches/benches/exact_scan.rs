//! What does an exact scan of all allowed vectors cost?
//!
//! Corpus: 20,000 clustered unit vectors of 384 numbers, all of them or one in ten allowed.
//! Baseline: the same scan as a plain loop that keeps all scores and sorts them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rag_benches::synthetic;
use rag_index::{Config, GraphConfig};
use std::hint::black_box;

const PASSAGES: usize = 20_000;

fn exact_scan(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let config = Config {
        graph: GraphConfig {
            min_passages: u32::MAX,
            ..GraphConfig::default()
        },
        ..Config::default()
    };
    let generation = synthetic::generation(folder.path(), PASSAGES, 1, &config);
    let cloud = synthetic::Cloud::new(PASSAGES);
    let query = cloud.vector(1 << 40);
    let mut group = criterion.benchmark_group("exact_scan");
    for (share, name) in [(1, "all"), (10, "tenth")] {
        let allowed = synthetic::allowed(&generation, name);
        group.throughput(Throughput::Elements((PASSAGES / share) as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                generation
                    .dense(black_box(&query), &allowed, 100)
                    .expect("the vector is sound")
            });
        });
    }
    let vectors: Vec<Vec<f32>> = (0..PASSAGES as u64).map(|n| cloud.vector(n)).collect();
    group.throughput(Throughput::Elements(PASSAGES as u64));
    group.bench_function("all, plain loop", |bencher| {
        bencher.iter(|| plain(&vectors, black_box(&query)));
    });
    group.finish();
}

fn plain(vectors: &[Vec<f32>], query: &[f32]) -> Vec<(f32, usize)> {
    let score = |vector: &Vec<f32>| vector.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let mut scored: Vec<(f32, usize)> = vectors.iter().map(score).zip(0..).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(100);
    scored
}

criterion_group!(benches, exact_scan);
criterion_main!(benches);
