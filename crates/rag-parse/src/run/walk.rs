//! Lists the files of a folder, in the order of their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};

use rag_core::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

use super::ours;
use super::sidecars::{self, Names, Role};
use crate::error::ParseError;
use crate::metadata::{DEFAULTS_FILE, SIDECAR_SUFFIX, fold};

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

/// A sidecar or the defaults of a folder.
#[derive(Debug, Clone)]
pub(super) enum Sidecar {
    /// A plain file.
    File(Entry),
    /// Something else of that name, and what: it may stand for an access list, so it is not passed over.
    Unusable(String),
}

/// Everything below the input.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Documents by their path relative to the input.
    pub(super) documents: BTreeMap<String, Entry>,
    /// Sidecars and folder defaults, likewise.
    pub(super) sidecars: BTreeMap<String, Sidecar>,
    /// Documents that a misnamed or left over sidecar may have been meant for, and why that is.
    pub(super) withheld: BTreeMap<String, String>,
    /// What is no sidecar by its exact name, but most likely meant as one.
    misnamed: BTreeSet<String>,
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
    refuse_own_folder(&root)?;
    let mut listing = Listing::default();
    let mut pending = vec![(root.clone(), String::new())];
    while let Some((folder, prefix)) = pending.pop() {
        if let Some(marker) = ours::marker(&folder) {
            let message = format!(
                "it holds a `{marker}`, so it is a store or an output of this program and nothing in it was read; move it elsewhere"
            );
            listing.note(
                prefix.trim_end_matches('/'),
                Severity::Warning,
                "own-output",
                message,
            );
            continue;
        }
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
            let kind = entry.file_type().ok();
            let is_folder = kind.is_some_and(|kind| kind.is_dir());
            if is_folder && excluded.contains(&path) {
                continue;
            }
            match sidecars::role_of(&name) {
                Role::Sidecar => listing.sidecar(source, path, kind),
                // Of folders, only the exact ending counts: others may well hold documents.
                Role::Misnamed if !is_folder || fold(&name).ends_with(SIDECAR_SUFFIX) => {
                    listing.misnamed.insert(source);
                }
                _ if is_folder => pending.push((path, source + "/")),
                _ => listing.document(source, path, kind),
            }
        }
    }
    listing.set_sidecars_aside();
    listing.withhold();
    listing.diagnostics.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(listing)
}

/// Refuses a store, an artifact, and what is inside of one as the documents.
fn refuse_own_folder(root: &Path) -> Result<(), ParseError> {
    let above = root.ancestors().skip(1);
    let found = ours::marker(root).map(|marker| (root, marker));
    let found = found.or_else(|| {
        above
            .into_iter()
            .find_map(|path| Some((path, ours::sure_marker(path)?)))
    });
    found.map_or(Ok(()), |(path, marker)| {
        Err(ParseError::OwnOutput {
            path: root.to_owned(),
            marker: path.join(marker),
        })
    })
}

/// A hidden file that was meant as a sidecar; `._` begins what some systems keep beside a file.
fn is_hidden_sidecar(name: &str) -> bool {
    name.ends_with(SIDECAR_SUFFIX) && !name.starts_with("._")
}

impl Listing {
    /// The entry's name; nothing for hidden entries but sidecars, for lock files of office programs, and
    /// for names that are not Unicode, which are reported.
    fn name_of(&mut self, entry: &fs_err::DirEntry, prefix: &str) -> Option<String> {
        match entry.file_name().into_string() {
            Ok(name) if name.starts_with('.') && !is_hidden_sidecar(&name) => None,
            Ok(name) if name.starts_with("~$") => None,
            Ok(name) => Some(name),
            Err(name) => {
                let source = format!("{prefix}{}", name.to_string_lossy());
                let message = "its name is not valid Unicode; rename it to have it read".to_owned();
                self.note(&source, Severity::Quarantined, "bad-name", message);
                None
            }
        }
    }

    fn sidecar(&mut self, source: String, path: PathBuf, kind: Option<FileType>) {
        let sidecar = match kind {
            Some(kind) if kind.is_file() => match fs_err::metadata(&path) {
                Ok(metadata) => {
                    let stat = FileStat::of(&metadata);
                    Sidecar::File(Entry { path, stat })
                }
                Err(error) => Sidecar::Unusable(error.to_string()),
            },
            Some(kind) if kind.is_dir() => Sidecar::Unusable("it is a folder".to_owned()),
            Some(kind) if kind.is_symlink() => Sidecar::Unusable("it is a symbolic link".to_owned()),
            _ => Sidecar::Unusable("it is no plain file".to_owned()),
        };
        self.sidecars.insert(source, sidecar);
    }

    fn document(&mut self, source: String, path: PathBuf, kind: Option<FileType>) {
        match kind {
            Some(kind) if kind.is_file() => self.file(source, path),
            Some(kind) if kind.is_symlink() => {
                let message = "it is a symbolic link and was not followed; copy the file to have it read";
                self.note(&source, Severity::Warning, "symlink", message.to_owned());
            }
            _ => {
                let message = "it is neither a file nor a folder and was skipped".to_owned();
                self.note(&source, Severity::Warning, "special-file", message);
            }
        }
    }

    fn file(&mut self, source: String, path: PathBuf) {
        match fs_err::metadata(&path) {
            Ok(metadata) => {
                let stat = FileStat::of(&metadata);
                self.documents.insert(source, Entry { path, stat });
            }
            Err(error) => {
                let message = format!("it was gone when it was looked at: {error}");
                self.note(&source, Severity::Warning, "unreadable", message);
            }
        }
    }

    /// Takes files such as `report.pdf.toml` beside `report.pdf` out of the documents.
    fn set_sidecars_aside(&mut self) {
        let names = Names::of(&self.documents);
        let found = self.documents.keys();
        let found = found.filter(|source| sidecars::is_beside_its_document(source, &names));
        let found: Vec<String> = found.cloned().collect();
        for source in found {
            self.documents.remove(&source);
            self.misnamed.insert(source);
        }
    }

    /// Withholds the documents that a sidecar was most likely meant for whose name fits none: it lost its
    /// file, or never had it, by a renaming or a slip, and the access list with it.
    fn withhold(&mut self) {
        let is_orphan = |source: &&String| {
            sidecars::document_of(source).is_some_and(|document| !self.documents.contains_key(document))
        };
        let orphans = self.sidecars.keys().filter(is_orphan);
        let stray: Vec<String> = orphans.chain(&self.misnamed).cloned().collect();
        if stray.is_empty() {
            return;
        }
        let names = Names::of(&self.documents);
        let mut notes = Vec::new();
        for source in stray {
            if sidecars::original(&source).is_some_and(|original| self.sidecars.contains_key(original)) {
                let message = "it is a copy of the sidecar beside it and was not read; remove it".to_owned();
                notes.push((source, Severity::Warning, "misnamed-sidecar", message));
                continue;
            }
            let meant = names.meant_by(&source);
            for document in &meant {
                let reason = format!(
                    "`{source}` may say who may read it, but a sidecar's name is that of the file with `{SIDECAR_SUFFIX}` behind it, and that of a folder's defaults `{DEFAULTS_FILE}`; rename or remove it"
                );
                self.withheld.entry((*document).to_owned()).or_insert(reason);
            }
            notes.push(match meant.len() {
                0 => {
                    let message = "the file that it describes is not there; rename or remove the sidecar";
                    (
                        source,
                        Severity::Quarantined,
                        "orphan-sidecar",
                        message.to_owned(),
                    )
                }
                count => {
                    let message =
                        format!("its name fits no file; {count} that it may describe were left out");
                    (source, Severity::Warning, "misnamed-sidecar", message)
                }
            });
        }
        for (source, severity, reason, message) in notes {
            self.note(&source, severity, reason, message);
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
