//! The Messages API: both versions, whole and streamed, and every way in which a message may end.

use std::ops::ControlFlow;

use rag_models::LanguageModel;
use rag_models::language_model::{Message, Prompt, SourceCitation, Speaker, Stop, TokenUsage, Tool};
use rag_models::remote::{AnthropicConfig, AnthropicModel, KeyHeader};
use serde_json::json;

use super::server::Provider;
use super::{complete, key, kind, messages, quick, source};

fn provider() -> Provider {
    Provider::start(0, messages::answer).unwrap()
}

fn config(provider: &Provider, model: &str) -> AnthropicConfig {
    AnthropicConfig {
        base_url: provider.url(),
        model: model.into(),
        http: quick(),
        ..Default::default()
    }
}

fn model(provider: &Provider, name: &str) -> AnthropicModel {
    AnthropicModel::new(config(provider, name), key()).unwrap()
}

fn question() -> Prompt {
    let mut prompt = Prompt::new("Answer from the sources.", "Who?", 50);
    prompt.messages[1].sources = vec![source("a#0", "Ada says so."), source("b#3", "Bob says so.")];
    prompt
}

#[test]
fn citations_name_our_sources_in_both_versions_whole_and_streamed() {
    let provider = provider();
    for version in ["2026-10-21", "2023-06-01"] {
        for streaming in [true, false] {
            for key_header in [KeyHeader::Bearer, KeyHeader::XApiKey] {
                let config = AnthropicConfig {
                    version: version.into(),
                    streaming,
                    key_header,
                    ..config(&provider, "cites")
                };
                let model = AnthropicModel::new(config, key()).unwrap();
                assert!(model.cites_sources());
                let (completion, pieces) = complete(&model, &question());
                let completion = completion.unwrap();
                assert_eq!(completion.text, "Grüße. Source 0 says so. Source 1 says so. ");
                assert_eq!(pieces.concat(), completion.text);
                assert_eq!(pieces.len() > 3, streaming);
                let cited: Vec<(&str, &SourceCitation)> = completion
                    .citations
                    .iter()
                    .map(|c| (&completion.text[..c.end], c))
                    .collect();
                assert_eq!(cited.len(), 2);
                assert!(cited[0].0.ends_with("Source 0 says so."));
                assert_eq!(
                    (cited[0].1.source.as_str(), cited[0].1.quote.as_str()),
                    ("a#0", "Ada says so.")
                );
                assert!(cited[1].0.ends_with("Source 1 says so."));
                assert_eq!(cited[1].1.source, "b#3");
                assert_eq!(completion.stop, Stop::End);
                let usage = TokenUsage {
                    prompt: 16,
                    completion: 5,
                };
                assert_eq!(completion.usage, usage);
            }
        }
    }
}

#[test]
fn sources_found_by_a_tool_are_cited_as_well() {
    let provider = provider();
    let mut prompt = Prompt::new("", "Who?", 50);
    let (asked, _) = complete(&model(&provider, "calls"), &prompt);
    let asked = asked.unwrap();
    assert_eq!(asked.stop, Stop::ToolCalls);
    assert_eq!(asked.text, "Let me look.");
    assert_eq!(asked.calls[0].id, "toolu_1");
    assert_eq!(
        asked.calls[0].arguments,
        json!({"words": "cat \"ö\"", "limit": 3})
    );

    let mut call = Message::new(Speaker::Assistant, asked.text);
    call.calls = asked.calls;
    let mut result = Message::new(Speaker::Tool, "");
    result.call_id = Some("toolu_1".into());
    result.sources = vec![source("c#1", "Cleo says so.")];
    prompt.messages.extend([call, result]);
    prompt.tools = vec![Tool {
        name: "search".into(),
        description: "Searches.".into(),
        parameters: json!({"type": "object"}),
    }];
    let (answer, _) = complete(&model(&provider, "cites"), &prompt);
    assert_eq!(answer.unwrap().citations[0].source, "c#1");
    assert_eq!(
        provider.requests()[1].body["tools"][0]["input_schema"],
        json!({"type": "object"})
    );
}

#[test]
fn every_reason_to_stop_is_told_apart() {
    let provider = provider();
    let refused = || Stop::Refused("bio: not allowed".into());
    let cases = [
        ("refuses", refused(), ""),
        ("cut", Stop::Length, "It was the"),
        ("full", Stop::Length, "It was the"),
        ("stops", Stop::StopText, "Up to here"),
        ("pauses", Stop::Other("pause_turn".into()), "Wait."),
        ("modern", Stop::Other("reason_of_the_future".into()), "New."),
        ("silent", Stop::End, ""),
    ];
    for (name, stop, text) in cases {
        for streaming in [true, false] {
            let config = AnthropicConfig {
                streaming,
                ..config(&provider, name)
            };
            let model = AnthropicModel::new(config, key()).unwrap();
            let completion = complete(&model, &question()).0.unwrap();
            assert_eq!(
                (&completion.stop, completion.text.as_str()),
                (&stop, text),
                "{name} {streaming}"
            );
            assert_eq!(completion.usage.completion, 5, "{name} {streaming}");
        }
    }
}

#[test]
fn failures_are_told_apart_and_void_what_was_handed_out() {
    let provider = provider();
    let cases = [
        ("overloaded", "Overloaded", 3),
        ("limited", "Limit", 1),
        ("spent", "SpendLimit", 1),
        // Broken streams are not asked for again, since text was handed out.
        ("breaks", "Overloaded", 1),
        ("leaves", "BrokenStream", 1),
        ("forgets", "BrokenStream", 1),
        ("liar", "Shape", 1),
    ];
    for (name, expected, attempts) in cases {
        let before = provider.requests().len();
        let error = complete(&model(&provider, name), &question()).0.unwrap_err();
        assert_eq!(kind(&error), expected, "{name}: {error}");
        assert_eq!(provider.requests().len() - before, attempts, "{name}");
    }
}

#[test]
fn the_caller_may_end_the_writing() {
    let provider = provider();
    let mut left = 2;
    let outcome = model(&provider, "cites").complete(&question(), &mut |_| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let completion = outcome.unwrap();
    assert_eq!(completion.stop, Stop::Cancelled);
    assert_eq!(completion.text, "Grüße. ");
}

#[test]
fn sampling_is_sent_to_the_version_that_takes_it_only() {
    let provider = provider();
    let warm = AnthropicConfig {
        temperature: Some(0.0),
        top_k: Some(3),
        ..config(&provider, "cites")
    };
    let error = AnthropicModel::new(warm.clone(), key()).unwrap_err().to_string();
    assert!(error.contains("2023-06-01"), "{error}");
    let old = AnthropicConfig {
        version: "2023-06-01".into(),
        ..warm
    };
    let model = AnthropicModel::new(old, key()).unwrap();
    complete(&model, &question()).0.unwrap();
    assert_eq!(provider.requests()[0].body["temperature"], 0.0);
    assert!(model.identity().contains("temperature=0"));
}
