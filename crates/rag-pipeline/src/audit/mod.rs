//! Standing checks: what must hold of a store or a run whatever is in it.
//!
//! [`audit_recall`]: a filter costs the dense leg no recall. [`audit_interference`]: what an asker may not read has no say in
//! what they are shown. [`audit_truncation`]: what no box read for its length. [`audit_legs`]: which legs searched at all.

mod interference;
mod legs;
mod recall;
mod reduced;
mod truncation;

pub use interference::audit_interference;
pub use legs::audit_legs;
pub use rag_index::recall::{BandRecall, GraphOrigin, RecallConfig};
pub use recall::{RECALL_BAR, RecallAudit, RecallOf, audit_recall};
pub use truncation::audit_truncation;
