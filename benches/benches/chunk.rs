//! What does cutting a document cost, by the way of cutting?
//!
//! Data: the sample corpus' Markdown as one document of paragraphs, counted in words, so that no tokenizer
//! is measured. Baseline: fixed windows, which look at no structure.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rag_chunk::{Config, Kind, Words, chunk_document};
use rag_core::access::AccessList;
use rag_core::document::{BlockKind, Document, TextBuilder};
use rag_core::id::DocumentId;
use rag_core::language::Language;

mod prose;

fn document(source: &str) -> Document {
    let mut builder = TextBuilder::default();
    let paragraphs = source.split("\n\n").map(str::trim);
    for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
        match paragraph.strip_prefix('#') {
            Some(heading) => builder.push(BlockKind::Heading, heading.trim_start_matches(['#', ' '])),
            None => builder.push(BlockKind::Paragraph, paragraph),
        };
    }
    let (text, blocks) = builder.finish();
    Document {
        id: DocumentId::new("handbook").expect("letters only"),
        title: "Handbook".into(),
        source: "handbook.md".into(),
        media_type: "text/markdown".into(),
        department: None,
        updated: None,
        language: Language::ENGLISH,
        access: AccessList::from_iter(["everyone"]),
        supersedes: None,
        metadata: BTreeMap::new(),
        content_digest: String::new(),
        pages: None,
        text,
        blocks,
    }
}

fn chunk(criterion: &mut Criterion) {
    let document = document(&prose::handbook());
    let mut group = criterion.benchmark_group("chunk");
    group.throughput(Throughput::Bytes(document.text.len() as u64));
    for (name, kind) in [
        ("fixed", Kind::Fixed),
        ("sentence", Kind::Sentence),
        ("markdown", Kind::Markdown),
    ] {
        let config = Config {
            kind,
            ..Config::default()
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| chunk_document(black_box(&document), &config, &Words).expect("it is sound"));
        });
    }
    group.finish();
}

criterion_group!(benches, chunk);
criterion_main!(benches);
