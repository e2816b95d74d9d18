//! One question to ranked passages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use rag_core::hit::{Hit, Leg, LegReport, Placement, Ranking};
use rag_core::language::Language;
use rag_core::progress::Silent;
use rag_core::question::Question;
use rag_index::{AllowedSet, Candidate, Generation, Statistics};
use rag_models::Embedder;

use crate::collapse::collapse;
use crate::config::{Config, Expand, Mode, Rewrite};
use crate::decompose::sub_questions;
use crate::drafts::{DraftKind, Drafter};
use crate::error::RetrieveError;
use crate::expand::expand;
use crate::fusion::reciprocal_rank_fusion;
use crate::parents::{Parent, parents};
use crate::rewrite::{several, standalone_parts};

/// Longest question with its history, in bytes.
pub const MAX_QUESTION_BYTES: usize = 64 << 10;

/// Searches one generation with one embedder.
#[derive(Clone, Copy)]
pub struct Retriever<'r> {
    generation: &'r Generation,
    embedder: &'r dyn Embedder,
    drafter: Option<&'r dyn Drafter>,
    config: &'r Config,
}

/// What the legs of one question bring.
struct Search<'s> {
    question: &'s Question,
    phrasings: Vec<String>,
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
            drafter: None,
            config,
        })
    }

    /// Lets `drafter` write what the settings want drafted.
    #[must_use]
    pub fn with_drafter(self, drafter: Option<&'r dyn Drafter>) -> Self {
        Self { drafter, ..self }
    }

    /// The passages that answer `question` best among those that its asker may read and its filter keeps.
    ///
    /// A follow-up is made standalone first, and a question that asks several things is taken apart into
    /// [`sub_questions`], each of which is searched for; the ranking carries the question as it was searched.
    pub fn search(&self, question: &Question) -> Result<Ranking, RetrieveError> {
        check_length(question)?;
        if self.config.needs_drafts() && self.drafter.is_none() {
            return Err(RetrieveError::NoDrafter);
        }
        let started = Instant::now();
        let mut notes = Vec::new();
        let searched = self.plan(question, &mut notes)?;
        let phrasings = self.phrasings(&searched, &mut notes)?;
        let mut search = Search {
            question: &searched,
            phrasings,
            allowed: self.generation.allowed_with(
                &searched.principal,
                &searched.filter,
                self.config.statistics,
            ),
            found: BTreeMap::new(),
            legs: Vec::new(),
            notes,
            timings_ms: BTreeMap::new(),
        };
        search.took("plan", started);
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

    /// The hits of `ranking` with what the settings hand over around each: passages that its asker may read, in
    /// the order of their document.
    pub fn expand(&self, ranking: Ranking) -> Result<Ranking, RetrieveError> {
        if self.config.expand == Expand::Nothing {
            return Ok(ranking);
        }
        let most = self.config.expanded_passages;
        let question = &ranking.question;
        let allowed = self.generation.allowed(&question.principal, &question.filter);
        let hits = expand(self.generation, &allowed, &ranking.hits, self.config.expand, most)?;
        Ok(Ranking { hits, ..ranking })
    }

    /// `question` as it would be searched for: standalone, and taken apart.
    pub fn understood(&self, question: &Question) -> Result<Question, RetrieveError> {
        check_length(question)?;
        self.plan(question, &mut Vec::new())
    }

    fn plan(&self, question: &Question, notes: &mut Vec<String>) -> Result<Question, RetrieveError> {
        let most = self.config.max_sub_questions;
        let mut question = match self.config.rewrite {
            Rewrite::Off => question.clone(),
            Rewrite::Rule => return Ok(standalone_parts(question, most)),
            Rewrite::Draft if question.history.is_empty() => question.clone(),
            Rewrite::Draft => match self.draft(DraftKind::Standalone, question, notes)?.pop() {
                Some(text) => Question {
                    text,
                    ..question.clone()
                },
                None => return Ok(standalone_parts(question, most)),
            },
        };
        question.sub_questions = several(sub_questions(&question.text, most));
        Ok(question)
    }

    fn phrasings(&self, question: &Question, notes: &mut Vec<String>) -> Result<Vec<String>, RetrieveError> {
        if self.config.phrasings == 0 {
            return Ok(Vec::new());
        }
        let kind = DraftKind::Phrasings(self.config.phrasings);
        let phrasings = self.draft(kind, question, notes)?;
        if !phrasings.is_empty() {
            notes.push(format!("searched for as well: {}", phrasings.join(" | ")));
        }
        Ok(phrasings)
    }

    /// What the drafter writes, and a note that says who wrote it or that nobody did.
    fn draft(
        &self,
        kind: DraftKind,
        question: &Question,
        notes: &mut Vec<String>,
    ) -> Result<Vec<String>, RetrieveError> {
        let drafter = self.drafter.ok_or(RetrieveError::NoDrafter)?;
        let drafts = drafter.draft(kind, question)?;
        let what = match kind {
            DraftKind::Standalone => "standalone question",
            DraftKind::Phrasings(_) => "other phrasings",
            DraftKind::Passage => "passage to search with",
        };
        notes.push(if drafts.is_empty() {
            format!("no {what} was drafted: {} has none", drafter.name())
        } else {
            format!("{what} drafted by {}", drafter.name())
        });
        Ok(drafts)
    }

    /// One ranking of a leg: the parts of the question by turns, then fused with the other phrasings.
    fn leg(
        &self,
        search: &Search<'_>,
        find: impl Fn(&str) -> Result<Vec<Candidate>, RetrieveError>,
    ) -> Result<Vec<Candidate>, RetrieveError> {
        let parts = search.question.parts().iter();
        let found: Vec<Vec<Candidate>> = parts.map(|part| find(part)).collect::<Result<_, _>>()?;
        let asked = by_turns(&found);
        if search.phrasings.is_empty() {
            return Ok(asked);
        }
        let rankings: Vec<Vec<u32>> = std::iter::once(Ok(asked))
            .chain(search.phrasings.iter().map(|phrasing| find(phrasing)))
            .map(|ranking| Ok(ordinals(&ranking?)))
            .collect::<Result<_, RetrieveError>>()?;
        let fused = reciprocal_rank_fusion(&rankings, self.config.rrf_k).into_iter();
        Ok(fused
            .take(self.config.candidates_per_leg)
            .map(|(ordinal, score)| Candidate {
                ordinal,
                score: score as f32,
            })
            .collect())
    }

    fn lexical_leg(&self, search: &mut Search<'_>) -> Result<(), RetrieveError> {
        let started = Instant::now();
        let most = self.config.candidates_per_leg;
        let found = self.leg(search, |text| {
            Ok(self.generation.bm25(text, &search.allowed, most)?)
        })?;
        search.brought(Leg::Bm25, found);
        search.took("bm25", started);
        Ok(())
    }

    /// A leg whose model was not made for the question's language ranks by noise, and fusion would give
    /// the noise half of the weight: it is left out and the result says so. So is a model that learned from
    /// passages which the asker may not read, where those must have no say.
    fn dense_leg(&self, search: &mut Search<'_>) -> Result<(), RetrieveError> {
        if let Some(reason) = self.reason_against_dense(&search.question.text)? {
            search.left_out(Leg::Dense, reason);
            return Ok(());
        }
        let started = Instant::now();
        let texts = search.question.parts().iter().chain(&search.phrasings);
        let mut vectors: HashMap<&str, Vec<f32>> = HashMap::new();
        for text in texts {
            vectors.insert(text, self.embedder.embed_query(text)?);
        }
        if self.config.hyde {
            let mut notes = Vec::new();
            let drafts = self.draft(DraftKind::Passage, search.question, &mut notes)?;
            self.lean_towards(&drafts, &mut vectors)?;
            search.notes.extend(notes);
        }
        let embedded = Instant::now();
        let most = self.config.candidates_per_leg;
        let found = self.leg(search, |text| {
            let vector = vectors.get(text).map_or(&[][..], Vec::as_slice);
            Ok(self.generation.dense(vector, &search.allowed, most)?)
        })?;
        search.brought(Leg::Dense, found);
        search.took("dense", embedded);
        let embedding = embedded.duration_since(started);
        search
            .timings_ms
            .insert("embed".to_owned(), embedding.as_secs_f64() * 1e3);
        Ok(())
    }

    fn reason_against_dense(&self, question: &str) -> Result<Option<String>, RetrieveError> {
        let name = &self.embedder.identity().name;
        let language = Language::detect(question);
        if !self.embedder.serves(language) {
            return Ok(Some(format!("{name} was not made for questions in `{language}`")));
        }
        // Also for an asker who may read everything: that the leg is there must not tell that nothing is hidden.
        if self.config.statistics == Statistics::Readable && self.generation.learned()?.is_some() {
            return Ok(Some(format!(
                "{name} learned from all passages, and retrieve.statistics is `readable`"
            )));
        }
        Ok(None)
    }

    /// Moves each question's vector half of the way to the mean of the drafted passages'.
    fn lean_towards(
        &self,
        drafts: &[String],
        vectors: &mut HashMap<&str, Vec<f32>>,
    ) -> Result<(), RetrieveError> {
        let texts: Vec<&str> = drafts.iter().map(String::as_str).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let embedded = self.embedder.embed_passages(&texts, &Silent)?;
        let share = 1.0 / texts.len() as f32;
        for vector in vectors.values_mut() {
            for draft in embedded.vectors() {
                vector
                    .iter_mut()
                    .zip(draft)
                    .for_each(|(own, other)| *own += share * other);
            }
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            if length > 0.0 {
                for own in vector {
                    *own /= length;
                }
            }
        }
        Ok(())
    }

    fn fuse(&self, search: &mut Search<'_>) -> Result<Vec<Hit>, RetrieveError> {
        let started = Instant::now();
        let rankings: Vec<Vec<u32>> = search.found.values().map(|leg| ordinals(leg)).collect();
        let places = search.places();
        let mut hits: Vec<Hit> = Vec::new();
        for (ordinal, score) in reciprocal_rank_fusion(&rankings, self.config.rrf_k)
            .into_iter()
            .take(self.config.hits)
        {
            let Some(passage) = self.generation.passage(ordinal, &search.allowed)? else {
                continue;
            };
            let rank = hits.len() as u32 + 1;
            hits.push(Hit {
                legs: places.get(&ordinal).cloned().unwrap_or_default(),
                ..Hit::new(rank, score as f32, passage)
            });
        }
        if self.config.collapse_at <= 1.0 {
            hits = collapse(hits, self.config.collapse_at);
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

fn ordinals(ranking: &[Candidate]) -> Vec<u32> {
    ranking.iter().map(|candidate| candidate.ordinal).collect()
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
