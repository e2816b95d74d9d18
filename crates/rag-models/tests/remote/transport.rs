//! What the one HTTP client does when servers are slow, large, broken, busy, or point elsewhere.

use std::net::TcpListener;

use rag_models::language_model::Prompt;
use rag_models::remote::{AnthropicConfig, AnthropicModel, HttpConfig, RemoteError};
use serde_json::{Value, json};

use super::server::{Provider, Reply};
use super::{complete, key, kind, quick};

/// Asks a server for a whole message, or for a stream when it sends one.
fn ask(provider: &Provider, http: HttpConfig) -> Result<String, RemoteError> {
    ask_at(provider.url(), http)
}

fn ask_at(base_url: String, http: HttpConfig) -> Result<String, RemoteError> {
    let config = AnthropicConfig {
        base_url,
        model: "m".into(),
        http,
        ..Default::default()
    };
    let model = AnthropicModel::new(config, key()).unwrap();
    complete(&model, &Prompt::new("", "Who?", 9))
        .0
        .map(|completion| completion.text)
}

fn message() -> Reply {
    let content = json!([{"type": "text", "text": "Ada."}]);
    Reply::json(
        200,
        &json!({"type": "message", "content": content, "stop_reason": "end_turn", "usage": {}}),
    )
}

fn failure(status: u16) -> Reply {
    Reply::json(
        status,
        &json!({"type": "error", "error": {"type": "any", "message": "m"}}),
    )
}

/// What came of it, and in how many requests.
fn outcome(replies: Vec<Reply>) -> (String, usize) {
    let provider = Provider::scripted(replies).unwrap();
    let outcome = ask(&provider, quick());
    (
        outcome.unwrap_or_else(|error| kind(&error)),
        provider.requests().len(),
    )
}

#[test]
fn what_may_pass_is_asked_again() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        let expected = ("Ada.".to_owned(), 3);
        assert_eq!(
            outcome(vec![failure(status), failure(status), message()]),
            expected,
            "{status}"
        );
    }
    let three = |status| outcome(vec![failure(status), failure(status), failure(status), message()]);
    assert_eq!(three(429), ("Limit".to_owned(), 3));
    assert_eq!(three(503), ("Overloaded".to_owned(), 3));
}

#[test]
fn what_cannot_pass_is_not_asked_again() {
    let cases = [
        (failure(400), "Rejected"),
        (failure(401), "Unauthorised"),
        (failure(403), "Unauthorised"),
        (failure(404), "NotFound"),
        (failure(413), "TooLong"),
        (failure(529).with("x-should-retry", "false"), "Overloaded"),
        (
            Reply::json(429, &json!({"error": {"code": "insufficient_quota"}}))
                .with("x-should-retry", "true"),
            "SpendLimit",
        ),
        (Reply::body(200, "text/html", vec![b"<html>".to_vec()]), "Shape"),
        (Reply::json(200, &json!({"choices": []})), "Shape"),
        (
            Reply::json(307, &Value::Null).with("location", "http://127.0.0.1:9/"),
            "Redirected",
        ),
    ];
    for (reply, expected) in cases {
        let shown = format!("{reply:?}");
        assert_eq!(
            outcome(vec![reply, message()]),
            (expected.to_owned(), 1),
            "{shown}"
        );
    }
    let again = failure(400).with("x-should-retry", "true");
    assert_eq!(outcome(vec![again, message()]), ("Ada.".to_owned(), 2));
}

#[test]
fn a_wait_that_is_too_long_is_an_error_that_says_how_long() {
    let provider = Provider::scripted(vec![failure(429).with("retry-after", "90"), message()]).unwrap();
    let error = ask(&provider, quick()).unwrap_err();
    assert!(error.to_string().contains("wait 90 s"), "{error}");
    assert_eq!(provider.requests().len(), 1);
    // So is one that ends after all time is over.
    let provider = Provider::scripted(vec![failure(429).with("retry-after", "30"), message()]).unwrap();
    let http = HttpConfig {
        total_timeout_ms: 20_000,
        ..quick()
    };
    assert!(
        ask(&provider, http)
            .unwrap_err()
            .to_string()
            .contains("wait 30 s")
    );
}

#[test]
fn a_stream_that_breaks_before_any_text_is_asked_for_again() {
    let start = || {
        (
            "message_start",
            json!({"type": "message_start", "message": {"usage": {}}}),
        )
    };
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}});
    let early = vec![
        Reply::events(&[start(), start()]).broken(),
        Reply::events(&[start(), ("error", error)]),
        message(),
    ];
    assert_eq!(outcome(early), ("Ada.".to_owned(), 3));
}

#[test]
fn a_body_that_breaks_off_is_asked_for_again() {
    let half = || Reply::body(200, "application/json", vec![b"{\"type\":".to_vec(), vec![]]).broken();
    assert_eq!(outcome(vec![half(), message()]), ("Ada.".to_owned(), 2));
}

#[test]
fn replies_are_bounded_in_size() {
    let limit = HttpConfig {
        max_reply_bytes: 1000,
        ..quick()
    };
    let large = [
        Reply::body(200, "application/json", vec![vec![b' '; 600], vec![b' '; 600]]),
        Reply::body(
            200,
            "text/event-stream",
            vec![b": comment\n".repeat(60), b": comment\n".repeat(60)],
        ),
    ];
    for reply in large {
        let provider = Provider::scripted(vec![reply]).unwrap();
        assert_eq!(kind(&ask(&provider, limit.clone()).unwrap_err()), "TooLarge");
    }
}

#[test]
fn every_wait_for_a_server_has_an_end() {
    let silent = |pieces: Vec<Vec<u8>>| Reply::body(200, "text/event-stream", pieces).silent();
    let http = HttpConfig {
        first_byte_timeout_ms: 50,
        idle_timeout_ms: 60,
        ..quick()
    };
    let provider = Provider::scripted(vec![silent(vec![b": begun\n".to_vec(), vec![]])]).unwrap();
    let expected = |setting| {
        let endpoint = format!("{}/v1/messages", provider.url().trim_start_matches("http://"));
        RemoteError::Timeout { endpoint, setting }
    };
    assert_eq!(
        ask(&provider, http.clone()).unwrap_err(),
        expected("idle_timeout_ms")
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let error = ask_at(format!("http://{address}"), http).unwrap_err();
    assert!(error.to_string().contains("first_byte_timeout_ms"), "{error}");
    let http = HttpConfig {
        total_timeout_ms: 40,
        ..quick()
    };
    let error = ask_at(format!("http://{address}"), http).unwrap_err();
    assert!(error.to_string().contains("total_timeout_ms"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = ask_at(format!("http://{address}"), quick()).unwrap_err();
    assert_eq!(kind(&error), "Unreachable");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[test]
fn a_proxy_is_not_used_for_this_machine() {
    let provider = Provider::scripted(vec![message()]).unwrap();
    let http = HttpConfig {
        proxy: Some("http://127.0.0.1:9".into()),
        ..quick()
    };
    assert_eq!(ask(&provider, http).unwrap(), "Ada.");
}
