//! Recognises folders that our stages wrote. What stands in them may be the text of documents that not
//! everyone may read, without their access lists, so it is never taken in again as documents.

use std::io::{BufReader, Read};
use std::path::Path;

use rag_core::artifact::MANIFEST_FILE;
use rag_core::folder::{REPORT_FILE, RUN_LOCK_FILE, RUN_WRITER_FILE, WORK_FILE};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Name of the description in the folder of a store.
const STORE_FILE: &str = "store.json";

/// Largest description or manifest that is looked into, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The fields by which a manifest of ours is told from one of a web page.
#[derive(Deserialize)]
struct Manifest {
    stage: Option<IgnoredAny>,
    key: Option<IgnoredAny>,
}

/// The fields of a store's description.
#[derive(Deserialize)]
struct Store {
    layout: Option<IgnoredAny>,
    source: Option<IgnoredAny>,
}

/// The file that shows that `folder` is a store, an artifact, a run, a report or a work folder, if it is one. A manifest that cannot be
/// read may be a damaged one of ours.
pub(super) fn marker(folder: &Path) -> Option<&'static str> {
    if exists(&folder.join(STORE_FILE)) {
        return Some(STORE_FILE);
    }
    // A run has the labels, a report has answers; both may say what only some may read.
    for name in [RUN_LOCK_FILE, RUN_WRITER_FILE, REPORT_FILE, WORK_FILE] {
        if exists(&folder.join(name)) {
            return Some(name);
        }
    }
    let manifest = folder.join(MANIFEST_FILE);
    (exists(&manifest) && is_manifest(&manifest).unwrap_or(true)).then_some(MANIFEST_FILE)
}

/// Likewise for a folder above the documents, where only what is ours for sure counts.
pub(super) fn sure_marker(folder: &Path) -> Option<&'static str> {
    if is_manifest(&folder.join(MANIFEST_FILE)) == Some(true) {
        return Some(MANIFEST_FILE);
    }
    let store: Store = read(&folder.join(STORE_FILE))?;
    (store.layout.is_some() && store.source.is_some()).then_some(STORE_FILE)
}

fn exists(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

fn is_manifest(path: &Path) -> Option<bool> {
    let manifest: Manifest = read(path)?;
    Some(manifest.stage.is_some() && manifest.key.is_some())
}

/// Reads a JSON file; nothing when it is no plain file of JSON.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    if !fs_err::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = fs_err::File::open(path).ok()?;
    serde_json::from_reader(BufReader::new(file.take(MAX_BYTES))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_and_artifacts_are_told_from_other_folders() {
        let cases = [
            (
                "store.json",
                "{\"layout\": 1, \"source\": \"/x\"}",
                Some(STORE_FILE),
                true,
            ),
            ("store.json", "cut of", Some(STORE_FILE), false),
            (
                "manifest.json",
                "{\"schema\": 1, \"key\": \"a\", \"stage\": \"parse\"}",
                Some(MANIFEST_FILE),
                true,
            ),
            (
                "manifest.json",
                "{\"key\": \"a\", \"st",
                Some(MANIFEST_FILE),
                false,
            ),
            ("manifest.json", "{\"name\": \"App\", \"icons\": []}", None, false),
            (RUN_LOCK_FILE, "version = 1", Some(RUN_LOCK_FILE), false),
            (RUN_WRITER_FILE, "", Some(RUN_WRITER_FILE), false),
            (REPORT_FILE, "index.html", Some(REPORT_FILE), false),
            ("other.json", "{\"key\": 1, \"stage\": 1}", None, false),
        ];
        for (name, text, expected, is_sure) in cases {
            let folder = tempfile::tempdir().unwrap();
            fs_err::write(folder.path().join(name), text).unwrap();
            assert_eq!(marker(folder.path()), expected, "{text}");
            assert_eq!(sure_marker(folder.path()).is_some(), is_sure, "{text}");
        }
    }
}
