//! Seeded vectors that lie as those of texts do: in clusters, a document within one, a department over several.

use std::path::{Path, PathBuf};

use rag_core::random::Random;
use rag_core::setting::in_range;
use rag_models::{ModelIdentity, Pooling, Precision};

use super::draw::{Field, direction, unit};
use crate::error::IndexError;
use crate::vectors::{self, Vectors};

/// Raised whenever the same seed gives other vectors.
const VERSION: u32 = 2;

/// Numbers per vector, as MiniLM and the small e5 and bge models have.
const DIMENSION: usize = 384;

/// Share of a vector that is its own and not its cluster's: cosines within a cluster are about 0.6.
const NOISE: f32 = 0.8;

const PASSAGES_PER_DOCUMENT: usize = 10;
const DOCUMENTS_PER_CLUSTER: usize = 10;
const DEPARTMENTS: u64 = 20;

/// A collection without texts.
pub(super) struct Cloud {
    passages: usize,
    seed: u64,
}

impl Cloud {
    pub(super) fn new(passages: usize, seed: u64) -> Result<Self, IndexError> {
        in_range("synthetic", passages, 100..=1_000_000)?;
        Ok(Self { passages, seed })
    }

    /// Where a file of it stands below `scratch`.
    pub(super) fn path(&self, scratch: &Path, name: &str) -> PathBuf {
        scratch.join(format!(
            "synthetic-{VERSION}-{}-{}-{name}",
            self.passages, self.seed
        ))
    }

    /// The vectors, written unless they are there.
    pub(super) fn vectors(&self, scratch: &Path) -> Result<Vectors, IndexError> {
        let path = self.path(scratch, "vectors.safetensors");
        if !path.is_file() {
            fs_err::create_dir_all(scratch)?;
            let unfinished = path.with_extension("unfinished");
            let mut writer = vectors::Writer::create(&unfinished, &identity(), self.passages)?;
            for passage in 0..self.passages {
                writer.write(passage, &self.vector(passage))?;
            }
            drop(writer);
            fs_err::rename(&unfinished, &path)?;
        }
        Vectors::open(&path)
    }

    fn vector(&self, passage: usize) -> Vec<f32> {
        let centre = self.cluster(passage / PASSAGES_PER_DOCUMENT);
        let centre = direction(&mut Random::of(&[self.seed, 1, centre]), DIMENSION);
        let own = direction(&mut Random::of(&[self.seed, 2, passage as u64]), DIMENSION);
        let mixed = centre.iter().zip(own).map(|(centre, own)| centre + NOISE * own);
        unit(mixed.collect())
    }

    fn cluster(&self, document: usize) -> u64 {
        let clusters = self.passages / (PASSAGES_PER_DOCUMENT * DOCUMENTS_PER_CLUSTER);
        Random::of(&[self.seed, 3, document as u64]).below(clusters.max(1)) as u64
    }

    /// Its documents and departments.
    pub(super) fn field(&self) -> Field {
        let starts = (0..self.passages as u32).step_by(PASSAGES_PER_DOCUMENT);
        let end = |start: u32| (start + PASSAGES_PER_DOCUMENT as u32).min(self.passages as u32);
        let documents: Vec<_> = starts.map(|start| start..end(start)).collect();
        let mut departments = vec![Vec::new(); DEPARTMENTS as usize];
        for document in 0..documents.len() {
            departments[(self.cluster(document) % DEPARTMENTS) as usize].push(document);
        }
        departments.retain(|documents| !documents.is_empty());
        Field {
            passages: self.passages,
            documents,
            departments,
        }
    }
}

fn identity() -> ModelIdentity {
    ModelIdentity {
        name: "synthetic".into(),
        weights: "seeded".into(),
        tokenizer: "none".into(),
        dimension: DIMENSION,
        pooling: Pooling::None,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        normalised: true,
        max_tokens: 0,
        precision: Precision::F32,
    }
}
