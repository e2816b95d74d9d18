//! A conversation as the body of a Messages API request.

use serde_json::{Map, Value, json};

use super::AnthropicConfig;
use crate::language_model::{Message, Prompt, Source, Speaker, Tool, ToolCall};

/// The body for `prompt`, or why it cannot be expressed.
pub(super) fn body(config: &AnthropicConfig, prompt: &Prompt) -> Result<Value, String> {
    let mut body = Map::new();
    body.insert("model".into(), json!(config.model));
    body.insert("max_tokens".into(), json!(prompt.max_tokens));
    let system = system(&prompt.messages)?;
    if !system.is_empty() {
        body.insert("system".into(), json!(system));
    }
    body.insert("messages".into(), turns(&prompt.messages)?);
    if !prompt.tools.is_empty() {
        body.insert("tools".into(), prompt.tools.iter().map(tool).collect());
    }
    if !prompt.stop.is_empty() {
        body.insert("stop_sequences".into(), json!(prompt.stop));
    }
    // The settings were checked: these are there for the version that takes them only.
    let sampling = [
        ("temperature", config.temperature.map(Value::from)),
        ("top_p", config.top_p.map(Value::from)),
        ("top_k", config.top_k.map(Value::from)),
    ];
    for (name, value) in sampling {
        body.extend(value.map(|value| (name.to_owned(), value)));
    }
    body.insert("stream".into(), json!(config.streaming));
    Ok(Value::Object(body))
}

/// The rules of the conversation, which stand beside the turns.
fn system(messages: &[Message]) -> Result<String, String> {
    let rules = messages
        .iter()
        .filter(|message| message.speaker == Speaker::System);
    let mut texts = Vec::new();
    for message in rules {
        if !message.sources.is_empty() {
            return Err("a system message has sources; give them with the asker's message".to_owned());
        }
        texts.push(message.text.as_str());
    }
    Ok(texts.join("\n\n"))
}

/// The turns, each one message: results of several tools called at once belong into one.
fn turns(messages: &[Message]) -> Result<Value, String> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message.speaker {
            Speaker::System => continue,
            Speaker::User => ("user", passages_and_text(message)),
            Speaker::Tool => ("user", vec![tool_result(message)?]),
            Speaker::Assistant => ("assistant", assistant(message)?),
        };
        match turns.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns.retain(|(_, blocks)| !blocks.is_empty());
    if turns.is_empty() {
        return Err("it has no message beside the rules".to_owned());
    }
    let turn = |(role, content)| json!({"role": role, "content": content});
    Ok(turns.into_iter().map(turn).collect())
}

fn assistant(message: &Message) -> Result<Vec<Value>, String> {
    if !message.sources.is_empty() {
        return Err("an assistant's message has sources; give them with the asker's message".to_owned());
    }
    let mut blocks: Vec<Value> = text(&message.text).into_iter().collect();
    blocks.extend(message.calls.iter().map(tool_use));
    Ok(blocks)
}

fn tool_result(message: &Message) -> Result<Value, String> {
    let id = message
        .call_id
        .as_deref()
        .ok_or("a tool's result does not say which call it answers")?;
    Ok(json!({"type": "tool_result", "tool_use_id": id, "content": passages_and_text(message)}))
}

fn passages_and_text(message: &Message) -> Vec<Value> {
    let passages = message.sources.iter().map(search_result);
    passages.chain(text(&message.text)).collect()
}

/// A passage as one block, so that a citation names exactly this passage.
fn search_result(source: &Source) -> Value {
    let title = if source.title.is_empty() {
        &source.id
    } else {
        &source.title
    };
    json!({
        "type": "search_result",
        "source": source.id,
        "title": title,
        "content": [{"type": "text", "text": source.text}],
        "citations": {"enabled": true},
    })
}

/// A block of text; blank ones are refused by the interface.
fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

fn tool_use(call: &ToolCall) -> Value {
    // The interface takes an object only; what else a model wrote is shown back to it under a name.
    let input = match &call.arguments {
        Value::Object(_) => call.arguments.clone(),
        other => json!({"unreadable": other}),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> AnthropicConfig {
        AnthropicConfig {
            model: "m".into(),
            ..Default::default()
        }
    }

    fn source(id: &str) -> Source {
        Source {
            id: id.into(),
            title: String::new(),
            text: "Kittens rest.".into(),
        }
    }

    #[test]
    fn a_plain_prompt_has_no_field_that_a_version_refuses() {
        let body = body(&config(), &Prompt::new("Be brief.", "Hello", 7)).unwrap();
        let expected = json!({
            "model": "m",
            "max_tokens": 7,
            "system": "Be brief.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
            "stream": true,
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn sources_are_search_results_with_citations_in_questions_and_in_tool_results() {
        let mut prompt = Prompt::new("", "Where?", 7);
        prompt.messages[1].sources = vec![source("a#0")];
        let mut call = Message::new(Speaker::Assistant, "");
        call.calls = vec![ToolCall {
            id: "t1".into(),
            name: "search".into(),
            arguments: json!({"words": "cat"}),
        }];
        let mut result = Message::new(Speaker::Tool, "1 hit");
        result.call_id = Some("t1".into());
        result.sources = vec![source("b#1")];
        prompt.messages.extend([call, result]);

        let body = body(&config(), &prompt).unwrap();
        let block = |id: &str| {
            json!({
                "type": "search_result", "source": id, "title": id,
                "content": [{"type": "text", "text": "Kittens rest."}], "citations": {"enabled": true},
            })
        };
        let expected = json!([
            {"role": "user", "content": [block("a#0"), {"type": "text", "text": "Where?"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"words": "cat"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [block("b#1"), {"type": "text", "text": "1 hit"}]},
            ]},
        ]);
        assert_eq!(body["messages"], expected);
        assert_eq!(body.get("system"), None);
    }

    #[test]
    fn results_of_several_calls_are_one_turn() {
        let mut prompt = Prompt::new("", "Where?", 7);
        for id in ["t1", "t2"] {
            let mut result = Message::new(Speaker::Tool, "none");
            result.call_id = Some(id.into());
            prompt.messages.push(result);
        }
        let body = body(&config(), &prompt).unwrap();
        assert_eq!(body["messages"].as_array().unwrap().len(), 1);
        assert_eq!(body["messages"][0]["content"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn what_cannot_be_expressed_is_an_error() {
        let mut without_call = Prompt::new("", "Where?", 7);
        without_call.messages.push(Message::new(Speaker::Tool, "none"));
        let mut ruled_sources = Prompt::new("Rules", "Where?", 7);
        ruled_sources.messages[0].sources = vec![source("a#0")];
        for prompt in [without_call, ruled_sources, Prompt::new("Rules", " ", 7)] {
            assert!(body(&config(), &prompt).is_err(), "{prompt:?}");
        }
    }
}
