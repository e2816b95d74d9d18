//! Passages and a seeded stand-in embedder for tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use rag_core::access::AccessList;
use rag_core::artifact::{ArtifactWriter, Digest, StageKey, jsonl};
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_models::{Embedder, Embeddings, ModelError, ModelIdentity, Pooling, Precision};

/// An English passage that everybody may read.
pub(crate) fn passage(document: &str, position: u32, text: &str) -> Passage {
    let id = PassageId {
        document: DocumentId::new(document).unwrap(),
        position,
    };
    Passage {
        title: "Title".to_owned(),
        source: format!("{document}.md"),
        section: vec!["Section".to_owned()],
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id, text)
    }
}

/// Publishes `passages` as the chunk stage would.
pub(crate) fn publish(folder: &std::path::Path, passages: &[Passage]) {
    let key = StageKey::new("chunk", 1, &serde_json::to_value(passages).unwrap());
    let writer = ArtifactWriter::begin(folder, key).unwrap();
    jsonl::write_all(&writer.path(PASSAGES_FILE), passages).unwrap();
    writer.publish(Outcome::default()).unwrap();
}

/// Embeds a text as a unit vector that follows from its digest, and counts what it is asked for.
pub(crate) struct FakeEmbedder {
    identity: ModelIdentity,
    /// Texts embedded so far.
    pub(crate) embedded: AtomicUsize,
    /// Texts after which embedding fails, to stand for a kill.
    pub(crate) fails_after: Option<usize>,
}

impl FakeEmbedder {
    pub(crate) fn new(dimension: usize) -> Self {
        let identity = ModelIdentity {
            name: "fake".into(),
            weights: "w".into(),
            tokenizer: "t".into(),
            dimension,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            normalised: true,
            max_tokens: 256,
            precision: Precision::F32,
        };
        Self {
            identity,
            embedded: AtomicUsize::new(0),
            fails_after: None,
        }
    }

    pub(crate) fn renamed(dimension: usize, weights: &str) -> Self {
        let mut other = Self::new(dimension);
        other.identity.weights = weights.to_owned();
        other
    }

    pub(crate) fn embedded(&self) -> usize {
        self.embedded.load(Ordering::Relaxed)
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        if text.is_empty() {
            return vec![0.0; self.identity.dimension];
        }
        unit_vector(self.identity.dimension, text)
    }
}

/// A unit vector that follows from `text`.
pub(crate) fn unit_vector(dimension: usize, text: &str) -> Vec<f32> {
    let number = |n: usize| {
        let digest = Digest::of_parts([text.as_bytes(), &n.to_le_bytes()]);
        f32::from(i16::from_le_bytes([digest.0[0], digest.0[1]]))
    };
    let numbers: Vec<f32> = (0..dimension).map(number).collect();
    let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
    numbers.into_iter().map(|x| x / length).collect()
}

impl Embedder for FakeEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn max_tokens(&self) -> usize {
        254
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        vec![(0, text.len())]
    }

    fn serves(&self, _: Language) -> bool {
        true
    }

    fn embed_passages(&self, texts: &[&str], _: &dyn Progress) -> Result<Embeddings, ModelError> {
        let before = self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        if self.fails_after.is_some_and(|limit| before + texts.len() > limit) {
            return Err(ModelError::Tfidf {
                reason: "the power went out".into(),
            });
        }
        Ok(Embeddings {
            dimension: self.identity.dimension,
            values: texts.iter().flat_map(|text| self.vector(text)).collect(),
            truncated_tokens: texts
                .iter()
                .map(|text| self.count_tokens(text).saturating_sub(254))
                .collect(),
        })
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        Ok(self.vector(text))
    }
}
