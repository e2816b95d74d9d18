//! The one HTTP client of all providers: blocking, bounded in time and size, and careful with the key.
//!
//! Redirects are not followed, proxies are used only when the settings name one, and a failed request is sent
//! again by the rule of [`super::retry`].

use std::fmt;
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Response};
use ureq::{Agent, Body, Proxy, Timeout};

use super::body::Reply;
use super::config::{HttpConfig, KeyHeader, settings};
use super::discretion::Discretion;
use super::endpoint::Endpoint;
use super::error::RemoteError;
use super::problem::Problem;
use super::retry;
use super::secret::Secret;

/// Largest error body that is read.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// Where the HTTP library records, at level trace, every byte of both directions.
const WIRE_RECORDS: &str = "ureq_proto::util";

/// Sends JSON to one address and reads JSON or events.
pub(super) struct Client {
    agent: Agent,
    endpoint: Endpoint,
    headers: HeaderMap,
    config: HttpConfig,
    secret: Option<Secret>,
}

/// Why one attempt failed.
#[derive(Debug)]
pub(super) struct Failure {
    error: RemoteError,
    again: Again,
}

/// Whether a failed attempt may be repeated.
#[derive(Debug, Clone, Copy)]
enum Again {
    No,
    /// After the wait that the server asks for, else after our own.
    After(Option<Duration>),
}

impl Failure {
    /// A failure that asking again cannot lift.
    pub(super) fn last(error: RemoteError) -> Self {
        Self {
            error,
            again: Again::No,
        }
    }

    /// A failure that may pass.
    pub(super) fn passing(error: RemoteError) -> Self {
        Self {
            error,
            again: Again::After(None),
        }
    }

    /// The same failure, but final: what was handed out cannot be taken back.
    pub(super) fn made_final(self) -> Self {
        Self::last(self.error)
    }

    /// The error, with what is known of attempts and the wait that the server asks for.
    fn after(mut self, tried: u32) -> RemoteError {
        let asked = match self.again {
            Again::After(wait) => wait,
            Again::No => None,
        };
        if let RemoteError::Limit { attempts, wait, .. } | RemoteError::Overloaded { attempts, wait, .. } =
            &mut self.error
        {
            *attempts = tried;
            *wait = asked;
        }
        self.error
    }
}

impl Client {
    /// A client for `endpoint`. `headers` come in addition to the key's.
    pub(super) fn new(
        endpoint: Endpoint,
        config: &HttpConfig,
        key: (KeyHeader, Option<Secret>),
        headers: &[(&'static str, &str)],
    ) -> Result<Self, RemoteError> {
        config.check()?;
        let (key_header, secret) = key;
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        all.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).map_err(|_| {
                settings(format!(
                    "the value for the header `{name}` has characters that no header may have"
                ))
            })?;
            all.insert(HeaderName::from_static(name), value);
        }
        if let Some((name, value)) = key_line(key_header, secret.as_ref())? {
            all.insert(name, value);
        }
        Ok(Self {
            agent: agent(&endpoint, config)?,
            endpoint,
            headers: all,
            config: config.clone(),
            secret,
        })
    }

    /// Host and path, for messages and identities.
    pub(super) fn endpoint(&self) -> &str {
        self.endpoint.name()
    }

    /// Sends `body` until `read` makes something of a reply, or a failure is final.
    pub(super) fn request<T>(
        &self,
        body: &Value,
        mut read: impl FnMut(Reply<'_>) -> Result<T, Failure>,
    ) -> Result<T, RemoteError> {
        if log::log_enabled!(target: WIRE_RECORDS, log::Level::Trace) {
            return Err(RemoteError::Recorded {
                endpoint: self.endpoint().to_owned(),
                target: WIRE_RECORDS,
            });
        }
        let exchange = Exchange {
            client: self,
            body,
            bytes: body.to_string().into_bytes(),
            deadline: Instant::now() + Duration::from_millis(self.config.total_timeout_ms),
        };
        let mut attempt = 0;
        loop {
            let failure = match exchange.send().and_then(&mut read) {
                Ok(outcome) => return Ok(outcome),
                Err(failure) => failure,
            };
            match exchange.wait_before_next(attempt, failure.again) {
                Some(wait) => std::thread::sleep(wait),
                None => return Err(failure.after(attempt + 1)),
            }
            attempt += 1;
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint.name())
            .finish_non_exhaustive()
    }
}

/// One request and its repetitions.
pub(super) struct Exchange<'c> {
    client: &'c Client,
    body: &'c Value,
    bytes: Vec<u8>,
    deadline: Instant,
}

impl<'c> Exchange<'c> {
    /// One attempt, up to the reply's headers.
    fn send(&self) -> Result<Reply<'_>, Failure> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::last(self.timeout("total_timeout_ms")));
        }
        let mut request = self.client.agent.post(self.client.endpoint.uri());
        if let Some(headers) = request.headers_mut() {
            headers.clone_from(&self.client.headers);
        }
        let request = request.config().timeout_global(Some(left)).build();
        let response = request
            .send(&self.bytes[..])
            .map_err(|error| self.transport_failure(error, Phase::Head))?;
        let status = response.status().as_u16();
        match status {
            200..=299 => Ok(Reply::new(self, response)),
            300..=399 => Err(Failure::last(RemoteError::Redirected {
                endpoint: self.name(),
                status,
            })),
            _ => Err(self.refusal(response)),
        }
    }

    /// The failure that a reply with an error status stands for.
    fn refusal(&self, response: Response<Body>) -> Failure {
        let (head, body) = response.into_parts();
        let mut bytes = Vec::new();
        // A body that cannot be read leaves the status, which says enough.
        let _ = body.into_reader().take(MAX_ERROR_BYTES).read_to_end(&mut bytes);
        let problem = Problem::of_body(&bytes);
        let status = head.status.as_u16();
        let again = if problem.may_pass() && retry::may_pass(status, &head.headers) {
            Again::After(retry::asked_wait(&head.headers, SystemTime::now()))
        } else {
            Again::No
        };
        let error = problem.into_error(status, self.client.endpoint(), &self.discretion());
        Failure { error, again }
    }

    /// How long to wait before another attempt; `None` when there is to be none.
    fn wait_before_next(&self, attempt: u32, again: Again) -> Option<Duration> {
        let config = &self.client.config;
        let Again::After(asked) = again else { return None };
        if attempt >= config.retries {
            return None;
        }
        let wait = asked.unwrap_or_else(|| {
            let chance = retry::chance(config.seed, &self.bytes, attempt);
            retry::own_wait(config.first_wait(), attempt, chance)
        });
        let left = self.deadline.saturating_duration_since(Instant::now());
        (wait <= config.longest_wait() && wait < left).then_some(wait)
    }

    pub(super) fn transport_failure(&self, error: ureq::Error, phase: Phase) -> Failure {
        let endpoint = self.name();
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                Failure::passing(self.timeout("connect_timeout_ms"))
            }
            ureq::Error::Timeout(Timeout::RecvResponse) => {
                Failure::last(self.timeout("first_byte_timeout_ms"))
            }
            ureq::Error::Timeout(Timeout::PerRead | Timeout::PerWrite) => {
                Failure::last(self.timeout("idle_timeout_ms"))
            }
            ureq::Error::Timeout(_) => Failure::last(self.timeout("total_timeout_ms")),
            ureq::Error::BodyExceedsLimit(limit) => Failure::last(RemoteError::TooLarge { endpoint, limit }),
            other => {
                let reason = self.discretion().shown(&other.to_string());
                Failure::passing(match phase {
                    Phase::Head => RemoteError::Unreachable { endpoint, reason },
                    Phase::Body => RemoteError::BrokenStream { endpoint, reason },
                })
            }
        }
    }

    pub(super) fn discretion(&self) -> Discretion<'c> {
        Discretion::new(self.client.secret.as_ref(), self.body)
    }

    /// Largest accepted reply in bytes.
    pub(super) fn max_reply_bytes(&self) -> u64 {
        self.client.config.max_reply_bytes
    }

    fn timeout(&self, setting: &'static str) -> RemoteError {
        RemoteError::Timeout {
            endpoint: self.name(),
            setting,
        }
    }

    pub(super) fn name(&self) -> String {
        self.client.endpoint().to_owned()
    }
}

/// How far a reply had come when the transport failed.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Head,
    Body,
}

fn agent(endpoint: &Endpoint, config: &HttpConfig) -> Result<Agent, RemoteError> {
    let milliseconds = |limit| Some(Duration::from_millis(limit));
    let proxy = match &config.proxy {
        Some(address) if !endpoint.is_loopback() => Some(proxy(address)?),
        _ => None,
    };
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .https_only(!endpoint.is_loopback())
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy)
        .user_agent(concat!("rag-models/", env!("CARGO_PKG_VERSION")))
        // Packed events would wait in the packer.
        .accept_encoding("identity")
        .timeout_connect(milliseconds(config.connect_timeout_ms))
        .timeout_recv_response(milliseconds(config.first_byte_timeout_ms))
        .timeout_per_read(milliseconds(config.idle_timeout_ms))
        .timeout_per_write(milliseconds(config.idle_timeout_ms));
    Ok(Agent::new_with_config(config.build()))
}

fn proxy(address: &str) -> Result<Proxy, RemoteError> {
    if address.contains('@') {
        return Err(settings(
            "`proxy` holds a user or password; use a proxy that asks for none",
        ));
    }
    Proxy::new(address)
        .map_err(|_| settings("`proxy` is no address of a proxy; write it as http://host:port"))
}

/// The header that carries the key.
fn key_line(
    header: KeyHeader,
    secret: Option<&Secret>,
) -> Result<Option<(HeaderName, HeaderValue)>, RemoteError> {
    let (name, prefix) = match header {
        KeyHeader::None => return Ok(None),
        KeyHeader::Bearer => (AUTHORIZATION, "Bearer "),
        KeyHeader::ApiKey => (HeaderName::from_static("api-key"), ""),
        KeyHeader::XApiKey => (HeaderName::from_static("x-api-key"), ""),
    };
    let key = secret.map(Secret::reveal).filter(|key| !key.is_empty()).ok_or_else(|| {
        settings("there is no key; set the variable that `key_variable` names, or `key_header = \"none\"` for a server without keys")
    })?;
    let mut value = HeaderValue::from_str(&format!("{prefix}{key}")).map_err(|_| {
        settings(
            "the key has characters that no header may have; check the variable that `key_variable` names",
        )
    })?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}
