//! A completion from the events, or the whole message, of a Messages API reply.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::Value;

use crate::language_model::{Completion, SourceCitation, Stop, TokenUsage, ToolCall};
use crate::remote::body::Faults;
use crate::remote::handout::Handout;
use crate::remote::http::Failure;
use crate::remote::sse::Event;

/// A reply as far as it has come.
pub(super) struct Assembly<'e> {
    faults: Faults<'e>,
    /// By the index that the server gives: pieces of several blocks may alternate.
    blocks: BTreeMap<u64, Block>,
    stop: Option<Stop>,
    usage: TokenUsage,
}

/// A block of the answer.
enum Block {
    Text {
        text: String,
        /// Source and quote of each citation.
        citations: Vec<(String, String)>,
    },
    Call {
        id: String,
        name: String,
        /// Arguments that came with the block's beginning.
        whole: Value,
        /// Arguments that came piece by piece.
        pieces: String,
    },
    /// Thoughts, and kinds of the future.
    Other,
}

impl<'e> Assembly<'e> {
    pub(super) fn new(faults: Faults<'e>) -> Self {
        Self {
            faults,
            blocks: BTreeMap::new(),
            stop: None,
            usage: TokenUsage::default(),
        }
    }

    /// Takes one event; breaks at the end of the message or when the caller wants no more.
    pub(super) fn event(
        &mut self,
        event: &Event,
        handout: &mut Handout<'_>,
    ) -> Result<ControlFlow<()>, Failure> {
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            return Err(self.faults.shape("the data of an event is not JSON"));
        };
        match data["type"].as_str().unwrap_or(&event.name) {
            "message_start" => self.count(&data["message"]["usage"]),
            "content_block_start" => {
                let index = self.index(&data)?;
                return Ok(self.start(index, &data["content_block"], handout));
            }
            "content_block_delta" => {
                let index = self.index(&data)?;
                return self.delta(index, &data["delta"], handout);
            }
            "message_delta" => {
                self.end(&data["delta"]);
                self.count(&data["usage"]);
            }
            "message_stop" => return Ok(ControlFlow::Break(())),
            "error" => return Err(self.faults.reported(&data)),
            // `ping`, `content_block_stop`, and events of the future.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes a whole message, for servers that were not asked to stream.
    pub(super) fn message(&mut self, message: &Value, handout: &mut Handout<'_>) -> Result<(), Failure> {
        if message["type"] == "error" {
            return Err(self.faults.reported(message));
        }
        let content = message["content"]
            .as_array()
            .ok_or_else(|| self.faults.shape("`content` is no list"))?;
        self.end(message);
        self.count(&message["usage"]);
        for (index, block) in content.iter().enumerate() {
            if self.start(index as u64, block, handout).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The completion. `sent` are the ids of the sources that were sent.
    pub(super) fn finish(self, sent: &[&str], handout: &Handout<'_>) -> Result<Completion, Failure> {
        let mut completion = Completion {
            text: String::new(),
            citations: Vec::new(),
            calls: Vec::new(),
            stop: match (handout.is_cancelled(), self.stop) {
                (true, _) => Stop::Cancelled,
                (false, Some(stop)) => stop,
                (false, None) => return Err(self.faults.shape("the message ends without `stop_reason`")),
            },
            usage: self.usage,
        };
        if matches!(completion.stop, Stop::Refused(_)) {
            return Ok(completion);
        }
        for block in self.blocks.into_values() {
            match block {
                Block::Text { text, citations } => {
                    completion.text.push_str(&text);
                    let end = completion.text.trim_end().len();
                    for (source, quote) in citations {
                        if !sent.contains(&source.as_str()) {
                            return Err(self.faults.shape("it cites a source that was not sent"));
                        }
                        completion.citations.push(SourceCitation { end, source, quote });
                    }
                }
                // A call that was cut off asks for nothing that could be relied upon.
                Block::Call { .. } if matches!(completion.stop, Stop::Length | Stop::Cancelled) => {}
                Block::Call {
                    id,
                    name,
                    whole,
                    pieces,
                } => {
                    let arguments = if pieces.is_empty() {
                        whole
                    } else {
                        serde_json::from_str(&pieces).unwrap_or(Value::String(pieces))
                    };
                    completion.calls.push(ToolCall { id, name, arguments });
                }
                Block::Other => {}
            }
        }
        Ok(completion)
    }

    /// A block's beginning, which in a whole message is all of it.
    fn start(&mut self, index: u64, block: &Value, handout: &mut Handout<'_>) -> ControlFlow<()> {
        let word = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let (block, flow) = match block["type"].as_str() {
            Some("text") => {
                let text = word("text");
                let flow = handout.give(&text);
                let citations = block["citations"].as_array().into_iter().flatten();
                let citations = citations.filter_map(citation).collect();
                (Block::Text { text, citations }, flow)
            }
            Some("tool_use") => {
                let call = Block::Call {
                    id: word("id"),
                    name: word("name"),
                    whole: block["input"].clone(),
                    pieces: String::new(),
                };
                (call, ControlFlow::Continue(()))
            }
            _ => (Block::Other, ControlFlow::Continue(())),
        };
        self.blocks.insert(index, block);
        flow
    }

    fn delta(
        &mut self,
        index: u64,
        delta: &Value,
        handout: &mut Handout<'_>,
    ) -> Result<ControlFlow<()>, Failure> {
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(self.faults.shape("a piece belongs to no block"));
        };
        match (block, delta["type"].as_str()) {
            (Block::Text { text, .. }, Some("text_delta")) => {
                let piece = delta["text"].as_str().unwrap_or_default();
                text.push_str(piece);
                return Ok(handout.give(piece));
            }
            (Block::Text { citations, .. }, Some("citations_delta")) => {
                citations.extend(citation(&delta["citation"]));
            }
            (Block::Call { pieces, .. }, Some("input_json_delta")) => {
                pieces.push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            // Thoughts, signatures, and kinds of the future.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, end: &Value) {
        let Some(reason) = end["stop_reason"].as_str() else {
            return;
        };
        self.stop = Some(match reason {
            "end_turn" => Stop::End,
            "stop_sequence" => Stop::StopText,
            "tool_use" => Stop::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => Stop::Length,
            "refusal" => Stop::Refused(self.faults.said(&refusal(&end["stop_details"]))),
            other => Stop::Other(self.faults.said(other)),
        });
    }

    /// Counts are cumulative: the latest of each is the sum.
    fn count(&mut self, usage: &Value) {
        let tokens = |name: &str| usage[name].as_u64();
        if let Some(read) = tokens("input_tokens") {
            let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
            self.usage.prompt = read + cached.iter().filter_map(|name| tokens(name)).sum::<u64>();
        }
        if let Some(written) = tokens("output_tokens") {
            self.usage.completion = written;
        }
    }

    fn index(&self, data: &Value) -> Result<u64, Failure> {
        data["index"]
            .as_u64()
            .ok_or_else(|| self.faults.shape("a block has no `index`"))
    }
}

/// Source and quote of a citation of a search result. No other kind is asked for, so others are ignored.
fn citation(citation: &Value) -> Option<(String, String)> {
    if citation["type"] != "search_result_location" {
        return None;
    }
    let source = citation["source"].as_str()?;
    let quote = citation["cited_text"].as_str()?;
    Some((source.to_owned(), quote.to_owned()))
}

/// What the model says of its refusal: category and explanation, as far as it gives them.
fn refusal(details: &Value) -> String {
    let words = ["category", "explanation"].map(|name| details[name].as_str());
    let words: Vec<&str> = words.into_iter().flatten().collect();
    words.join(": ")
}
