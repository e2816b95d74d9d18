//! Checking every file of a store by digest.

use std::path::PathBuf;

use rag_core::artifact::Artifact;

use crate::error::PipelineError;
use crate::store::Store;

/// An artifact whose files are all intact.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its folder.
    pub artifact: PathBuf,
    /// How many files it has.
    pub files: usize,
}

/// Compares every file of the store's artifacts with its manifest. The first that differs is the error.
pub fn verify(store: &Store) -> Result<Vec<Checked>, PipelineError> {
    let current = store.current()?.ok_or_else(|| PipelineError::NoGeneration {
        path: store.root().to_owned(),
    })?;
    let kept = Some((store.kept(), rag_parse::STAGE)).filter(|(path, _)| path.exists());
    let artifacts = [
        (store.parsed(), rag_parse::STAGE),
        (store.chunked(), rag_chunk::STAGE),
        (current, rag_index::STAGE),
    ];
    let check = |(artifact, stage): (PathBuf, &str)| {
        let files = Artifact::open(&artifact, stage)?.verify()?;
        Ok(Checked { artifact, files })
    };
    artifacts.into_iter().chain(kept).map(check).collect()
}
