//! A provider's error body, and which error it is. Decided by status and codes, never by the message.

use serde_json::Value;

use super::discretion::Discretion;
use super::error::RemoteError;

/// Codes of limits that waiting does not lift, beside all that begin with `billing`.
const SPEND_CODES: [&str; 4] = [
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
    "insufficient_quota",
    "quota_exceeded",
];
const REFUSED_CODES: [&str; 3] = [
    "content_filter",
    "content_policy_violation",
    "ResponsibleAIPolicyViolation",
];
const TOO_LONG_CODES: [&str; 4] = [
    "request_too_large",
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
];
/// Statuses of error types that come inside a stream, where the HTTP status was already 200.
const STATUS_OF_TYPE: [(&str, u16); 9] = [
    ("invalid_request_error", 400),
    ("authentication_error", 401),
    ("billing_error", 402),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("api_error", 500),
    ("overloaded_error", 529),
];

/// What a server says of a failure.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Problem {
    /// Every code and type in it, the most special first.
    codes: Vec<String>,
    message: String,
}

impl Problem {
    /// Reads a body; one that is no error of a known form gives an empty problem.
    pub(super) fn of_body(body: &[u8]) -> Self {
        serde_json::from_slice(body).map_or_else(|_| Self::default(), |value| Self::of_value(&value))
    }

    /// Reads `{"error": {…}}`, `{"error": "…"}`, or an object with the fields of an error.
    pub(super) fn of_value(value: &Value) -> Self {
        let error = value.get("error").unwrap_or(value);
        if let Some(message) = error.as_str() {
            return Self {
                codes: Vec::new(),
                message: message.to_owned(),
            };
        }
        let codes = [
            &error["details"]["error_code"],
            &error["innererror"]["code"],
            &error["code"],
            &error["type"],
        ];
        Self {
            codes: codes.into_iter().filter_map(code).collect(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
        }
    }

    fn has(&self, known: &[&str]) -> bool {
        self.codes.iter().any(|code| known.contains(&code.as_str()))
    }

    fn is_spend_limit(&self) -> bool {
        self.has(&SPEND_CODES) || self.codes.iter().any(|code| code.starts_with("billing"))
    }

    /// The HTTP status that an error inside a stream would have had.
    pub(super) fn implied_status(&self) -> u16 {
        let numbers = self.codes.iter().filter_map(|code| code.parse().ok());
        let types = self.codes.iter().filter_map(|code| {
            let known = STATUS_OF_TYPE.iter().find(|(name, _)| name == code);
            known.map(|(_, status)| *status)
        });
        let mut statuses = numbers.chain(types).filter(|status| (400..600).contains(status));
        statuses.next().unwrap_or(500)
    }

    /// False for failures that asking again cannot lift, whatever status and headers say.
    pub(super) fn may_pass(&self) -> bool {
        !self.is_spend_limit() && !self.has(&REFUSED_CODES) && !self.has(&TOO_LONG_CODES)
    }

    /// The error for a reply of `status`.
    pub(super) fn into_error(self, status: u16, endpoint: &str, discretion: &Discretion<'_>) -> RemoteError {
        let endpoint = endpoint.to_owned();
        let code = || discretion.shown(self.codes.first().map_or("no code", String::as_str));
        let said = || {
            let words = [
                self.codes.first().map(String::as_str),
                Some(self.message.as_str()),
            ];
            let words: Vec<String> = words
                .into_iter()
                .flatten()
                .filter(|word| !word.is_empty())
                .map(|word| discretion.shown(word))
                .collect();
            if words.is_empty() {
                "no reason given".to_owned()
            } else {
                words.join(": ")
            }
        };
        match status {
            _ if self.is_spend_limit() => RemoteError::SpendLimit {
                endpoint,
                code: code(),
            },
            _ if self.has(&REFUSED_CODES) => RemoteError::Refused {
                endpoint,
                reason: code(),
            },
            413 => RemoteError::TooLong {
                endpoint,
                said: said(),
            },
            _ if self.has(&TOO_LONG_CODES) => RemoteError::TooLong {
                endpoint,
                said: said(),
            },
            401 | 403 => RemoteError::Unauthorised { endpoint, status },
            402 => RemoteError::SpendLimit {
                endpoint,
                code: code(),
            },
            404 => RemoteError::NotFound {
                endpoint,
                said: said(),
            },
            429 => RemoteError::Limit {
                endpoint,
                attempts: 1,
                wait: None,
            },
            408 | 409 | 500.. => RemoteError::Overloaded {
                endpoint,
                said: format!("status {status}, {}", said()),
                attempts: 1,
                wait: None,
            },
            _ => RemoteError::Rejected {
                endpoint,
                status,
                said: said(),
            },
        }
    }
}

/// A code, which some servers write as a number.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(code) if !code.is_empty() => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(status: u16, body: &Value) -> String {
        let problem = Problem::of_body(body.to_string().as_bytes());
        let error = problem.into_error(status, "host/path", &Discretion::new(None, &Value::Null));
        let name = format!("{error:?}");
        name.split([' ', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn every_provider_s_errors_are_told_apart() {
        let anthropic = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "m"}});
        let openai =
            |code: Value| json!({"error": {"message": "m", "type": "t", "param": null, "code": code}});
        let cases = [
            (400, anthropic("invalid_request_error"), "Rejected"),
            (401, anthropic("authentication_error"), "Unauthorised"),
            (402, anthropic("billing_error"), "SpendLimit"),
            (403, anthropic("permission_error"), "Unauthorised"),
            (404, anthropic("not_found_error"), "NotFound"),
            (409, anthropic("conflict_error"), "Overloaded"),
            (413, anthropic("anything"), "TooLong"),
            (429, anthropic("rate_limit_error"), "Limit"),
            (504, anthropic("timeout_error"), "Overloaded"),
            (529, anthropic("overloaded_error"), "Overloaded"),
            (
                429,
                json!({"error": {"type": "rate_limit_error", "details": {"error_code": "contract_spend_limit_reached"}}}),
                "SpendLimit",
            ),
            (
                429,
                json!({"error": {"type": "rate_limit_error", "details": {"error_code": "ramp_limit_exceeded"}}}),
                "Limit",
            ),
            (429, openai(json!("insufficient_quota")), "SpendLimit"),
            (429, openai(json!("billing_hard_limit_reached")), "SpendLimit"),
            (429, openai(json!("429")), "Limit"),
            (400, openai(json!("context_length_exceeded")), "TooLong"),
            (400, openai(json!("content_filter")), "Refused"),
            (404, openai(json!("DeploymentNotFound")), "NotFound"),
            (503, openai(json!(503)), "Overloaded"),
            (
                400,
                json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "m"}}),
                "TooLong",
            ),
            (
                400,
                json!({"error": {"code": null, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
                "Refused",
            ),
            (400, json!({"error": "a sentence"}), "Rejected"),
            (
                400,
                json!({"object": "error", "message": "m", "code": 40303}),
                "Rejected",
            ),
            (502, json!("<html>"), "Overloaded"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(kind(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_implies_its_status() {
        let cases = [
            (json!({"error": {"type": "overloaded_error"}}), 529),
            (json!({"error": {"type": "rate_limit_error"}}), 429),
            (json!({"error": {"code": "429"}}), 429),
            (json!({"error": {"code": 503, "type": "unavailable_error"}}), 503),
            (json!({"error": {"code": 7}}), 500),
            (json!({"error": {"type": "new_error"}}), 500),
            (json!({"error": "a sentence"}), 500),
        ];
        for (body, status) in cases {
            assert_eq!(Problem::of_value(&body).implied_status(), status, "{body}");
        }
    }
}
