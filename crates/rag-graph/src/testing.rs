//! Passages for tests.

use rag_core::access::AccessList;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::span::Span;

/// A public passage with this id and text.
pub(crate) fn passage(id: &str, text: &str) -> Passage {
    let id: rag_core::id::PassageId = id.parse().expect("tests write ids");
    Passage {
        title: format!("About {}", id.document),
        source: format!("{}.md", id.document),
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
        id,
    }
}
