//! The two rows of the pipeline composed from the boxes.
//!
//! [`ingest`] goes from files to an index generation in a [`Store`]; an [`Engine`] goes from a question to
//! passages or to an answer with verified citations. [`Settings`] is `rag.toml`. [`evaluate`] runs both
//! rows on data sets, [`mod@run`] keeps what every box made of labelled questions, and [`experiment`] compares variants of
//! the settings over shared artifacts. A program can stand for a box ([`ExecSettings`]). [`audit`] checks
//! what must always hold.
//!
//! ```no_run
//! use rag_core::{access::Principal, progress::Silent, question::Question};
//! use rag_pipeline::{Engine, Settings, Store, ingest};
//!
//! let settings = Settings::default();
//! let store = Store::open_or_create("kb".as_ref(), "docs".as_ref())?;
//! ingest(&settings, "docs".as_ref(), &store, None, &Silent)?;
//! let engine = Engine::open(&store, &settings, &Silent)?;
//! let answer = engine.ask(&Question::new("1", "What does ERR-4012 mean?", Principal::everyone()), engine.way())?;
//! println!("{}", answer.text);
//! # Ok::<(), rag_pipeline::PipelineError>(())
//! ```
//!
//! Not here: algorithms. Every step is a box's own function.

pub mod audit;
mod engine;
mod error;
pub mod evaluate;
mod exclusions;
mod exec;
pub mod experiment;
pub mod graph;
mod ingest;
mod models;
mod output;
mod providers;
pub mod run;
mod settings;
mod stages;
mod state;
mod store;
mod verify;
mod way;
pub mod why;
mod writer;

pub use engine::{Engine, PairReader};
pub use error::PipelineError;
pub use exec::{ExecSettings, Program};
pub use ingest::{IngestReport, delete, ingest, restore};
pub use models::{ANTHROPIC, LEXICAL, NONE, OPENAI, REMOTE, TFIDF};
pub use output::write_pages;
pub use providers::{Keys, ProviderSettings};
pub use settings::{ModelSettings, Settings};
pub use stages::{Searched, chunk, expand, generate, index, parse, parse_runtime, rerank, retrieve};
pub use store::Store;
pub use verify::{Checked, verify};
pub use way::Way;
pub use writer::check_receipt;
