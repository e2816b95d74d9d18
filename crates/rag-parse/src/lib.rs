//! Files to documents: the first box of the pipeline.
//!
//! Reads a folder of Markdown, HTML, plain text, CSV, DOCX, XLSX, PPTX, EPUB, EML and PDF files. Writes an artifact with
//! `documents.jsonl` (one [`Document`](rag_core::document::Document) a line: text, and blocks with kind,
//! heading path, page, box and span), `diagnostics.jsonl` (what was lost and why) and `sources.jsonl`
//! (from which the next run knows what it may take over).
//!
//! ```
//! use rag_core::document::BlockKind;
//! use rag_parse::{Config, Given, Parser};
//!
//! let markdown = "# Trips\n\n| Grade | Hotel cap |\n|---|---|\n| G1 | EUR 145 |\n";
//! let parsed = Parser::new(Config::default(), None).parse("trips.md", markdown.as_bytes(), &Given::default())?;
//! let row = &parsed.document.blocks[1];
//! assert_eq!(row.kind, BlockKind::TableRow);
//! assert_eq!(parsed.document.block_text(row), "Grade G1: hotel cap EUR 145.");
//! # Ok::<(), rag_parse::Failure>(())
//! ```
//!
//! [`run`] does a whole folder: in child processes with bounds on memory and time ([`worker`]), without
//! doing again what an earlier or a killed run has done.
//!
//! Who may read a document is read from its front matter, `<meta>` elements, properties, a sidecar
//! `<file>.meta.toml` or a `_defaults.meta.toml` in a folder above it ([`metadata`]). An access list that
//! is there but cannot be read keeps the document out, and so does what may be one: misspelt, misplaced, in
//! a sidecar of another name. Stores and artifacts below the folder are never read.
//!
//! Pages without usable text are recognised where libpdfium can draw them: by `tesseract` when it is
//! installed, else by the PP-OCR networks when they were fetched; elsewhere they are named in the diagnostics.
//!
//! Not here: cutting documents into passages, models other than those, the network.

mod archive;
mod chart;
mod config;
mod delimited;
mod document;
mod docx;
mod draft;
mod encoding;
mod epub;
mod error;
mod format;
mod html;
mod mail;
mod markdown;
pub mod metadata;
mod numerals;
mod package;
mod pdf;
mod pptx;
pub mod repair;
mod run;
pub mod table;
mod text;
mod text_table;
pub mod worker;
mod xlsx;
mod xml;

pub use config::{
    Config, Limits, OcrConfig, OcrEngine, OcrModels, PdfEngine, PdfLayout, RepairConfig, Runtime,
    WorkerCommand,
};
pub use document::{Given, Parsed, Parser, Picture, Removed};
pub use error::{Failure, ParseError};
pub use format::Format;
pub use run::{STAGE, STAGE_VERSION, run};
