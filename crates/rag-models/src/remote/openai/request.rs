//! A conversation as the body of a chat completions request.

use serde_json::{Map, Value, json};

use super::{OpenAiConfig, TokenLimitField};
use crate::language_model::{Message, Prompt, Speaker, Tool, ToolCall};

/// The body for `prompt`, or why it cannot be expressed.
pub(super) fn body(config: &OpenAiConfig, prompt: &Prompt) -> Result<Value, String> {
    let messages: Vec<Value> = prompt.messages.iter().map(message).collect::<Result<_, _>>()?;
    if messages.is_empty() {
        return Err("it has no message".to_owned());
    }
    let mut body = Map::new();
    body.insert("model".into(), json!(config.model));
    body.insert("messages".into(), Value::Array(messages));
    let limit = match config.token_limit_field {
        TokenLimitField::MaxCompletionTokens => "max_completion_tokens",
        TokenLimitField::MaxTokens => "max_tokens",
    };
    body.insert(limit.into(), json!(prompt.max_tokens));
    let optional = [
        ("temperature", config.temperature.map(Value::from)),
        ("top_p", config.top_p.map(Value::from)),
        ("seed", config.seed.map(Value::from)),
        (
            "reasoning_effort",
            config.reasoning_effort.clone().map(Value::from),
        ),
        ("stop", (!prompt.stop.is_empty()).then(|| json!(prompt.stop))),
        (
            "tools",
            (!prompt.tools.is_empty()).then(|| prompt.tools.iter().map(tool).collect()),
        ),
        (
            "stream_options",
            config.streaming.then(|| json!({"include_usage": true})),
        ),
    ];
    for (name, value) in optional {
        body.extend(value.map(|value| (name.to_owned(), value)));
    }
    body.insert("stream".into(), json!(config.streaming));
    Ok(Value::Object(body))
}

fn message(message: &Message) -> Result<Value, String> {
    if !message.sources.is_empty() {
        return Err("this interface has no place for sources; write them into the text".to_owned());
    }
    Ok(match message.speaker {
        Speaker::System => json!({"role": "system", "content": message.text}),
        Speaker::User => json!({"role": "user", "content": message.text}),
        Speaker::Tool => {
            let id = message
                .call_id
                .as_deref()
                .ok_or("a tool's result does not say which call it answers")?;
            json!({"role": "tool", "tool_call_id": id, "content": message.text})
        }
        Speaker::Assistant if message.calls.is_empty() => {
            json!({"role": "assistant", "content": message.text})
        }
        Speaker::Assistant => {
            let content = (!message.text.is_empty()).then_some(&message.text);
            let calls: Vec<Value> = message.calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
    })
}

fn tool(tool: &Tool) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    json!({"type": "function", "function": function})
}

fn call(call: &ToolCall) -> Value {
    // The interface carries arguments as text; what was no JSON goes back as the model wrote it.
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_model::Source;

    fn config() -> OpenAiConfig {
        OpenAiConfig {
            model: "m".into(),
            ..Default::default()
        }
    }

    #[test]
    fn a_plain_prompt_has_only_what_is_needed() {
        let expected = json!({
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
            "max_completion_tokens": 7,
            "stream_options": {"include_usage": true},
            "stream": true,
        });
        assert_eq!(
            body(&config(), &Prompt::new("Be brief.", "Hello", 7)).unwrap(),
            expected
        );
    }

    #[test]
    fn settings_reach_the_body() {
        let config = OpenAiConfig {
            token_limit_field: TokenLimitField::MaxTokens,
            temperature: Some(0.5),
            seed: Some(7),
            streaming: false,
            ..config()
        };
        let mut prompt = Prompt::new("", "Hello", 7);
        prompt.stop = vec!["END".into()];
        let body = body(&config, &prompt).unwrap();
        assert_eq!(body["max_tokens"], 7);
        assert_eq!(body["temperature"], 0.5);
        assert_eq!(body["seed"], 7);
        assert_eq!(body["stop"], json!(["END"]));
        assert_eq!(body["stream"], false);
        for absent in ["max_completion_tokens", "stream_options", "tools", "top_p"] {
            assert_eq!(body.get(absent), None, "{absent}");
        }
    }

    #[test]
    fn calls_and_their_results_are_messages_of_their_own() {
        let mut called = Message::new(Speaker::Assistant, "");
        for arguments in [json!({"a": 1}), json!("{broken")] {
            called.calls.push(ToolCall {
                id: "c".into(),
                name: "search".into(),
                arguments,
            });
        }
        let mut result = Message::new(Speaker::Tool, "none");
        result.call_id = Some("c".into());
        let expected = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{\"a\":1}"}},
            {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{broken"}},
        ]});
        assert_eq!(message(&called).unwrap(), expected);
        let expected = json!({"role": "tool", "tool_call_id": "c", "content": "none"});
        assert_eq!(message(&result).unwrap(), expected);
    }

    #[test]
    fn sources_are_refused_rather_than_lost() {
        let mut prompt = Prompt::new("", "Where?", 7);
        prompt.messages[1].sources.push(Source {
            id: "a#0".into(),
            title: String::new(),
            text: "Kittens rest.".into(),
        });
        assert!(body(&config(), &prompt).unwrap_err().contains("sources"));
    }
}
