//! The planner without a model: one search per part of the question, and other words when they find no answer.

use rag_core::answer::StopReason;
use rag_core::question::Question;
use rag_core::text::{PieceKind, is_function_word, pieces};
use rag_models::tfidf::Synonyms;

use super::{Agent, AgentConfig, Found, SearchRequest, SearchTool, Searches};
use crate::context::{ContextConfig, assemble};
use crate::error::GenerateError;
use crate::extract::is_small_talk;
use crate::generator::{Draft, Generator};

/// Searches by rule and lets `generator` say whether a part is answered, and write.
///
/// Small talk is not searched for. Each part is searched for as it stands; when its passages do not answer it, by
/// its content words alone; and then with a synonym in the place of each word that has one.
pub struct PlannedAgent<'g> {
    generator: &'g dyn Generator,
    config: AgentConfig,
    context: ContextConfig,
    count_tokens: &'g (dyn Fn(&str) -> usize + Sync),
    synonyms: Synonyms,
}

impl<'g> PlannedAgent<'g> {
    /// An agent whose answers `generator` writes.
    pub fn new(
        generator: &'g dyn Generator,
        config: AgentConfig,
        context: ContextConfig,
        count_tokens: &'g (dyn Fn(&str) -> usize + Sync),
    ) -> Self {
        Self {
            generator,
            config,
            context,
            count_tokens,
            synonyms: Synonyms::default(),
        }
    }

    /// Searches for `part` in one way after the other until its passages answer it; `false` when none did.
    fn search_for(&self, part: &str, searches: &mut Searches<'_, '_>) -> Result<bool, GenerateError> {
        for query in self.queries(part) {
            if searches.is_used_up() {
                return Ok(false);
            }
            let request = SearchRequest {
                query,
                updated_after: None,
            };
            let found = searches.search(&request)?;
            let context = assemble(part, &found, &self.context, self.count_tokens);
            if self.generator.answers(part, &context)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The ways of asking for `part`, each once.
    fn queries(&self, part: &str) -> Vec<String> {
        let content: Vec<&str> = pieces(part)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part && !is_function_word(piece.text))
            .map(|piece| piece.text)
            .collect();
        let other = |word: &&str| {
            let synonym = self.synonyms.of_word(word);
            synonym.unwrap_or_else(|| (*word).to_owned())
        };
        let mut queries = vec![part.trim().to_owned()];
        for query in [
            content.join(" "),
            content.iter().map(other).collect::<Vec<_>>().join(" "),
        ] {
            if !query.is_empty() && !queries.contains(&query) {
                queries.push(query);
            }
        }
        queries
    }
}

impl Agent for PlannedAgent<'_> {
    fn name(&self) -> String {
        format!("rule; {}", self.generator.name())
    }

    fn run(&self, question: &Question, search: &mut SearchTool<'_>) -> Result<Found, GenerateError> {
        let mut searches = Searches::new(&self.config, search);
        if is_small_talk(&question.text) {
            return Ok(Found {
                draft: Draft::declined(),
                context: assemble(&question.text, &[], &self.context, self.count_tokens),
                trace: searches.trace(self.name(), StopReason::SmallTalk),
            });
        }
        let mut is_answered = true;
        for part in question.parts() {
            is_answered &= self.search_for(part, &mut searches)?;
        }
        let stopped = match is_answered {
            true => StopReason::Answered,
            false if searches.is_used_up() => StopReason::Budget,
            false => StopReason::Exhausted,
        };
        let context = assemble(&question.text, &searches.hits, &self.context, self.count_tokens);
        Ok(Found {
            draft: self.generator.draft(question, &context)?,
            context,
            trace: searches.trace(self.name(), stopped),
        })
    }
}
