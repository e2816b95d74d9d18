//! Writing an artifact so that it appears whole or not at all.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::codec::{self, Kind};
use super::manifest::{MANIFEST_FILE, Manifest, SCHEMA_VERSION, StageKey};
use super::{ArtifactError, Digest, FileDigest, jsonl};
use crate::stage::Outcome;

/// Prefix of the folders that artifacts are built in; what a killed run leaves behind begins with it.
const TEMPORARY_PREFIX: &str = ".building-";

/// Builds an artifact in a temporary sibling of its folder and publishes it by a rename.
///
/// Dropped without [`ArtifactWriter::publish`], it leaves nothing behind.
#[derive(Debug)]
pub struct ArtifactWriter {
    target: PathBuf,
    building: tempfile::TempDir,
    made_from: StageKey,
    timings_ms: BTreeMap<String, f64>,
    started: Instant,
}

impl ArtifactWriter {
    /// Begins an artifact that will stand at the folder `target`. Remains of killed runs beside it are removed.
    pub fn begin(target: &Path, made_from: StageKey) -> Result<Self, ArtifactError> {
        let parent = parent_of(target);
        fs_err::create_dir_all(parent)?;
        let prefix = format!("{TEMPORARY_PREFIX}{}-", file_name(target));
        remove_remains(parent, &prefix);
        let building = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?;
        Ok(Self {
            target: target.to_owned(),
            building,
            made_from,
            timings_ms: BTreeMap::new(),
            started: Instant::now(),
        })
    }

    /// The path at which to write the file or folder `name`.
    pub fn path(&self, name: &str) -> PathBuf {
        self.building.path().join(name)
    }

    /// What decides the artifact's content.
    pub fn made_from(&self) -> &StageKey {
        &self.made_from
    }

    /// Begins the JSON-lines file `name`.
    pub fn json_lines<T: Serialize>(&self, name: &str) -> Result<jsonl::Writer<T>, ArtifactError> {
        jsonl::Writer::create(&self.path(name))
    }

    /// Writes `value` to the framed file `name`.
    pub fn framed<T: Serialize>(&self, name: &str, kind: Kind, value: &T) -> Result<(), ArtifactError> {
        let path = self.path(name);
        let frame = codec::encode(kind, value).map_err(|error| ArtifactError::Encode {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        Ok(fs_err::write(path, frame)?)
    }

    /// Records that the step `name` took `milliseconds`.
    pub fn timing(&mut self, name: &str, milliseconds: f64) {
        self.timings_ms.insert(name.to_owned(), milliseconds);
    }

    /// Flushes every file, writes the manifest last, and puts the folder in its place.
    ///
    /// A folder already there is replaced in one step; it must itself be an artifact or empty.
    pub fn publish(mut self, counts: Outcome) -> Result<Manifest, ArtifactError> {
        let outputs = digest_files(self.building.path())?;
        self.timing("total", self.started.elapsed().as_secs_f64() * 1e3);
        let manifest = Manifest {
            schema: SCHEMA_VERSION,
            key: self.made_from.digest(),
            made_from: self.made_from.clone(),
            outputs,
            counts,
            timings_ms: self.timings_ms.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let mut text = serde_json::to_vec_pretty(&manifest).expect("manifests are plain data");
        text.push(b'\n');
        write_flushed(&self.path(MANIFEST_FILE), &text)?;
        flush_folder(self.building.path())?;
        self.put_in_place()?;
        flush_folder(parent_of(&self.target))?;
        Ok(manifest)
    }

    fn put_in_place(&self) -> Result<(), ArtifactError> {
        let built = self.building.path();
        let is_free = fs_err::read_dir(&self.target).map_or(true, |mut entries| entries.next().is_none());
        if is_free {
            return Ok(fs_err::rename(built, &self.target)?);
        }
        if self.target.join(MANIFEST_FILE).is_file() {
            return exchange(built, &self.target);
        }
        let message = format!(
            "{} is a folder with other files in it; choose an empty or new one",
            self.target.display()
        );
        Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, message).into())
    }
}

/// Replaces the file `path` by `bytes` in one step that a reader sees whole.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), ArtifactError> {
    let parent = parent_of(path);
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)
        .map_err(|error| ArtifactError::from(error.error))?;
    flush_folder(parent)
}

fn parent_of(path: &Path) -> &Path {
    path.parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || "artifact".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Removes what killed runs left. Failing to is not worth failing for: the next run tries again.
fn remove_remains(parent: &Path, prefix: &str) {
    let entries = fs_err::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(prefix)) {
        let _ = fs_err::remove_dir_all(entry.path());
    }
}

/// Swaps the two folders in one step. The old one then stands at `built` and is removed with it.
#[cfg(target_os = "linux")]
fn exchange(built: &Path, target: &Path) -> Result<(), ArtifactError> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, built, CWD, target, RenameFlags::EXCHANGE).map_err(|error| {
        let error = std::io::Error::from(error);
        ArtifactError::from(std::io::Error::new(
            error.kind(),
            format!("cannot replace `{}`: {error}", target.display()),
        ))
    })
}

/// Moves the old folder aside, then the new one in; between the two a reader finds nothing.
#[cfg(not(target_os = "linux"))]
fn exchange(built: &Path, target: &Path) -> Result<(), ArtifactError> {
    let aside = target.with_file_name(format!("{TEMPORARY_PREFIX}{}-old", file_name(target)));
    fs_err::rename(target, &aside)?;
    fs_err::rename(built, target)?;
    Ok(fs_err::remove_dir_all(aside)?)
}

/// Size and digest of every file below `folder`, each flushed to disk.
fn digest_files(folder: &Path) -> Result<BTreeMap<String, FileDigest>, ArtifactError> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(current) = pending.pop() {
        for entry in fs_err::read_dir(&current)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            fs_err::File::open(&path)?.sync_all()?;
            let name = path.strip_prefix(folder).expect("found below the folder");
            let name = name.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
            files.insert(name, Digest::of_file(&path)?);
        }
        flush_folder(&current)?;
    }
    Ok(files)
}

fn write_flushed(path: &Path, bytes: &[u8]) -> Result<(), ArtifactError> {
    let mut file = fs_err::File::create(path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}

fn flush_folder(path: &Path) -> Result<(), ArtifactError> {
    #[cfg(unix)]
    fs_err::File::open(path)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Artifact;
    use super::*;

    fn publish(target: &Path, values: &[u32]) -> Manifest {
        let key = StageKey::new("test", 1, &values);
        let writer = ArtifactWriter::begin(target, key).unwrap();
        jsonl::write_all(&writer.path("values.jsonl"), values).unwrap();
        writer.framed("values.bin", *b"TEST", &values.to_vec()).unwrap();
        writer.publish(Outcome::default()).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs_err::read_dir(folder).unwrap();
        entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn an_artifact_is_published_replaced_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        for values in [&[1, 2][..], &[3]] {
            publish(&target, values);
            let artifact = Artifact::open(&target, "test").unwrap();
            assert_eq!(
                artifact.framed::<Vec<u32>>("values.bin", *b"TEST").unwrap(),
                values
            );
            assert_eq!(artifact.verify().unwrap(), 2);
        }
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn an_abandoned_artifact_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        drop(ArtifactWriter::begin(&target, StageKey::new("test", 1, &0)).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_with_other_files_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("precious"), "x").unwrap();
        let writer = ArtifactWriter::begin(folder.path(), StageKey::new("test", 1, &0)).unwrap();
        assert!(writer.publish(Outcome::default()).is_err());
        assert_eq!(names(folder.path()), ["precious"]);
    }

    #[test]
    fn damage_and_wrong_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        publish(&target, &[1, 2, 3]);
        assert!(matches!(
            Artifact::open(&target, "other"),
            Err(ArtifactError::WrongStage { .. })
        ));
        assert!(matches!(
            Artifact::open(folder.path(), "test"),
            Err(ArtifactError::Missing { .. })
        ));
        fs_err::write(target.join("values.jsonl"), "1\n2\n4\n").unwrap();
        let error = Artifact::open(&target, "test")
            .unwrap()
            .verify()
            .unwrap_err()
            .to_string();
        assert!(error.contains("values.jsonl is damaged"), "{error}");
        let manifest = fs_err::read_to_string(target.join(MANIFEST_FILE)).unwrap();
        fs_err::write(
            target.join(MANIFEST_FILE),
            manifest.replace("\"schema\": 1", "\"schema\": 9"),
        )
        .unwrap();
        assert!(matches!(
            Artifact::open(&target, "test"),
            Err(ArtifactError::Schema { found: 9, .. })
        ));
    }
}
