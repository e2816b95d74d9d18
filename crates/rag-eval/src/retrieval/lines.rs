//! Reading the white-space separated files of the evaluation world, line by line and within bounds.

use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::error::EvalError;

/// Largest qrels or run file that is read.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// Calls `each` with the number (from 1) and text of every line that is not blank. What `each`
/// returns as an error is reported with the path and the line.
pub(super) fn for_each_line(
    path: &Path,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), EvalError> {
    let file = fs_err::File::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(EvalError::TooLarge {
            path: path.to_owned(),
            bytes,
            limit: MAX_FILE_BYTES,
        });
    }
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line?;
        let text = line.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            continue;
        }
        each(index + 1, text).map_err(|reason| EvalError::Line {
            path: path.to_owned(),
            line: index + 1,
            reason,
        })?;
    }
    Ok(())
}
