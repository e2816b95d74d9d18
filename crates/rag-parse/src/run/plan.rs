//! What is to be done with each file: its digests, its key, and what its sidecars say.

use std::collections::HashMap;
use std::path::PathBuf;

use rag_core::artifact::Digest;
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::progress::{Progress, Unit};

use super::stat_cache::StatCache;
use super::walk::{Entry, Listing, Sidecar};
use crate::config::{Config, Runtime};
use crate::document::{Given, too_large};
use crate::error::{Failure, ParseError};
use crate::metadata::{DEFAULTS_FILE, Metadata, SIDECAR_SUFFIX, read_sidecar};
use crate::worker::Job;

/// Largest sidecar that is read, in bytes.
const MAX_SIDECAR_BYTES: u64 = 1 << 20;

const TASK: &str = "check files";

/// One file and what decides its document.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) source: String,
    path: PathBuf,
    /// Digest of its bytes; `None` when they cannot be read.
    pub(super) content: Option<Digest>,
    /// Digest of what its sidecars say.
    metadata: Digest,
    /// Digest of everything that decides its document.
    pub(super) key: Digest,
    /// Digest of version and settings.
    base: Digest,
    given: Given,
    /// Why it need not be parsed at all.
    pub(super) failure: Option<Failure>,
}

impl Item {
    pub(super) fn job(&self) -> Job {
        Job {
            path: self.path.clone(),
            source: self.source.clone(),
            given: self.given.clone(),
        }
    }

    /// The key under which a result for other bytes than planned is kept.
    pub(super) fn key_for(&self, content: Option<Digest>) -> Digest {
        key_of(&self.base, &self.source, content, &self.metadata)
    }
}

fn key_of(base: &Digest, source: &str, content: Option<Digest>, metadata: &Digest) -> Digest {
    let content = content.as_ref().map_or(&[][..], |digest| &digest.0);
    Digest::of_parts([&base.0[..], source.as_bytes(), content, &metadata.0])
}

/// Number of files parsed at the same time.
pub(super) fn worker_count(runtime: &Runtime) -> usize {
    match runtime.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    }
}

/// Makes the items of all documents, in the order of their paths.
pub(super) fn items(
    listing: &Listing,
    base: &Digest,
    config: &Config,
    runtime: &Runtime,
    progress: &dyn Progress,
    notices: &mut Vec<Diagnostic>,
) -> Result<Vec<Item>, ParseError> {
    let cache_path = runtime.state_dir.as_ref().map(|folder| folder.join("parse.stat"));
    let mut planner = Planner {
        listing,
        cache: StatCache::open(cache_path),
        sidecars: HashMap::new(),
    };
    progress.start(TASK, Some(listing.documents.len() as u64), Unit::Items);
    let mut items = Vec::with_capacity(listing.documents.len());
    for (source, entry) in &listing.documents {
        items.push(planner.item(source, entry, base, config));
        progress.advance(TASK, 1);
    }
    progress.finish(TASK);
    planner.report_broken_defaults(notices);
    planner.cache.save()?;
    Ok(items)
}

/// The digest of all files, as it enters the artifact's key.
pub(super) fn files_digest(items: &[Item]) -> Digest {
    files_digest_with(items, &HashMap::new())
}

/// Likewise, where the bytes of some items turned out to be others.
pub(super) fn files_digest_with(items: &[Item], changed: &HashMap<usize, Option<Digest>>) -> Digest {
    let keys: Vec<Digest> = items
        .iter()
        .enumerate()
        .map(|(number, item)| {
            changed
                .get(&number)
                .map_or(item.key, |content| item.key_for(*content))
        })
        .collect();
    Digest::of_parts(keys.iter().map(|key| &key.0[..]))
}

struct Planner<'p> {
    listing: &'p Listing,
    cache: StatCache,
    /// Sidecars read so far: digest and content.
    sidecars: HashMap<String, (Digest, Result<Metadata, Failure>)>,
}

impl Planner<'_> {
    fn item(&mut self, source: &str, entry: &Entry, base: &Digest, config: &Config) -> Item {
        let (metadata, given) = self.given(source);
        let (content, unreadable) = self.content(source, entry, config);
        let (given, broken) = match given {
            Ok(given) => (given, None),
            Err(failure) => (Given::default(), Some(failure)),
        };
        Item {
            source: source.to_owned(),
            path: entry.path.clone(),
            content,
            metadata,
            key: key_of(base, source, content, &metadata),
            base: *base,
            given,
            failure: unreadable.or(broken),
        }
    }

    fn content(&mut self, source: &str, entry: &Entry, config: &Config) -> (Option<Digest>, Option<Failure>) {
        if entry.stat.bytes > config.limits.max_file_bytes {
            return (
                None,
                Some(too_large(entry.stat.bytes, config.limits.max_file_bytes)),
            );
        }
        match self.cache.digest(source, entry) {
            Ok(digest) => (Some(digest), None),
            Err(error) => (
                None,
                Some(Failure::transient(
                    "unreadable",
                    format!("{error}; check its permissions"),
                )),
            ),
        }
    }

    /// What sidecar and folders say of a file, and the digest of it. One that cannot be read may hold an
    /// access list, so it keeps the file out.
    fn given(&mut self, source: &str) -> (Digest, Result<Given, Failure>) {
        let own = self.sidecar(&format!("{source}{SIDECAR_SUFFIX}"));
        let mut digests = vec![
            own.as_ref()
                .map_or_else(Vec::new, |(digest, _)| digest.0.to_vec()),
        ];
        let sidecar = own.map_or(Ok(Metadata::default()), |(_, metadata)| metadata);
        let mut defaults: Result<Metadata, Failure> = Ok(Metadata::default());
        for folder in folders_above(source) {
            let Some((digest, metadata)) = self.sidecar(&format!("{folder}{DEFAULTS_FILE}")) else {
                continue;
            };
            digests.push(digest.0.to_vec());
            defaults = defaults.and_then(|nearer| Ok(nearer.or(metadata?)));
        }
        let withheld = self.listing.withheld.get(source);
        digests.extend(withheld.map(|reason| reason.clone().into_bytes()));
        let digest = Digest::of_parts(digests.iter().map(Vec::as_slice));
        let given = match withheld {
            Some(reason) => Err(Failure::lasting("sidecar", reason)),
            None => sidecar.and_then(|sidecar| {
                Ok(Given {
                    sidecar,
                    defaults: defaults?,
                })
            }),
        };
        (digest, given)
    }

    fn sidecar(&mut self, source: &str) -> Option<(Digest, Result<Metadata, Failure>)> {
        let sidecar = self.listing.sidecars.get(source)?;
        if !self.sidecars.contains_key(source) {
            let read = load_sidecar(source, sidecar);
            self.sidecars.insert(source.to_owned(), read);
        }
        self.sidecars.get(source).cloned()
    }

    /// A folder's broken defaults are worth a line of their own: they keep out every file below.
    fn report_broken_defaults(&self, notices: &mut Vec<Diagnostic>) {
        for (source, (_, metadata)) in &self.sidecars {
            if let (Err(failure), true) = (metadata, source.ends_with(DEFAULTS_FILE)) {
                let severity = Severity::Warning;
                notices.push(Diagnostic {
                    severity,
                    ..failure.diagnostic(source)
                });
            }
        }
        notices.sort_by(|a, b| a.source.cmp(&b.source));
    }
}

/// Digest and content of a sidecar.
fn load_sidecar(source: &str, sidecar: &Sidecar) -> (Digest, Result<Metadata, Failure>) {
    let lost = |reason: &str| {
        let message = format!("`{source}` cannot be read: {reason}; make it a plain file");
        Failure::transient("metadata", message)
    };
    let entry = match sidecar {
        Sidecar::File(entry) => entry,
        Sidecar::Unusable(reason) => return (Digest::of(reason.as_bytes()), Err(lost(reason))),
    };
    if entry.stat.bytes > MAX_SIDECAR_BYTES {
        let failure = lost(&format!("it is larger than {MAX_SIDECAR_BYTES} bytes"));
        return (Digest::of(b"too large"), Err(failure));
    }
    match fs_err::read(&entry.path) {
        Err(error) => (Digest::of(b"unreadable"), Err(lost(&error.to_string()))),
        Ok(bytes) => {
            let metadata = read_sidecar(source, &bytes);
            let metadata = metadata.map_err(|error| Failure::lasting("metadata", error.to_string()));
            (Digest::of(&bytes), metadata)
        }
    }
}

/// The folders that hold `source`, the nearest first, each with its final `/`; the last is empty.
fn folders_above(source: &str) -> Vec<&str> {
    let mut folders: Vec<&str> = source.match_indices('/').map(|(at, _)| &source[..=at]).collect();
    folders.reverse();
    folders.push("");
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_from_the_nearest() {
        assert_eq!(folders_above("a/b/c.md"), ["a/b/", "a/", ""]);
        assert_eq!(folders_above("c.md"), [""]);
    }
}
