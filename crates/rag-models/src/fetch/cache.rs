//! The cache of obtained files: one folder per SHA-256, filled by a rename, so that a file is there whole
//! and right or not at all.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use fs_err as fs;
use sha2::{Digest, Sha256};

use super::FetchError;
use crate::catalogue::ModelFile;

const BUFFER_BYTES: usize = 256 * 1024;

/// A folder of verified files.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// The right to fill the cache for one model, held until dropped or the process ends.
#[derive(Debug)]
pub(super) struct FillLock {
    _file: fs::File,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Where `file` is, or would be.
    pub(super) fn path(&self, file: &ModelFile) -> PathBuf {
        self.folder.join(file.sha256).join(file.name)
    }

    /// The cached file, if it is there and right. A file that was checked before and whose size and time
    /// have not changed since is not read again; a damaged one is removed.
    pub(super) fn get(&self, file: &ModelFile) -> Result<Option<PathBuf>, FetchError> {
        let path = self.path(file);
        let Ok(state) = file_state(&path) else {
            return Ok(None);
        };
        let stamp = stamp_path(&path);
        if fs::read_to_string(&stamp).is_ok_and(|text| text == state) {
            return Ok(Some(path));
        }
        match verify(&path, file, "the cache") {
            Ok(()) => {
                // The stamp only saves time, so a cache that cannot be written to is no error here.
                let _ = fs::write(&stamp, state);
                Ok(Some(path))
            }
            Err(FetchError::WrongDigest { .. } | FetchError::WrongSize { .. }) => {
                fs::remove_file(&path).map_err(|source| self.error(source))?;
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Waits for the right to fill the cache for `model`. Processes that die give it back.
    pub(super) fn lock(&self, model: &str) -> Result<FillLock, FetchError> {
        let path = self.folder.join(format!("{model}.lock"));
        let open = || {
            fs::create_dir_all(&self.folder)?;
            let file = fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)?;
            file.file().lock()?;
            Ok(file)
        };
        open()
            .map(|file| FillLock { _file: file })
            .map_err(|source| self.error(source))
    }

    /// Copies `source` into the cache, checking size and digest on the way.
    pub(super) fn admit(
        &self,
        file: &ModelFile,
        from: &str,
        source: &mut dyn Read,
    ) -> Result<PathBuf, FetchError> {
        let path = self.path(file);
        let parent = path.parent().expect("a cache path has a folder");
        fs::create_dir_all(parent).map_err(|source| self.error(source))?;
        let mut staged = tempfile::Builder::new()
            .prefix(".arriving-")
            .tempfile_in(parent)
            .map_err(|source| self.error(source))?;
        let seen =
            copy_hashed(source, staged.as_file_mut(), file.bytes).map_err(|source| self.error(source))?;
        seen.check(file, from)?;
        staged.as_file().sync_all().map_err(|source| self.error(source))?;
        staged.persist(&path).map_err(|error| self.error(error.error))?;
        if let Ok(state) = file_state(&path) {
            let _ = fs::write(stamp_path(&path), state);
        }
        Ok(path)
    }

    /// A temporary folder inside the cache, removed when dropped.
    pub(super) fn scratch(&self) -> Result<tempfile::TempDir, FetchError> {
        let make = || {
            fs::create_dir_all(&self.folder)?;
            tempfile::Builder::new()
                .prefix(".package-")
                .tempdir_in(&self.folder)
        };
        make().map_err(|source| self.error(source))
    }

    pub(super) fn error(&self, source: std::io::Error) -> FetchError {
        FetchError::Cache {
            folder: self.folder.clone(),
            source,
        }
    }
}

/// Checks a file's size and digest against the catalogue.
pub(super) fn verify(path: &Path, file: &ModelFile, from: &str) -> Result<(), FetchError> {
    let check = || {
        let mut source = fs::File::open(path)?;
        copy_hashed(&mut source, &mut std::io::sink(), file.bytes)
    };
    check()
        .map_err(|source| FetchError::Cache {
            folder: path.to_owned(),
            source,
        })?
        .check(file, from)
}

/// What a copy saw.
struct Seen {
    bytes: u64,
    sha256: String,
}

impl Seen {
    fn check(&self, file: &ModelFile, from: &str) -> Result<(), FetchError> {
        // A cut or overlong file is reported by its size, since that says more than two digests.
        if self.bytes != file.bytes {
            return Err(FetchError::WrongSize {
                file: file.name.to_owned(),
                from: from.to_owned(),
                expected: file.bytes,
                got: self.bytes,
                sha256_expected: file.sha256.to_owned(),
                sha256_got: self.sha256.clone(),
            });
        }
        if self.sha256 != file.sha256 {
            return Err(FetchError::WrongDigest {
                file: file.name.to_owned(),
                from: from.to_owned(),
                expected: file.sha256.to_owned(),
                got: self.sha256.clone(),
            });
        }
        Ok(())
    }
}

/// Copies at most `limit` + 1 bytes, so that an endless source fills no disk and is still noticed.
fn copy_hashed(source: &mut dyn Read, target: &mut dyn Write, limit: u64) -> std::io::Result<Seen> {
    let mut source = source.take(limit + 1);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    loop {
        let read = source.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        target.write_all(&buffer[..read])?;
        bytes += read as u64;
    }
    Ok(Seen {
        bytes,
        sha256: hexadecimal(&hasher.finalize()),
    })
}

/// The SHA-256 of a file as lower-case hexadecimal.
pub(crate) fn sha256_of_file(path: &Path) -> std::io::Result<String> {
    let mut source = fs::File::open(path)?;
    Ok(copy_hashed(&mut source, &mut std::io::sink(), u64::MAX - 1)?.sha256)
}

/// The SHA-256 of bytes as lower-case hexadecimal.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Size and modification time: what changes when a file is touched.
fn file_state(path: &Path) -> std::io::Result<String> {
    let data = fs::metadata(path)?;
    let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {}", data.len(), time.as_nanos()))
}

fn stamp_path(path: &Path) -> PathBuf {
    path.with_file_name(".checked")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{FileKind, HubFile};

    fn sample(bytes: u64) -> ModelFile {
        ModelFile {
            name: "weights.bin",
            kind: FileKind::Weights,
            hub: HubFile::None,
            member: "x/weights.bin",
            bytes,
            // SHA-256 of "abc".
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        }
    }

    #[test]
    fn only_the_right_bytes_are_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let file = sample(3);
        for (bytes, message) in [
            (&b"abd"[..], "ba7816bf8f01cfea"),
            (b"ab", "2 bytes, expected 3"),
            (b"abcd", "4 bytes, expected 3"),
        ] {
            let error = cache
                .admit(&file, "a test", &mut &*bytes)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(message) && error.contains("weights.bin"),
                "{error}"
            );
            assert!(cache.get(&file).unwrap().is_none());
        }
        let path = cache.admit(&file, "a test", &mut &b"abc"[..]).unwrap();
        assert_eq!(cache.get(&file).unwrap(), Some(path));
    }

    #[test]
    fn a_file_damaged_in_the_cache_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let file = sample(3);
        let path = cache.admit(&file, "a test", &mut &b"abc"[..]).unwrap();
        fs::write(&path, b"xyzt").unwrap();
        assert_eq!(cache.get(&file).unwrap(), None);
        assert!(!path.exists());
    }

    #[test]
    fn an_endless_source_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let error = Cache::new(folder.path())
            .admit(&sample(1000), "a test", &mut std::io::repeat(7))
            .unwrap_err();
        assert!(error.to_string().contains("1001 bytes"), "{error}");
    }
}
