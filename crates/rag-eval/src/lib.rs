//! Judging what the other boxes wrote: metrics, qrels and run files, labelled answers, leaks.
//!
//! Reads BEIR folders, TREC qrels and run files, `hits.jsonl`, `answers.jsonl` and files of other evaluation
//! tools; writes `metrics.json`, `per_query.jsonl`, TREC run files and SVG figures. [`retrieval`] measures
//! rankings, [`answers`] scores answers against labels, [`significance`] compares two systems, [`figures`] draws,
//! [`data`] reads data sets, [`exchange`] reads and writes RAGChecker's, RAGAS's and CSV files.
//! [`permissions`] searches what an asker was shown for text that they may not read, [`injections`] counts what
//! planted attacks did, [`parse`] compares documents with what their files say, [`support`] reads labelled
//! claims, [`binary`] judges and [`logistic`] fits what decides between two classes, [`diagnosis`] says which box lost an
//! answer, [`report`] shows runs side by side, [`audits`] adds up the standing checks.
//!
//! ```
//! use rag_eval::retrieval::{Evaluation, Metric, Qrels, Run};
//!
//! let mut qrels = Qrels::default();
//! qrels.insert("q1", "vpn-guide", 1);
//! let mut run = Run::default();
//! run.insert("q1".into(), [("vpn-guide".into(), 0.7), ("lunch-menu".into(), 0.9)]);
//!
//! let evaluation = Evaluation::of(&run, &qrels, &[Metric::ReciprocalRank(Some(10))]);
//! assert_eq!(evaluation.means()["RR@10"], Some(0.5));
//! ```
//!
//! A value that could not be computed is its own state (`None`, `null`), never 0, and is left out of
//! means with its count beside them.
//!
//! Not here: running searches or generating answers; models.

pub mod answers;
pub mod audits;
pub mod binary;
pub mod data;
pub mod diagnosis;
mod error;
pub mod exchange;
pub mod figures;
pub mod injections;
pub mod logistic;
mod page;
pub mod parse;
pub mod permissions;
pub mod report;
pub mod retrieval;
pub mod significance;
pub mod support;

pub use error::EvalError;
