//! Transformer embedders: MiniLM, bge, e5 and their like.

use rag_core::language::Language;
use rag_core::progress::{Progress, Unit};

use super::{LazyEncoder, TextTokenizer, TransformerSettings};
use crate::bert::{Sequence, Tokens};
use crate::embedder::{Embedder, Embeddings};
use crate::error::ModelError;
use crate::identity::{ModelIdentity, Pooling};

/// Texts that are tokenised and embedded at a time: bounds memory, and is enough work for all threads.
const TEXTS_AT_A_TIME: usize = 2048;
/// The name of the progress step.
const TASK: &str = "embedding";

/// A BERT-family embedder: tokenise, encode, pool, normalise.
#[derive(Debug)]
pub struct TransformerEmbedder {
    identity: ModelIdentity,
    settings: TransformerSettings,
    tokenizer: TextTokenizer,
    encoder: LazyEncoder,
    threads: usize,
    passage_prefix_tokens: usize,
}

impl TransformerEmbedder {
    pub(crate) fn new(
        identity: ModelIdentity,
        settings: TransformerSettings,
        tokenizer: TextTokenizer,
        encoder: LazyEncoder,
        threads: usize,
    ) -> Self {
        Self {
            // A space at its end belongs to the word that follows.
            passage_prefix_tokens: tokenizer.count(settings.passage_prefix.trim_end()),
            identity,
            settings,
            tokenizer,
            encoder,
            threads,
        }
    }

    /// Tokens of prefix and text that fit between the special tokens.
    fn room(&self) -> usize {
        let limit = self.identity.max_tokens;
        limit.saturating_sub(self.tokenizer.template().single_extra())
    }

    /// The input for `text`, and how many tokens were cut.
    fn input(&self, prefix: &str, text: &str) -> (Sequence, usize) {
        let mut ids = if prefix.is_empty() {
            self.tokenizer.ids(text)
        } else {
            self.tokenizer.ids(&format!("{prefix}{text}"))
        };
        let cut = ids.len().saturating_sub(self.room());
        ids.truncate(self.room());
        (self.tokenizer.template().single(&ids), cut)
    }

    /// One vector from the token vectors of a text.
    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let dimension = self.identity.dimension;
        let mut vector = vec![0.0; dimension];
        match self.settings.pooling {
            Pooling::Mean => {
                for row in states.chunks_exact(dimension) {
                    for (sum, value) in vector.iter_mut().zip(row) {
                        *sum += value;
                    }
                }
            }
            Pooling::Cls | Pooling::None => vector.copy_from_slice(&states[..dimension]),
        }
        normalise(&mut vector);
        vector
    }

    fn embed(&self, inputs: &[Sequence], done: impl Fn(usize) + Sync) -> Result<Vec<Vec<f32>>, ModelError> {
        let loaded = self.encoder.get()?;
        let tokens = match self.settings.pooling {
            Pooling::Mean => Tokens::All,
            Pooling::Cls | Pooling::None => Tokens::First,
        };
        Ok(loaded
            .encoder
            .map(inputs, tokens, |_, states| self.pool(states), done))
    }

    fn check(&self, vector: &[f32], text: &str) -> Result<(), ModelError> {
        if vector.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(ModelError::NotFinite {
            model: self.identity.name.clone(),
            text: text.chars().take(40).collect(),
        })
    }
}

impl Embedder for TransformerEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn max_tokens(&self) -> usize {
        self.room().saturating_sub(self.passage_prefix_tokens)
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        self.tokenizer.offsets(text)
    }

    fn serves(&self, language: Language) -> bool {
        self.settings.serves(language)
    }

    fn embed_passages(&self, texts: &[&str], progress: &dyn Progress) -> Result<Embeddings, ModelError> {
        let mut embeddings = Embeddings {
            dimension: self.identity.dimension,
            values: Vec::with_capacity(texts.len() * self.identity.dimension),
            truncated_tokens: Vec::with_capacity(texts.len()),
        };
        progress.start(TASK, Some(texts.len() as u64), Unit::Items);
        for texts in texts.chunks(TEXTS_AT_A_TIME) {
            let inputs = crate::bert::map_in_order(texts.len(), self.threads, |index| {
                self.input(&self.settings.passage_prefix, texts[index])
            });
            let (inputs, cut): (Vec<Sequence>, Vec<usize>) = inputs.into_iter().unzip();
            let vectors = self.embed(&inputs, |count| progress.advance(TASK, count as u64))?;
            for (vector, text) in vectors.iter().zip(texts) {
                self.check(vector, text)?;
                embeddings.values.extend_from_slice(vector);
            }
            embeddings.truncated_tokens.extend(cut);
        }
        progress.finish(TASK);
        Ok(embeddings)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let (input, _) = self.input(&self.settings.query_prefix, text);
        let vector = self.embed(&[input], |_| {})?.swap_remove(0);
        self.check(&vector, text)?;
        Ok(vector)
    }
}

/// Scales a vector to length 1; the zero vector stays as it is.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector
        .iter()
        .map(|value| f64::from(*value) * f64::from(*value))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        for value in vector {
            *value = (f64::from(*value) / length) as f32;
        }
    }
}
