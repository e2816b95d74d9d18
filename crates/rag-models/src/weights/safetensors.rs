//! Weights in safetensors files, the format of the model hub.

use std::path::Path;

use candle_core::safetensors::SliceSafetensors;
use candle_core::{DType, Device};

use super::{Loaded, WeightsError, canonical_name, element_count};

/// Reads the encoder's tensors as f32.
pub(super) fn load(path: &Path, bytes: &[u8]) -> Result<Loaded, WeightsError> {
    let malformed = |error: candle_core::Error| WeightsError::Malformed {
        path: path.to_owned(),
        format: "safetensors",
        reason: error.to_string(),
    };
    let file = SliceSafetensors::new(bytes).map_err(malformed)?;
    let mut loaded = Loaded::default();
    for (name, view) in file.tensors() {
        let Some(canonical) = canonical_name(&name) else {
            continue;
        };
        element_count(path, &name, view.shape())?;
        let tensor = file.load(&name, &Device::Cpu).map_err(malformed)?;
        let tensor = tensor.to_dtype(DType::F32).map_err(malformed)?;
        loaded.tensors.insert(canonical.to_owned(), tensor);
    }
    Ok(loaded)
}
