//! Tool calls as local models write them: `<tool_call>{"name": …, "arguments": …}</tool_call>`, the form of
//! the Hermes, Qwen and SmolLM models.

use serde_json::{Value, json};

use crate::language_model::{Tool, ToolCall};

/// What begins a call.
pub(super) const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
/// More calls than this in one message are text.
const MAX_CALLS: usize = 32;

/// What a message says and calls.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parsed {
    /// The message without the calls.
    pub(super) text: String,
    /// The calls, in order, with ids `call_0`, `call_1`, ….
    pub(super) calls: Vec<ToolCall>,
}

/// Takes the calls out of a message. What looks like a call but is none stays in the text. The last call may
/// lack its end, since some models stop there.
pub(super) fn parse(message: &str) -> Parsed {
    let mut parsed = Parsed {
        text: String::new(),
        calls: Vec::new(),
    };
    let mut rest = message;
    while let Some(start) = rest.find(OPEN) {
        let body = &rest[start + OPEN.len()..];
        let (body, behind) = body.split_once(CLOSE).unwrap_or((body, ""));
        let end = rest.len() - behind.len();
        match call(body, parsed.calls.len()) {
            Some(call) if parsed.calls.len() < MAX_CALLS => {
                parsed.text.push_str(&rest[..start]);
                parsed.calls.push(call);
            }
            _ => parsed.text.push_str(&rest[..end]),
        }
        rest = behind;
    }
    parsed.text.push_str(rest);
    parsed
}

fn call(body: &str, index: usize) -> Option<ToolCall> {
    // serde_json bounds the depth by itself.
    let value: Value = serde_json::from_str(body.trim()).ok()?;
    let name = value.get("name")?.as_str()?;
    let arguments = value.get("arguments").or_else(|| value.get("parameters"));
    (!name.is_empty()).then(|| ToolCall {
        id: format!("call_{index}"),
        name: name.to_owned(),
        arguments: arguments.cloned().unwrap_or_else(|| json!({})),
    })
}

/// Writes a call as the model does.
pub(super) fn write(call: &ToolCall) -> String {
    let json = spaced_json(&json!({"name": call.name, "arguments": call.arguments}));
    format!("{OPEN}\n{json}\n{CLOSE}")
}

/// Tells a model whose template does not which tools it has and how to call them.
pub(super) fn instructions(tools: &[Tool]) -> String {
    let describe = |tool: &Tool| {
        let function = json!({
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        });
        spaced_json(&json!({"type": "function", "function": function}))
    };
    let tools: Vec<String> = tools.iter().map(describe).collect();
    format!(
        "You may call these functions, described within <tools></tools>:\n<tools>\n{}\n</tools>\n\nTo call one, \
         write its name and arguments as JSON within {OPEN}{CLOSE}:\n{OPEN}\n{{\"name\": <name>, \
         \"arguments\": <arguments>}}\n{CLOSE}",
        tools.join("\n")
    )
}

/// JSON with a space behind each comma and colon, as in the models' training.
pub(super) fn spaced_json(value: &Value) -> String {
    let mut text = String::new();
    write_spaced(value, &mut text);
    text
}

fn write_spaced(value: &Value, text: &mut String) {
    let separate = |text: &mut String, index: usize| {
        if index > 0 {
            text.push_str(", ");
        }
    };
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(text, index);
                write_spaced(item, text);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            text.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                separate(text, index);
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(": ");
                write_spaced(item, text);
            }
            text.push('}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_taken_out_and_everything_else_is_text() {
        for (message, text, names) in [
            ("No call.", "No call.", &[][..]),
            (
                "Let me see. <tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"a\"}}\n</tool_call>",
                "Let me see. ",
                &["search"],
            ),
            (
                "<tool_call>{\"name\":\"a\"}</tool_call>\n<tool_call>{\"name\":\"b\",\"parameters\":{}}",
                "\n",
                &["a", "b"],
            ),
            (
                "<tool_call>{broken</tool_call> x",
                "<tool_call>{broken</tool_call> x",
                &[],
            ),
            ("<tool_call>[1]</tool_call>", "<tool_call>[1]</tool_call>", &[]),
            (
                "<tool_call>{\"name\":7}</tool_call>",
                "<tool_call>{\"name\":7}</tool_call>",
                &[],
            ),
            ("<tool_call>", "<tool_call>", &[]),
            ("</tool_call>", "</tool_call>", &[]),
        ] {
            let parsed = parse(message);
            assert_eq!(parsed.text, text, "{message}");
            let found: Vec<&str> = parsed.calls.iter().map(|call| call.name.as_str()).collect();
            assert_eq!(found, names, "{message}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let call = ToolCall {
            id: "call_0".into(),
            name: "search".into(),
            arguments: json!({"query": "a \"b\" <c>", "n": [1, 2.5, null, {"deep": true}]}),
        };
        let written = write(&call);
        assert!(
            written.contains("\"n\": [1, 2.5, null, {\"deep\": true}]"),
            "{written}"
        );
        assert_eq!(parse(&written).calls, [call]);
    }

    #[test]
    fn nesting_without_end_is_text() {
        let deep = format!("<tool_call>{{\"name\":{}</tool_call>", "[".repeat(100_000));
        assert_eq!(parse(&deep).text, deep);
        let many = "<tool_call>{\"name\":\"a\"}</tool_call>".repeat(40);
        assert_eq!(parse(&many).calls.len(), MAX_CALLS);
    }
}
