//! Writing an artifact so that it appears whole or not at all.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::codec::{self, Kind};
use super::manifest::{MANIFEST_FILE, Manifest, SCHEMA_VERSION, StageKey};
use super::{ArtifactError, Digest, FileDigest, jsonl};
use crate::stage::Outcome;

/// Prefix of the folders that artifacts are built in; what a killed run leaves behind begins with it.
pub const TEMPORARY_PREFIX: &str = ".building-";

/// Random letters and digits at the end of such a folder's name.
const RANDOM_LETTERS: usize = 6;

/// Builds an artifact in a temporary sibling of its folder and publishes it by a rename.
///
/// Dropped without [`ArtifactWriter::publish`], it leaves nothing behind.
#[derive(Debug)]
pub struct ArtifactWriter {
    target: PathBuf,
    building: tempfile::TempDir,
    _in_use: Option<fs_err::File>,
    made_from: StageKey,
    timings_ms: BTreeMap<String, f64>,
    started: Instant,
}

impl ArtifactWriter {
    /// Begins an artifact that will stand at the folder `target`, readable by its owner only. Remains of
    /// killed runs beside it are removed.
    ///
    /// What is at `target` must be an artifact of the same stage, or empty: anything else is refused, now and
    /// when the artifact is published.
    pub fn begin(target: &Path, made_from: StageKey) -> Result<Self, ArtifactError> {
        refuse_foreign_files(target, &made_from.stage)?;
        let parent = parent_of(target);
        fs_err::create_dir_all(parent)?;
        let prefix = format!("{TEMPORARY_PREFIX}{}-", file_name(target));
        remove_remains(parent, &prefix);
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let building = builder
            .prefix(&prefix)
            .rand_bytes(RANDOM_LETTERS)
            .tempdir_in(parent)?;
        let in_use = fs_err::File::open(building.path()).ok();
        let in_use = in_use.filter(|folder| folder.file().try_lock_shared().is_ok());
        Ok(Self {
            target: target.to_owned(),
            building,
            _in_use: in_use,
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
        refuse_foreign_files(&self.target, &self.made_from.stage)?;
        exchange(built, &self.target)
    }
}

/// What a manifest of any version says about its folder.
#[derive(Deserialize)]
struct Claim {
    stage: String,
    outputs: BTreeMap<String, FileDigest>,
}

impl Claim {
    fn read(folder: &Path) -> Option<Self> {
        let text = fs_err::read(folder.join(MANIFEST_FILE)).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// True when the folder `path` has a manifest of ours, of whatever stage and version.
pub fn is_artifact(path: &Path) -> bool {
    Claim::read(path).is_some()
}

/// Refuses a folder that holds more than an artifact of `stage`: replacing it would lose what it holds.
fn refuse_foreign_files(target: &Path, stage: &str) -> Result<(), ArtifactError> {
    let found = list_files(target)?;
    if found.is_empty() {
        return Ok(());
    }
    let refused = |what: String| {
        let message = format!("{} holds {what}; choose an empty or new folder", target.display());
        Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, message).into())
    };
    let Some(claim) = Claim::read(target) else {
        return refused("other files".to_owned());
    };
    if claim.stage != stage {
        return refused(format!("the output of stage `{}`", claim.stage));
    }
    match found
        .iter()
        .find(|name| *name != MANIFEST_FILE && !claim.outputs.contains_key(*name))
    {
        Some(name) => refused(format!("`{name}`, which is not part of its artifact")),
        None => Ok(()),
    }
}

/// The files below `folder` by their names within it; none when there is no folder.
fn list_files(folder: &Path) -> Result<Vec<String>, ArtifactError> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(current) = pending.pop() {
        let entries = match fs_err::read_dir(&current) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
                continue;
            }
            let path = entry.path();
            let name = path.strip_prefix(folder).expect("found below the folder");
            files.push(name.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
        }
    }
    Ok(files)
}

/// Replaces the file `path` by `bytes` in one step that a reader sees whole. A link is replaced, not followed; a device or
/// a pipe is refused, since it would be one no more.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), ArtifactError> {
    let is_special = |there: std::fs::Metadata| !there.is_file() && !there.is_symlink();
    if fs_err::symlink_metadata(path).is_ok_and(is_special) {
        let reason = format!("{} is no file, and is not replaced by one", path.display());
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, reason).into());
    }
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

/// Removes what killed runs left; a folder in use is locked by its writer. Failing to is not worth failing
/// for: the next run tries again.
fn remove_remains(parent: &Path, prefix: &str) {
    let is_remains = |name: &str| {
        let random = name.strip_prefix(prefix);
        random.is_some_and(|random| {
            random.len() == RANDOM_LETTERS && random.bytes().all(|b| b.is_ascii_alphanumeric())
        })
    };
    let entries = fs_err::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|e| is_remains(&e.file_name().to_string_lossy())) {
        let folder = fs_err::File::open(entry.path());
        if folder.is_ok_and(|folder| folder.file().try_lock().is_ok()) {
            let _ = fs_err::remove_dir_all(entry.path());
        }
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

/// Size and digest of every file below `folder`, each flushed to disk with the folder it is in.
fn digest_files(folder: &Path) -> Result<BTreeMap<String, FileDigest>, ArtifactError> {
    let mut files = BTreeMap::new();
    for name in list_files(folder)? {
        let path = folder.join(&name);
        fs_err::File::open(&path)?.sync_all()?;
        flush_folder(parent_of(&path))?;
        files.insert(name, Digest::of_file(&path)?);
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

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_stays_what_it_is() {
        use std::os::unix::net::UnixListener;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _socket = UnixListener::bind(&path).unwrap();
        let error = replace_file(&path, b"x").unwrap_err().to_string();
        assert!(error.contains("is no file"), "{error}");
        assert!(!fs_err::metadata(&path).unwrap().is_file());
        assert!(replace_file(folder.path(), b"x").is_err());
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
        let target = folder.path().join("out");
        let refused = |stage: &str| {
            let key = StageKey::new(stage, 1, &0);
            ArtifactWriter::begin(&target, key).unwrap_err().to_string()
        };
        fs_err::create_dir(&target).unwrap();
        fs_err::write(target.join("precious"), "x").unwrap();
        assert!(refused("test").contains("other files"));
        fs_err::write(target.join(MANIFEST_FILE), r#"{"name":"a web extension"}"#).unwrap();
        assert!(refused("test").contains("other files"));
        fs_err::remove_dir_all(&target).unwrap();
        publish(&target, &[1]);
        assert!(refused("other").contains("the output of stage `test`"));
        fs_err::write(target.join("precious"), "x").unwrap();
        assert!(refused("test").contains("`precious`"));
        assert!(names(&target).contains(&"precious".to_owned()));
    }

    #[test]
    fn files_that_appear_while_an_artifact_is_built_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let writer = ArtifactWriter::begin(&target, StageKey::new("test", 1, &0)).unwrap();
        fs_err::create_dir(&target).unwrap();
        fs_err::write(target.join("precious"), "x").unwrap();
        assert!(writer.publish(Outcome::default()).is_err());
        assert_eq!(names(&target), ["precious"]);
    }

    #[test]
    fn remains_of_a_killed_run_go_and_folders_in_use_stay() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |name: &str| {
            ArtifactWriter::begin(&folder.path().join(name), StageKey::new("test", 1, &0)).unwrap()
        };
        fs_err::create_dir(folder.path().join(".building-out-a1B2c3")).unwrap();
        let (first, other) = (begin("out"), begin("out-side"));
        let second = begin("out");
        assert_eq!(names(folder.path()).len(), 3);
        for writer in [first, other, second] {
            writer.publish(Outcome::default()).unwrap();
        }
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_an_artifact() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        publish(&target, &[1]);
        let mode = fs_err::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
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
