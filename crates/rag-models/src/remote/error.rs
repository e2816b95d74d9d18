//! Why a provider across the network gave no usable answer, and what to do about it.
//!
//! No message holds a key or what was sent: texts of a server are shown only after they were compared with both.

use std::time::Duration;

/// Errors of remote models. `endpoint` is host and path of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The settings cannot be used.
    #[error("settings of the remote model: {reason}")]
    Settings {
        /// What is wrong, and what to write instead.
        reason: String,
    },
    /// The program's logger would record every byte that is sent.
    #[error(
        "nothing is sent to {endpoint} while the logger records `{target}` at level trace, since it would record the key and all texts; set that to debug"
    )]
    Recorded {
        /// Where it was to go.
        endpoint: String,
        /// What the HTTP library calls its records.
        target: &'static str,
    },
    /// The conversation cannot be expressed for this provider.
    #[error("the conversation cannot be sent to {endpoint}: {reason}")]
    Conversation {
        /// Where it was to go.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key is missing, wrong, or not allowed to do this.
    #[error(
        "{endpoint} refused the key (status {status}); check the variable that the settings name, `key_header`, and what the key may use"
    )]
    Unauthorised {
        /// Where it was sent.
        endpoint: String,
        /// The HTTP status.
        status: u16,
    },
    /// No such address, model or deployment.
    #[error("{endpoint} knows no such address or model ({said}); check `base_url`, `model` and `deployment`")]
    NotFound {
        /// Where it was sent.
        endpoint: String,
        /// The server's code and words.
        said: String,
    },
    /// The server does not accept the request as it is.
    #[error(
        "{endpoint} did not accept the request (status {status}, {said}); correct the settings of the model"
    )]
    Rejected {
        /// Where it was sent.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// The server's code and words.
        said: String,
    },
    /// Too many requests or tokens for now.
    #[error("{endpoint} is at its rate limit after {attempts} attempts; {}", next_try(*.wait))]
    Limit {
        /// Where it was sent.
        endpoint: String,
        /// How often it was tried.
        attempts: u32,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// Money or quota is used up; waiting does not help.
    #[error(
        "{endpoint} reports that quota or credit is used up ({code}); raise it with the provider, waiting does not help"
    )]
    SpendLimit {
        /// Where it was sent.
        endpoint: String,
        /// The server's code.
        code: String,
    },
    /// A content rule of the provider stopped the request.
    #[error("{endpoint} refused the content ({reason}); change the text, or the provider's filter")]
    Refused {
        /// Where it was sent.
        endpoint: String,
        /// Which rule.
        reason: String,
    },
    /// The request is longer than the model or server reads.
    #[error("the request is too long for {endpoint} ({said}); send a smaller context or batch")]
    TooLong {
        /// Where it was sent.
        endpoint: String,
        /// The server's code and words.
        said: String,
    },
    /// The server cannot serve now.
    #[error("{endpoint} is overloaded or failing ({said}) after {attempts} attempts; {}", next_try(*.wait))]
    Overloaded {
        /// Where it was sent.
        endpoint: String,
        /// Status or code, and the server's words.
        said: String,
        /// How often it was tried.
        attempts: u32,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// A time limit passed.
    #[error("{endpoint} took longer than `{setting}` allows; try again, or raise it")]
    Timeout {
        /// Where it was sent.
        endpoint: String,
        /// The setting whose limit passed.
        setting: &'static str,
    },
    /// No connection, or one that broke before the reply began.
    #[error("cannot reach {endpoint}: {reason}; check `base_url`, the network and that the server runs")]
    Unreachable {
        /// Where it was sent.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// The reply ended before it was complete. Text already handed out is void.
    #[error("the reply of {endpoint} broke off: {reason}; ask again")]
    BrokenStream {
        /// Where it came from.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// The reply is not what the interface promises.
    #[error(
        "{endpoint} sent a reply of unexpected shape: {reason}; check that `base_url` is an interface of this kind"
    )]
    Shape {
        /// Where it came from.
        endpoint: String,
        /// What was expected and what came.
        reason: String,
    },
    /// The reply is larger than allowed.
    #[error(
        "the reply of {endpoint} is larger than {limit} bytes; raise `max_reply_bytes` if that is meant to be"
    )]
    TooLarge {
        /// Where it came from.
        endpoint: String,
        /// The limit.
        limit: u64,
    },
    /// The server points elsewhere. A key is never sent on to another address.
    #[error(
        "{endpoint} redirects (status {status}), which is not followed since it would carry the key; set `base_url` to the final address"
    )]
    Redirected {
        /// Where it was sent.
        endpoint: String,
        /// The HTTP status.
        status: u16,
    },
}

/// What to do about a server that wants to be left alone for `wait`.
fn next_try(wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!(
            "it asks to wait {} s: ask again then, or raise `retries` or `longest_wait_ms`",
            wait.as_secs_f64().ceil()
        ),
        None => "ask again later, or raise `retries`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_how_long_the_server_asks_to_wait() {
        let limit = |wait| RemoteError::Limit {
            endpoint: "api.example/v1".into(),
            attempts: 1,
            wait,
        };
        let message = limit(Some(Duration::from_millis(95_200))).to_string();
        assert!(message.contains("wait 96 s"), "{message}");
        assert!(limit(None).to_string().contains("ask again later"));
    }
}
