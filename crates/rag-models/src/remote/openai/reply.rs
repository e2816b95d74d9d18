//! A completion from the chunks, or the whole object, of a chat completions reply.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::Value;

use crate::language_model::{Completion, Stop, TokenUsage, ToolCall};
use crate::remote::body::Faults;
use crate::remote::handout::Handout;
use crate::remote::http::Failure;
use crate::remote::sse::Event;

/// The data of the event that ends a stream.
const DONE: &str = "[DONE]";

/// A reply as far as it has come.
pub(super) struct Assembly<'e> {
    faults: Faults<'e>,
    text: String,
    refusal: String,
    /// By the index that the server gives: pieces of several calls may alternate.
    calls: BTreeMap<u64, Call>,
    finish: Option<String>,
    /// Categories that a content filter names.
    filtered: Vec<String>,
    usage: TokenUsage,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

impl<'e> Assembly<'e> {
    pub(super) fn new(faults: Faults<'e>) -> Self {
        Self {
            faults,
            text: String::new(),
            refusal: String::new(),
            calls: BTreeMap::new(),
            finish: None,
            filtered: Vec::new(),
            usage: TokenUsage::default(),
        }
    }

    /// Takes one event; breaks at `[DONE]` or when the caller wants no more.
    pub(super) fn event(
        &mut self,
        event: &Event,
        handout: &mut Handout<'_>,
    ) -> Result<ControlFlow<()>, Failure> {
        if event.data.trim() == DONE {
            return Ok(ControlFlow::Break(()));
        }
        let chunk = serde_json::from_str(&event.data)
            .map_err(|_| self.faults.shape("the data of an event is not JSON"))?;
        self.completion(&chunk, handout)
    }

    /// Takes a chunk, or a whole completion: they differ in the name of one field.
    pub(super) fn completion(
        &mut self,
        chunk: &Value,
        handout: &mut Handout<'_>,
    ) -> Result<ControlFlow<()>, Failure> {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(self.faults.reported(chunk));
        }
        self.count(&chunk["usage"]);
        let choices = chunk["choices"]
            .as_array()
            .ok_or_else(|| self.faults.shape("`choices` is no list"))?;
        // One answer is asked for. Azure and the usage at the end have none.
        let Some(choice) = choices
            .iter()
            .find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
        else {
            return Ok(ControlFlow::Continue(()));
        };
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        self.filtered.extend(filtered(&choice["content_filter_results"]));
        let message = choice
            .get("delta")
            .or_else(|| choice.get("message"))
            .unwrap_or(&Value::Null);
        self.refusal
            .push_str(message["refusal"].as_str().unwrap_or_default());
        for (position, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.call(position as u64, call);
        }
        let piece = message["content"].as_str().unwrap_or_default();
        self.text.push_str(piece);
        Ok(handout.give(piece))
    }

    /// The completion; an error when the reply ended without a reason.
    pub(super) fn finish(self, handout: &Handout<'_>) -> Result<Completion, Failure> {
        let stop = match self.finish.as_deref() {
            _ if handout.is_cancelled() => Stop::Cancelled,
            _ if !self.refusal.is_empty() => Stop::Refused(self.faults.said(&self.refusal)),
            None => return Err(self.faults.broken("it ended without a `finish_reason`")),
            Some("content_filter") => {
                let categories = self.filtered.join(", ");
                Stop::Refused(
                    self.faults
                        .said(format!("content_filter {categories}").trim_end()),
                )
            }
            Some("length") => Stop::Length,
            // Some servers say `stop` when they call.
            Some("tool_calls" | "function_call" | "stop") if !self.calls.is_empty() => Stop::ToolCalls,
            Some("stop") => Stop::End,
            Some(other) => Stop::Other(self.faults.said(other)),
        };
        let void = matches!(stop, Stop::Refused(_));
        let calls = match stop {
            Stop::ToolCalls | Stop::Other(_) => self.calls.into_values().map(ToolCall::from).collect(),
            // A call that was cut off asks for nothing that could be relied upon.
            _ => Vec::new(),
        };
        Ok(Completion {
            text: if void { String::new() } else { self.text },
            citations: Vec::new(),
            calls,
            stop,
            usage: self.usage,
        })
    }

    /// A call or a piece of one: the first names it, the others continue its arguments.
    fn call(&mut self, position: u64, piece: &Value) {
        let call = self
            .calls
            .entry(piece["index"].as_u64().unwrap_or(position))
            .or_default();
        let function = &piece["function"];
        for (field, value) in [(&mut call.id, &piece["id"]), (&mut call.name, &function["name"])] {
            if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
                value.clone_into(field);
            }
        }
        match &function["arguments"] {
            Value::String(piece) => call.arguments.push_str(piece),
            // Some servers send the object itself.
            whole @ Value::Object(_) => call.arguments = whole.to_string(),
            _ => {}
        }
    }

    fn count(&mut self, usage: &Value) {
        for (field, name) in [
            (&mut self.usage.prompt, "prompt_tokens"),
            (&mut self.usage.completion, "completion_tokens"),
        ] {
            *field = usage[name].as_u64().unwrap_or(*field);
        }
    }
}

impl From<Call> for ToolCall {
    fn from(call: Call) -> Self {
        let arguments = match call.arguments.trim() {
            "" => Value::Object(serde_json::Map::new()),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(call.arguments.clone())),
        };
        Self {
            id: call.id,
            name: call.name,
            arguments,
        }
    }
}

/// Names of the categories whose text Azure's filter held back.
fn filtered(results: &Value) -> Vec<String> {
    let results = results.as_object().into_iter().flatten();
    let held = results.filter(|(_, result)| result["filtered"] == true);
    held.map(|(category, _)| category.clone()).collect()
}
