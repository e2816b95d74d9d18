//! The folder that a collection lives in, and the switch from one index generation to the next.
//!
//! ```text
//! STORE/
//!   store.json        layout version, and the folder that was ingested
//!   LOCK              held by the one writer
//!   parsed/           documents.jsonl, replaced whole
//!   deleted.json      ids of documents that were taken out, if any
//!   kept/             parsed/ without them
//!   chunked/          passages.jsonl, replaced whole
//!   generations/KEY/  everything that a question needs
//!   CURRENT           name of the generation that questions are answered from
//!   work/             journals of unfinished runs
//! ```

use std::path::{Path, PathBuf};

use rag_core::access::AccessList;
use rag_core::artifact::{MANIFEST_FILE, StoreLock, TEMPORARY_PREFIX, is_artifact, replace_file};
use serde::{Deserialize, Serialize};

use crate::error::PipelineError;
use crate::state;

/// Layout of the store folder; a reader refuses any other.
const LAYOUT_VERSION: u32 = 1;

/// The description in the folder of a store.
pub(crate) const DESCRIPTION_FILE: &str = "store.json";
const CURRENT_FILE: &str = "CURRENT";

/// A collection on disk.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The content of `store.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Description {
    layout: u32,
    source: PathBuf,
    /// Who may read documents that do not say it themselves; none before the first ingest.
    default_access: Option<AccessList>,
}

impl Store {
    /// Opens the store at `root`, which must exist.
    pub fn open(root: &Path) -> Result<Self, PipelineError> {
        let store = Self {
            root: root.to_owned(),
        };
        store.description()?.ok_or_else(|| PipelineError::NoStore {
            path: root.to_owned(),
        })?;
        Ok(store)
    }

    /// Opens the store at `root` for the documents of the folder `source`, and makes it where there is none.
    ///
    /// A store that was made from another folder is refused: ingesting would remove all that it holds.
    pub fn open_or_create(root: &Path, source: &Path) -> Result<Self, PipelineError> {
        let store = Self {
            root: root.to_owned(),
        };
        let source = fs_err::canonicalize(source)?;
        match store.description()? {
            Some(known) if known.source != source => Err(PipelineError::OtherSource {
                store: root.to_owned(),
                known: known.source,
                given: source,
            }),
            Some(_) => Ok(store),
            None => {
                store.refuse_foreign_folder()?;
                create_private(root)?;
                let description = Description {
                    layout: LAYOUT_VERSION,
                    source,
                    default_access: None,
                };
                store.describe(&description)?;
                create_private(&store.work())?;
                create_private(&store.generations())?;
                Ok(store)
            }
        }
    }

    /// The folder of the store.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that was ingested.
    pub fn source(&self) -> Result<PathBuf, PipelineError> {
        let description = self.description()?.ok_or_else(|| PipelineError::NoStore {
            path: self.root.clone(),
        })?;
        Ok(description.source)
    }

    /// Takes the right to write, or says who has it.
    pub fn lock(&self) -> Result<StoreLock, PipelineError> {
        Ok(StoreLock::acquire(&self.root.join("LOCK"))?)
    }

    /// Where the parse stage's artifact stands.
    pub fn parsed(&self) -> PathBuf {
        self.root.join("parsed")
    }

    /// Where the parse stage's artifact without the deleted documents stands, when some were deleted.
    pub fn kept(&self) -> PathBuf {
        self.root.join("kept")
    }

    /// Where the chunk stage's artifact stands.
    pub fn chunked(&self) -> PathBuf {
        self.root.join("chunked")
    }

    /// Where unfinished work is kept.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Where index generations stand.
    pub fn generations(&self) -> PathBuf {
        self.root.join("generations")
    }

    /// Where the index generation named `name` stands.
    pub fn generation(&self, name: &str) -> PathBuf {
        self.generations().join(name)
    }

    /// Removes what is left of artifacts that lost their manifest or have a damaged one, as when a kill met their removal: the store
    /// owns its folders, so nothing else can be in them.
    pub(crate) fn remove_remains(&self) -> Result<(), PipelineError> {
        let generations = fs_err::read_dir(self.generations())
            .into_iter()
            .flatten()
            .flatten();
        let owned = [self.parsed(), self.kept(), self.chunked()].into_iter();
        for path in owned.chain(generations.map(|entry| entry.path())) {
            if path.is_dir() && !is_artifact(&path) {
                fs_err::remove_dir_all(path)?;
            }
        }
        Ok(())
    }

    /// The folder of the generation that questions are answered from, if one was published.
    pub fn current(&self) -> Result<Option<PathBuf>, PipelineError> {
        let path = self.root.join(CURRENT_FILE);
        let name = match fs_err::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            name => name?,
        };
        let name = name.trim();
        let is_plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_plain {
            return Err(PipelineError::DamagedStore {
                path,
                reason: "it names no generation".to_owned(),
            });
        }
        Ok(Some(self.generation(name)))
    }

    /// Makes `name` the generation that questions are answered from, then removes older ones that
    /// nobody reads any more.
    pub fn switch_to(&self, name: &str) -> Result<(), PipelineError> {
        let path = self.root.join(CURRENT_FILE);
        let is_current = self
            .current()?
            .is_some_and(|current| current == self.generation(name));
        if !is_current {
            replace_file(&path, format!("{name}\n").as_bytes())?;
        }
        self.remove_unread_generations(name);
        Ok(())
    }

    /// A generation is in use while a reader holds the shared lock on its manifest. One that cannot be
    /// removed now is tried again after the next run, so nothing here can fail the run.
    fn remove_unread_generations(&self, keep: &str) {
        let entries = fs_err::read_dir(self.generations())
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries.filter(|entry| entry.file_name() != *keep) {
            let unread = match fs_err::File::open(entry.path().join(MANIFEST_FILE)) {
                Ok(manifest) => manifest.file().try_lock().is_ok(),
                Err(_) => true,
            };
            if unread {
                let _ = fs_err::remove_dir_all(entry.path());
            }
        }
    }

    /// Holds the store to who may read documents that do not say it themselves: a later ingest may narrow
    /// that, and widening it, as when a settings file was forgotten, is refused.
    pub(crate) fn hold_default_access(&self, asked: &AccessList) -> Result<(), PipelineError> {
        let Some(known) = self.description()? else {
            return Ok(());
        };
        let held = known.default_access.as_ref();
        if let Some(held) = held.filter(|held| asked.is_wider_than(held)) {
            return Err(PipelineError::WiderAccess {
                store: self.root.clone(),
                held: held.to_string(),
                asked: asked.to_string(),
            });
        }
        if known.default_access.as_ref() == Some(asked) {
            return Ok(());
        }
        self.describe(&Description {
            default_access: Some(asked.clone()),
            ..known
        })
    }

    fn describe(&self, description: &Description) -> Result<(), PipelineError> {
        state::write(&self.root.join(DESCRIPTION_FILE), description)
    }

    fn description(&self) -> Result<Option<Description>, PipelineError> {
        let path = self.root.join(DESCRIPTION_FILE);
        let Some(description) = state::read::<Description>(&path)? else {
            return Ok(None);
        };
        if description.layout == LAYOUT_VERSION {
            return Ok(Some(description));
        }
        Err(PipelineError::StoreLayout {
            path,
            found: description.layout,
            expected: LAYOUT_VERSION,
        })
    }

    /// A folder with other files in it is not made into a store.
    fn refuse_foreign_folder(&self) -> Result<(), PipelineError> {
        let entries = fs_err::read_dir(&self.root).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        // Another first ingest of the same store may be about to write its description.
        if names.any(|name| !name.starts_with(TEMPORARY_PREFIX)) {
            return Err(PipelineError::NotAStore {
                path: self.root.clone(),
            });
        }
        Ok(())
    }
}

/// Makes a folder, and those above it, that only its owner can read: a store holds the text of restricted
/// documents.
pub(crate) fn create_private(path: &Path) -> Result<(), PipelineError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| {
        let message = format!("failed to create folder `{}`: {error}", path.display());
        PipelineError::Io(std::io::Error::new(error.kind(), message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("docs");
        fs_err::create_dir(&source).unwrap();
        let store = Store::open_or_create(&folder.path().join("store"), &source).unwrap();
        (folder, store)
    }

    fn fake_generation(store: &Store, name: &str) {
        fs_err::create_dir_all(store.generation(name)).unwrap();
        fs_err::write(store.generation(name).join(MANIFEST_FILE), "{}").unwrap();
    }

    #[test]
    fn a_missing_store_and_a_foreign_folder_are_refused() {
        let (folder, _) = store();
        assert!(matches!(
            Store::open(&folder.path().join("none")),
            Err(PipelineError::NoStore { .. })
        ));
        let docs = folder.path().join("docs");
        fs_err::write(docs.join("a.md"), "x").unwrap();
        assert!(matches!(
            Store::open_or_create(&docs, &docs),
            Err(PipelineError::NotAStore { .. })
        ));
    }

    #[test]
    fn a_store_made_from_another_folder_is_refused() {
        let (folder, store) = store();
        let error = Store::open_or_create(store.root(), folder.path()).unwrap_err();
        assert!(matches!(error, PipelineError::OtherSource { .. }), "{error}");
    }

    #[test]
    fn old_generations_go_once_nobody_reads_them() {
        let (_folder, store) = store();
        fake_generation(&store, "one");
        store.switch_to("one").unwrap();
        let reader = fs_err::File::open(store.generation("one").join(MANIFEST_FILE)).unwrap();
        reader.file().lock_shared().unwrap();
        fake_generation(&store, "two");
        store.switch_to("two").unwrap();
        assert_eq!(store.current().unwrap(), Some(store.generation("two")));
        assert!(store.generation("one").exists());
        drop(reader);
        store.switch_to("two").unwrap();
        assert!(!store.generation("one").exists());
    }

    #[test]
    fn a_current_file_that_points_elsewhere_is_damage() {
        let (_folder, store) = store();
        fs_err::write(store.root().join(CURRENT_FILE), "../../etc").unwrap();
        assert!(matches!(store.current(), Err(PipelineError::DamagedStore { .. })));
    }
}
