//! Agentic search: what to search for is decided step by step, by a model with one tool or by a rule.
//!
//! The tool is given by the caller and applies the permissions and the filter of the asker itself: an agent has
//! only words to search with. Every search is written down in the [`Trace`].

mod model;
mod planned;

use rag_core::answer::{SearchStep, StopReason, Trace};
use rag_core::date::Date;
use rag_core::hit::{Hit, Ranking};
use rag_core::question::Question;
use serde::{Deserialize, Serialize};

pub use model::ModelAgent;
pub use planned::PlannedAgent;

use crate::context::Context;
use crate::error::GenerateError;
use crate::generator::Draft;

/// How far an agent may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// Most searches for one question. Default: 6.
    pub max_searches: usize,
    /// Passages of each search that are looked at. Default: 5.
    pub hits_per_search: usize,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            max_searches: 6,
            hits_per_search: 5,
        }
    }
}

/// What an agent asks its tool for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// The words to search with.
    pub query: String,
    /// Only documents changed on that day or later; the asker's own filter holds as well.
    pub updated_after: Option<Date>,
}

/// The search tool: passages that the asker may read.
pub type SearchTool<'t> = dyn FnMut(&SearchRequest) -> Result<Ranking, GenerateError> + 't;

/// Decides what to search for and writes an answer from what is found.
pub trait Agent {
    /// Names who decides and who writes.
    fn name(&self) -> String;

    /// Searches until `question` is answered, nothing is left to try, or the budget is used up.
    fn run(&self, question: &Question, search: &mut SearchTool<'_>) -> Result<Found, GenerateError>;
}

/// What an agent found and wrote, before it was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The draft.
    pub draft: Draft,
    /// The passages that it was written from.
    pub context: Context,
    /// The searches.
    pub trace: Trace,
}

/// The searches of one question, within their budget.
struct Searches<'s, 't> {
    config: &'s AgentConfig,
    tool: &'s mut SearchTool<'t>,
    steps: Vec<SearchStep>,
    hits: Vec<Hit>,
}

impl<'s, 't> Searches<'s, 't> {
    fn new(config: &'s AgentConfig, tool: &'s mut SearchTool<'t>) -> Self {
        Self {
            config,
            tool,
            steps: Vec::new(),
            hits: Vec::new(),
        }
    }

    fn is_used_up(&self) -> bool {
        self.steps.len() >= self.config.max_searches
    }

    /// Searches and returns what was found; passages that an earlier search found are not kept twice.
    fn search(&mut self, request: &SearchRequest) -> Result<Vec<Hit>, GenerateError> {
        let mut found = (self.tool)(request)?.hits;
        found.truncate(self.config.hits_per_search);
        self.steps.push(SearchStep {
            query: request.query.clone(),
            updated_after: request.updated_after,
            hits: found.iter().map(|hit| hit.passage.id.clone()).collect(),
        });
        for hit in &found {
            if self.hits.iter().all(|known| known.passage.id != hit.passage.id) {
                self.hits.push(hit.clone());
            }
        }
        Ok(found)
    }

    fn trace(self, planner: String, stopped: StopReason) -> Trace {
        Trace {
            planner,
            searches: self.steps,
            stopped,
        }
    }
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
