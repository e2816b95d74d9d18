//! Passages for tests.

use rag_core::access::AccessList;
use rag_core::language::Language;
use rag_core::passage::Passage;

/// A public passage with this id and text.
pub(crate) fn passage(id: &str, text: &str) -> Passage {
    let id: rag_core::id::PassageId = id.parse().expect("tests write ids");
    Passage {
        title: format!("About {}", id.document),
        source: format!("{}.md", id.document),
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id, text)
    }
}
