//! The contract between the boxes of the pipeline.
//!
//! Every stage crate reads and writes the types of this crate and nothing else: documents and their
//! blocks, passages, hits, answers, and the folders on disk that carry them. Replacing a stage means
//! writing the same files.
//!
//! | artifact | module |
//! |---|---|
//! | `documents.jsonl`, `diagnostics.jsonl` | [`document`], [`diagnostic`] |
//! | `passages.jsonl` | [`passage`] |
//! | `hits.jsonl` | [`hit`] |
//! | `answers.jsonl` | [`answer`] |
//! | `manifest.json`, publishing, locks, journals | [`artifact`] |
//!
//! ```
//! use rag_core::access::{AccessList, Principal};
//!
//! let readers = AccessList::from_iter(["finance", "exec"]);
//! assert!(readers.allows(&Principal::from_iter(["finance"])));
//! assert!(!readers.allows(&Principal::everyone()));
//! // An empty access list means nobody.
//! assert!(!AccessList::default().allows(&Principal::everyone()));
//! ```
//!
//! Not here: models, indexes, network, terminal output, environment variables.

pub mod access;
pub mod answer;
pub mod artifact;
pub mod date;
pub mod diagnostic;
pub mod document;
pub mod filter;
pub mod folder;
pub mod hit;
pub mod id;
pub mod language;
pub mod passage;
pub mod progress;
pub mod question;
pub mod random;
pub mod setting;
pub mod span;
pub mod stage;
pub mod text;
pub mod version;
