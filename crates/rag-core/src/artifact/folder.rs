//! Reading an artifact: its manifest first, then only files that are what it says.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::codec::{self, Kind};
use super::manifest::{MANIFEST_FILE, Manifest, SCHEMA_VERSION};
use super::{ArtifactError, ArtifactKey, Digest, jsonl};
use crate::stage::Outcome;

/// Files up to this size are checked by digest when they are opened; larger ones by size, and in
/// full by [`Artifact::verify`].
const CHECK_ON_OPEN_BYTES: u64 = 32 << 20;

/// A published artifact, opened for reading.
///
/// It holds a shared lock on the manifest for as long as it lives, which keeps old generations that
/// are still being read from being removed.
#[derive(Debug)]
pub struct Artifact {
    path: PathBuf,
    manifest: Manifest,
    _reading: fs_err::File,
}

impl Artifact {
    /// Opens the artifact in the folder `path`, which must come from `stage` and have the present schema.
    pub fn open(path: &Path, stage: &str) -> Result<Self, ArtifactError> {
        let manifest_path = path.join(MANIFEST_FILE);
        let reading = fs_err::File::open(&manifest_path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => ArtifactError::Missing {
                path: path.to_owned(),
            },
            _ => ArtifactError::Io(error),
        })?;
        reading.file().lock_shared()?;
        let manifest = read_manifest(&manifest_path)?;
        if manifest.made_from.stage != stage {
            return Err(ArtifactError::WrongStage {
                path: path.to_owned(),
                found: manifest.made_from.stage,
                expected: stage.to_owned(),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            manifest,
            _reading: reading,
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the file `name`, once it is there with the size, and if it is small the digest, that
    /// the manifest says.
    pub fn file(&self, name: &str) -> Result<PathBuf, ArtifactError> {
        let path = self.path.join(name);
        let listed = self
            .manifest
            .outputs
            .get(name)
            .ok_or_else(|| ArtifactError::Damaged {
                path: path.clone(),
                reason: "the manifest does not list it".to_owned(),
            })?;
        let bytes = fs_err::metadata(&path)?.len();
        if bytes != listed.bytes {
            let reason = format!("{bytes} bytes where the manifest says {}", listed.bytes);
            return Err(ArtifactError::Damaged { path, reason });
        }
        if bytes <= CHECK_ON_OPEN_BYTES {
            check_digest(&path, listed.blake3)?;
        }
        Ok(path)
    }

    /// Streams the JSON-lines file `name`.
    pub fn json_lines<T: DeserializeOwned>(&self, name: &str) -> Result<jsonl::Reader<T>, ArtifactError> {
        jsonl::Reader::open(&self.file(name)?)
    }

    /// Reads the framed file `name`.
    pub fn framed<T: DeserializeOwned>(&self, name: &str, kind: Kind) -> Result<T, ArtifactError> {
        let path = self.path.join(name);
        if !self.manifest.outputs.contains_key(name) {
            return Err(ArtifactError::Damaged {
                path,
                reason: "the manifest does not list it".to_owned(),
            });
        }
        let bytes = fs_err::read(&path)?;
        codec::decode(kind, &bytes, codec::DEFAULT_LIMIT).map_err(|error| ArtifactError::Damaged {
            path,
            reason: error.to_string(),
        })
    }

    /// Checks every file of the artifact by digest and returns how many there are.
    pub fn verify(&self) -> Result<usize, ArtifactError> {
        for (name, listed) in &self.manifest.outputs {
            check_digest(&self.path.join(name), listed.blake3)?;
        }
        let key = self.manifest.made_from.digest();
        if key != self.manifest.key {
            let path = self.path.join(MANIFEST_FILE);
            return Err(ArtifactError::Damaged {
                path,
                reason: "its key does not follow from it".to_owned(),
            });
        }
        Ok(self.manifest.outputs.len())
    }
}

/// The counts of the artifact at `path` when it is `stage`'s with this key and its files are whole: then
/// the stage need not run. What was written then counts as reused now.
pub fn already_done(path: &Path, stage: &str, key: ArtifactKey) -> Option<Outcome> {
    let present = Artifact::open(path, stage).ok()?;
    let manifest = present.manifest();
    let is_whole = || manifest.outputs.keys().all(|name| present.file(name).is_ok());
    (manifest.key == key && is_whole()).then(|| Outcome {
        reused: manifest.counts.reused + manifest.counts.written,
        written: 0,
        ..manifest.counts
    })
}

fn read_manifest(path: &Path) -> Result<Manifest, ArtifactError> {
    let damaged = |reason: String| ArtifactError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let value: serde_json::Value =
        serde_json::from_slice(&fs_err::read(path)?).map_err(|error| damaged(error.to_string()))?;
    let schema = value
        .get("schema")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or_default() as u32;
    if schema != SCHEMA_VERSION {
        return Err(ArtifactError::Schema {
            path: path.to_owned(),
            found: schema,
        });
    }
    serde_json::from_value(value).map_err(|error| damaged(error.to_string()))
}

fn check_digest(path: &Path, expected: Digest) -> Result<(), ArtifactError> {
    let damaged = |reason: String| ArtifactError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let found = match Digest::of_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(damaged("it is gone".to_owned()));
        }
        found => found?,
    };
    if found.blake3 == expected {
        return Ok(());
    }
    Err(damaged(format!(
        "blake3 {} where the manifest says {}",
        found.blake3.short(),
        expected.short()
    )))
}
