//! Memory-mapped model files: the only place of this crate, beside the kernels, with unsafe code.

use std::path::Path;

use memmap2::Mmap;

use super::WeightsError;

/// Largest accepted weights file. BERT-family models stay far below it.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// Maps a weights file for reading.
pub(super) fn map_file(path: &Path) -> Result<Mmap, WeightsError> {
    let file = fs_err::File::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(WeightsError::TooLarge {
            path: path.to_owned(),
            what: format!("the file ({bytes} bytes)"),
            limit: format!("{MAX_FILE_BYTES} bytes"),
        });
    }
    // SAFETY: the map is read-only and private to this process. Model files are replaced by a rename,
    // never written in place, so the bytes behind the map do not change while it lives.
    Ok(unsafe { Mmap::map(file.file())? })
}
