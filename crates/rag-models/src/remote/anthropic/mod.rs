//! Models behind the Messages API of Anthropic, and servers that speak it.
//!
//! Sources are sent as search results with citations on, so the model itself says which passage states what.

mod reply;
mod request;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::body::Reply;
use super::config::{HttpConfig, KeyHeader, identity, settings};
use super::endpoint::{Endpoint, check_word};
use super::error::RemoteError;
use super::handout::Handout;
use super::http::{Client, Failure};
use super::secret::Secret;
use crate::error::ModelError;
use crate::language_model::{Completion, LanguageModel, Prompt};
use reply::Assembly;

/// The version of the interface that still takes sampling parameters.
const SAMPLING_VERSION: &str = "2023-06-01";
/// The version that is sent by default.
const CURRENT_VERSION: &str = "2026-10-21";

/// Settings of a model behind the Messages API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnthropicConfig {
    /// Address of the server, before `/v1/messages`. Default: `https://api.anthropic.com`.
    pub base_url: String,
    /// The model's name at the server. No default: it must be set.
    pub model: String,
    /// The environment variable that holds the key; the caller reads it. Default: `ANTHROPIC_API_KEY`.
    pub key_variable: String,
    /// The header that carries the key. Default: `bearer`; `x-api-key` is the older form.
    pub key_header: KeyHeader,
    /// Value of the header `anthropic-version`. Default: `2026-10-21`; `2023-06-01` is the older one.
    pub version: String,
    /// Randomness of the choice of words, 0 to 1; version 2023-06-01 only. Default: the server's.
    pub temperature: Option<f64>,
    /// Share of the likeliest words to choose from, 0 to 1; version 2023-06-01 only. Default: the server's.
    pub top_p: Option<f64>,
    /// Number of the likeliest words to choose from; version 2023-06-01 only. Default: the server's.
    pub top_k: Option<u32>,
    /// Tokens that prompt and answer may have together, where you know it. Default: not known.
    pub context_limit: Option<usize>,
    /// Whether text comes as it is written. Default: true.
    pub streaming: bool,
    /// How the network is used.
    pub http: HttpConfig,
}

impl Default for AnthropicConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.anthropic.com".into(),
            model: String::new(),
            key_variable: "ANTHROPIC_API_KEY".into(),
            key_header: KeyHeader::Bearer,
            version: CURRENT_VERSION.into(),
            temperature: None,
            top_p: None,
            top_k: None,
            context_limit: None,
            streaming: true,
            http: HttpConfig::default(),
        }
    }
}

impl AnthropicConfig {
    fn check(&self) -> Result<(), RemoteError> {
        if self.model.is_empty() {
            return Err(settings("`model` is not set; name a model of the provider"));
        }
        check_word("version", &self.version)?;
        let samples = self.temperature.is_some() || self.top_p.is_some() || self.top_k.is_some();
        if samples && self.version != SAMPLING_VERSION {
            return Err(settings(format!(
                "`temperature`, `top_p` and `top_k` are refused by version {}; leave them out, or set `version = \"{SAMPLING_VERSION}\"`",
                self.version
            )));
        }
        Ok(())
    }
}

/// A model behind the Messages API.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use rag_models::LanguageModel;
/// use rag_models::language_model::Prompt;
/// use rag_models::remote::{AnthropicConfig, AnthropicModel, Secret};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = AnthropicConfig { model: "a-model".into(), ..Default::default() };
/// let key = std::env::var(&config.key_variable)?;
/// let model = AnthropicModel::new(config, Secret::new(key))?;
/// let prompt = Prompt::new("Answer in one word.", "What is the capital of France?", 20);
/// let completion = model.complete(&prompt, &mut |text| { print!("{text}"); ControlFlow::Continue(()) })?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AnthropicModel {
    config: AnthropicConfig,
    client: Client,
}

impl AnthropicModel {
    /// A model as `config` says, with the key from the variable that it names. Nothing is sent yet.
    pub fn new(config: AnthropicConfig, secret: impl Into<Option<Secret>>) -> Result<Self, ModelError> {
        config.check()?;
        let endpoint = Endpoint::new(&config.base_url, "/v1/messages", None)?;
        let headers = [("anthropic-version", config.version.as_str())];
        let client = Client::new(
            endpoint,
            &config.http,
            (config.key_header, secret.into()),
            &headers,
        )?;
        Ok(Self { config, client })
    }
}

impl LanguageModel for AnthropicModel {
    fn identity(&self) -> String {
        let config = &self.config;
        let settings = [
            ("version", Some(config.version.clone())),
            ("temperature", config.temperature.map(|value| value.to_string())),
            ("top_p", config.top_p.map(|value| value.to_string())),
            ("top_k", config.top_k.map(|value| value.to_string())),
        ];
        identity(self.client.endpoint(), &config.model, &settings)
    }

    fn cites_sources(&self) -> bool {
        true
    }

    fn context_limit(&self) -> Option<usize> {
        self.config.context_limit
    }

    fn complete(
        &self,
        prompt: &Prompt,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, ModelError> {
        let body = request::body(&self.config, prompt).map_err(|reason| RemoteError::Conversation {
            endpoint: self.client.endpoint().to_owned(),
            reason,
        })?;
        let sent: Vec<&str> = prompt
            .messages
            .iter()
            .flat_map(|m| &m.sources)
            .map(|s| s.id.as_str())
            .collect();
        let mut handout = Handout::new(on_text);
        let completion = self.client.request(&body, |reply| {
            let outcome = read(reply, &sent, &mut handout);
            outcome.map_err(|failure| handout.finalise(failure))
        })?;
        Ok(completion)
    }
}

/// Reads one reply, as events or whole. `sent` are the ids of the sources.
fn read(reply: Reply<'_>, sent: &[&str], handout: &mut Handout<'_>) -> Result<Completion, Failure> {
    let faults = reply.faults();
    let mut assembly = Assembly::new(faults);
    if reply.is_event_stream() {
        let end = reply.events(&mut |event| assembly.event(event, handout))?;
        if end.is_continue() {
            return Err(faults.broken("it ended before `message_stop`"));
        }
    } else {
        assembly.message(&reply.json()?, handout)?;
    }
    assembly.finish(sent, handout)
}
