//! Hits for this crate's tests.

use rag_core::access::AccessList;
use rag_core::hit::Hit;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::Passage;

/// A hit of the first passage of `document`.
pub(crate) fn hit(document: &str, text: &str) -> Hit {
    let id = PassageId {
        document: DocumentId::new(document).unwrap(),
        position: 0,
    };
    let passage = Passage {
        title: "Title".to_owned(),
        source: "source.md".to_owned(),
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id, text)
    };
    Hit::new(1, 1.0, passage)
}
