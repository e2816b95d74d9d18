//! Chat completions: OpenAI, Azure and compatible servers, whole and streamed.

use rag_models::LanguageModel;
use rag_models::language_model::{Prompt, Stop, TokenUsage};
use rag_models::remote::{KeyHeader, OpenAiConfig, OpenAiModel, TokenLimitField};
use serde_json::json;

use super::server::Provider;
use super::{chat, complete, key, kind, quick};

fn provider() -> Provider {
    Provider::start(0, chat::answer).unwrap()
}

fn config(provider: &Provider, model: &str) -> OpenAiConfig {
    OpenAiConfig {
        base_url: format!("{}/v1", provider.url()),
        model: model.into(),
        http: quick(),
        ..Default::default()
    }
}

fn model(provider: &Provider, name: &str) -> OpenAiModel {
    OpenAiModel::new(config(provider, name), key()).unwrap()
}

fn question() -> Prompt {
    Prompt::new("Be brief.", "Who?", 50)
}

#[test]
fn every_kind_of_server_is_reached() {
    let provider = provider();
    let openai = config(&provider, "m");
    let azure = OpenAiConfig {
        base_url: provider.url(),
        deployment: Some("dep".into()),
        api_version: Some("2024-10-21".into()),
        key_header: KeyHeader::ApiKey,
        ..openai.clone()
    };
    let local = OpenAiConfig {
        token_limit_field: TokenLimitField::MaxTokens,
        streaming: false,
        ..openai.clone()
    };
    for config in [openai, azure, local] {
        let streaming = config.streaming;
        let model = OpenAiModel::new(config, key()).unwrap();
        assert!(!model.cites_sources());
        let (completion, pieces) = complete(&model, &question());
        let completion = completion.unwrap();
        assert_eq!(completion.text, "Grüße, 2 messages.");
        assert_eq!(pieces.concat(), completion.text);
        assert_eq!(pieces.len(), if streaming { 2 } else { 1 });
        assert_eq!(completion.stop, Stop::End);
        let usage = TokenUsage {
            prompt: 9,
            completion: 4,
        };
        assert_eq!(completion.usage, usage);
    }
    let requests = provider.requests();
    assert_eq!(
        requests[1].path,
        "/openai/deployments/dep/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(requests[1].header("authorization"), None);
    assert_eq!(requests[2].body["max_tokens"], 50);
}

#[test]
fn calls_whose_pieces_alternate_are_put_together() {
    let provider = provider();
    for streaming in [true, false] {
        let config = OpenAiConfig {
            streaming,
            ..config(&provider, "calls")
        };
        let model = OpenAiModel::new(config, key()).unwrap();
        let completion = complete(&model, &question()).0.unwrap();
        assert_eq!(completion.stop, Stop::ToolCalls);
        let calls: Vec<_> = completion
            .calls
            .iter()
            .map(|c| (c.id.as_str(), c.name.as_str(), &c.arguments))
            .collect();
        let (cat, dog) = (json!({"words": "cat \"ö\""}), json!({"words": "dog"}));
        assert_eq!(calls, [("call_1", "search", &cat), ("call_2", "search", &dog)]);
    }
}

#[test]
fn every_reason_to_stop_is_told_apart() {
    let provider = provider();
    let cases = [
        ("refuses", Stop::Refused("I cannot help with that.".into()), ""),
        ("filtered", Stop::Refused("content_filter violence".into()), ""),
        (
            "blocked",
            Stop::Refused("ResponsibleAIPolicyViolation".into()),
            "",
        ),
        ("cut", Stop::Length, "It was the"),
        ("modern", Stop::Other("reason_of_the_future".into()), "New."),
    ];
    for (name, stop, text) in cases {
        for streaming in [true, false] {
            let config = OpenAiConfig {
                streaming,
                ..config(&provider, name)
            };
            let model = OpenAiModel::new(config, key()).unwrap();
            let completion = complete(&model, &question()).0.unwrap();
            assert_eq!(
                (&completion.stop, completion.text.as_str()),
                (&stop, text),
                "{name} {streaming}"
            );
        }
    }
}

#[test]
fn failures_are_told_apart() {
    let provider = provider();
    let cases = [
        ("loading", "Overloaded", 3),
        ("limited", "Limit", 1),
        ("spent", "SpendLimit", 1),
        ("long", "TooLong", 1),
        ("breaks", "Overloaded", 1),
        ("leaves", "BrokenStream", 1),
        ("forgets", "BrokenStream", 1),
    ];
    for (name, expected, attempts) in cases {
        let before = provider.requests().len();
        let error = complete(&model(&provider, name), &question()).0.unwrap_err();
        assert_eq!(kind(&error), expected, "{name}: {error}");
        assert_eq!(provider.requests().len() - before, attempts, "{name}");
    }
}

#[test]
fn an_unknown_deployment_says_what_to_check() {
    let provider = provider();
    let config = OpenAiConfig {
        base_url: provider.url(),
        deployment: Some("other".into()),
        api_version: Some("2024-10-21".into()),
        ..config(&provider, "m")
    };
    let model = OpenAiModel::new(config, key()).unwrap();
    let error = complete(&model, &question()).0.unwrap_err();
    assert_eq!(kind(&error), "NotFound");
    assert!(error.to_string().contains("`deployment`"), "{error}");
}
