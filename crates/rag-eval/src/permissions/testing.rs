//! Hits for this crate's tests.

use std::collections::BTreeMap;

use rag_core::access::AccessList;
use rag_core::hit::Hit;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::span::Span;

/// A hit of the first passage of `document`.
pub(crate) fn hit(document: &str, text: &str) -> Hit {
    Hit {
        rank: 1,
        score: 1.0,
        legs: BTreeMap::new(),
        fused: None,
        reranked: None,
        passage: Passage {
            id: PassageId {
                document: DocumentId::new(document).unwrap(),
                position: 0,
            },
            title: "Title".to_owned(),
            source: "source.md".to_owned(),
            section: Vec::new(),
            page: None,
            bounding_box: None,
            updated: None,
            department: None,
            language: Language::ENGLISH,
            access: AccessList::public(),
            span: Span::new(0, text.len()),
            parent: Span::new(0, text.len()),
            text: text.to_owned(),
            context: String::new(),
            tokens: 1,
        },
    }
}
