//! One writer at a time, and the name of whoever it is for a second one.

use std::fs::TryLockError;
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::ArtifactError;

/// The right to write to a store, held until dropped. The operating system releases it with the process.
#[derive(Debug)]
pub struct StoreLock {
    _file: fs_err::File,
}

impl StoreLock {
    /// Takes the lock file at `path`, or says who holds it. Never waits.
    pub fn acquire(path: &Path) -> Result<Self, ArtifactError> {
        let mut file = fs_err::OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)?;
        match file.file().try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = Read::by_ref(&mut file).take(200).read_to_string(&mut holder);
                let holder = if holder.trim().is_empty() {
                    "another process"
                } else {
                    holder.trim()
                };
                return Err(ArtifactError::Locked {
                    path: path.to_owned(),
                    holder: holder.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let now = time::OffsetDateTime::now_utc();
        let now = now.replace_nanosecond(0).unwrap_or(now);
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "process {} since {now}", std::process::id())?;
        file.flush()?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_told_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("LOCK");
        let first = StoreLock::acquire(&path).unwrap();
        let error = StoreLock::acquire(&path).unwrap_err().to_string();
        assert!(
            error.contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        drop(first);
        StoreLock::acquire(&path).unwrap();
    }
}
