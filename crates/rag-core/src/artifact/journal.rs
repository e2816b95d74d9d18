//! An append-only file of finished work, so that a killed run is taken up where it ended.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::{self, Kind};
use super::{ArtifactError, Digest};

const KIND: Kind = *b"JRNL";

/// Results by the digest of what they were computed from.
///
/// A frame that a kill cut short, and all behind it, is dropped when the journal is opened.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    file: fs_err::File,
    entries: HashMap<Digest, T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens or creates the journal at `path` and reads what it holds.
    pub fn open(path: &Path) -> Result<Self, ArtifactError> {
        let bytes = match fs_err::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        let mut entries = HashMap::new();
        let mut rest = bytes.as_slice();
        while let Ok(((key, value), next)) =
            codec::decode_first::<(Digest, T)>(KIND, rest, codec::DEFAULT_LIMIT)
        {
            entries.insert(key, value);
            rest = next;
        }
        let file = fs_err::OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len((bytes.len() - rest.len()) as u64)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            entries,
        })
    }

    /// Takes the result for `key` out of memory, if it was recorded.
    pub fn take(&mut self, key: &Digest) -> Option<T> {
        self.entries.remove(key)
    }

    /// The result for `key`, if it was recorded.
    pub fn get(&self, key: &Digest) -> Option<&T> {
        self.entries.get(key)
    }

    /// Number of results in memory.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when no result is in memory.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Rewrites the journal with those of its results that `keep` wants.
    pub fn retain(self, keep: impl Fn(&T) -> bool) -> Result<(), ArtifactError> {
        let whole = Self::open(&self.path)?;
        let mut kept: Vec<(&Digest, &T)> = whole.entries.iter().filter(|(_, value)| keep(value)).collect();
        kept.sort_by_key(|(key, _)| **key);
        let mut bytes = Vec::new();
        for (key, value) in kept {
            bytes.extend(self.frame(key, value)?);
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let rewritten = self.path.with_file_name(format!("{name}.new"));
        fs_err::write(&rewritten, bytes)?;
        Ok(fs_err::rename(&rewritten, &self.path)?)
    }

    /// Appends a result; it survives a kill of the process from here on.
    pub fn record(&mut self, key: Digest, value: &T) -> Result<(), ArtifactError> {
        let frame = self.frame(&key, value)?;
        Ok(self.file.write_all(&frame)?)
    }

    fn frame(&self, key: &Digest, value: &T) -> Result<Vec<u8>, ArtifactError> {
        codec::encode(KIND, &(key, value)).map_err(|error| ArtifactError::Encode {
            path: self.path.clone(),
            reason: error.to_string(),
        })
    }

    /// Removes the journal, once its results stand in a published artifact.
    pub fn remove(self) -> Result<(), ArtifactError> {
        Ok(fs_err::remove_file(&self.path)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_journal_keeps_what_was_whole_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work.journal");
        let keys: Vec<Digest> = (0..3u8).map(|n| Digest::of(&[n])).collect();
        let mut journal = Journal::open(&path).unwrap();
        for (n, key) in keys.iter().enumerate() {
            journal.record(*key, &format!("value {n}")).unwrap();
        }
        let bytes = fs_err::read(&path).unwrap();
        fs_err::write(&path, &bytes[..bytes.len() - 3]).unwrap();

        let mut journal = Journal::<String>::open(&path).unwrap();
        assert_eq!(journal.len(), 2);
        journal.record(keys[2], &"again".to_owned()).unwrap();
        let mut journal = Journal::<String>::open(&path).unwrap();
        assert_eq!(journal.take(&keys[2]).as_deref(), Some("again"));
        assert_eq!(journal.get(&keys[0]).map(String::as_str), Some("value 0"));
        journal.retain(|value| value != "again").unwrap();
        let journal = Journal::<String>::open(&path).unwrap();
        assert_eq!((journal.len(), journal.get(&keys[2])), (2, None));
        journal.remove().unwrap();
        assert!(!path.exists());
    }
}
