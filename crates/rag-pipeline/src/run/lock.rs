//! `rag.lock`: what a run depends on, so that it can be repeated and told from others.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use rag_core::answer::{ANSWERS_FILE, Answer};
use rag_core::artifact::{Artifact, ArtifactError, Digest, Manifest, jsonl, replace_file};
use rag_core::folder::RUN_LOCK_FILE;
use rag_core::hit::{HITS_FILE, RUN_FILE};
use rag_core::stage;
use serde::{Deserialize, Serialize};

use super::row::QueryBox;
use crate::error::PipelineError;
use crate::settings::Settings;

/// Longest lock that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Longest other file of a run that is read whole, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Layout of the file; a reader refuses any other.
const VERSION: u32 = 1;

/// What a run depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// Layout of this file.
    pub version: u32,
    /// Version of the program.
    pub tool: String,
    /// Digest of the questions with their labels.
    pub questions: Digest,
    /// Where the artifacts of the collection stand.
    pub collection: Locked,
    /// Key of every artifact, by stage. A key follows from the settings, the inputs and the models.
    pub keys: BTreeMap<String, String>,
    /// Identity of every model, by its role: digests of weights and tokenizer, and how it is used.
    pub models: BTreeMap<String, String>,
    /// Digests of what the run wrote that is the same whenever it is repeated, by file.
    pub outputs: BTreeMap<String, Digest>,
    /// The settings.
    pub settings: Settings,
}

/// The artifacts that questions were asked of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The folder that the documents were read from, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<PathBuf>,
    /// The folder of the parse artifact.
    pub documents: PathBuf,
    /// The folder of the chunk artifact.
    pub passages: PathBuf,
    /// The folder of the index generation.
    pub generation: PathBuf,
}

impl Lock {
    /// A lock without results yet.
    pub(super) fn begin(settings: &Settings, questions: Digest, collection: Locked) -> Self {
        Self {
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            questions,
            collection,
            keys: BTreeMap::new(),
            models: BTreeMap::new(),
            outputs: BTreeMap::new(),
            settings: settings.clone(),
        }
    }

    /// Notes the key and the models of an artifact.
    pub(super) fn note(&mut self, manifest: &Manifest) {
        let stage = &manifest.made_from.stage;
        self.keys.insert(stage.clone(), manifest.key.to_string());
        for (role, identity) in &manifest.made_from.models {
            self.models.insert(format!("{stage}.{role}"), identity.clone());
        }
    }

    /// Notes what the run in the folder `run` wrote that is the same whenever it is repeated: rankings, and answers
    /// without how long they took.
    pub(super) fn note_outputs(&mut self, run: &Path) -> Result<(), PipelineError> {
        // A folder may still have what other settings made.
        for ranking in QueryBox::row(&self.settings) {
            let file = match ranking {
                QueryBox::Retrieve | QueryBox::Rerank => RUN_FILE,
                // Passages that grew keep their ranks, so the run file would not tell.
                QueryBox::Expand => HITS_FILE,
                QueryBox::Generate => continue,
            };
            let name = format!("{}/{file}", ranking.folder());
            let digest = Digest::of_file(&run.join(&name))?.blake3;
            self.outputs.insert(name, digest);
        }
        let name = format!("{}/{ANSWERS_FILE}", QueryBox::Generate.folder());
        let mut text = String::new();
        for answer in jsonl::Reader::<Answer>::open(&run.join(&name))? {
            let mut answer = answer?;
            answer.timings_ms.clear();
            text.push_str(&serde_json::to_string(&answer).expect("answers are plain data"));
            text.push('\n');
        }
        self.outputs.insert(name, Digest::of(text.as_bytes()));
        Ok(())
    }

    /// Notes a file of the run in the folder `run`.
    pub(super) fn note_file(&mut self, run: &Path, name: &str) -> Result<(), PipelineError> {
        let digest = Digest::of_file(&run.join(name))?.blake3;
        self.outputs.insert(name.to_owned(), digest);
        Ok(())
    }

    /// Reads the file `name` of the run in the folder `run`, which must be as it was when the run was made.
    pub(super) fn read_file(&self, run: &Path, name: &str) -> Result<String, PipelineError> {
        let path = run.join(name);
        let text = read_bounded(&path, MAX_FILE_BYTES)?;
        if self.outputs.get(name) == Some(&Digest::of(text.as_bytes())) {
            return Ok(text);
        }
        Err(PipelineError::Changed {
            path,
            stage: "figures".to_owned(),
        })
    }

    /// Reads the lock of the run in the folder `run`.
    pub(super) fn read(run: &Path) -> Result<Self, PipelineError> {
        let path = run.join(RUN_LOCK_FILE);
        let text = match read_bounded(&path, MAX_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(PipelineError::NoRun { path: run.to_owned() });
            }
            text => text?,
        };
        let damaged = |reason: String| PipelineError::Settings {
            path: path.clone(),
            reason,
        };
        let lock: Self = toml::from_str(&text).map_err(|error| damaged(error.message().to_owned()))?;
        if lock.version != VERSION {
            return Err(damaged(format!(
                "version {}, this program reads {VERSION}; make the run again",
                lock.version
            )));
        }
        Ok(lock)
    }

    /// Writes the lock into the folder `run`, in one step.
    pub(super) fn write(&self, run: &Path) -> Result<(), PipelineError> {
        let text = toml::to_string_pretty(self).expect("locks are plain data");
        Ok(replace_file(&run.join(RUN_LOCK_FILE), text.as_bytes())?)
    }

    /// Opens the artifact of `stage` in `folder`, which must be the one that the run used.
    pub(crate) fn open(&self, folder: &Path, stage: &str) -> Result<Artifact, PipelineError> {
        let changed = || PipelineError::Changed {
            path: folder.to_owned(),
            stage: format!("{stage} artifact"),
        };
        let artifact = match Artifact::open(folder, stage) {
            Err(ArtifactError::Missing { .. }) => {
                return Err(PipelineError::ArtifactGone {
                    path: folder.to_owned(),
                    stage: format!("{stage} artifact"),
                });
            }
            artifact => artifact?,
        };
        if self.keys.get(stage) != Some(&artifact.manifest().key.to_string()) {
            return Err(changed());
        }
        Ok(artifact)
    }

    /// The documents that the collection was made of.
    pub(super) fn documents(&self) -> Result<Artifact, PipelineError> {
        self.open(&self.collection.documents, stage::PARSE)
    }

    /// The passages that the collection was made of.
    pub(super) fn passages(&self) -> Result<Artifact, PipelineError> {
        self.open(&self.collection.passages, stage::CHUNK)
    }
}

/// The text of a file of at most `most` bytes.
fn read_bounded(path: &Path, most: u64) -> std::io::Result<String> {
    let mut text = String::new();
    fs_err::File::open(path)?
        .take(most + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let message = format!("{} is longer than {most} bytes", path.display());
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}
