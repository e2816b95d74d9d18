//! Questions to ranked passages: understanding the question, filter, two legs, fusion.
//!
//! Reads an index generation and questions; writes `hits.jsonl` and a TREC file `run.trec` (stage
//! `retrieve`). Each hit keeps its place in every leg.
//!
//! ```
//! use rag_retrieve::reciprocal_rank_fusion;
//!
//! let fused = reciprocal_rank_fusion(&[vec![12, 7, 33, 5], vec![33, 41, 12]], 60);
//! let order: Vec<i32> = fused.iter().map(|&(passage, _)| passage).collect();
//! assert_eq!(order, [12, 33, 7, 41, 5]);
//! ```
//!
//! | want | look at |
//! |---|---|
//! | one question | [`Retriever::search`] |
//! | the section or document behind a hit | [`Retriever::parents`] |
//! | a follow-up made standalone | [`standalone`], [`standalone_parts`] |
//! | other phrasings and supposed answers to search with | [`Drafter`] |
//! | a question that asks several things taken apart | [`sub_questions`] |
//! | the stage over files | [`run`] |
//!
//! Not here: reading text that the asker may not read (the index gives none), reranking, and any type of
//! the search engines.

mod batch;
mod collapse;
mod config;
mod decompose;
mod drafts;
mod error;
mod expand;
mod fusion;
mod parents;
mod retriever;
mod rewrite;
#[cfg(test)]
mod testing;

pub use batch::{STAGE, STAGE_VERSION, Tools, expand_run, run};
pub use config::{Config, Expand, MOST, Mode, Rewrite};
pub use decompose::sub_questions;
pub use drafts::{DraftKind, DraftLine, Drafter, FileDrafter, ModelDrafter};
pub use error::RetrieveError;
pub use fusion::reciprocal_rank_fusion;
pub use parents::Parent;
pub use rag_index::Statistics;
pub use retriever::{MAX_QUESTION_BYTES, Retriever};
pub use rewrite::{standalone, standalone_parts};
