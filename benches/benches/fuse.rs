//! What does fusing cost, by the number of legs and the length of their rankings?
//!
//! Data: rankings of seeded numbers of which about half are in each of the others.
//! Baseline: one leg of 100, where there is nothing to fuse.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rag_core::random::Random;
use rag_retrieve::reciprocal_rank_fusion;

/// RRF's constant, as in the default settings.
const K: u32 = 60;

fn rankings(legs: u64, length: usize) -> Vec<Vec<u32>> {
    let items = 2 * length as u64;
    let leg = |seed| {
        let mut random = Random::new(seed << 32);
        (0..length).map(|_| (random.bits() % items) as u32).collect()
    };
    (0..legs).map(leg).collect()
}

fn fuse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fuse");
    for (legs, length) in [(1, 100), (2, 100), (3, 100), (2, 1000)] {
        let rankings = rankings(legs, length);
        let id = BenchmarkId::new(format!("{legs} legs"), length);
        group.bench_with_input(id, &rankings, |bencher, rankings| {
            bencher.iter(|| reciprocal_rank_fusion(black_box(rankings), K));
        });
    }
    group.finish();
}

criterion_group!(benches, fuse);
criterion_main!(benches);
