//! Settings of remote embedders.

use serde::{Deserialize, Serialize};

use super::tokens;
use crate::remote::config::{HttpConfig, KeyHeader, settings};
use crate::remote::error::RemoteError;

/// How vectors are asked for. A reply may come in either form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorEncoding {
    /// Lists of numbers, which every server knows.
    Float,
    /// Packed, at a third of the size; what the vendor's own client asks for.
    #[default]
    Base64,
}

/// Settings of a remote embedder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RemoteEmbeddingConfig {
    /// Address of the server, before `/embeddings`. Default: `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model's name at the server; at Azure, of the deployment. No default: it must be set.
    pub model: String,
    /// A dated deployment of Azure: requests go to `/openai/deployments/NAME` below `base_url`. Default: none.
    pub deployment: Option<String>,
    /// Value of `api-version` in the address; needed with `deployment`. Default: none.
    pub api_version: Option<String>,
    /// The environment variable that holds the key; the caller reads it. Default: `OPENAI_API_KEY`.
    pub key_variable: String,
    /// The header that carries the key. Default: `bearer`.
    pub key_header: KeyHeader,
    /// Numbers per vector. Every reply is held to it. Default: learned from one request when the model is opened.
    pub dimension: Option<usize>,
    /// Whether the server is asked to shorten its vectors to `dimension`. Default: false.
    pub shorten: bool,
    /// Whether vectors are scaled to length 1. Default: true.
    pub normalise: bool,
    /// Text put before a question. Default: none.
    pub query_prefix: String,
    /// Text put before a passage. Default: none.
    pub passage_prefix: String,
    /// Longest input in tokens, prefix included, by the estimate of [`super::RemoteEmbedder`]. Default: 512, which
    /// servers of small models read; hosted ones often read 8191.
    pub max_tokens: usize,
    /// ISO 639-1 codes of the languages served; empty means all. Default: all.
    pub languages: Vec<String>,
    /// How vectors are asked for. Default: `base64`.
    pub encoding: VectorEncoding,
    /// Most texts of a request. Default: 32, which every known server takes.
    pub batch_texts: usize,
    /// Most bytes of text of a request; one longer text goes alone. Default: 262144.
    pub batch_bytes: usize,
    /// How the network is used.
    pub http: HttpConfig,
}

impl Default for RemoteEmbeddingConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".into(),
            model: String::new(),
            deployment: None,
            api_version: None,
            key_variable: "OPENAI_API_KEY".into(),
            key_header: KeyHeader::Bearer,
            dimension: None,
            shorten: false,
            normalise: true,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_tokens: 512,
            languages: Vec::new(),
            encoding: VectorEncoding::Base64,
            batch_texts: 32,
            batch_bytes: 256 << 10,
            http: HttpConfig::default(),
        }
    }
}

impl RemoteEmbeddingConfig {
    /// Refuses settings that contradict each other.
    pub(super) fn check(&self) -> Result<(), RemoteError> {
        if self.model.is_empty() {
            return Err(settings("`model` is not set; name a model of the provider"));
        }
        let sizes = [
            ("max_tokens", Some(self.max_tokens)),
            ("batch_texts", Some(self.batch_texts)),
            ("batch_bytes", Some(self.batch_bytes)),
            ("dimension", self.dimension),
        ];
        if let Some((name, _)) = sizes.iter().find(|(_, size)| *size == Some(0)) {
            return Err(settings(format!("`{name}` is 0; write a positive number")));
        }
        if self.shorten && self.dimension.is_none() {
            return Err(settings("`shorten` needs a `dimension`"));
        }
        let prefixes = [
            ("query_prefix", &self.query_prefix),
            ("passage_prefix", &self.passage_prefix),
        ];
        for (name, prefix) in prefixes {
            if tokens::offsets(prefix).len() >= self.max_tokens {
                return Err(settings(format!("`{name}` leaves no room within `max_tokens`")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        type Change = fn(&mut RemoteEmbeddingConfig);
        let cases: &[(Change, &str)] = &[
            (|c| c.model.clear(), "model"),
            (|c| c.batch_texts = 0, "batch_texts"),
            (|c| c.dimension = Some(0), "dimension"),
            (|c| c.shorten = true, "shorten"),
            (
                |c| c.passage_prefix = "search document ".repeat(200),
                "passage_prefix",
            ),
        ];
        let good = RemoteEmbeddingConfig {
            model: "m".into(),
            ..Default::default()
        };
        assert_eq!(good.check(), Ok(()));
        for (change, name) in cases {
            let mut config = good.clone();
            change(&mut config);
            let message = config.check().unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }
}
