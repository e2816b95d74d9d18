//! An earlier generation, as a source of vectors and of whole files that are still right.

use std::path::Path;

use rag_core::artifact::{Artifact, Digest, StageKey};

use crate::error::IndexError;
use crate::generation::LEARNED_FILE;
use crate::graph::GRAPH_FILE;
use crate::lexical::LEXICAL_FOLDER;
use crate::rows::{ROWS_FILE, ROWS_KIND, Rows};
use crate::vectors::{VECTORS_FILE, Vectors};

/// A whole generation made by the same model and the same version of this stage.
pub(crate) struct Previous {
    artifact: Artifact,
    pub(crate) rows: Rows,
    pub(crate) vectors: Vectors,
}

/// What is there to be taken over.
pub(crate) enum Found {
    /// A generation to take over from.
    Usable(Box<Previous>),
    /// None, or one of another model or version.
    Nothing,
    /// One whose files are not what its manifest says, and why.
    Damaged(String),
}

impl Previous {
    /// Looks at `path`. A damaged generation is not an error: everything is then built anew.
    pub(crate) fn find(path: &Path, key: &StageKey) -> Found {
        let Ok(artifact) = Artifact::open(path, &key.stage) else {
            return Found::Nothing;
        };
        let made_from = &artifact.manifest().made_from;
        if made_from.stage_version != key.stage_version || made_from.models != key.models {
            return Found::Nothing;
        }
        match Self::read(artifact) {
            Ok(previous) => Found::Usable(Box::new(previous)),
            Err(error) => Found::Damaged(error.to_string()),
        }
    }

    fn read(artifact: Artifact) -> Result<Self, IndexError> {
        artifact.verify()?;
        let rows: Rows = artifact.framed(ROWS_FILE, ROWS_KIND)?;
        let path = artifact.path().join(VECTORS_FILE);
        let vectors = Vectors::open(&path)?;
        if vectors.len() != rows.texts.len() {
            return Err(IndexError::damaged(path, "it has not one vector per passage"));
        }
        Ok(Self {
            artifact,
            rows,
            vectors,
        })
    }

    /// True when ids, languages and index texts of all passages are `content`.
    pub(crate) fn has_content(&self, content: Digest) -> bool {
        self.rows.content == content.0
    }

    /// True when the graph, or its absence, follows from the same settings.
    pub(crate) fn has_graph_of(&self, key: &StageKey) -> bool {
        self.artifact.manifest().made_from.config == key.config
    }

    /// Puts the files that follow from the content alone into `folder`.
    pub(crate) fn take_over(&self, folder: &Path) -> Result<(), IndexError> {
        let own = |name: &str| {
            [VECTORS_FILE, ROWS_FILE, LEARNED_FILE].contains(&name)
                || name.starts_with(&format!("{LEXICAL_FOLDER}/"))
        };
        self.link(folder, own)
    }

    /// Puts the graph, if there is one, into `folder`.
    pub(crate) fn take_over_graph(&self, folder: &Path) -> Result<(), IndexError> {
        self.link(folder, |name| name == GRAPH_FILE)
    }

    /// Files of an artifact never change, so two generations can share them; where the file system cannot
    /// share, they are copied.
    fn link(&self, folder: &Path, takes: impl Fn(&str) -> bool) -> Result<(), IndexError> {
        let names = self.artifact.manifest().outputs.keys();
        for name in names.filter(|name| takes(name)) {
            let (from, to) = (self.artifact.path().join(name), folder.join(name));
            if let Some(parent) = to.parent() {
                fs_err::create_dir_all(parent)?;
            }
            if fs_err::hard_link(&from, &to).is_err() {
                fs_err::copy(&from, &to)?;
            }
        }
        Ok(())
    }
}
