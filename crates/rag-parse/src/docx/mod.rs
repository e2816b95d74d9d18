//! DOCX to blocks.

use crate::config::Config;
use crate::draft::Draft;
use crate::error::Failure;

/// Reads a DOCX file into `draft`.
pub(crate) fn parse(_bytes: &[u8], _config: &Config, _draft: &mut Draft) -> Result<(), Failure> {
    Err(Failure::lasting("unsupported", "DOCX is not read yet"))
}
