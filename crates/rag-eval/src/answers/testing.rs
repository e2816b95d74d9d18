//! Answers for this module's tests, read from JSON so that they need not name every field.

use rag_core::answer::Answer;
use serde_json::{Value, json};

/// A citation of passage `id` for `claim`.
pub(super) fn cite(id: &str, claim: &str, status: &str) -> Value {
    let document = id.split_once('#').map_or(id, |(document, _)| document);
    json!({
        "id": id, "document": document, "title": "Title", "section": "", "page": null, "updated": null,
        "quote": "", "span": null, "claim": claim, "status": status,
    })
}

/// An answer with these citations.
pub(super) fn answer(question: &str, text: &str, citations: &[Value]) -> Answer {
    let answer = json!({
        "question": {"id": question, "question": "?", "groups": ["everyone"]},
        "answer": text, "abstained": false, "confidence": 0.5, "citations": citations,
        "verification": {"unknown_ids": [], "unsupported": []},
        "passages": [], "usage": {}, "timings_ms": {},
    });
    serde_json::from_value(answer).unwrap()
}
