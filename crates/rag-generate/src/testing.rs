//! Test doubles and made-up passages for the unit tests of this crate.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Mutex;

use rag_core::access::{AccessList, Principal};
use rag_core::hit::{Hit, Ranking};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_models::language_model::{Completion, Prompt, Stop, TokenUsage};
use rag_models::{
    CrossEncoder, Embedder, Embeddings, LanguageModel, ModelError, ModelIdentity, Pooling, Precision, Scores,
};

use crate::config::Config;
use crate::extract::{Decision, ExtractConfig, Features};

/// A hit on an English passage that everyone may read; the passage is its whole document.
pub(crate) fn hit(id: &str, text: &str) -> Hit {
    let passage = Passage {
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id.parse().unwrap(), text)
    };
    Hit::new(1, 1.0, passage)
}

/// Settings under which a sentence answers when it shares most of the question's words, whatever the
/// fitted defaults are.
pub(crate) fn config() -> Config {
    let shared = |logit, coverage| Decision {
        bias: -2.0,
        weights: Features::from_values([logit, coverage, -1.0, -3.0, -1.0, 0.0, 0.0]),
        threshold: 0.3,
    };
    Config {
        extract: ExtractConfig {
            with_cross_encoder: shared(0.3, 2.0),
            without_cross_encoder: shared(0.0, 4.0),
            ..ExtractConfig::default()
        },
        ..Config::default()
    }
}

/// A ranking of `hits` for `question`.
pub(crate) fn ranking(question: &str, hits: Vec<Hit>) -> Ranking {
    let question = Question::new("q1", question, Principal::everyone());
    Ranking::new(question, hits)
}

/// A cross-encoder that is as sure as the share of the question's words that the text has: from -10 for
/// none to 10 for all.
pub(crate) struct WordOverlap(ModelIdentity);

impl Default for WordOverlap {
    fn default() -> Self {
        Self(identity("word-overlap", 1))
    }
}

fn identity(name: &str, dimension: usize) -> ModelIdentity {
    ModelIdentity {
        name: name.into(),
        weights: "00".into(),
        tokenizer: "00".into(),
        dimension,
        pooling: Pooling::None,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        normalised: false,
        max_tokens: 512,
        precision: Precision::F32,
    }
}

/// An embedder whose vectors count the letters of a text; each byte is a token.
pub(crate) struct Letters(ModelIdentity);

impl Default for Letters {
    fn default() -> Self {
        Self(identity("letters", 26))
    }
}

impl Embedder for Letters {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn max_tokens(&self) -> usize {
        512
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.len()
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        text.char_indices()
            .map(|(at, c)| (at, at + c.len_utf8()))
            .collect()
    }

    fn serves(&self, language: Language) -> bool {
        [Language::ENGLISH, Language::UNKNOWN].contains(&language)
    }

    fn embed_passages(&self, texts: &[&str], _: &dyn Progress) -> Result<Embeddings, ModelError> {
        let mut values = Vec::new();
        for text in texts {
            values.extend(self.embed_query(text)?);
        }
        Ok(Embeddings {
            dimension: 26,
            values,
            truncated_tokens: vec![0; texts.len()],
        })
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let mut vector = vec![0.0_f32; 26];
        for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
            vector[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0;
        }
        let length = vector
            .iter()
            .map(|value| value * value)
            .sum::<f32>()
            .sqrt()
            .max(1e-6);
        Ok(vector.into_iter().map(|value| value / length).collect())
    }
}

impl CrossEncoder for WordOverlap {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn serves(&self, language: Language) -> bool {
        [Language::ENGLISH, Language::UNKNOWN].contains(&language)
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Scores, ModelError> {
        let asked = words(query);
        let share = |text: &&str| asked.intersection(&words(text)).count() as f32 / asked.len().max(1) as f32;
        Ok(Scores {
            logits: passages.iter().map(|text| share(text) * 20.0 - 10.0).collect(),
            windows: vec![1; passages.len()],
            truncated_tokens: vec![0; passages.len()],
            truncated_query_tokens: 0,
        })
    }

    fn reading(&self, query: &str, passages: &[&str]) -> Vec<rag_models::Reading> {
        let words = |text: &str| text.split_whitespace().count();
        let of = |passage: &&str| rag_models::Reading {
            pair_tokens: words(query) + words(passage),
            windows: 1,
            ..rag_models::Reading::default()
        };
        passages.iter().map(of).collect()
    }
}

fn words(text: &str) -> HashSet<String> {
    const ASKING: &[&str] = &[
        "what", "does", "the", "is", "how", "a", "of", "do", "i", "and", "when",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty() && !ASKING.contains(word))
        .map(str::to_owned)
        .collect()
}

/// A language model that gives prepared completions, in order, and keeps the prompts.
pub(crate) struct Scripted {
    says: Mutex<VecDeque<Completion>>,
    prompts: Mutex<Vec<Prompt>>,
    cites: bool,
}

impl Scripted {
    pub(crate) fn new(says: Vec<Completion>, cites: bool) -> Self {
        Self {
            says: Mutex::new(says.into()),
            prompts: Mutex::new(Vec::new()),
            cites,
        }
    }

    /// A completion of text alone.
    pub(crate) fn says(text: &str) -> Completion {
        Completion {
            text: text.to_owned(),
            citations: Vec::new(),
            calls: Vec::new(),
            stop: Stop::End,
            usage: TokenUsage::default(),
        }
    }

    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().unwrap().clone()
    }
}

impl LanguageModel for Scripted {
    fn identity(&self) -> String {
        "scripted".to_owned()
    }

    fn cites_sources(&self) -> bool {
        self.cites
    }

    fn complete(
        &self,
        prompt: &Prompt,
        _: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, ModelError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        Ok(self
            .says
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| Self::says("")))
    }
}
