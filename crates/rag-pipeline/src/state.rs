//! Small files that a store keeps beside its artifacts: one JSON value each, replaced in one step.

use std::io::ErrorKind;
use std::path::Path;

use rag_core::artifact::replace_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::PipelineError;

/// The value of the file at `path`; none when it is not there.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, PipelineError> {
    let text = match fs_err::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    let value = serde_json::from_slice(&text).map_err(|error| PipelineError::DamagedStore {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(Some(value))
}

/// Writes `value` to the file at `path`.
pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), PipelineError> {
    let text = serde_json::to_vec_pretty(value).expect("the state of a store is plain data");
    Ok(replace_file(path, &text)?)
}
