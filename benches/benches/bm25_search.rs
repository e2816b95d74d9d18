//! What does a BM25 search cost, by the length of the question and the share of passages allowed?
//!
//! Corpus: 20,000 passages of 100 words drawn by Zipf's law from 50,000.
//! Baseline: the two-word question over everything, which walks the fewest postings.

use criterion::{Criterion, criterion_group, criterion_main};
use rag_benches::synthetic;
use rag_core::random::Random;
use rag_index::Config;
use std::hint::black_box;

const PASSAGES: usize = 20_000;

fn bm25_search(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let generation = synthetic::generation(folder.path(), PASSAGES, 100, &Config::default());
    let mut group = criterion.benchmark_group("bm25_search");
    for (words, share) in [
        (2, "all"),
        (8, "all"),
        (30, "all"),
        (8, "tenth"),
        (8, "hundredth"),
    ] {
        let allowed = synthetic::allowed(&generation, share);
        let questions: Vec<String> = (0..64)
            .map(|n| synthetic::words(&mut Random::new(n << 32), words))
            .collect();
        let mut next = questions.iter().cycle();
        group.bench_function(format!("{words} words, {share}"), |bencher| {
            bencher.iter(|| {
                let question = next.next().expect("the cycle has no end");
                generation
                    .bm25(black_box(question), &allowed, 100)
                    .expect("the question is short")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bm25_search);
criterion_main!(benches);
