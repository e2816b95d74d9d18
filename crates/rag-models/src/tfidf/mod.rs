//! A deterministic embedder without weights: TF-IDF over analysed terms, with synonyms, hashed into a fixed
//! number of dimensions so that it fits the same dense index as any other embedder.
//!
//! Every term falls into one of `dimension` buckets with a sign, both taken from its hash; the expected
//! cosine of two texts is that of their unhashed vectors, blurred by collisions by about 1/√dimension. It
//! knows words and their synonyms, not meaning: a fallback where no model can be had, and a baseline.

mod synonyms;
mod table;

pub use synonyms::Synonyms;
pub use table::{TfIdfConfig, TfIdfTable};

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::language::Language;
use rag_core::progress::{Progress, Unit};
use rag_core::text::{Analyzer, PieceKind, pieces};

use crate::embedder::{Embedder, Embeddings};
use crate::error::ModelError;
use crate::fetch::sha256_of;
use crate::identity::{ModelIdentity, Pooling, Precision};
use crate::transformer::normalise;

/// The file that holds a fitted table in a model folder.
pub const TFIDF_FILE: &str = "tfidf.json";
/// Longest text in pieces (words, numbers, identifiers); the rest is cut and counted.
const MAX_PIECES: usize = 100_000;
/// Named in the identity: raised when terms or hashing change.
const ANALYSIS: &str = "tfidf-terms-1";

/// TF-IDF with synonyms.
pub struct TfIdfEmbedder {
    identity: ModelIdentity,
    table: TfIdfTable,
    analyzer: Analyzer,
}

impl TfIdfEmbedder {
    /// Learns how rare each term is from the passages of a corpus.
    pub fn fit<'t>(
        passages: impl IntoIterator<Item = &'t str>,
        synonyms: Synonyms,
        config: TfIdfConfig,
    ) -> Result<Self, ModelError> {
        let analyzer = Analyzer::new(Language::UNKNOWN);
        let table = TfIdfTable::fit(
            passages
                .into_iter()
                .map(|text| analyzer.terms(text).into_iter().map(|term| term.text)),
            synonyms,
            config,
        )?;
        Self::of(table)
    }

    /// Uses a fitted table.
    pub fn of(table: TfIdfTable) -> Result<Self, ModelError> {
        table.check()?;
        let identity = ModelIdentity {
            name: "tfidf".into(),
            weights: sha256_of(table.to_json()?.as_bytes()),
            tokenizer: ANALYSIS.into(),
            dimension: table.config.dimension,
            pooling: Pooling::None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            normalised: true,
            max_tokens: MAX_PIECES,
            precision: Precision::F32,
        };
        Ok(Self {
            identity,
            table,
            analyzer: Analyzer::new(Language::UNKNOWN),
        })
    }

    /// Reads a fitted table.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        Self::of(TfIdfTable::load(path)?)
    }

    /// The fitted table, for saving.
    pub fn table(&self) -> &TfIdfTable {
        &self.table
    }

    /// The vector of a text, and how many of its pieces were cut.
    fn vector(&self, text: &str) -> (Vec<f32>, usize) {
        let (text, cut) = self.within_limit(text);
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for term in self.analyzer.terms(text) {
            for synonym in self.table.synonyms.of(&term.text) {
                *weights.entry(synonym.to_owned()).or_default() += self.table.config.synonym_weight;
            }
            *weights.entry(term.text).or_default() += 1.0;
        }
        let mut vector = vec![0.0; self.identity.dimension];
        for (term, count) in weights {
            let (bucket, sign) = self.table.bucket(&term);
            // Sublinear counts: a word said ten times is not ten times as important.
            vector[bucket] += (sign * (1.0 + count).ln() * self.table.idf(&term)) as f32;
        }
        normalise(&mut vector);
        (vector, cut)
    }

    fn within_limit<'t>(&self, text: &'t str) -> (&'t str, usize) {
        let found = self.token_offsets(text);
        match found.get(MAX_PIECES) {
            Some(&(first_cut, _)) => (&text[..first_cut], found.len() - MAX_PIECES),
            None => (text, 0),
        }
    }
}

impl Embedder for TfIdfEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn max_tokens(&self) -> usize {
        MAX_PIECES
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.token_offsets(text).len()
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        let found = pieces(text).into_iter();
        found
            .filter(|piece| piece.kind != PieceKind::Part)
            .map(|piece| (piece.span.start, piece.span.end))
            .collect()
    }

    fn serves(&self, _language: Language) -> bool {
        true
    }

    fn learned(&self) -> Result<Option<Vec<u8>>, ModelError> {
        Ok(Some(self.table.to_json()?.into_bytes()))
    }

    fn embed_passages(&self, texts: &[&str], progress: &dyn Progress) -> Result<Embeddings, ModelError> {
        let mut embeddings = Embeddings {
            dimension: self.identity.dimension,
            ..Embeddings::default()
        };
        progress.start("embedding", Some(texts.len() as u64), Unit::Items);
        for text in texts {
            let (vector, cut) = self.vector(text);
            embeddings.values.extend(vector);
            embeddings.truncated_tokens.push(cut);
            progress.advance("embedding", 1);
        }
        progress.finish("embedding");
        Ok(embeddings)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        Ok(self.vector(text).0)
    }
}

#[cfg(test)]
mod tests {
    use rag_core::progress::Silent;

    use super::*;

    const CORPUS: [&str; 4] = [
        "The card was declined at the shop.",
        "Holiday requests need a manager's approval.",
        "The server returned ERR-4012 after the update.",
        "تحتاج طلبات الإجازة إلى موافقة المدير",
    ];

    fn fitted() -> TfIdfEmbedder {
        TfIdfEmbedder::fit(CORPUS, Synonyms::default(), TfIdfConfig::default()).unwrap()
    }

    fn best(embedder: &TfIdfEmbedder, question: &str) -> usize {
        let query = embedder.embed_query(question).unwrap();
        let passages = embedder.embed_passages(&CORPUS, &Silent).unwrap();
        let score = |index: usize| -> f32 {
            passages
                .vector(index)
                .iter()
                .zip(&query)
                .map(|(a, b)| a * b)
                .sum()
        };
        (0..CORPUS.len())
            .max_by(|&a, &b| score(a).total_cmp(&score(b)))
            .unwrap()
    }

    #[test]
    fn words_identifiers_synonyms_and_arabic_find_their_passage() {
        let embedder = fitted();
        for (question, passage) in [
            ("declined cards", 0),
            ("why was my payment refused", 0),
            ("vacation approval", 1),
            ("ERR-4012", 2),
            ("موافقة على الإجازة", 3),
        ] {
            assert_eq!(best(&embedder, question), passage, "{question}");
        }
    }

    #[test]
    fn a_saved_table_gives_the_same_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(TFIDF_FILE);
        let embedder = fitted();
        embedder.table().save(&path).unwrap();
        let loaded = TfIdfEmbedder::load(&path).unwrap();
        assert_eq!(loaded.identity(), embedder.identity());
        assert_eq!(
            loaded.embed_query("card").unwrap(),
            embedder.embed_query("card").unwrap()
        );
        fs_err::write(&path, "{}").unwrap();
        assert!(TfIdfEmbedder::load(&path).is_err());
    }

    #[test]
    fn another_corpus_is_another_identity() {
        let other = TfIdfEmbedder::fit(["a card"], Synonyms::default(), TfIdfConfig::default()).unwrap();
        assert_ne!(other.identity().key(), fitted().identity().key());
    }

    #[test]
    fn vectors_have_length_one_or_zero_and_long_texts_are_counted() {
        let embedder = fitted();
        let long = "word ".repeat(MAX_PIECES + 7);
        let embeddings = embedder.embed_passages(&["", "card", &long], &Silent).unwrap();
        assert_eq!(embeddings.truncated_tokens, [0, 0, 7]);
        for (index, length) in [(0, 0.0), (1, 1.0), (2, 1.0f32)] {
            let norm: f32 = embeddings.vector(index).iter().map(|value| value * value).sum();
            assert!((norm - length).abs() < 1e-5, "{index}: {norm}");
        }
    }
}
