//! What of a server's words may be shown: nothing that repeats the key or the texts that were sent to it.
//!
//! Servers quote freely: a gateway may echo headers, a validator the whole request. Messages end up in logs and
//! issues, so a text that shares a run of characters with either is left out.

use serde_json::Value;

use super::secret::Secret;

/// Longest text shown, in characters.
const LONGEST: usize = 300;
/// Characters of the key that must not appear in a row.
const KEY_RUN: usize = 8;
/// Letters and digits of a sent text that must not appear in a row.
const TEXT_RUN: usize = 12;
/// Fields of a request whose values are words of the interface, not texts.
const INTERFACE_FIELDS: [&str; 5] = ["type", "role", "id", "name", "tool_call_id"];

/// Compares a server's words with what was sent.
pub(super) struct Discretion<'a> {
    secret: Option<&'a Secret>,
    sent: String,
}

impl<'a> Discretion<'a> {
    /// For a request with this key and body.
    pub(super) fn new(secret: Option<&'a Secret>, body: &Value) -> Self {
        let mut sent = String::new();
        for field in ["messages", "system", "input"] {
            gather(&body[field], &mut sent);
        }
        Self { secret, sent }
    }

    /// `text` in one line of bounded length, or a note that it was left out.
    pub(super) fn shown(&self, text: &str) -> String {
        let line: Vec<&str> = text
            .split(|c: char| c.is_control() || c.is_whitespace())
            .collect();
        let line: String = line.join(" ").chars().take(LONGEST).collect();
        if self.repeats_key(&line) || self.repeats_text(&line) {
            return "its words repeat what was sent and are left out".to_owned();
        }
        line
    }

    fn repeats_key(&self, line: &str) -> bool {
        let Some(secret) = self.secret else { return false };
        let key: Vec<char> = secret.reveal().chars().collect();
        let mut runs = key.windows(KEY_RUN.min(key.len()).max(1));
        runs.any(|run| line.contains(&run.iter().collect::<String>()))
    }

    fn repeats_text(&self, line: &str) -> bool {
        let folded: Vec<char> = fold(line).collect();
        let mut runs = folded.windows(TEXT_RUN);
        runs.any(|run| self.sent.contains(&run.iter().collect::<String>()))
    }
}

/// Appends the folded texts of a request, one per line.
fn gather(value: &Value, sent: &mut String) {
    match value {
        Value::String(text) => {
            sent.extend(fold(text));
            sent.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, sent)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !INTERFACE_FIELDS.contains(&name.as_str()))
            .for_each(|(_, value)| gather(value, sent)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Letters and digits in lower case: quoting, escaping and line breaks make no difference.
fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_that_repeat_the_key_or_the_request_are_left_out() {
        let key = Secret::new("sk-abcdefghijkl");
        let body = json!({
            "model": "a-model-of-some-length",
            "messages": [{"role": "user", "content": [{"type": "search_result", "text": "The salary of \"Ada\"\nis 90,000."}]}],
        });
        let discretion = Discretion::new(Some(&key), &body);
        let shown = [
            "max_tokens must be positive",
            "no model a-model-of-some-length",
            "search_result is not known",
            "key sk-ab***jkl",
        ];
        for text in shown {
            assert_eq!(discretion.shown(text), text);
        }
        let hidden = [
            "Incorrect key: sk-abcdefghijkl",
            "Incorrect key: ...efghijkl",
            "cannot parse: the salary of \\\"Ada\\\"\\nis 90,000",
            "THE SALARY OF ADA",
        ];
        for text in hidden {
            let line = discretion.shown(text);
            assert!(line.contains("left out"), "{text}: {line}");
        }
    }

    #[test]
    fn words_are_one_line_of_bounded_length() {
        let discretion = Discretion::new(None, &Value::Null);
        assert_eq!(discretion.shown("a\r\nb\u{1b}[31m"), "a  b [31m");
        assert_eq!(discretion.shown(&"x".repeat(9000)).len(), LONGEST);
    }
}
