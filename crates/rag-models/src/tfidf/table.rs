//! What a TF-IDF embedder learns from a corpus: in how many passages each term occurs.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Synonyms;
use crate::error::ModelError;

/// Most terms that are kept; beyond it the rarest are forgotten and weigh like unseen ones.
const MAX_TERMS: usize = 1 << 20;
/// Largest accepted file.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Layout of the file.
const VERSION: u32 = 1;

/// Settings of a TF-IDF embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TfIdfConfig {
    /// Numbers per vector, 64 to 65536. Default: 1024, where collisions blur cosines by about 0.03.
    pub dimension: usize,
    /// What a synonym of a term counts beside the term's 1. Default: 0.5.
    pub synonym_weight: f64,
}

impl Default for TfIdfConfig {
    fn default() -> Self {
        Self {
            dimension: 1024,
            synonym_weight: 0.5,
        }
    }
}

/// The fitted state of a TF-IDF embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TfIdfTable {
    version: u32,
    /// Settings.
    pub config: TfIdfConfig,
    /// Synonyms.
    pub synonyms: Synonyms,
    /// Passages of the corpus.
    passages: u64,
    /// Per term, in how many of them it occurs.
    frequencies: BTreeMap<String, u64>,
}

impl TfIdfTable {
    /// Counts the terms of each passage.
    pub(super) fn fit<P: IntoIterator<Item = String>>(
        passages: impl IntoIterator<Item = P>,
        synonyms: Synonyms,
        config: TfIdfConfig,
    ) -> Result<Self, ModelError> {
        let mut table = Self {
            version: VERSION,
            config,
            synonyms,
            passages: 0,
            frequencies: BTreeMap::new(),
        };
        for passage in passages {
            table.passages += 1;
            for term in passage.into_iter().collect::<HashSet<_>>() {
                *table.frequencies.entry(term).or_default() += 1;
            }
            if table.frequencies.len() > 2 * MAX_TERMS {
                table.forget_rarest();
            }
        }
        table.forget_rarest();
        table.check()?;
        Ok(table)
    }

    fn forget_rarest(&mut self) {
        let mut least = 1;
        while self.frequencies.len() > MAX_TERMS {
            self.frequencies.retain(|_, frequency| *frequency > least);
            least += 1;
        }
    }

    /// How rare a term is: ln((N + 1) / (n + 1)) + 1.
    pub(super) fn idf(&self, term: &str) -> f64 {
        let with_term = self.frequencies.get(term).copied().unwrap_or(0);
        ((self.passages + 1) as f64 / (with_term + 1) as f64).ln() + 1.0
    }

    /// The dimension a term falls into, and its sign.
    pub(super) fn bucket(&self, term: &str) -> (usize, f64) {
        let hash = blake3::hash(term.as_bytes());
        let word = u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"));
        let sign = if word >> 63 == 0 { 1.0 } else { -1.0 };
        ((word % self.config.dimension as u64) as usize, sign)
    }

    /// Refuses settings that cannot work.
    pub(super) fn check(&self) -> Result<(), ModelError> {
        let wrong = |reason: String| Err(ModelError::Tfidf { reason });
        if self.version != VERSION {
            return wrong(format!("version {}, this program reads {VERSION}", self.version));
        }
        if !(64..=65_536).contains(&self.config.dimension) {
            return wrong(format!(
                "{} dimensions, 64 to 65536 are possible",
                self.config.dimension
            ));
        }
        if !(0.0..=1.0).contains(&self.config.synonym_weight) {
            return wrong(format!(
                "a synonym weight of {}, 0 to 1 is possible",
                self.config.synonym_weight
            ));
        }
        Ok(())
    }

    /// The table as JSON, the same text for the same table.
    pub fn to_json(&self) -> Result<String, ModelError> {
        serde_json::to_string(self).map_err(|error| ModelError::Tfidf {
            reason: error.to_string(),
        })
    }

    /// Writes the table beside its place and moves it there, so that no reader sees half of it.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let arriving = path.with_extension("arriving");
        fs_err::write(&arriving, self.to_json()?)?;
        fs_err::rename(&arriving, path)?;
        Ok(())
    }

    /// Reads a table.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let wrong = |reason: String| ModelError::Tfidf {
            reason: format!("{}: {reason}", path.display()),
        };
        if fs_err::metadata(path)?.len() > MAX_FILE_BYTES {
            return Err(wrong(format!("more than {MAX_FILE_BYTES} bytes")));
        }
        serde_json::from_slice(&fs_err::read(path)?).map_err(|error| wrong(error.to_string()))
    }
}
