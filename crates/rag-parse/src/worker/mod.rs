//! Parsing in child processes, so that a hostile file costs one diagnostic and nothing else.
//!
//! The parent starts a configured command that runs [`worker_main`] and talks to it in frames over its
//! standard input and output. The child bounds its own memory and processor time before it reads any
//! file; the parent bounds wall-clock time, and replaces a child that died.

mod child;
mod frame;
mod pool;
mod process;
mod reader;

pub use child::worker_main;
pub(crate) use pool::{Finished, Pool};
pub use reader::Reader;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{Config, OcrModels};
use crate::document::{Given, Parsed};
use crate::error::Failure;

/// Raised when the frames change; parent and child must agree.
const PROTOCOL: u32 = 3;

/// The first frame, from parent to child.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    protocol: u32,
    config: Config,
    pdfium_library: Option<PathBuf>,
    ocr_models: Option<OcrModels>,
}

/// The child's answer to [`Hello`].
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    protocol: u32,
}

/// A file to be parsed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Where the file is.
    pub(crate) path: PathBuf,
    /// Its path relative to the input.
    pub(crate) source: String,
    /// What is known beside its bytes.
    pub(crate) given: Given,
}

/// What became of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JobResult {
    /// blake3 of the bytes that were read, in hex; `None` when they could not be read whole.
    pub(crate) content: Option<String>,
    /// The document or why there is none.
    pub(crate) outcome: Result<Parsed, Failure>,
}

impl JobResult {
    /// The result of a file whose bytes are not known.
    fn lost(failure: Failure) -> Self {
        Self {
            content: None,
            outcome: Err(failure),
        }
    }
}

/// Starts child processes or parses in place, as the caller chose.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) pdfium_library: Option<PathBuf>,
    pub(crate) ocr_models: Option<OcrModels>,
    pub(crate) command: Option<crate::config::WorkerCommand>,
}

/// Reads and parses one file.
fn parse_file(parser: &crate::document::Parser, job: &Job, max_bytes: u64) -> JobResult {
    let bytes = match read_stable(&job.path, max_bytes) {
        Ok(bytes) => bytes,
        Err(failure) => return JobResult::lost(failure),
    };
    JobResult {
        content: Some(rag_core::artifact::Digest::of(&bytes).to_string()),
        outcome: parser.parse(&job.source, &bytes, &job.given),
    }
}

/// Times that a file is read again when it changes while it is read.
const READ_ATTEMPTS: usize = 3;

/// Reads a file whole; one that changes meanwhile is read again, a few times.
fn read_stable(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::transient("unreadable", format!("{error}; check its permissions"));
    for _ in 0..READ_ATTEMPTS {
        let before = fs_err::metadata(path).map_err(unreadable)?;
        if before.len() > max_bytes {
            return Err(crate::document::too_large(before.len(), max_bytes));
        }
        let bytes = fs_err::read(path).map_err(unreadable)?;
        let after = fs_err::metadata(path).map_err(unreadable)?;
        let is_same = before.len() == after.len() && before.modified().ok() == after.modified().ok();
        if is_same && bytes.len() as u64 == after.len() {
            return Ok(bytes);
        }
    }
    Err(Failure::transient(
        "changed",
        "the file changed each time it was read; run this again when it is complete",
    ))
}
