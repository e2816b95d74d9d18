//! The sample corpus as the tests see it: where it is, and what must hold of it.

use std::path::{Path, PathBuf};

/// The `data` folder of the repository.
pub(super) fn data_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}
