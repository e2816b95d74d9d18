//! Data sets on disk: BEIR folders, with answers and permission overlays where they have them.

mod acl;
mod corpus;
mod dataset;
mod id;
mod import;

pub use acl::{PermissionCase, Permissions};
pub use corpus::{Corpus, Distractors};
pub use dataset::{Dataset, GoldAnswer};
pub use id::{document_id, original_id};
pub use import::{ImportConfig, Readers, import};
