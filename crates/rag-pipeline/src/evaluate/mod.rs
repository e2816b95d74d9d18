//! Measuring the composed pipeline on data sets: retrieval, answers, permissions.
//!
//! A data set is imported into a work folder through the same boxes as a user's documents; what is there
//! from an earlier run is kept.

mod answers;
mod permissions;
mod retrieval;
mod workspace;

pub use answers::{answer_dataset, answer_questions};
pub use permissions::audit_permissions;
pub use retrieval::evaluate_retrieval;
pub use workspace::Workspace;
