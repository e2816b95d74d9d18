//! What is searched for, when searching stops, and what an agent cannot do.

use rag_core::access::Principal;
use rag_core::answer::DECLINED;
use rag_models::language_model::{Completion, Stop, ToolCall};
use serde_json::json;

use super::*;
use crate::context::ContextConfig;
use crate::extract::ExtractiveGenerator;
use crate::model::ModelConfig;
use crate::testing::{Scripted, WordOverlap, config, hit};

const TEXTS: [&str; 3] = [
    "ERR-7 means that the tunnel failed.",
    "Parental leave is 14 weeks.",
    "Lunch costs 4 euros.",
];

/// Passages that share a word with the query, and the queries made.
fn library(queries: &mut Vec<String>) -> impl FnMut(&SearchRequest) -> Result<Ranking, GenerateError> {
    move |request| {
        queries.push(request.query.clone());
        let wanted = request.query.to_lowercase();
        let fits = |text: &&str| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
            words.any(|word| word.len() > 3 && wanted.contains(&word.to_lowercase()))
        };
        let found = (0..).zip(TEXTS).filter(|(_, text)| fits(text));
        let hits = found.map(|(n, text)| hit(&format!("d{n}#0"), text)).collect();
        Ok(Ranking::new(asked(""), hits))
    }
}

fn asked(text: &str) -> Question {
    Question::new("1", text, Principal::everyone())
}

fn count(text: &str) -> usize {
    text.len() / 4
}

fn planned(question: &Question, most: usize) -> (Found, Vec<String>) {
    let model = WordOverlap::default();
    let generator = ExtractiveGenerator::new(Some(&model), config().extract);
    let budget = AgentConfig {
        max_searches: most,
        ..AgentConfig::default()
    };
    let agent = PlannedAgent::new(&generator, budget, ContextConfig::default(), &count);
    let mut queries = Vec::new();
    let found = agent.run(question, &mut library(&mut queries)).unwrap();
    (found, queries)
}

#[test]
fn each_part_is_searched_for_until_it_is_answered() {
    let mut two = asked("What does ERR-7 mean, and how long is parental leave?");
    two.sub_questions = vec![
        "What does ERR-7 mean".into(),
        "how long is parental leave?".into(),
    ];
    let (found, queries) = planned(&two, 6);
    assert_eq!(queries, two.sub_questions);
    assert_eq!(found.trace.stopped, StopReason::Answered);
    assert_eq!(
        found.draft.text,
        "ERR-7 means that the tunnel failed. [d0#0] Parental leave is 14 weeks. [d1#0]"
    );
    let (found, queries) = planned(&asked("Thank you!"), 6);
    assert!(queries.is_empty());
    assert_eq!(
        (found.trace.stopped, found.draft.text.as_str()),
        (StopReason::SmallTalk, DECLINED)
    );
}

#[test]
fn what_is_not_found_is_searched_for_with_other_words_within_the_budget() {
    let (found, queries) = planned(&asked("Who is allowed to fly a helicopter?"), 6);
    assert_eq!(
        queries[..2],
        ["Who is allowed to fly a helicopter?", "allowed fly helicopter"]
    );
    assert!(queries.len() == 3 && queries[2].contains("permit"), "{queries:?}");
    assert_eq!(
        (found.trace.stopped, found.draft.text.as_str()),
        (StopReason::Exhausted, DECLINED)
    );
    let (found, queries) = planned(&asked("Who is allowed to fly a helicopter?"), 1);
    assert_eq!((found.trace.stopped, queries.len()), (StopReason::Budget, 1));
}

fn call(arguments: serde_json::Value) -> Completion {
    Completion {
        calls: vec![ToolCall {
            id: "c1".into(),
            name: "search".into(),
            arguments,
        }],
        stop: Stop::ToolCalls,
        ..Scripted::says("")
    }
}

fn by_model(says: Vec<Completion>) -> (Found, Vec<String>, Vec<rag_models::language_model::Prompt>) {
    let model = Scripted::new(says, false);
    let budget = AgentConfig {
        max_searches: 2,
        ..AgentConfig::default()
    };
    let agent = ModelAgent::new(
        &model,
        budget,
        ModelConfig::default(),
        ContextConfig::default(),
        &count,
    );
    let mut queries = Vec::new();
    let found = agent
        .run(&asked("What does ERR-7 mean?"), &mut library(&mut queries))
        .unwrap();
    (found, queries, model.prompts())
}

#[test]
fn a_model_searches_reads_the_results_and_answers() {
    let says = vec![
        call(json!({"query": "ERR-7", "groups": ["exec"], "updated_after": "2026-01-01"})),
        Scripted::says("The tunnel failed. [d0#0]"),
    ];
    let (found, queries, prompts) = by_model(says);
    assert_eq!(queries, ["ERR-7"]);
    assert_eq!(
        found.trace.searches[0].updated_after,
        Some("2026-01-01".parse().unwrap())
    );
    assert_eq!(found.trace.searches[0].hits[0].to_string(), "d0#0");
    assert_eq!(found.draft.text, "The tunnel failed. [d0#0]");
    assert!(
        prompts[1].messages[3].text.contains("<source id=\"d0#0\""),
        "{prompts:?}"
    );
    assert_eq!(prompts[1].messages[3].call_id.as_deref(), Some("c1"));
}

#[test]
fn a_model_cannot_search_for_ever_nor_answer_from_nothing() {
    let again = || call(json!({"query": "lunch"}));
    let (found, queries, _) = by_model(vec![again(), again(), again(), again(), again()]);
    assert_eq!((found.trace.stopped, queries.len()), (StopReason::Budget, 2));
    assert_eq!(found.draft.text, DECLINED);
    let (found, queries, _) = by_model(vec![Scripted::says("Hello! [d0#0]")]);
    assert_eq!((found.trace.stopped, queries.len()), (StopReason::SmallTalk, 0));
    assert_eq!(found.draft.text, DECLINED);
    let (found, queries, prompts) = by_model(vec![call(json!({"query": 7})), Scripted::says(DECLINED)]);
    assert_eq!((queries.len(), found.draft.text.as_str()), (0, DECLINED));
    assert!(prompts[1].messages[3].text.contains("query"));
}
