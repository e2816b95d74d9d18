//! What does reading text cost before any model or index sees it?
//!
//! Data: the sample corpus' Markdown, by paragraph. Compares the word-piece tokenizer of the default embedder
//! (its files are fetched like those of any model) with the analysis that BM25 indexes.
//! Baseline: splitting at white space.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rag_core::language::Language;
use rag_core::progress::Silent;
use rag_core::text::Analyzer;
use rag_models::{ModelOptions, open_embedder};

mod prose;

fn tokenise(criterion: &mut Criterion) {
    let text = prose::handbook();
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    let mut options = ModelOptions::default();
    options.fetch = options.fetch.with_variables(|name| std::env::var(name).ok());
    let embedder = open_embedder("all-MiniLM-L6-v2", &options, &Silent).expect("the model can be obtained");
    let analyzer = Analyzer::new(Language::ENGLISH);
    let mut group = criterion.benchmark_group("tokenise");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let mut measure = |name, count: &dyn Fn(&str) -> usize| {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(&paragraphs).iter().map(|p| count(p)).sum::<usize>());
        });
    };
    measure("white space", &|text| text.split_whitespace().count());
    measure("word pieces", &|text| embedder.count_tokens(text));
    measure("analysis", &|text| analyzer.terms(text).len());
    group.finish();
}

criterion_group!(benches, tokenise);
criterion_main!(benches);
