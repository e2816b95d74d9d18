//! Settings that all remote models share: how the key is sent, how long to wait, how often to try again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::RemoteError;

/// Largest time limit: a day.
const LONGEST_TIMEOUT_MS: u64 = 86_400_000;

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`, which all providers take.
    #[default]
    Bearer,
    /// `api-key: KEY`, of Azure OpenAI resources.
    ApiKey,
    /// `x-api-key: KEY`, the older form of the Messages API.
    XApiKey,
    /// No key, for local servers.
    None,
}

/// How the network is used: time limits, sizes, repetition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpConfig {
    /// How long a connection with its encryption may take to come about. Default: 10000.
    pub connect_timeout_ms: u64,
    /// How long the first byte of a reply may take. At most `idle_timeout_ms`. Default: 120000, because a
    /// large model reads the whole prompt first.
    pub first_byte_timeout_ms: u64,
    /// How long a reply that has begun may stand still. Default: 120000.
    pub idle_timeout_ms: u64,
    /// How long a request may take in all, repetitions and waits included. Default: 600000.
    pub total_timeout_ms: u64,
    /// Largest accepted reply in bytes, after decompression. Default: 33554432 (32 MiB).
    pub max_reply_bytes: u64,
    /// Repetitions of a request that failed for a reason that may pass. Default: 2.
    pub retries: u32,
    /// Wait before the first repetition when the server names none; each further one doubles it, up to 8 s,
    /// and up to a quarter is taken off by chance. Default: 500.
    pub first_wait_ms: u64,
    /// Longest wait that a server may ask for; a longer one is an error that says how long. Default: 60000.
    pub longest_wait_ms: u64,
    /// Seed of the chance in waits. Default: 0.
    pub seed: u64,
    /// Address of a proxy, such as `http://proxy.example:3128`; without user and password. Never used for
    /// this machine itself. Default: none, whatever the environment says.
    pub proxy: Option<String>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            connect_timeout_ms: 10_000,
            first_byte_timeout_ms: 120_000,
            idle_timeout_ms: 120_000,
            total_timeout_ms: 600_000,
            max_reply_bytes: 32 << 20,
            retries: 2,
            first_wait_ms: 500,
            longest_wait_ms: 60_000,
            seed: 0,
            proxy: None,
        }
    }
}

impl HttpConfig {
    /// Refuses limits that contradict each other.
    pub(super) fn check(&self) -> Result<(), RemoteError> {
        let times = [
            ("connect_timeout_ms", self.connect_timeout_ms),
            ("first_byte_timeout_ms", self.first_byte_timeout_ms),
            ("idle_timeout_ms", self.idle_timeout_ms),
            ("total_timeout_ms", self.total_timeout_ms),
        ];
        for (name, time) in times {
            if !(1..=LONGEST_TIMEOUT_MS).contains(&time) {
                return Err(settings(format!(
                    "`{name}` is {time}; write 1 to {LONGEST_TIMEOUT_MS}"
                )));
            }
        }
        if self.max_reply_bytes == 0 {
            return Err(settings("`max_reply_bytes` is 0; write a positive number"));
        }
        if self.first_byte_timeout_ms > self.idle_timeout_ms {
            return Err(settings(format!(
                "`first_byte_timeout_ms` ({}) is more than `idle_timeout_ms` ({}), which also counts before the first byte; raise the latter",
                self.first_byte_timeout_ms, self.idle_timeout_ms
            )));
        }
        Ok(())
    }

    pub(super) fn first_wait(&self) -> Duration {
        Duration::from_millis(self.first_wait_ms)
    }

    pub(super) fn longest_wait(&self) -> Duration {
        Duration::from_millis(self.longest_wait_ms)
    }
}

/// What decides a remote model's text beside the prompt, in one line: address, model, and the settings that are set.
pub(super) fn identity(endpoint: &str, model: &str, settings: &[(&str, Option<String>)]) -> String {
    let set = settings
        .iter()
        .filter_map(|(name, value)| Some(format!(" {name}={}", value.as_ref()?)));
    format!("{endpoint} {model}{}", set.collect::<String>())
}

/// An error about settings.
pub(super) fn settings(reason: impl Into<String>) -> RemoteError {
    RemoteError::Settings {
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_contradict_each_other_are_refused() {
        type Change = fn(&mut HttpConfig);
        let cases: &[(Change, &str)] = &[
            (|c| c.total_timeout_ms = 0, "total_timeout_ms"),
            (|c| c.total_timeout_ms = u64::MAX, "total_timeout_ms"),
            (|c| c.max_reply_bytes = 0, "max_reply_bytes"),
            (|c| c.idle_timeout_ms = 1000, "first_byte_timeout_ms"),
        ];
        assert_eq!(HttpConfig::default().check(), Ok(()));
        for (change, name) in cases {
            let mut config = HttpConfig::default();
            change(&mut config);
            let message = config.check().unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }
}
