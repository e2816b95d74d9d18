//! Memory-mapped model files: the only place of this crate, beside the kernels, with unsafe code.

use std::path::Path;

use memmap2::Mmap;

use super::WeightsError;

/// Maps a weights file of at most `max_bytes` for reading.
pub(crate) fn map_file(path: &Path, max_bytes: u64) -> Result<Mmap, WeightsError> {
    let file = fs_err::File::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > max_bytes {
        return Err(WeightsError::TooLarge {
            path: path.to_owned(),
            what: format!("the file ({bytes} bytes)"),
            limit: format!("{max_bytes} bytes"),
        });
    }
    // SAFETY: the map is read-only and private to this process. Model files are replaced by a rename,
    // never written in place, so the bytes behind the map do not change while it lives.
    Ok(unsafe { Mmap::map(file.file())? })
}
