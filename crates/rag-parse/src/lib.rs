//! Files to documents: blocks with kind, heading path, page, box and character span.

mod config;
mod delimited;
mod document;
mod docx;
mod draft;
mod encoding;
mod error;
mod format;
mod html;
mod markdown;
pub mod metadata;
mod pdf;
pub mod repair;
mod run;
pub mod table;
mod text;
pub mod worker;

pub use config::{Config, Limits, PdfEngine, RepairConfig, Runtime, WorkerCommand};
pub use document::{Given, Parsed, Parser};
pub use error::{Failure, ParseError};
pub use format::Format;
pub use run::{DIAGNOSTICS_FILE, DOCUMENTS_FILE, SOURCES_FILE, STAGE, STAGE_VERSION, run};
