//! The body of a reply, as one value or as events, and what is wrong with it.

use std::io::Read;
use std::ops::ControlFlow;

use serde_json::Value;
use ureq::Body;
use ureq::http::{HeaderMap, Response};

use super::error::RemoteError;
use super::http::{Exchange, Failure, Phase};
use super::problem::Problem;
use super::retry;
use super::sse::{Event, EventTooLarge, Parser};

/// Largest single event of a stream.
const MAX_EVENT_BYTES: usize = 4 << 20;

/// A reply with a status of success, its body not yet read.
pub(super) struct Reply<'e> {
    exchange: &'e Exchange<'e>,
    response: Response<Body>,
}

impl<'e> Reply<'e> {
    pub(super) fn new(exchange: &'e Exchange<'e>, response: Response<Body>) -> Self {
        Self { exchange, response }
    }

    /// True when the body is a stream of events.
    pub(super) fn is_event_stream(&self) -> bool {
        self.response.body().mime_type() == Some("text/event-stream")
    }

    /// Reads the body as one JSON value.
    pub(super) fn json(self) -> Result<Value, Failure> {
        let limit = self.exchange.max_reply_bytes();
        let exchange = self.exchange;
        let body = self.response.into_body().into_with_config().limit(limit);
        let bytes = body
            .read_to_vec()
            .map_err(|error| exchange.transport_failure(error, Phase::Body))?;
        serde_json::from_slice(&bytes).map_err(|_| {
            Failure::last(RemoteError::Shape {
                endpoint: exchange.name(),
                reason: "the body is not JSON".to_owned(),
            })
        })
    }

    /// Gives each event to `on_event` until that breaks or the body ends; [`ControlFlow::Continue`] means that
    /// the body ended.
    pub(super) fn events(
        self,
        on_event: &mut dyn FnMut(&Event) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<ControlFlow<()>, Failure> {
        let exchange = self.exchange;
        let limit = exchange.max_reply_bytes();
        let mut body = self.response.into_body().into_with_config().limit(limit).reader();
        let mut parser = Parser::new(MAX_EVENT_BYTES);
        let mut buffer = [0; 8 << 10];
        loop {
            let read = body
                .read(&mut buffer)
                .map_err(|error| exchange.transport_failure(error.into(), Phase::Body))?;
            if read == 0 {
                return Ok(ControlFlow::Continue(()));
            }
            let events = parser.push(&buffer[..read]).map_err(|EventTooLarge| {
                Failure::last(RemoteError::TooLarge {
                    endpoint: exchange.name(),
                    limit: MAX_EVENT_BYTES as u64,
                })
            })?;
            for event in &events {
                if on_event(event)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }

    /// What turns a value of this reply into failures.
    pub(super) fn faults(&self) -> Faults<'e> {
        Faults {
            exchange: self.exchange,
        }
    }
}

/// Makes failures of what a reply holds.
#[derive(Clone, Copy)]
pub(super) struct Faults<'e> {
    exchange: &'e Exchange<'e>,
}

impl Faults<'_> {
    /// An error that the server reports inside its reply.
    pub(super) fn reported(self, value: &Value) -> Failure {
        let problem = Problem::of_value(value);
        let status = problem.implied_status();
        let passes = problem.may_pass() && retry::may_pass(status, &HeaderMap::new());
        let error = problem.into_error(status, &self.exchange.name(), &self.exchange.discretion());
        if passes {
            Failure::passing(error)
        } else {
            Failure::last(error)
        }
    }

    /// Words of the server as they may be shown: in one bounded line, without what was sent or the key.
    pub(super) fn said(self, words: &str) -> String {
        self.exchange.discretion().shown(words)
    }

    /// The reply is not what the interface promises.
    pub(super) fn shape(self, reason: impl Into<String>) -> Failure {
        Failure::last(RemoteError::Shape {
            endpoint: self.exchange.name(),
            reason: reason.into(),
        })
    }

    /// The reply ended too early.
    pub(super) fn broken(self, reason: impl Into<String>) -> Failure {
        Failure::passing(RemoteError::BrokenStream {
            endpoint: self.exchange.name(),
            reason: reason.into(),
        })
    }
}
