//! Embedders behind the embeddings interface of OpenAI, Azure OpenAI and the servers that speak it.

mod config;
mod reply;
mod tokens;

use rag_core::language::Language;
use rag_core::progress::{Progress, Unit};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::error::RemoteError;
use super::http::{Client, Failure};
use super::openai::endpoint;
use super::secret::Secret;
use crate::embedder::{Embedder, Embeddings};
use crate::error::ModelError;
use crate::identity::{ModelIdentity, Pooling, Precision};
use crate::transformer::normalise;
pub use config::{RemoteEmbeddingConfig, VectorEncoding};

/// The name of the progress step.
const TASK: &str = "embedding";
/// What is embedded to learn the dimension.
const PROBE: &str = "dimension";
/// Name of the rule that estimates tokens; a part of the identity since it decides where texts are cut.
const TOKEN_RULE: &str = "estimated-tokens-1";

/// An embedder across the network.
///
/// Its tokens are an upper estimate, since the server's tokenizer is not at hand: up to four letters of a word, capitals
/// counting double, every digit, every sign and every byte beyond ASCII count one. Texts are cut at
/// [`RemoteEmbeddingConfig::max_tokens`] by this rule before they are sent, and the cut is counted. A blank text is not
/// sent and has the zero vector.
///
/// The identity holds host, path, model and dimension: what the server changes behind its model's name is not seen.
#[derive(Debug)]
pub struct RemoteEmbedder {
    config: RemoteEmbeddingConfig,
    identity: ModelIdentity,
    client: Client,
}

impl RemoteEmbedder {
    /// An embedder as `config` says, with the key from the variable that it names. Without a `dimension` in the
    /// settings, one short text is embedded to learn it.
    pub fn new(config: RemoteEmbeddingConfig, secret: impl Into<Option<Secret>>) -> Result<Self, ModelError> {
        config.check()?;
        let (deployment, version) = (config.deployment.as_deref(), config.api_version.as_deref());
        let endpoint = endpoint(&config.base_url, deployment, version, "/embeddings")?;
        let client = Client::new(endpoint, &config.http, (config.key_header, secret.into()), &[])?;
        let dimension = match config.dimension {
            Some(dimension) => dimension,
            None => request(&client, &config, &[PROBE.to_owned()], None)?[0].len(),
        };
        Ok(Self {
            identity: identity(&config, client.endpoint(), dimension),
            config,
            client,
        })
    }

    /// Prefix and text within the limit, and how many of the text's tokens are beyond.
    fn input(&self, prefix: &str, text: &str) -> (String, usize) {
        let room = self.config.max_tokens - tokens::offsets(prefix).len();
        let (text, beyond) = tokens::cut(text, room);
        (format!("{prefix}{text}"), beyond)
    }

    /// Embeds inputs of one request's size; blank ones are not sent.
    fn embed(&self, inputs: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let dimension = self.identity.dimension;
        let sent: Vec<String> = inputs.iter().filter(|input| !is_blank(input)).cloned().collect();
        let mut vectors = Vec::new();
        if !sent.is_empty() {
            vectors = request(&self.client, &self.config, &sent, Some(dimension))?;
        }
        if self.config.normalise {
            for vector in &mut vectors {
                normalise(vector);
            }
        }
        let mut vectors = vectors.into_iter();
        let next = |input: &String| {
            if is_blank(input) {
                Some(vec![0.0; dimension])
            } else {
                vectors.next()
            }
        };
        Ok(inputs.iter().filter_map(next).collect())
    }
}

impl Embedder for RemoteEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn max_tokens(&self) -> usize {
        self.config.max_tokens - tokens::offsets(&self.config.passage_prefix).len()
    }

    fn count_tokens(&self, text: &str) -> usize {
        tokens::offsets(text).len()
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        tokens::offsets(text)
    }

    fn serves(&self, language: Language) -> bool {
        let codes = &self.config.languages;
        language == Language::UNKNOWN || codes.is_empty() || codes.iter().any(|code| code == language.code())
    }

    fn embed_passages(&self, texts: &[&str], progress: &dyn Progress) -> Result<Embeddings, ModelError> {
        let mut embeddings = Embeddings {
            dimension: self.identity.dimension,
            values: Vec::with_capacity(texts.len() * self.identity.dimension),
            truncated_tokens: Vec::with_capacity(texts.len()),
        };
        progress.start(TASK, Some(texts.len() as u64), Unit::Items);
        let mut batch = Vec::new();
        let mut bytes = 0;
        for (position, text) in texts.iter().enumerate() {
            let (input, beyond) = self.input(&self.config.passage_prefix, text);
            embeddings.truncated_tokens.push(beyond);
            bytes += input.len();
            batch.push(input);
            let next = texts
                .get(position + 1)
                .map(|text| text.len().min(self.config.batch_bytes));
            let full = batch.len() == self.config.batch_texts
                || next.is_none_or(|next| {
                    bytes + next + self.config.passage_prefix.len() > self.config.batch_bytes
                });
            if full {
                embeddings
                    .values
                    .extend(self.embed(&batch)?.into_iter().flatten());
                progress.advance(TASK, batch.len() as u64);
                batch.clear();
                bytes = 0;
            }
        }
        progress.finish(TASK);
        Ok(embeddings)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let (input, _) = self.input(&self.config.query_prefix, text);
        Ok(self.embed(&[input])?.swap_remove(0))
    }
}

/// One request: as many finite vectors as inputs, all of `dimension` when that is known.
fn request(
    client: &Client,
    config: &RemoteEmbeddingConfig,
    inputs: &[String],
    dimension: Option<usize>,
) -> Result<Vec<Vec<f32>>, RemoteError> {
    client.request(&body(config, inputs), |reply| -> Result<_, Failure> {
        let faults = reply.faults();
        let vectors = reply::vectors(&reply.json()?, inputs.len()).map_err(|reason| faults.shape(reason))?;
        let expected = dimension.unwrap_or_else(|| vectors[0].len());
        match vectors.iter().find(|vector| vector.len() != expected) {
            Some(other) => Err(faults.shape(format!(
                "vectors of {expected} numbers are expected and one of {} came; is it still the same model?",
                other.len()
            ))),
            None => Ok(vectors),
        }
    })
}

fn body(config: &RemoteEmbeddingConfig, inputs: &[String]) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(config.model));
    body.insert("input".into(), json!(inputs));
    body.insert("encoding_format".into(), json!(config.encoding));
    if config.shorten {
        body.insert("dimensions".into(), json!(config.dimension));
    }
    Value::Object(body)
}

fn identity(config: &RemoteEmbeddingConfig, endpoint: &str, dimension: usize) -> ModelIdentity {
    let digest = |parts: &[&str]| {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        format!("{:x}", hasher.finalize())
    };
    ModelIdentity {
        name: format!("{} at {endpoint}", config.model),
        weights: digest(&[
            "remote-embeddings-1",
            endpoint,
            &config.model,
            &dimension.to_string(),
        ]),
        tokenizer: digest(&[TOKEN_RULE]),
        dimension,
        pooling: Pooling::None,
        query_prefix: config.query_prefix.clone(),
        passage_prefix: config.passage_prefix.clone(),
        normalised: config.normalise,
        max_tokens: config.max_tokens,
        precision: Precision::F32,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
