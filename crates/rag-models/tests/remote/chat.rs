//! A stand-in for OpenAI's and Azure's chat completions and embeddings: refuses what the vendors document as refused,
//! and answers by the model's name.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::KEY;
use super::server::{Reply, Request};

/// Where dated deployments of Azure live.
const DEPLOYMENT: &str = "/openai/deployments/dep";
const VERSION: &str = "?api-version=2024-10-21";
/// Numbers of a vector.
pub const DIMENSION: usize = 4;

/// Answers a request to chat completions or embeddings.
pub fn answer(request: &Request) -> Reply {
    let bearer = format!("Bearer {KEY}");
    if request.header("authorization") != Some(&bearer) && request.header("api-key") != Some(KEY) {
        let sent = request.header("authorization").unwrap_or_default();
        return error(
            401,
            "invalid_api_key",
            &format!("Incorrect API key provided: {sent}"),
        );
    }
    let path = match request.path.strip_prefix(DEPLOYMENT) {
        Some(path) => path.strip_suffix(VERSION),
        None => request.path.strip_prefix("/v1"),
    };
    match path {
        Some("/chat/completions") => chat(&request.body),
        Some("/embeddings") => embeddings(&request.body),
        _ => error(404, "DeploymentNotFound", "no such address"),
    }
}

fn error(status: u16, code: impl Into<Value>, message: &str) -> Reply {
    let error =
        json!({"message": message, "type": "invalid_request_error", "param": null, "code": code.into()});
    Reply::json(status, &json!({"error": error})).with("x-request-id", "req_1")
}

fn chat(body: &Value) -> Reply {
    let messages = body["messages"].as_array();
    if messages.is_none_or(Vec::is_empty) {
        return error(400, Value::Null, "messages is required");
    }
    let model = body["model"].as_str().unwrap_or_default();
    match model {
        "limited" => {
            return error(429, "rate_limit_exceeded", "slow down").with("retry-after", "3600");
        }
        "spent" => return error(429, "insufficient_quota", "quota").with("retry-after-ms", "1"),
        "loading" => return error(503, 503, "Loading model").with("retry-after-ms", "1"),
        "long" => return error(400, "context_length_exceeded", "too long"),
        "blocked" => {
            let inner = json!({"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}});
            let error = json!({"message": "The response was filtered", "type": null, "param": "prompt",
                "code": "content_filter", "status": 400, "innererror": inner});
            return Reply::json(400, &json!({"error": error}));
        }
        _ => {}
    }
    let (message, reason) = message(model, messages.map_or(0, Vec::len));
    if body["stream"] != true {
        return Reply::json(200, &whole(model, &message, reason));
    }
    stream(body, &message, reason)
}

const USAGE: fn() -> Value = || json!({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13});

fn message(model: &str, count: usize) -> (Value, &'static str) {
    let text = |text: &str| json!({"role": "assistant", "content": text, "refusal": null});
    match model {
        "calls" => {
            let call = |id: &str, words: &str| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": json!({"words": words}).to_string()}});
            let calls = json!([call("call_1", "cat \"ö\""), call("call_2", "dog")]);
            (
                json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": calls}),
                "tool_calls",
            )
        }
        "refuses" => (
            json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."}),
            "stop",
        ),
        "filtered" => (text("Well, first"), "content_filter"),
        "cut" => (text("It was the"), "length"),
        "modern" => (text("New."), "reason_of_the_future"),
        _ => (text(&format!("Grüße, {count} messages.")), "stop"),
    }
}

fn filter_results(reason: &str) -> Value {
    json!({"violence": {"filtered": reason == "content_filter", "severity": "safe"}, "hate": {"filtered": false, "severity": "safe"}})
}

fn whole(model: &str, message: &Value, reason: &str) -> Value {
    let choice = json!({"index": 0, "message": message, "finish_reason": reason, "logprobs": null,
        "content_filter_results": filter_results(reason)});
    json!({"id": "c1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": USAGE()})
}

fn stream(body: &Value, message: &Value, reason: &str) -> Reply {
    let model = body["model"].as_str().unwrap_or_default();
    let chunk = |choices: Value| json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices});
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut first = chunk(json!([]));
    first["prompt_filter_results"] = json!([{"prompt_index": 0, "content_filter_results": {}}]);
    let mut chunks = vec![first, delta(json!({"role": "assistant", "content": ""}))];
    for field in ["content", "refusal"] {
        for piece in message[field].as_str().map(halves).into_iter().flatten() {
            let mut piece = delta(json!({field: piece}));
            piece["obfuscation"] = json!("xyz");
            chunks.push(piece);
        }
    }
    chunks.extend(
        call_deltas(message)
            .into_iter()
            .map(|call| delta(json!({"tool_calls": [call]}))),
    );
    if model == "breaks" {
        chunks.push(
            json!({"error": {"message": "The server had an error", "type": "server_error", "code": null}}),
        );
        return Reply::chunks(&chunks);
    }
    let end = json!([{"index": 0, "delta": {}, "finish_reason": reason, "content_filter_results": filter_results(reason)}]);
    match model {
        "leaves" => return Reply::chunks(&chunks).broken(),
        "forgets" => return Reply::chunks(&chunks).short(),
        _ => chunks.push(chunk(end)),
    }
    if body["stream_options"]["include_usage"] == true {
        let mut last = chunk(json!([]));
        last["usage"] = USAGE();
        chunks.push(last);
    }
    Reply::chunks(&chunks)
}

/// The pieces of a message's calls; those of two calls alternate.
fn call_deltas(message: &Value) -> Vec<Value> {
    let calls: Vec<&Value> = message["tool_calls"].as_array().into_iter().flatten().collect();
    let mut deltas = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let mut start = json!({"index": index, "id": call["id"], "type": "function"});
        start["function"] = json!({"name": call["function"]["name"], "arguments": ""});
        deltas.push(start);
    }
    for half in [0, 1] {
        for (index, call) in calls.iter().enumerate() {
            let piece = halves(call["function"]["arguments"].as_str().unwrap_or_default())[half];
            deltas.push(json!({"index": index, "function": {"arguments": piece}}));
        }
    }
    deltas
}

fn halves(text: &str) -> [&str; 2] {
    let (head, tail) = text.split_at(text.char_indices().nth(4).map_or(text.len(), |(at, _)| at));
    [head, tail]
}

/// Vectors in reverse order: the length of the text, then ones.
fn embeddings(body: &Value) -> Reply {
    let model = body["model"].as_str().unwrap_or_default();
    let inputs = match &body["input"] {
        Value::Array(inputs) => inputs.clone(),
        one => vec![one.clone()],
    };
    if inputs
        .iter()
        .any(|input| input.as_str().is_none_or(str::is_empty))
    {
        return error(400, Value::Null, "'$.input' is invalid");
    }
    if model == "blocked" {
        return error(400, "content_filter", "filtered");
    }
    let dimension = body["dimensions"]
        .as_u64()
        .map_or(DIMENSION, |dimension| dimension as usize);
    let dimension = if model == "grows" {
        dimension + inputs.len()
    } else {
        dimension
    };
    let vector = |input: &Value| {
        let mut vector = vec![1.0_f32; dimension];
        vector[0] = if model == "broken" {
            f32::NAN
        } else {
            input.as_str().unwrap_or_default().len() as f32
        };
        vector
    };
    let encode = |vector: Vec<f32>| match body["encoding_format"].as_str() {
        Some("base64") => {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            json!(STANDARD.encode(bytes))
        }
        _ => json!(vector),
    };
    let data = inputs.iter().enumerate().rev();
    let data: Vec<Value> = data
        .map(|(index, input)| json!({"object": "embedding", "index": index, "embedding": encode(vector(input))}))
        .collect();
    Reply::json(
        200,
        &json!({"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": 1, "total_tokens": 1}}),
    )
}
