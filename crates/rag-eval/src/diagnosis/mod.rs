//! The blame ladder: for every wrong answer the first box that lost it, told from what the boxes left on disk.
//!
//! What answers a question stands in a file, then in a document, a passage, among the candidates of a leg, among the
//! fused and the reranked hits, in the context, and at last in the answer with its citation. A [`Trail`] holds what
//! each box handed on; [`diagnose`] climbs it and stops at the first [`Rung`] where the answer is gone.

mod html;
mod rung;
mod summary;
mod trail;

pub use html::report_pages;
pub use rung::{Class, Rung};
pub use summary::{DiagnosisReport, Slice};
pub use trail::{Diagnosis, Trail, diagnose, is_right, sought_passages};
