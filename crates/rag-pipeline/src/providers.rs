//! Models across the network: their settings, and the keys that the settings only name.

use rag_models::remote::{AnthropicConfig, OpenAiConfig, RemoteEmbeddingConfig, Secret};
use serde::{Deserialize, Serialize};

/// How providers are reached. Nothing is sent to one that `language_model` or `embedder` does not name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// The Messages API: `language_model = "anthropic"`.
    pub anthropic: AnthropicConfig,
    /// Chat completions: `language_model = "openai"`.
    pub openai: OpenAiConfig,
    /// Embeddings: `embedder = "remote"`.
    pub embeddings: RemoteEmbeddingConfig,
}

/// The providers' keys. They are not part of the settings: no file holds them, and showing the settings does not
/// show them.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    pub(crate) anthropic: Option<Secret>,
    pub(crate) openai: Option<Secret>,
    pub(crate) embeddings: Option<Secret>,
}

impl Keys {
    /// Looks up the variables that `providers` name.
    pub fn of(providers: &ProviderSettings, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let key = |variable: &str| {
            let found = lookup(variable).filter(|key| !key.trim().is_empty());
            found.map(Secret::new)
        };
        Self {
            anthropic: key(&providers.anthropic.key_variable),
            openai: key(&providers.openai.key_variable),
            embeddings: key(&providers.embeddings.key_variable),
        }
    }
}

/// Keys do not make two settings differ.
impl PartialEq for Keys {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
