//! Neither the key nor what was sent appears in any error, identity or debug form, whatever the server says.

use std::cell::Cell;
use std::sync::{Mutex, Once};

use rag_core::progress::Silent;
use rag_models::language_model::Prompt;
use rag_models::remote::{
    AnthropicConfig, AnthropicModel, OpenAiConfig, OpenAiModel, RemoteEmbedder, RemoteEmbeddingConfig,
};
use rag_models::{Embedder, LanguageModel};
use serde_json::{Value, json};

use super::server::{Provider, Reply, Request};
use super::{KEY, complete, key, quick};

/// What must not be seen.
const PRIVATE: &str = "The salary of Ada is 90,000.";

/// A server that repeats all that it was sent, in every place where words may stand.
fn echo(request: &Request) -> Value {
    let everything = format!("{:?} {}", request.headers, request.body);
    let error = json!({"type": everything, "message": everything, "code": everything,
        "details": {"error_code": format!("billing {everything}")}});
    json!({"type": "error", "error": error})
}

fn plain_echo(request: &Request) -> Value {
    json!({"error": {"type": "any", "message": format!("{:?} {}", request.headers, request.body)}})
}

type Answer = Box<dyn Fn(&Request) -> Reply + Send + Sync>;

fn answers() -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for status in [
        200, 302, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529,
    ] {
        answers.push(Box::new(move |request| Reply::json(status, &echo(request))));
        answers.push(Box::new(move |request| Reply::json(status, &plain_echo(request))));
    }
    answers.push(Box::new(|request| Reply::events(&[("error", echo(request))])));
    answers.push(Box::new(|request| Reply::chunks(&[plain_echo(request)])));
    answers.push(Box::new(|request| {
        Reply::body(
            200,
            "text/event-stream",
            vec![format!("data: {}\n\n", request.body).into_bytes()],
        )
    }));
    answers.push(Box::new(|request| {
        Reply::body(200, "text/html", vec![request.body.to_string().into_bytes()])
    }));
    answers.push(Box::new(|request| {
        Reply::json(200, &json!({"data": [{"index": 0, "embedding": echo(request)}]}))
    }));
    answers.push(Box::new(|request| Reply::json(200, &echo(request)).broken()));
    answers
}

fn check(form: &str) {
    assert!(!form.contains(KEY) && !form.contains(&KEY[5..]), "{form}");
    assert!(!form.contains("salary") && !form.contains("90,000"), "{form}");
}

/// Keeps what any library logs, at every level but the one at which the HTTP library records all bytes. That one is on
/// for threads that ask for it.
struct Logged;

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static RECORDS_BYTES: Cell<bool> = const { Cell::new(false) };
}

impl log::Log for Logged {
    fn enabled(&self, what: &log::Metadata<'_>) -> bool {
        let bytes = what.target().starts_with("ureq_proto") && what.level() == log::Level::Trace;
        !bytes || RECORDS_BYTES.get()
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            LINES.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Makes [`Logged`] the logger of this process.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Logged).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
}

#[test]
fn nothing_is_sent_while_a_logger_records_all_bytes() {
    listen();
    let provider = Provider::start(0, |request| Reply::json(200, &echo(request))).unwrap();
    let config = OpenAiConfig {
        base_url: provider.url(),
        model: "m".into(),
        ..Default::default()
    };
    let model = OpenAiModel::new(config, key()).unwrap();
    RECORDS_BYTES.set(true);
    let error = complete(&model, &Prompt::new("", PRIVATE, 9)).0.unwrap_err();
    RECORDS_BYTES.set(false);
    assert!(error.to_string().contains("set that to debug"), "{error}");
    assert!(provider.requests().is_empty());
}

#[test]
fn no_error_path_shows_the_key_or_what_was_sent() {
    listen();
    let mut errors = 0;
    for answer in answers() {
        let provider = Provider::start(0, answer).unwrap();
        let anthropic = AnthropicConfig {
            base_url: provider.url(),
            model: "m".into(),
            http: quick(),
            ..Default::default()
        };
        let openai = OpenAiConfig {
            base_url: provider.url(),
            model: "m".into(),
            http: quick(),
            ..Default::default()
        };
        let embedding = RemoteEmbeddingConfig {
            base_url: provider.url(),
            model: "m".into(),
            dimension: Some(4),
            http: quick(),
            ..Default::default()
        };
        let models: [Box<dyn LanguageModel>; 2] = [
            Box::new(AnthropicModel::new(anthropic, key()).unwrap()),
            Box::new(OpenAiModel::new(openai, key()).unwrap()),
        ];
        for model in models {
            check(&model.identity());
            match complete(&*model, &Prompt::new(PRIVATE, PRIVATE, 9)).0 {
                Ok(completion) => check(&format!("{completion:?}")),
                Err(error) => {
                    errors += 1;
                    check(&format!("{error} {error:?}"));
                }
            }
        }
        let embedder = RemoteEmbedder::new(embedding, key()).unwrap();
        check(&format!("{embedder:?}"));
        let error = embedder.embed_passages(&[PRIVATE], &Silent).unwrap_err();
        check(&format!("{error} {error:?}"));
        errors += 1;
    }
    assert!(errors > 90, "{errors}");
    let lines = LINES.lock().unwrap().clone();
    assert!(lines.len() > 100, "{}", lines.len());
    for line in &lines {
        check(line);
    }
}

#[test]
fn settings_hold_the_name_of_a_variable_and_no_key() {
    let settings = serde_json::to_string(&AnthropicConfig::default()).unwrap();
    assert!(settings.contains("ANTHROPIC_API_KEY"));
    for text in [r#"{"key": "abc"}"#, r#"{"http": {"secret": "abc"}}"#] {
        assert!(serde_json::from_str::<AnthropicConfig>(text).is_err(), "{text}");
    }
}

#[test]
fn a_missing_or_impossible_key_names_the_setting_to_correct() {
    let config = OpenAiConfig {
        model: "m".into(),
        ..Default::default()
    };
    for key in ["", " ", "two\nlines", "nul\0"] {
        let secret = rag_models::remote::Secret::new(key);
        let error = OpenAiModel::new(config.clone(), secret).unwrap_err().to_string();
        assert!(
            error.contains("key_variable") && !error.contains("lines"),
            "{error}"
        );
    }
    assert!(
        OpenAiModel::new(config, None)
            .unwrap_err()
            .to_string()
            .contains("key_header")
    );
}
