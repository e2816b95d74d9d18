//! What went wrong with a document, as data: one line of `diagnostics.jsonl`.

use serde::{Deserialize, Serialize};

/// What a stage lost, and why.
pub const DIAGNOSTICS_FILE: &str = "diagnostics.jsonl";

/// A document that was quarantined, or that lost something on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Path of the source file relative to the ingested folder.
    pub source: String,
    /// What happened to the document.
    pub severity: Severity,
    /// A word for the kind of reason, such as `empty`, `unreadable`, `duplicate-id`, `timeout`.
    pub reason: String,
    /// One sentence for people: what was lost and what to do about it.
    pub message: String,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document was kept but something of it was lost.
    Warning,
    /// The document was left out.
    Quarantined,
}
