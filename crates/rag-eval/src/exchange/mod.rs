//! Questions with their answers, in and out of the files of other evaluation tools.
//!
//! [`read`] takes RAGChecker's JSON, RAGAS's JSON or JSON lines (of both its older and newer field names)
//! and CSV, and tells them apart by their content; [`write()`] writes each.
//!
//! ```
//! use rag_eval::exchange::{Form, Record, parse, written};
//!
//! let record = Record {
//!     id: "q1".to_owned(),
//!     question: "What is the meal cap?".to_owned(),
//!     accepted: vec!["EUR 52".to_owned()],
//!     response: "=52".to_owned(),
//!     contexts: Vec::new(),
//! };
//! let csv = written(&[record.clone()], Form::Csv)?;
//! // A spreadsheet would compute a cell that begins with `=`.
//! assert!(csv.contains("'=52"));
//! assert_eq!(parse(csv.as_bytes())?, [record]);
//! # Ok::<(), rag_eval::exchange::ExchangeError>(())
//! ```

mod csv_form;
mod error;
mod file;
mod means;
mod ragas;
mod ragchecker;
mod record;

pub use error::ExchangeError;
pub use file::{Form, parse, read, write, written};
pub use means::record_means;
pub use record::{Context, Record};
