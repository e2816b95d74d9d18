//! Passages to an index generation, and reading it back.
//!
//! Reads `passages.jsonl` (stage `chunk`) and writes a generation (stage `index`):
//!
//! | file | what | form |
//! |---|---|---|
//! | `vectors.safetensors` | one unit vector per passage | safetensors, f32 |
//! | `graph.bin` | HNSW graph, from some size on | flat u32 arrays |
//! | `lexical/` | postings for BM25 | tantivy segment |
//! | `passages.bin` | the passages | one bincode frame each |
//! | `filters.bin` | which passages each group, language, department and date has | bitmaps |
//! | `rows.bin` | what each vector was made from | bincode frame |
//! | `embedder.json` | what the embedder learned from the passages, when it learns | JSON |
//!
//! [`run`] builds one, [`Generation`] reads it. Everything that ranks or reads takes an [`AllowedSet`],
//! which only [`Generation::allowed`] makes, from a principal and a filter: what the asker may not read
//! is gone before anything is ranked. With [`Statistics::Readable`] it is gone from the scores as well.
//! [`recall`] measures how much of the exact scan the dense leg finds under a filter.
//!
//! ```no_run
//! use rag_core::{access::Principal, filter::Filter};
//! use rag_index::{Generation, SearchConfig};
//!
//! let generation = Generation::open("store/generations/1".as_ref(), &SearchConfig::default())?;
//! let asker = Principal::from_iter(["finance"]);
//! let allowed = generation.allowed(&asker, &Filter::default());
//! for candidate in generation.bm25("Q3 forecast", &allowed, 10)? {
//!     let passage = generation.passage(candidate.ordinal, &allowed)?.expect("it was allowed");
//!     assert!(passage.access.allows(&asker));
//! }
//! # Ok::<(), rag_index::IndexError>(())
//! ```
//!
//! Not here: fusing the legs, deciding which leg serves a question, embedding questions. No type of
//! tantivy, hnsw_rs or roaring leaves this crate.

mod allowed;
mod batch;
mod config;
mod dense;
mod dot;
mod embed;
mod error;
mod filters;
mod generation;
mod graph;
mod input;
mod lexical;
mod mmap;
mod passages;
mod previous;
pub mod recall;
mod rows;
#[cfg(test)]
mod testing;
mod top;
mod vectors;

pub use allowed::AllowedSet;
pub use batch::{STAGE, STAGE_VERSION, Tools, run, stage_key};
pub use config::{Config, GraphConfig, SearchConfig, Statistics};
pub use error::IndexError;
pub use generation::Generation;
pub use top::Candidate;
