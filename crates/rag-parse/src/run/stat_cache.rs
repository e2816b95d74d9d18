//! Digests of files by their size, times and inode, so that unchanged files are not read again.
//!
//! As in git's index, an entry is kept only when the file had not changed for a while before it was
//! read: a file that changes twice within the granularity of its time stamps would go unnoticed else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rag_core::artifact::codec::{self, Kind};
use rag_core::artifact::{Digest, replace_file};

use super::walk::{Entry, FileStat};
use crate::error::ParseError;

const KIND: Kind = *b"STAT";

/// Largest cache that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Time that a file must have been left alone before it is read: the coarsest time stamps in use.
const SETTLED_NS: i64 = 2_000_000_000;

/// The cache file and what it holds.
#[derive(Debug)]
pub(super) struct StatCache {
    path: Option<PathBuf>,
    known: BTreeMap<String, (FileStat, Digest)>,
    next: BTreeMap<String, (FileStat, Digest)>,
}

impl StatCache {
    /// Reads the cache; one that is missing or unreadable is empty, since it can be made again.
    pub(super) fn open(path: Option<PathBuf>) -> Self {
        let bytes = path.as_ref().and_then(|path| fs_err::read(path).ok());
        let known = bytes.and_then(|bytes| codec::decode(KIND, &bytes, MAX_BYTES).ok());
        Self {
            path,
            known: known.unwrap_or_default(),
            next: BTreeMap::new(),
        }
    }

    /// The digest of a file, from the cache when the file is as it was.
    pub(super) fn digest(&mut self, source: &str, entry: &Entry) -> std::io::Result<Digest> {
        if let Some((stat, digest)) = self.known.get(source).filter(|(stat, _)| *stat == entry.stat) {
            self.next.insert(source.to_owned(), (*stat, *digest));
            return Ok(*digest);
        }
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as i64);
        let digest = Digest::of_file(&entry.path)?.blake3;
        let last_change = entry.stat.modified_ns.max(entry.stat.changed_ns);
        let is_same = stat_of(&entry.path).is_some_and(|stat| stat == entry.stat);
        if is_same && last_change.saturating_add(SETTLED_NS) < now {
            self.next.insert(source.to_owned(), (entry.stat, digest));
        }
        Ok(digest)
    }

    /// Writes the cache, without the files that were not asked for.
    pub(super) fn save(self) -> Result<(), ParseError> {
        let Some(path) = self.path.filter(|_| self.next != self.known) else {
            return Ok(());
        };
        let frame = codec::encode(KIND, &self.next).expect("digests and numbers can be encoded");
        Ok(replace_file(&path, &frame)?)
    }
}

fn stat_of(path: &Path) -> Option<FileStat> {
    fs_err::metadata(path)
        .ok()
        .map(|metadata| FileStat::of(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &Path) -> Entry {
        Entry {
            path: path.to_owned(),
            stat: stat_of(path).unwrap(),
        }
    }

    #[test]
    fn a_settled_file_is_read_once_and_a_fresh_one_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let (file, cache) = (folder.path().join("a"), folder.path().join("stat"));
        fs_err::write(&file, "one").unwrap();
        let mut fresh = StatCache::open(Some(cache.clone()));
        let digest = fresh.digest("a", &entry(&file)).unwrap();
        assert!(fresh.next.is_empty());

        let mut settled = entry(&file);
        settled.stat.bytes = 99;
        let mut known = StatCache::open(None);
        known.known.insert("a".to_owned(), (settled.stat, digest));
        fs_err::write(&file, "two").unwrap();
        assert_eq!(known.digest("a", &settled).unwrap(), digest);
        assert_ne!(known.digest("a", &entry(&file)).unwrap(), digest);
    }

    #[test]
    fn the_cache_is_written_and_damage_empties_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, path) = (folder.path().join("a"), folder.path().join("stat"));
        fs_err::write(&file, "one").unwrap();
        let mut cache = StatCache::open(Some(path.clone()));
        cache
            .next
            .insert("a".to_owned(), (entry(&file).stat, Digest::of(b"one")));
        cache.save().unwrap();
        assert_eq!(StatCache::open(Some(path.clone())).known.len(), 1);
        fs_err::write(&path, "junk").unwrap();
        assert!(StatCache::open(Some(path)).known.is_empty());
    }
}
