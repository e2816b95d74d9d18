//! PDF to blocks.

use std::path::{Path, PathBuf};

use crate::config::{Config, PdfEngine};
use crate::draft::Draft;
use crate::error::Failure;

/// Reads PDF files with the configured engine.
#[derive(Debug)]
pub(crate) struct PdfReader {
    _engine: PdfEngine,
    _library: Option<PathBuf>,
}

impl PdfReader {
    pub(crate) fn new(engine: PdfEngine, library: Option<&Path>) -> Self {
        Self {
            _engine: engine,
            _library: library.map(Path::to_owned),
        }
    }

    /// Reads a PDF file into `draft`.
    pub(crate) fn parse(&self, _bytes: &[u8], _config: &Config, _draft: &mut Draft) -> Result<(), Failure> {
        Err(Failure::lasting("unsupported", "PDF is not read yet"))
    }
}
