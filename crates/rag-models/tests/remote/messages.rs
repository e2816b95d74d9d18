//! A stand-in for the Messages API: refuses what the vendor documents as refused, and answers by the model's name.

use serde_json::{Value, json};

use super::KEY;
use super::server::{Reply, Request};

/// Fields of a request, sampling left out.
const FIELDS: [&str; 9] = [
    "model",
    "max_tokens",
    "messages",
    "system",
    "stop_sequences",
    "stream",
    "tools",
    "tool_choice",
    "metadata",
];
/// Fields that the newer version refuses.
const SAMPLING: [&str; 3] = ["temperature", "top_p", "top_k"];

/// Answers a request to `/v1/messages`.
pub fn answer(request: &Request) -> Reply {
    if let Err((status, kind, reason)) = check(request) {
        return error(status, kind, &reason);
    }
    let body = &request.body;
    let model = body["model"].as_str().unwrap_or_default();
    let limited = || error(429, "rate_limit_error", "Too many requests");
    match model {
        "overloaded" => error(529, "overloaded_error", "Overloaded").with("retry-after-ms", "1"),
        "limited" => limited().with("retry-after", "3600"),
        "spent" => {
            let details = json!({"error_code": "enforced_spend_limit_reached"});
            let error = json!({"type": "rate_limit_error", "message": "Spent", "details": details});
            Reply::json(429, &json!({"type": "error", "error": error})).with("retry-after", "1")
        }
        _ if body["stream"] == true => stream(model, &message(model, body)),
        _ => Reply::json(200, &message(model, body)),
    }
}

type Fault = (u16, &'static str, String);

fn check(request: &Request) -> Result<(), Fault> {
    let invalid = |reason: String| (400, "invalid_request_error", reason);
    if request.path != "/v1/messages" {
        return Err((404, "not_found_error", "no such path".into()));
    }
    let bearer = format!("Bearer {KEY}");
    if request.header("authorization") != Some(&bearer) && request.header("x-api-key") != Some(KEY) {
        let sent = request.header("authorization").unwrap_or_default();
        return Err((401, "authentication_error", format!("invalid key: {sent}")));
    }
    let old = match request.header("anthropic-version") {
        Some("2023-06-01") => true,
        Some("2026-10-21") => false,
        other => return Err(invalid(format!("anthropic-version: {other:?}"))),
    };
    let body = request
        .body
        .as_object()
        .ok_or_else(|| invalid("no JSON".into()))?;
    for name in body.keys().map(String::as_str) {
        let known = FIELDS.contains(&name) || (old && SAMPLING.contains(&name));
        if !known {
            return Err(invalid(format!("{name}: Extra inputs are not permitted")));
        }
    }
    if !body.get("max_tokens").is_some_and(Value::is_u64) {
        return Err(invalid("max_tokens: Field required".into()));
    }
    let turns = body
        .get("messages")
        .and_then(Value::as_array)
        .filter(|turns| !turns.is_empty());
    for turn in turns.ok_or_else(|| invalid("messages: at least one message is required".into()))? {
        check_turn(turn).map_err(invalid)?;
    }
    Ok(())
}

fn check_turn(turn: &Value) -> Result<(), String> {
    let blocks: &[&str] = match turn["role"].as_str() {
        Some("user") => &["text", "search_result", "tool_result"],
        Some("assistant") => &["text", "tool_use"],
        other => return Err(format!("role: {other:?}")),
    };
    let Some(content) = turn["content"].as_array() else {
        return turn["content"]
            .as_str()
            .map(|_| ())
            .ok_or_else(|| "content: neither text nor list".into());
    };
    for block in content {
        let kind = block["type"].as_str().unwrap_or_default();
        if !blocks.contains(&kind) {
            return Err(format!("content: a block of type {kind}"));
        }
        if kind == "text" && block["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
            return Err("text content blocks must contain non-whitespace text".into());
        }
        if kind == "tool_use" && !block["input"].is_object() {
            return Err("input: not an object".into());
        }
    }
    let sources = search_results(turn);
    if sources
        .iter()
        .any(|source| source["citations"]["enabled"] != true || !source["source"].is_string())
    {
        return Err("search_result: citations must be enabled on all or none".into());
    }
    Ok(())
}

/// The search results of a turn in order, those of tool results included.
fn search_results(turn: &Value) -> Vec<&Value> {
    let blocks = turn["content"].as_array().into_iter().flatten();
    let all = blocks.flat_map(|block| {
        let inner = block["content"].as_array().into_iter().flatten();
        std::iter::once(block).chain(inner)
    });
    all.filter(|block| block["type"] == "search_result").collect()
}

fn error(status: u16, kind: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    Reply::json(status, &body).with("request-id", "req_1")
}

/// The whole message that a model of this name writes.
fn message(model: &str, body: &Value) -> Value {
    let (content, reason, details) = match model {
        "calls" => (vec![text("Let me look.", &[]), call()], "tool_use", Value::Null),
        "refuses" => {
            let details = json!({"type": "refusal", "category": "bio", "explanation": "not allowed"});
            (vec![text("Well, first", &[])], "refusal", details)
        }
        "cut" => (vec![text("It was the", &[])], "max_tokens", Value::Null),
        "full" => (
            vec![text("It was the", &[])],
            "model_context_window_exceeded",
            Value::Null,
        ),
        "pauses" => (vec![text("Wait.", &[])], "pause_turn", Value::Null),
        "stops" => (vec![text("Up to here", &[])], "stop_sequence", Value::Null),
        "modern" => (vec![text("New.", &[])], "reason_of_the_future", Value::Null),
        "silent" => (Vec::new(), "end_turn", Value::Null),
        "liar" => (
            vec![text(
                "It is so.",
                &[json!({
                    "type": "search_result_location", "source": "never-sent#1", "title": null, "cited_text": "It is so.",
                    "search_result_index": 7, "start_block_index": 0, "end_block_index": 1,
                })],
            )],
            "end_turn",
            Value::Null,
        ),
        _ => (cited(body), "end_turn", Value::Null),
    };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": reason, "stop_sequence": null, "stop_details": details,
        "usage": {"input_tokens": 11, "output_tokens": 5, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3},
    })
}

/// A sentence for each source, citing all of it.
fn cited(body: &Value) -> Vec<Value> {
    let turns = body["messages"].as_array().into_iter().flatten();
    let sources: Vec<&Value> = turns.flat_map(search_results).collect();
    let mut content = vec![text("Grüße. ", &[])];
    for (index, source) in sources.iter().enumerate() {
        let quote = &source["content"][0]["text"];
        let citation = json!({
            "type": "search_result_location", "source": source["source"], "title": source["title"], "cited_text": quote,
            "search_result_index": index, "start_block_index": 0, "end_block_index": 1,
        });
        content.push(text(&format!("Source {index} says so. "), &[citation]));
    }
    content
}

fn text(text: &str, citations: &[Value]) -> Value {
    let citations = if citations.is_empty() {
        Value::Null
    } else {
        json!(citations)
    };
    json!({"type": "text", "text": text, "citations": citations})
}

fn call() -> Value {
    json!({"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"words": "cat \"ö\"", "limit": 3}})
}

/// The message as events, with what else may come between.
fn stream(model: &str, message: &Value) -> Reply {
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["stop_details"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut events = vec![
        (
            "message_start",
            json!({"type": "message_start", "message": start}),
        ),
        ("ping", json!({"type": "ping"})),
    ];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        events.extend(block_events(index, block));
    }
    if model == "breaks" {
        let error = json!({"type": "overloaded_error", "message": "Overloaded"});
        events.push(("error", json!({"type": "error", "error": error})));
        return Reply::events(&events);
    }
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null, "stop_details": message["stop_details"]});
    events.push((
        "message_delta",
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}),
    ));
    events.push(("message_stop", json!({"type": "message_stop"})));
    match model {
        "leaves" => Reply::events(&events).broken(),
        "forgets" => Reply::events(&events).short(),
        _ => Reply::events(&events),
    }
}

fn block_events(index: usize, block: &Value) -> Vec<(&'static str, Value)> {
    let (empty, mut deltas) = if block["type"] == "text" {
        let text = block["text"].as_str().unwrap_or_default();
        let (head, tail) = text.split_at(text.char_indices().nth(3).map_or(text.len(), |(at, _)| at));
        let deltas = [head, tail].map(|piece| json!({"type": "text_delta", "text": piece}));
        (json!({"type": "text", "text": ""}), deltas.to_vec())
    } else {
        let input = block["input"].to_string();
        let (head, tail) = input.split_at(5);
        let deltas = ["", head, tail].map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        let empty = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
        (empty, deltas.to_vec())
    };
    let citations = block["citations"].as_array().into_iter().flatten();
    deltas.extend(citations.map(|citation| json!({"type": "citations_delta", "citation": citation})));
    let start = json!({"type": "content_block_start", "index": index, "content_block": empty});
    let delta = |delta| {
        (
            "content_block_delta",
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
        )
    };
    let mut events = vec![("content_block_start", start)];
    events.extend(deltas.into_iter().map(delta));
    events.push((
        "content_block_stop",
        json!({"type": "content_block_stop", "index": index}),
    ));
    events
}
