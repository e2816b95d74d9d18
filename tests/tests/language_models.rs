//! A local language model on its real weights: token counts, chat, streaming, and what ends a text.
//!
//! Weights come from the user's model cache, as in `models.rs`.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use rag_core::progress::Silent;
use rag_models::fetch::FetchConfig;
use rag_models::gguf::{LanguageModelOptions, Sampling, open_language_model};
use rag_models::language_model::{Completion, Message, Prompt, Speaker, Stop, Tool, ToolCall};
use rag_models::{LanguageModel, ModelError};
use serde_json::json;

const NAME: &str = "SmolLM2-135M-Instruct";

fn model(sampling: Sampling) -> Box<dyn LanguageModel> {
    let options = LanguageModelOptions {
        fetch: FetchConfig::default().with_variables(|name| std::env::var(name).ok()),
        sampling,
        max_context_tokens: 1024,
    };
    open_language_model(NAME, &options, &Silent).expect("the model is in the cache or can be fetched")
}

/// The model without chance and penalties, read once.
fn greedy() -> &'static dyn LanguageModel {
    static MODEL: OnceLock<Box<dyn LanguageModel>> = OnceLock::new();
    let open = || {
        model(Sampling {
            repeat_penalty: 1.0,
            ..Sampling::default()
        })
    };
    MODEL.get_or_init(open).as_ref()
}

fn complete(model: &dyn LanguageModel, prompt: &Prompt) -> Completion {
    let mut streamed = String::new();
    let completion = model
        .complete(prompt, &mut |piece| {
            streamed.push_str(piece);
            ControlFlow::Continue(())
        })
        .expect("the prompt fits");
    assert_eq!(streamed, completion.text);
    completion
}

fn fruits(max_tokens: usize) -> Prompt {
    Prompt::new("You answer briefly.", "Name three fruits.", max_tokens)
}

#[test]
fn texts_have_the_tokens_that_llama_cpp_counts() {
    let model = greedy();
    for (text, tokens) in [
        ("How many litres are in 250 ml?", 11),
        ("naïve café — 北京 مرحبا", 14),
        ("Order 12345 of 2026-11-30:\n\n  3.50 €", 26),
        ("<|im_end|>", 7),
        ("don't  stop\tnow 😀", 8),
        ("", 0),
    ] {
        assert_eq!(model.count_tokens(text), Some(tokens), "{text}");
    }
    let prompt = Prompt::new("You answer briefly.", "What is the capital of France?", 1);
    assert_eq!(complete(model, &prompt).usage.prompt, 25);
}

#[test]
fn a_chat_is_answered_to_its_end_and_the_same_again() {
    let model = greedy();
    let answer = complete(model, &fruits(60));
    // The words depend on how the CPU at hand rounds.
    let (text, end) = (&answer.text, answer.text.ends_with('.'));
    assert!(text.starts_with("The ") && end, "{text}");
    assert_eq!(answer.stop, Stop::End);
    assert_eq!(
        answer.usage.completion,
        model.count_tokens(&answer.text).unwrap() as u64 + 1
    );
    complete(model, &Prompt::new("", "Something else.", 5));
    assert_eq!(complete(model, &fruits(60)), answer);
    assert!(
        model
            .identity()
            .starts_with("SmolLM2-135M-Instruct@b179c9523d0e6a0f arithmetic2 greedy")
    );
}

#[test]
fn the_seed_decides_what_is_drawn() {
    let text = |seed| {
        let model = model(Sampling {
            temperature: 1.0,
            seed,
            ..Sampling::default()
        });
        complete(model.as_ref(), &fruits(30)).text
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn texts_end_at_the_limit_at_stop_texts_and_when_nobody_listens() {
    let model = greedy();
    let whole = complete(model, &fruits(60)).text;
    let cut = complete(model, &fruits(4));
    assert!(whole.starts_with(&cut.text), "{}", cut.text);
    assert_eq!((cut.stop, cut.usage.completion), (Stop::Length, 4));
    // From within a word to within another one.
    let middle = whole[..whole.len() / 2].rfind(' ').unwrap_or(2);
    let wanted = &whole[middle - 2..middle + 3];
    let mut stopping = fruits(60);
    stopping.stop = vec!["nothing".into(), wanted.into()];
    let stopped = complete(model, &stopping);
    let before = whole.split(wanted).next().unwrap_or_default();
    assert_eq!((stopped.text.as_str(), stopped.stop), (before, Stop::StopText));
    let mut pieces = 0;
    let mut listen = |_: &str| {
        pieces += 1;
        if pieces == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let cancelled = model.complete(&fruits(60), &mut listen).unwrap();
    assert_eq!(cancelled.stop, Stop::Cancelled);
    assert!(whole.starts_with(&cancelled.text) && cancelled.text.len() < whole.len());
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = greedy();
    assert_eq!(model.context_limit(), Some(1024));
    for prompt in [
        Prompt::new("", "word ".repeat(1000), 60),
        Prompt::new("", "word ".repeat(10_000_000), 1),
        Prompt::new("", "Hello.", 1020),
        Prompt::new("", "Hello.", usize::MAX),
    ] {
        let refused = model.complete(&prompt, &mut |_| ControlFlow::Continue(()));
        assert!(
            matches!(refused, Err(ModelError::PromptTooLong { limit: 1024, .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn the_end_of_a_message_in_a_source_is_plain_text() {
    let model = greedy();
    let tokens = |user: &str| {
        let prompt = Prompt::new("You answer briefly.", user, 1);
        complete(model, &prompt).usage.prompt
    };
    let (plain, end) = (tokens("ab"), model.count_tokens("a<|im_end|>b").unwrap() as u64);
    assert_eq!(end, 9);
    assert_eq!(
        tokens("a<|im_end|>b"),
        plain - model.count_tokens("ab").unwrap() as u64 + end
    );
}

#[test]
fn tools_are_offered_and_their_results_taken() {
    let model = greedy();
    let mut prompt = fruits(20);
    let without = complete(model, &prompt).usage.prompt;
    prompt.tools.push(Tool {
        name: "search".into(),
        description: "Searches documents.".into(),
        parameters: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
    });
    let offered = complete(model, &prompt).usage.prompt;
    assert!(offered > without + 50, "{offered} {without}");
    let mut call = Message::new(Speaker::Assistant, "");
    call.calls.push(ToolCall {
        id: "call_0".into(),
        name: "search".into(),
        arguments: json!({"query": "fruits"}),
    });
    let mut result = Message::new(Speaker::Tool, "Apples, pears and plums.");
    result.call_id = Some("call_0".into());
    prompt.messages.extend([call, result]);
    let answered = complete(model, &prompt).usage.prompt;
    assert!(answered > offered + 25, "{answered} {offered}");
}
