//! Measuring the composed pipeline on data sets: parsing, retrieval, answers, citations, permissions.
//!
//! A data set is imported into a work folder through the same boxes as a user's documents; what is there
//! from an earlier run is kept.

mod answers;
mod injections;
mod ladder;
mod parsing;
mod permissions;
mod retrieval;
mod support;
mod upgrades;
mod workspace;

pub use answers::{answer_questions, dataset_labels};
pub use injections::{InjectionReport, evaluate_injections};
pub use ladder::{LadderReport, Mistaken, evaluate_ladder};
pub use parsing::{ParseEvaluation, evaluate_parsing};
pub use permissions::{Asking, audit_permissions};
pub use retrieval::evaluate_retrieval;
pub use support::{MethodFigures, SetReport, SupportEvaluation, SupportReport, evaluate_support};
pub use upgrades::{Recall, UPGRADES, Upgrade, UpgradeEffect, UpgradeReport, evaluate_upgrades};
pub use workspace::Workspace;
