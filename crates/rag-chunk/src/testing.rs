//! A small document maker for this crate's tests.

use std::collections::BTreeMap;

use rag_core::access::AccessList;
use rag_core::document::{BlockKind, Cell, Document, TextBuilder};
use rag_core::id::DocumentId;
use rag_core::language::Language;

/// A document of the blocks given as kind, text and heading path.
pub(crate) fn document(blocks: &[(BlockKind, &str, &[&str])]) -> Document {
    let mut builder = TextBuilder::default();
    for (kind, text, path) in blocks {
        let block = builder.push(*kind, text);
        block.heading_path = path.iter().map(|&heading| heading.to_owned()).collect();
        if *kind == BlockKind::TableRow {
            block.cells = cells(text);
        }
    }
    let (text, blocks) = builder.finish();
    Document {
        id: DocumentId::new("billing").unwrap(),
        title: "Billing".to_owned(),
        source: "help/billing.md".to_owned(),
        media_type: "text/markdown".to_owned(),
        department: Some("Finance".to_owned()),
        updated: Some("2026-04-10".parse().unwrap()),
        language: Language::ENGLISH,
        access: AccessList::public(),
        supersedes: None,
        metadata: BTreeMap::new(),
        content_digest: String::new(),
        pages: None,
        text,
        blocks,
    }
}

/// Reads `header value, header value.` as cells.
fn cells(sentence: &str) -> Vec<Cell> {
    let parts = sentence.trim_end_matches('.').split(", ");
    parts
        .filter_map(|part| part.split_once(' '))
        .map(|(header, value)| Cell {
            header: header.to_owned(),
            value: value.to_owned(),
            ..Cell::default()
        })
        .collect()
}
