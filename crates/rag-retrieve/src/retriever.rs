//! One question to ranked passages.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use rag_core::hit::{Hit, Leg, LegReport, Placement, Ranking};
use rag_core::language::Language;
use rag_core::question::Question;
use rag_index::{AllowedSet, Candidate, Generation};
use rag_models::Embedder;

use crate::config::{Config, Mode};
use crate::decompose::sub_questions;
use crate::error::RetrieveError;
use crate::fusion::reciprocal_rank_fusion;
use crate::parents::{Parent, parents};
use crate::rewrite::standalone;

/// Longest question with its history, in bytes.
pub const MAX_QUESTION_BYTES: usize = 64 << 10;

/// Searches one generation with one embedder.
#[derive(Clone, Copy)]
pub struct Retriever<'r> {
    generation: &'r Generation,
    embedder: &'r dyn Embedder,
    config: &'r Config,
}

/// What the legs of one question bring.
struct Search<'s> {
    question: &'s Question,
    allowed: AllowedSet,
    found: BTreeMap<Leg, Vec<Candidate>>,
    legs: Vec<LegReport>,
    notes: Vec<String>,
    timings_ms: BTreeMap<String, f64>,
}

impl<'r> Retriever<'r> {
    /// Checks the settings, and that the generation was built with the embedder's model.
    pub fn new(
        generation: &'r Generation,
        embedder: &'r dyn Embedder,
        config: &'r Config,
    ) -> Result<Self, RetrieveError> {
        config.check()?;
        generation.check_model(embedder.identity())?;
        Ok(Self {
            generation,
            embedder,
            config,
        })
    }

    /// The passages that answer `question` best among those that its asker may read and its filter keeps.
    ///
    /// A follow-up is made [`standalone`] first, and a question that asks several things is taken apart into
    /// [`sub_questions`], each of which is searched for; the ranking carries the question as it was searched.
    pub fn search(&self, question: &Question) -> Result<Ranking, RetrieveError> {
        check_length(question)?;
        let searched = self.understood(question);
        let started = Instant::now();
        let mut search = Search {
            question: &searched,
            allowed: self.generation.allowed(&searched.principal, &searched.filter),
            found: BTreeMap::new(),
            legs: Vec::new(),
            notes: Vec::new(),
            timings_ms: BTreeMap::new(),
        };
        search.took("filter", started);
        if searched.parts() != std::slice::from_ref(&question.text) {
            let parts = searched.parts().join(" | ");
            search.notes.push(format!("searched for: {parts}"));
        }
        if self.config.mode != Mode::Dense {
            self.lexical_leg(&mut search)?;
        }
        if self.config.mode != Mode::Bm25 {
            self.dense_leg(&mut search)?;
        }
        let hits = self.fuse(&mut search)?;
        let Search {
            legs,
            notes,
            timings_ms,
            ..
        } = search;
        Ok(Ranking {
            question: searched,
            legs,
            hits,
            notes,
            timings_ms,
        })
    }

    /// The sections or documents behind the hits of `ranking`, made of passages that its asker may read.
    pub fn parents(&self, ranking: &Ranking) -> Result<Vec<Parent>, RetrieveError> {
        let question = &ranking.question;
        let allowed = self.generation.allowed(&question.principal, &question.filter);
        parents(self.generation, &allowed, &ranking.hits)
    }

    fn understood(&self, question: &Question) -> Question {
        let mut question = standalone(question);
        let parts = sub_questions(&question.text, self.config.max_sub_questions);
        if parts.len() > 1 {
            question.sub_questions = parts;
        }
        question
    }

    fn lexical_leg(&self, search: &mut Search<'_>) -> Result<(), RetrieveError> {
        let started = Instant::now();
        let most = self.config.candidates_per_leg;
        let parts = search.question.parts().iter();
        let found: Vec<Vec<Candidate>> = parts
            .map(|part| self.generation.bm25(part, &search.allowed, most))
            .collect::<Result<_, _>>()?;
        search.brought(Leg::Bm25, by_turns(&found));
        search.took("bm25", started);
        Ok(())
    }

    /// A leg whose model was not made for the question's language ranks by noise, and fusion would give
    /// the noise half of the weight: it is left out and the result says so.
    fn dense_leg(&self, search: &mut Search<'_>) -> Result<(), RetrieveError> {
        let language = Language::detect(&search.question.text);
        if !self.embedder.serves(language) {
            let name = &self.embedder.identity().name;
            search.left_out(
                Leg::Dense,
                format!("{name} was not made for questions in `{language}`"),
            );
            return Ok(());
        }
        let started = Instant::now();
        let parts = search.question.parts().iter();
        let vectors: Vec<Vec<f32>> = parts
            .map(|part| self.embedder.embed_query(part))
            .collect::<Result<_, _>>()?;
        search.took("embed", started);
        let started = Instant::now();
        let most = self.config.candidates_per_leg;
        let found: Vec<Vec<Candidate>> = vectors
            .iter()
            .map(|vector| self.generation.dense(vector, &search.allowed, most))
            .collect::<Result<_, _>>()?;
        search.brought(Leg::Dense, by_turns(&found));
        search.took("dense", started);
        Ok(())
    }

    fn fuse(&self, search: &mut Search<'_>) -> Result<Vec<Hit>, RetrieveError> {
        let started = Instant::now();
        let rankings: Vec<Vec<u32>> = search
            .found
            .values()
            .map(|leg| leg.iter().map(|candidate| candidate.ordinal).collect())
            .collect();
        let places = search.places();
        let mut hits = Vec::new();
        for (ordinal, score) in reciprocal_rank_fusion(&rankings, self.config.rrf_k)
            .into_iter()
            .take(self.config.hits)
        {
            let Some(passage) = self.generation.passage(ordinal, &search.allowed)? else {
                continue;
            };
            hits.push(Hit {
                rank: hits.len() as u32 + 1,
                score: score as f32,
                legs: places.get(&ordinal).cloned().unwrap_or_default(),
                fused: None,
                reranked: None,
                passage,
            });
        }
        search.took("fuse", started);
        Ok(hits)
    }
}

/// Refuses a question that asks nothing, or that is a document rather than a question.
fn check_length(question: &Question) -> Result<(), RetrieveError> {
    let history = question.history.iter().map(String::len).sum::<usize>();
    let bytes = question.text.len() + history;
    if question.text.trim().is_empty() || bytes > MAX_QUESTION_BYTES {
        return Err(RetrieveError::Question {
            id: question.id.clone(),
            bytes,
            most: MAX_QUESTION_BYTES,
        });
    }
    Ok(())
}

/// The rankings of several questions as one: the best of each, then the second of each, and so on; a
/// candidate stands at its best place.
fn by_turns(rankings: &[Vec<Candidate>]) -> Vec<Candidate> {
    let longest = rankings.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = HashSet::new();
    (0..longest)
        .flat_map(|turn| rankings.iter().filter_map(move |ranking| ranking.get(turn)))
        .filter(|candidate| seen.insert(candidate.ordinal))
        .copied()
        .collect()
}

impl Search<'_> {
    fn took(&mut self, step: &str, started: Instant) {
        self.timings_ms
            .insert(step.to_owned(), started.elapsed().as_secs_f64() * 1e3);
    }

    fn brought(&mut self, leg: Leg, found: Vec<Candidate>) {
        self.legs.push(LegReport {
            leg,
            candidates: found.len() as u32,
            left_out: None,
        });
        self.found.insert(leg, found);
    }

    fn left_out(&mut self, leg: Leg, reason: String) {
        self.notes.push(format!("the {leg} leg was left out: {reason}"));
        self.legs.push(LegReport {
            leg,
            candidates: 0,
            left_out: Some(reason),
        });
    }

    /// Each candidate's place in every leg that found it.
    fn places(&self) -> BTreeMap<u32, BTreeMap<Leg, Placement>> {
        let mut places: BTreeMap<u32, BTreeMap<Leg, Placement>> = BTreeMap::new();
        for (&leg, found) in &self.found {
            for (candidate, rank) in found.iter().zip(1..) {
                let placement = Placement {
                    rank,
                    score: candidate.score,
                };
                places
                    .entry(candidate.ordinal)
                    .or_default()
                    .insert(leg, placement);
            }
        }
        places
    }
}

#[cfg(test)]
#[path = "retriever_tests.rs"]
mod tests;
