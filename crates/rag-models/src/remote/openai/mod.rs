//! Models behind OpenAI's chat completions and the many servers that speak the same: Azure OpenAI (v1 and dated
//! deployments), llama-server, vLLM, Ollama.

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
use crate::language_model::{Completion, LanguageModel, Prompt, Stop, TokenUsage};
use reply::Assembly;

/// The field that says how many tokens may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimitField {
    /// The present one, which newer models require.
    #[default]
    MaxCompletionTokens,
    /// The former one, the only one that many compatible servers know.
    MaxTokens,
}

/// Settings of a model behind chat completions.
///
/// | server | `base_url` | also set |
/// |---|---|---|
/// | OpenAI | `https://api.openai.com/v1` | |
/// | Azure OpenAI v1 | `https://RESOURCE.openai.azure.com/openai/v1` | `key_header = "api-key"` |
/// | Azure OpenAI, dated | `https://RESOURCE.openai.azure.com` | `key_header = "api-key"`, `deployment`, `api_version` |
/// | llama-server, vLLM, Ollama | `http://127.0.0.1:PORT/v1` | `key_header = "none"`, `token_limit_field = "max_tokens"` |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpenAiConfig {
    /// Address of the server, before `/chat/completions`. Default: `https://api.openai.com/v1`.
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
    /// Value of `OpenAI-Organization`. Default: not sent.
    pub organization: Option<String>,
    /// Value of `OpenAI-Project`. Default: not sent.
    pub project: Option<String>,
    /// The field that says how many tokens may be written. Default: `max_completion_tokens`.
    pub token_limit_field: TokenLimitField,
    /// Randomness of the choice of words, 0 to 2. Default: the server's.
    pub temperature: Option<f64>,
    /// Share of the likeliest words to choose from, 0 to 1. Default: the server's.
    pub top_p: Option<f64>,
    /// Seed of the choice of words, for servers that honour one. Default: not sent.
    pub seed: Option<i64>,
    /// Effort of models that think first, such as `low`. Default: not sent.
    pub reasoning_effort: Option<String>,
    /// Tokens that prompt and answer may have together, where you know it. Default: not known.
    pub context_limit: Option<usize>,
    /// Whether text comes as it is written. Default: true.
    pub streaming: bool,
    /// How the network is used.
    pub http: HttpConfig,
}

impl Default for OpenAiConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".into(),
            model: String::new(),
            deployment: None,
            api_version: None,
            key_variable: "OPENAI_API_KEY".into(),
            key_header: KeyHeader::Bearer,
            organization: None,
            project: None,
            token_limit_field: TokenLimitField::MaxCompletionTokens,
            temperature: None,
            top_p: None,
            seed: None,
            reasoning_effort: None,
            context_limit: None,
            streaming: true,
            http: HttpConfig::default(),
        }
    }
}

/// The address of `function` (`/chat/completions`, `/embeddings`) as the settings of a server say.
pub(super) fn endpoint(
    base_url: &str,
    deployment: Option<&str>,
    api_version: Option<&str>,
    function: &str,
) -> Result<Endpoint, RemoteError> {
    if let Some(version) = api_version {
        check_word("api_version", version)?;
    }
    let query = api_version.map(|version| ("api-version", version));
    let Some(deployment) = deployment else {
        return Endpoint::new(base_url, function, query);
    };
    check_word("deployment", deployment)?;
    if query.is_none() {
        return Err(settings(
            "`deployment` needs an `api_version`, such as \"2024-10-21\"",
        ));
    }
    Endpoint::new(
        base_url,
        &format!("/openai/deployments/{deployment}{function}"),
        query,
    )
}

/// A model behind chat completions.
///
/// ```no_run
/// use rag_models::remote::{KeyHeader, OpenAiConfig, OpenAiModel, TokenLimitField};
///
/// # fn main() -> Result<(), rag_models::ModelError> {
/// let config = OpenAiConfig {
///     base_url: "http://127.0.0.1:8080/v1".into(),
///     model: "local".into(),
///     key_header: KeyHeader::None,
///     token_limit_field: TokenLimitField::MaxTokens,
///     ..Default::default()
/// };
/// let model = OpenAiModel::new(config, None)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OpenAiModel {
    config: OpenAiConfig,
    client: Client,
}

impl OpenAiModel {
    /// A model as `config` says, with the key from the variable that it names. Nothing is sent yet.
    pub fn new(config: OpenAiConfig, secret: impl Into<Option<Secret>>) -> Result<Self, ModelError> {
        if config.model.is_empty() {
            return Err(settings("`model` is not set; name a model of the provider").into());
        }
        let (deployment, version) = (config.deployment.as_deref(), config.api_version.as_deref());
        let endpoint = endpoint(&config.base_url, deployment, version, "/chat/completions")?;
        let headers = [
            ("openai-organization", config.organization.as_deref()),
            ("openai-project", config.project.as_deref()),
        ];
        let headers: Vec<_> = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let client = Client::new(
            endpoint,
            &config.http,
            (config.key_header, secret.into()),
            &headers,
        )?;
        Ok(Self { config, client })
    }
}

impl LanguageModel for OpenAiModel {
    fn identity(&self) -> String {
        let config = &self.config;
        let settings = [
            ("api_version", config.api_version.clone()),
            ("temperature", config.temperature.map(|value| value.to_string())),
            ("top_p", config.top_p.map(|value| value.to_string())),
            ("seed", config.seed.map(|value| value.to_string())),
            ("reasoning_effort", config.reasoning_effort.clone()),
        ];
        identity(self.client.endpoint(), &config.model, &settings)
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
        let mut handout = Handout::new(on_text);
        let outcome = self.client.request(&body, |reply| {
            let outcome = read(reply, &mut handout);
            outcome.map_err(|failure| handout.finalise(failure))
        });
        match outcome {
            // Azure answers a blocked prompt with an error; to the caller it is a refusal as any other.
            Err(RemoteError::Refused { reason, .. }) => Ok(Completion {
                text: String::new(),
                citations: Vec::new(),
                calls: Vec::new(),
                stop: Stop::Refused(reason),
                usage: TokenUsage::default(),
            }),
            outcome => Ok(outcome?),
        }
    }
}

/// Reads one reply, as events or whole.
fn read(reply: Reply<'_>, handout: &mut Handout<'_>) -> Result<Completion, Failure> {
    let mut assembly = Assembly::new(reply.faults());
    // How the body ends does not matter, since not all servers send `[DONE]`: a reason to stop must have come.
    let _ = if reply.is_event_stream() {
        reply.events(&mut |event| assembly.event(event, handout))?
    } else {
        assembly.completion(&reply.json()?, handout)?
    };
    assembly.finish(handout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azure_and_compatible_servers_have_their_addresses() {
        let address = |base: &str, deployment, version| {
            let endpoint = endpoint(base, deployment, version, "/chat/completions");
            endpoint.map(|endpoint| endpoint.uri().to_string())
        };
        let dated = address("https://r.openai.azure.com", Some("gpt"), Some("2024-10-21"));
        assert_eq!(
            dated.unwrap(),
            "https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
        );
        let v1 = address("https://r.openai.azure.com/openai/v1/", None, None);
        assert_eq!(
            v1.unwrap(),
            "https://r.openai.azure.com/openai/v1/chat/completions"
        );
        let preview = address("https://r.openai.azure.com/openai/v1", None, Some("preview"));
        assert!(preview.unwrap().ends_with("?api-version=preview"));
        assert!(address("https://r.openai.azure.com", Some("gpt"), None).is_err());
        assert!(address("https://r.openai.azure.com", Some("../gpt"), Some("1")).is_err());
        assert!(address("https://r.openai.azure.com", None, Some("1&x=2")).is_err());
    }
}
