//! `manifest.json`: what an artifact is, what it was made from, and what it must contain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::key_of;
use super::{ArtifactKey, FileDigest};
use crate::stage::Outcome;

/// Name of the manifest in an artifact's folder.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Version of the artifacts' layout; a reader refuses any other.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that decides an artifact's content, from which its key follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageKey {
    /// The stage's name.
    pub stage: String,
    /// Raised whenever the stage's code changes what it writes.
    pub stage_version: u32,
    /// The stage's configuration.
    pub config: Value,
    /// Keys of the input artifacts, or digests of input files, by name.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// Identities of the models, by role.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    /// Seed of the stage's random choices.
    #[serde(default)]
    pub seed: u64,
}

impl StageKey {
    /// A key without inputs and models.
    pub fn new<C: Serialize>(stage: &str, stage_version: u32, config: &C) -> Self {
        // By way of text: a number of 32 bits is then the short one that people wrote (0.1) and reads back as itself from
        // a manifest, which the 17 digits of its value in 64 bits may not.
        let config = serde_json::to_string(config).expect("configurations are plain data");
        Self {
            stage: stage.to_owned(),
            stage_version,
            config: serde_json::from_str(&config).expect("it was just written"),
            inputs: BTreeMap::new(),
            models: BTreeMap::new(),
            seed: 0,
        }
    }

    /// Adds an input by the name it goes by and its key.
    #[must_use]
    pub fn input(mut self, name: &str, key: &(impl ToString + ?Sized)) -> Self {
        self.inputs.insert(name.to_owned(), key.to_string());
        self
    }

    /// Adds a model by its role and its identity.
    #[must_use]
    pub fn model(mut self, role: &str, identity: &(impl ToString + ?Sized)) -> Self {
        self.models.insert(role.to_owned(), identity.to_string());
        self
    }

    /// The digest of all of it.
    pub fn digest(&self) -> ArtifactKey {
        key_of(self)
    }
}

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Layout of the artifact, [`SCHEMA_VERSION`].
    pub schema: u32,
    /// Digest of `made_from`.
    pub key: ArtifactKey,
    /// What decided the content.
    #[serde(flatten)]
    pub made_from: StageKey,
    /// Size and digest of every file, by its path in the folder.
    pub outputs: BTreeMap<String, FileDigest>,
    /// Counts of the run.
    pub counts: Outcome,
    /// Milliseconds that each step took, by its name.
    #[serde(default)]
    pub timings_ms: BTreeMap<String, f64>,
    /// Version of the program that wrote it.
    pub tool_version: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_read_back_from_its_manifest_is_the_same() {
        for number in [0.1_f32, -3.05, 0.529, 1e-7, 16_777_216.0] {
            let key = StageKey::new("test", 1, &[number]);
            let read: StageKey = serde_json::from_str(&serde_json::to_string(&key).unwrap()).unwrap();
            assert_eq!(read.digest(), key.digest(), "{number}");
        }
    }
}
