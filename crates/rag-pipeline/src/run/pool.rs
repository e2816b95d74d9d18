//! Artifacts of the query row that several runs share: each stands once in a folder named by what decides it, and the
//! runs hold links to its files.

use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactWriter, Digest, already_done, replace_file};
use serde_json::{Value, json};

use super::execute::Collection;
use super::ledger::Cost;
use super::row::QueryBox;
use crate::error::PipelineError;
use crate::settings::Settings;

/// Where shared artifacts stand.
///
/// A folder's name only says where to look: whether what stands there is right, its key decides, as for any artifact.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    root: PathBuf,
}

impl Pool {
    /// Artifacts are shared below `root`.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where the artifact of the box `of` stands that follows from the artifact (or questions) with the key `upstream`.
    pub(super) fn folder(
        &self,
        of: QueryBox,
        settings: &Settings,
        collection: &Collection,
        upstream: &str,
    ) -> Result<PathBuf, PipelineError> {
        let searched = match of {
            QueryBox::Retrieve | QueryBox::Expand => collection.generation.to_string_lossy(),
            QueryBox::Rerank | QueryBox::Generate => "".into(),
        };
        let parts = json!([of.stage(), decisive(of, settings)?, searched, upstream]);
        let name = Digest::of(parts.to_string().as_bytes()).short();
        Ok(self.root.join(of.stage()).join(name))
    }

    /// Puts `made` into the folder `output` as well.
    ///
    /// Files of an artifact never change, so two folders can share them; where the file system cannot share, they are
    /// copied.
    pub(super) fn share(made: &Artifact, output: &Path) -> Result<(), PipelineError> {
        let manifest = made.manifest();
        if already_done(output, &manifest.made_from.stage, manifest.key).is_some() {
            return Ok(());
        }
        let writer = ArtifactWriter::begin(output, manifest.made_from.clone())?;
        for name in manifest.outputs.keys() {
            let (from, to) = (made.file(name)?, writer.path(name));
            if fs_err::hard_link(&from, &to).is_err() {
                fs_err::copy(&from, &to)?;
            }
        }
        writer.publish(manifest.counts)?;
        Ok(())
    }

    /// What it cost to make the artifact in `folder`, where that is known.
    pub(super) fn cost(folder: &Path) -> Result<Option<Cost>, PipelineError> {
        match fs_err::read(cost_file(folder)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            bytes => Ok(serde_json::from_slice(&bytes?).ok()),
        }
    }

    /// Notes what it cost to make the artifact in `folder`.
    pub(super) fn note_cost(folder: &Path, cost: &Cost) -> Result<(), PipelineError> {
        let text = serde_json::to_vec(cost).expect("costs are plain data");
        Ok(replace_file(&cost_file(folder), &text)?)
    }
}

fn cost_file(folder: &Path) -> PathBuf {
    folder.with_extension("cost.json")
}

/// The settings that decide what the box `of` makes.
fn decisive(of: QueryBox, settings: &Settings) -> Result<Value, PipelineError> {
    let (models, exec) = (&settings.models, &settings.exec);
    let (program, own) = match of {
        QueryBox::Retrieve => (&exec.retrieve, json!([settings.retrieve, settings.index.search])),
        QueryBox::Rerank => (&exec.rerank, json!([settings.rerank, models.reranker])),
        QueryBox::Expand => (&None, json!(settings.retrieve)),
        QueryBox::Generate => (&exec.generate, json!([settings.generate, models.reranker])),
    };
    let program = program.as_ref().map(crate::exec::Program::identity).transpose()?;
    let further = json!([
        models.embedder,
        models.language_model,
        models.sampling,
        models.drafts,
        models.precision
    ]);
    Ok(json!([own, program, further]))
}
