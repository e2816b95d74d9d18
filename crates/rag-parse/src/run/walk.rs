//! Lists the files of a folder, in the order of their paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_core::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

use crate::error::ParseError;
use crate::metadata::{DEFAULTS_FILE, SIDECAR_SUFFIX};

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStat {
    pub(super) bytes: u64,
    pub(super) modified_ns: i64,
    pub(super) changed_ns: i64,
    pub(super) inode: u64,
    pub(super) device: u64,
}

/// A regular file below the input.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) stat: FileStat,
}

/// Everything below the input.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Documents by their path relative to the input.
    pub(super) documents: BTreeMap<String, Entry>,
    /// Sidecars and folder defaults, likewise.
    pub(super) sidecars: BTreeMap<String, Entry>,
    /// What was skipped and why, by path.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Lists `input`. The folders `excluded`, which are given as canonical paths, are left out.
pub(super) fn list(input: &Path, excluded: &[PathBuf]) -> Result<Listing, ParseError> {
    let failed = |source| ParseError::Input {
        path: input.to_owned(),
        source,
    };
    let root = fs_err::canonicalize(input).map_err(failed)?;
    let mut listing = Listing::default();
    let mut pending = vec![(root.clone(), String::new())];
    while let Some((folder, prefix)) = pending.pop() {
        let entries = match fs_err::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if prefix.is_empty() => return Err(failed(error)),
            Err(error) => {
                let message = format!("the folder cannot be listed, so nothing in it was read: {error}");
                listing.note(
                    prefix.trim_end_matches('/'),
                    Severity::Quarantined,
                    "unreadable",
                    message,
                );
                continue;
            }
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Some(name) = listing.name_of(&entry, &prefix) else {
                continue;
            };
            let source = format!("{prefix}{name}");
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !excluded.contains(&path) => pending.push((path, source + "/")),
                Ok(kind) if kind.is_dir() => {}
                Ok(kind) if kind.is_file() => listing.file(source, path),
                Ok(kind) if kind.is_symlink() => {
                    let message = "it is a symbolic link and was not followed; copy the file to have it read";
                    listing.note(&source, Severity::Warning, "symlink", message.to_owned());
                }
                _ => {
                    let message = "it is neither a file nor a folder and was skipped".to_owned();
                    listing.note(&source, Severity::Warning, "special-file", message);
                }
            }
        }
    }
    listing.report_orphans();
    listing.diagnostics.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(listing)
}

impl Listing {
    /// The entry's name; nothing for hidden entries, for lock files of office programs, and for names
    /// that are not Unicode, which are reported.
    fn name_of(&mut self, entry: &fs_err::DirEntry, prefix: &str) -> Option<String> {
        match entry.file_name().into_string() {
            Ok(name) if name.starts_with('.') || name.starts_with("~$") => None,
            Ok(name) => Some(name),
            Err(name) => {
                let source = format!("{prefix}{}", name.to_string_lossy());
                let message = "its name is not valid Unicode; rename it to have it read".to_owned();
                self.note(&source, Severity::Quarantined, "bad-name", message);
                None
            }
        }
    }

    fn file(&mut self, source: String, path: PathBuf) {
        match fs_err::metadata(&path) {
            Ok(metadata) => {
                let stat = FileStat::of(&metadata);
                let is_sidecar = source.ends_with(SIDECAR_SUFFIX);
                let list = if is_sidecar {
                    &mut self.sidecars
                } else {
                    &mut self.documents
                };
                list.insert(source, Entry { path, stat });
            }
            Err(error) => {
                self.note(
                    &source,
                    Severity::Warning,
                    "unreadable",
                    format!("it was gone when it was looked at: {error}"),
                );
            }
        }
    }

    /// A sidecar without its file most likely lost it to a renaming, and with it the access list.
    fn report_orphans(&mut self) {
        let is_orphan = |source: &&String| {
            let is_defaults = source.rsplit('/').next() == Some(DEFAULTS_FILE);
            let file = source.strip_suffix(SIDECAR_SUFFIX).unwrap_or_default();
            !is_defaults && !self.documents.contains_key(file)
        };
        let orphans: Vec<String> = self.sidecars.keys().filter(is_orphan).cloned().collect();
        for source in orphans {
            let message = "the file that it describes is not there; rename or remove the sidecar".to_owned();
            self.note(&source, Severity::Warning, "orphan-sidecar", message);
        }
    }

    fn note(&mut self, source: &str, severity: Severity, reason: &str, message: String) {
        let (source, reason) = (source.to_owned(), reason.to_owned());
        self.diagnostics.push(Diagnostic {
            source,
            severity,
            reason,
            message,
        });
    }
}

impl FileStat {
    #[cfg(unix)]
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let ns = |seconds: i64, nanoseconds: i64| {
            seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
        };
        Self {
            bytes: metadata.len(),
            modified_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = modified.map_or(0, |since| since.as_nanos() as i64);
        Self {
            bytes: metadata.len(),
            modified_ns,
            changed_ns: modified_ns,
            inode: 0,
            device: 0,
        }
    }
}
