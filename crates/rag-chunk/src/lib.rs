//! Documents to passages.
//!
//! Reads `documents.jsonl` (stage `parse`) and writes `passages.jsonl` (stage `chunk`), beside it
//! `sources.jsonl`, which remembers what each document's passages were made from, and
//! `diagnostics.jsonl` for documents that lost something or were left out.
//!
//! A passage is always one contiguous piece of its document: `passage.text == document.text[span]`.
//! Headings go into the passage's section and context line; every other visible character of the
//! document is in at least one passage.
//!
//! ```
//! use rag_chunk::{Config, Words, chunk_document};
//! # use rag_core::{access::AccessList, document::{Document, TextBuilder, BlockKind}, id::DocumentId, language::Language};
//!
//! let mut builder = TextBuilder::default();
//! builder.push(BlockKind::Paragraph, "Restart the gateway. Then open a ticket and wait for a reply.");
//! let (text, blocks) = builder.finish();
//! # let document = Document {
//! #     id: DocumentId::new("it-1")?, title: "Gateway".into(), source: "it-1.md".into(), media_type: "text/markdown".into(),
//! #     department: None, updated: None, language: Language::ENGLISH, access: AccessList::public(), supersedes: None,
//! #     metadata: Default::default(), content_digest: String::new(), pages: None, text, blocks,
//! # };
//! let config = Config { max_tokens: 16, ..Config::default() };
//! let chunked = chunk_document(&document, &config, &Words)?;
//! assert_eq!(chunked.passages[0].id.to_string(), "it-1#0");
//! assert_eq!(chunked.passages[0].context, "Gateway");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not here: models (the caller lends a tokenizer as [`TokenCounter`], and one that writes as [`Describer`]), indexing, and any judgement
//! of what a passage is worth.

mod batch;
mod chunk;
mod config;
mod context;
mod counts;
mod describe;
mod error;
mod fixed;
mod outline;
mod pack;
mod reuse;
mod sink;
mod split;
#[cfg(test)]
mod testing;
mod tokens;
mod units;

pub use batch::{STAGE, STAGE_VERSION, Tools, run};
pub use chunk::{Chunked, chunk_document};
pub use config::{Config, ContextLine, Kind, Parent};
pub use counts::Counts;
pub use describe::{Describer, DescriberError, DescriptionLine, FileDescriber, Undescribed};
pub use error::ChunkError;
pub use tokens::{Rough, TokenCounter, Words};
