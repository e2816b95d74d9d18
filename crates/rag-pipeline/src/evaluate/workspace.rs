//! A data set as a store.

use std::path::{Path, PathBuf};

use rag_core::progress::Progress;
use rag_eval::data::{Dataset, ImportConfig, import};

use crate::engine::Engine;
use crate::error::PipelineError;
use crate::ingest::index_store;
use crate::output::claim_work;
use crate::settings::Settings;
use crate::stages::chunk;
use crate::store::Store;

/// Where imported data sets stand, one store each.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Data sets are kept below `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Imports, chunks and indexes `dataset`, as far as that is not done, and opens it. `name` keeps
    /// variants of one data set apart, such as with and without access lists.
    pub fn engine(
        &self,
        dataset: &Dataset,
        name: &str,
        config: ImportConfig,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Engine, PipelineError> {
        let (engine, _) = self.engine_and_store(dataset, name, config, settings, progress)?;
        Ok(engine)
    }

    /// As [`Workspace::engine`], with the store.
    pub(crate) fn engine_and_store(
        &self,
        dataset: &Dataset,
        name: &str,
        config: ImportConfig,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<(Engine, Store), PipelineError> {
        let store = self.store(dataset, name, config, settings, progress)?;
        let engine = Engine::open(&store, settings, progress)?;
        Ok((engine, store))
    }

    /// Imports, chunks and indexes `dataset`, as far as that is not done.
    pub fn store(
        &self,
        dataset: &Dataset,
        name: &str,
        config: ImportConfig,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Store, PipelineError> {
        let root = self.root.join(format!("{}-{name}", dataset.name()));
        claim_work(&self.root)?;
        let store = Store::open_or_create(&root, dataset.folder())?;
        let _lock = store.lock()?;
        import(dataset, config, &store.parsed())?;
        chunk(settings, &store.parsed(), &store.chunked(), progress)?;
        index_store(settings, &store, progress)?;
        Ok(store)
    }
}
