//! An encoder that is loaded when it is first needed, so that opening a model costs next to nothing.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::head::ClassifierHead;
use crate::bert::{Encoder, EncoderOptions};
use crate::error::ModelError;
use crate::weights::BertWeights;

/// The encoder of a weights file, and the head of a cross-encoder.
#[derive(Debug)]
pub(crate) struct LazyEncoder {
    weights: PathBuf,
    config: Option<PathBuf>,
    options: EncoderOptions,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

/// What is loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) encoder: Encoder,
    pub(crate) head: Option<ClassifierHead>,
}

impl LazyEncoder {
    /// Remembers where the weights are.
    pub(crate) fn new(weights: PathBuf, config: Option<PathBuf>, options: EncoderOptions) -> Self {
        Self {
            weights,
            config,
            options,
            loaded: Mutex::new(None),
        }
    }

    /// Packs weights that are read already.
    pub(crate) fn of(
        weights: &BertWeights,
        path: PathBuf,
        options: EncoderOptions,
    ) -> Result<Self, ModelError> {
        let lazy = Self::new(path, None, options);
        let loaded = lazy.pack(weights)?;
        *lazy.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(loaded));
        Ok(lazy)
    }

    /// The encoder; the first caller loads it, others wait.
    pub(crate) fn get(&self) -> Result<Arc<Loaded>, ModelError> {
        let mut slot = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = &*slot {
            return Ok(Arc::clone(loaded));
        }
        let weights = BertWeights::load(&self.weights, self.config.as_deref())?;
        let loaded = Arc::new(self.pack(&weights)?);
        *slot = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    fn pack(&self, weights: &BertWeights) -> Result<Loaded, ModelError> {
        Ok(Loaded {
            encoder: Encoder::new(weights, &self.weights, self.options)?,
            head: ClassifierHead::load(weights)?,
        })
    }
}
