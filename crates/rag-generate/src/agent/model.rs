//! The agent of a language model: it is offered one tool and decides whether, how often and with which words to
//! search.

use std::ops::ControlFlow;

use rag_core::answer::{DECLINED, StopReason};
use rag_core::date::Date;
use rag_core::question::Question;
use rag_models::LanguageModel;
use rag_models::language_model::{Message, Prompt, Speaker, Tool, ToolCall};
use serde_json::json;

use super::{Agent, AgentConfig, Found, SearchRequest, SearchTool, Searches};
use crate::context::{ContextConfig, assemble};
use crate::error::GenerateError;
use crate::generator::Draft;
use crate::model::{ModelConfig, RULES, RULES_NATIVE, drafted, system, tool_result};

/// The tool's name.
const SEARCH: &str = "search";

/// Longest query that is searched with, in characters.
const MOST_QUERY_CHARS: usize = 500;

/// How the tool is to be used.
const USE: &str = "You have one tool, search, over documents that the asker may read. Do not search for greetings or thanks. \
Search once for each thing that is asked, and again with other words when the results do not answer. ";

/// Lets `model` search and write.
pub struct ModelAgent<'m> {
    model: &'m dyn LanguageModel,
    config: AgentConfig,
    writing: ModelConfig,
    context: ContextConfig,
    count_tokens: &'m (dyn Fn(&str) -> usize + Sync),
}

impl<'m> ModelAgent<'m> {
    /// An agent of `model`; each result it is given fits `context`.
    pub fn new(
        model: &'m dyn LanguageModel,
        config: AgentConfig,
        writing: ModelConfig,
        context: ContextConfig,
        count_tokens: &'m (dyn Fn(&str) -> usize + Sync),
    ) -> Self {
        Self {
            model,
            config,
            writing,
            context,
            count_tokens,
        }
    }

    fn prompt(&self, question: &Question) -> Prompt {
        let rules = if self.model.cites_sources() {
            RULES_NATIVE
        } else {
            RULES
        };
        let rules = format!("{USE}{}", system(rules));
        let mut prompt = Prompt::new(rules, &question.text, self.writing.max_tokens);
        prompt.tools = vec![tool()];
        prompt
    }

    /// Runs the tool for `call` and says the result to the model.
    fn answer_call(
        &self,
        call: &ToolCall,
        searches: &mut Searches<'_, '_>,
    ) -> Result<Message, GenerateError> {
        let said = |text: &str| {
            let mut message = Message::new(Speaker::Tool, text);
            message.call_id = Some(call.id.clone());
            message
        };
        let Some(request) = request_of(call) else {
            return Ok(said("Call search with a query of at least one word."));
        };
        if searches.is_used_up() {
            return Ok(said(
                "No searches are left. Answer from what was found, or decline.",
            ));
        }
        let found = searches.search(&request)?;
        let context = assemble(&request.query, &found, &self.context, self.count_tokens);
        Ok(tool_result(&call.id, &context, self.model))
    }
}

impl Agent for ModelAgent<'_> {
    fn name(&self) -> String {
        self.model.identity()
    }

    fn run(&self, question: &Question, search: &mut SearchTool<'_>) -> Result<Found, GenerateError> {
        let mut searches = Searches::new(&self.config, search);
        let mut prompt = self.prompt(question);
        let mut written_tokens = 0;
        // One turn more than searches, since the last one is to answer; each turn calls at least once.
        for _ in 0..=self.config.max_searches {
            let completion = self.model.complete(&prompt, &mut |_| ControlFlow::Continue(()))?;
            written_tokens += completion.usage.completion;
            if completion.calls.is_empty() {
                let mut draft = drafted(&completion);
                draft.written_tokens = written_tokens;
                return Ok(self.found(question, draft, searches, StopReason::Answered));
            }
            let mut said = Message::new(Speaker::Assistant, completion.text);
            said.calls.clone_from(&completion.calls);
            prompt.messages.push(said);
            for call in &completion.calls {
                prompt.messages.push(self.answer_call(call, &mut searches)?);
            }
        }
        let mut draft = Draft::declined();
        draft.written_tokens = written_tokens;
        draft
            .notes
            .push("the model searched on without an answer".to_owned());
        Ok(self.found(question, draft, searches, StopReason::Budget))
    }
}

impl ModelAgent<'_> {
    /// The draft with the context that its citations are checked against: all that was found. A model that
    /// searched for nothing has no source for anything it says, so greetings aside its text is withheld.
    fn found(
        &self,
        question: &Question,
        mut draft: Draft,
        searches: Searches<'_, '_>,
        stopped: StopReason,
    ) -> Found {
        let everything = ContextConfig {
            max_tokens: usize::MAX,
        };
        let context = assemble(&question.text, &searches.hits, &everything, self.count_tokens);
        let stopped = if searches.steps.is_empty() && draft.text != DECLINED {
            DECLINED.clone_into(&mut draft.text);
            StopReason::SmallTalk
        } else {
            stopped
        };
        Found {
            draft,
            context,
            trace: searches.trace(self.name(), stopped),
        }
    }
}

fn tool() -> Tool {
    Tool {
        name: SEARCH.to_owned(),
        description: "Finds passages of the documents by words or a question.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "updated_after": {
                    "type": "string",
                    "description": "Only documents changed on that day or later, as YYYY-MM-DD.",
                },
            },
            "required": ["query"],
        }),
    }
}

/// What a call asks for; `None` when it is not one of the search tool with words to search with. An argument that
/// the tool does not have, such as a group or a user, is not looked at.
fn request_of(call: &ToolCall) -> Option<SearchRequest> {
    let text = |name: &str| call.arguments.get(name).and_then(serde_json::Value::as_str);
    let query: String = text("query")?.trim().chars().take(MOST_QUERY_CHARS).collect();
    let is_search = call.name == SEARCH && query.contains(char::is_alphanumeric);
    is_search.then(|| SearchRequest {
        query,
        updated_after: text("updated_after").and_then(|day| day.parse::<Date>().ok()),
    })
}
