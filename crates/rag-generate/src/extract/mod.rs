//! The extractive generator: answers only with sentences of the sources, each cited, or declines.
//!
//! 1. Small talk is declined. A question is split into [`parts`] that ask one thing each.
//! 2. Every sentence of the context becomes a [`Candidate`]; those about a twin of an identifier that is
//!    asked for, and those addressed to a model, are no candidates.
//! 3. [`Features`] say what speaks for a candidate: foremost the cross-encoder's output for question and
//!    sentence; without a cross-encoder, or in a language that it does not serve, the terms they share.
//! 4. [`Decision`] makes a probability of them. The best candidate of each part is given as the answer if
//!    its probability reaches the threshold. Of two documents that compete closely the newer is preferred.

mod candidates;
mod decision;
mod features;
mod instructions;
mod parts;
mod small_talk;

use rag_core::answer::DECLINED;
use rag_core::language::Language;
use rag_models::CrossEncoder;
use serde::{Deserialize, Serialize};

pub use candidates::Candidate;
pub use decision::Decision;
pub use features::{Features, Rarity};
pub use instructions::is_instruction_to_model;
pub use parts::parts;

use crate::context::Context;
use crate::error::GenerateError;
use candidates::{candidates, headings};
use decision::probability;
use features::Asked;
use small_talk::is_small_talk;

/// How sentences are chosen and when we decline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// Languages of questions for which the cross-encoder is asked; for others only shared terms count.
    /// Default: English, the language of the default model.
    pub cross_encoder_languages: Vec<Language>,
    /// The decision with a cross-encoder.
    pub with_cross_encoder: Decision,
    /// The decision without one.
    pub without_cross_encoder: Decision,
    /// Most parts that a question is split into. Default: 4; one with more is taken as a whole.
    pub max_parts: usize,
    /// A second sentence is given when its log-odds are at most this much below the first's, and it too
    /// reaches the threshold. Default: 0, never.
    pub second_sentence_margin: f32,
    /// A sentence of a newer document is preferred when its log-odds are at most this much below those
    /// of the best, both reach the threshold, and the titles share a word. Default: 1.
    pub newer_margin: f32,
    /// Most sentences that are looked at for a question; more are counted and noted. Default: 256.
    pub max_candidates: usize,
}

impl Default for ExtractConfig {
    fn default() -> Self {
        Self {
            cross_encoder_languages: vec![Language::ENGLISH],
            with_cross_encoder: Decision {
                bias: -1.0,
                weights: Features::from_values([0.3, 1.0, -1.0, -3.0, -1.0]),
                threshold: 0.5,
            },
            without_cross_encoder: Decision {
                bias: -4.0,
                weights: Features::from_values([0.0, 8.0, -1.0, -3.0, -1.0]),
                threshold: 0.5,
            },
            max_parts: 4,
            second_sentence_margin: 0.0,
            newer_margin: 1.0,
            max_candidates: 256,
        }
    }
}

/// A candidate with what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The candidate.
    pub candidate: Candidate,
    /// What speaks for it.
    pub features: Features,
    /// The log-odds that it answers.
    pub log_odds: f32,
}

/// What a generator wrote, before it was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The answer with `[document#position]` behind each sentence, or [`DECLINED`].
    pub text: String,
    /// The probability that the sources answer every part, from 0 to 1.
    pub confidence: f32,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Draft {
    fn declined() -> Self {
        Self {
            text: DECLINED.to_owned(),
            confidence: 0.0,
            notes: Vec::new(),
        }
    }
}

/// Answers with sentences of the sources.
pub struct ExtractiveGenerator<'m> {
    cross_encoder: Option<&'m dyn CrossEncoder>,
    rarity: &'m Rarity<'m>,
    config: ExtractConfig,
}

impl<'m> ExtractiveGenerator<'m> {
    /// A generator that reads with `cross_encoder`; without one, shared terms decide.
    pub fn new(cross_encoder: Option<&'m dyn CrossEncoder>, config: ExtractConfig) -> Self {
        Self {
            cross_encoder,
            rarity: &|_| 1.0,
            config,
        }
    }

    /// Lets rare terms count more: `rarity` gives a term's inverse document frequency in the collection.
    /// By default all terms count alike.
    #[must_use]
    pub fn with_rarity(self, rarity: &'m Rarity<'m>) -> Self {
        Self { rarity, ..self }
    }

    /// Names all that decides an answer beside the settings: part of an artifact's key.
    pub fn name(&self) -> String {
        match self.cross_encoder {
            Some(model) => format!(
                "extractive, {} {}",
                model.identity().name,
                model.identity().key().short()
            ),
            None => "extractive, shared terms".to_owned(),
        }
    }

    /// Writes an answer to the question of `context`, or declines; so it does to small talk.
    pub fn draft(&self, context: &Context) -> Result<Draft, GenerateError> {
        if is_small_talk(&context.question) {
            return Ok(Draft::declined());
        }
        let mut chosen: Vec<Candidate> = Vec::new();
        let mut notes = Vec::new();
        let mut best = Vec::new();
        let decision = self.decision(&context.question);
        for part in parts(&context.question, self.config.max_parts) {
            let ranked = self.rank(&part, context, &mut notes)?;
            let first = ranked.first().map_or(f32::NEG_INFINITY, |first| first.log_odds);
            let answers = self.choose(&part, &ranked, context);
            best.push((part, first));
            chosen.extend(
                answers
                    .into_iter()
                    .filter(|candidate| decision.accepts(candidate.log_odds))
                    .map(|scored| scored.candidate),
            );
        }
        Ok(draft(&chosen, &best, decision, context, notes))
    }

    /// Scores every candidate of `context` as an answer to `question`, best first.
    pub fn rank(
        &self,
        question: &str,
        context: &Context,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Scored>, GenerateError> {
        let languages: Vec<Language> = context.hits.iter().map(|hit| hit.passage.language).collect();
        let asked = Asked::new(question, &languages, self.rarity);
        let (found, beyond) = candidates(context, self.config.max_candidates);
        if beyond > 0 {
            notes.push(format!("{beyond} sentences of the context were not looked at"));
        }
        let mut scored: Vec<(Candidate, Features)> = found
            .into_iter()
            .filter_map(|candidate| Some((candidate, asked.features(&candidate, context)?)))
            .collect();
        if let Some(model) = self.model_for(question) {
            add_logits(model, question, context, &mut scored)?;
        }
        let decision = self.decision(question);
        let mut ranked: Vec<Scored> = scored
            .into_iter()
            .map(|(candidate, features)| Scored {
                candidate,
                features,
                log_odds: decision.log_odds(&features),
            })
            .collect();
        // A stable sort: of equals the sentence of the better passage, then the earlier one, comes first.
        ranked.sort_by(|a, b| b.log_odds.total_cmp(&a.log_odds));
        Ok(ranked)
    }

    fn model_for(&self, question: &str) -> Option<&dyn CrossEncoder> {
        let language = Language::detect(question);
        let served = &self.config.cross_encoder_languages;
        let is_served = language == Language::UNKNOWN || served.is_empty() || served.contains(&language);
        self.cross_encoder.filter(|_| is_served)
    }

    fn decision(&self, question: &str) -> &Decision {
        match self.model_for(question) {
            Some(_) => &self.config.with_cross_encoder,
            None => &self.config.without_cross_encoder,
        }
    }

    /// The sentences to answer one part with, most often one.
    fn choose(&self, part: &str, ranked: &[Scored], context: &Context) -> Vec<Scored> {
        let Some(best) = ranked.first() else {
            return Vec::new();
        };
        let within = |margin: f32| move |other: &&Scored| other.log_odds >= best.log_odds - margin;
        let first = ranked
            .iter()
            .take_while(within(self.config.newer_margin))
            .filter(|other| is_newer_version(other, best, part, context))
            .max_by_key(|other| updated(other, context))
            .unwrap_or(best);
        let margin = self.config.second_sentence_margin;
        let second = ranked
            .iter()
            .filter(|_| margin > 0.0)
            .take_while(within(margin))
            .find(|other| other.candidate != first.candidate);
        std::iter::once(first).chain(second).copied().collect()
    }
}

fn add_logits(
    model: &dyn CrossEncoder,
    question: &str,
    context: &Context,
    scored: &mut [(Candidate, Features)],
) -> Result<(), GenerateError> {
    let texts: Vec<String> = scored
        .iter()
        .map(|(candidate, _)| candidate.reading_text(context))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let logits = model.score(question, &texts)?.logits;
    for ((_, features), logit) in scored.iter_mut().zip(logits) {
        features.logit = logit;
    }
    Ok(())
}

fn updated(scored: &Scored, context: &Context) -> Option<rag_core::date::Date> {
    context.hits[scored.candidate.source].passage.updated
}

/// True when `other` is from a newer document on the same matter as `best`, and the question names no
/// year, which would say which version is meant.
fn is_newer_version(other: &Scored, best: &Scored, question: &str, context: &Context) -> bool {
    let passage = |scored: &Scored| &context.hits[scored.candidate.source].passage;
    let (newer, older) = (passage(other), passage(best));
    let names_year = question
        .split(|c: char| !c.is_ascii_digit())
        .any(|number| number.len() == 4 && number.starts_with(['1', '2']));
    !names_year
        && newer.updated > older.updated
        && older.updated.is_some()
        && newer.document_id() != older.document_id()
        && headings(newer)
            .next()
            .is_some_and(|title| shares_word(title, &older.title))
}

fn shares_word(title: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphabetic())
            .map(str::to_lowercase)
            .filter(|word| word.chars().count() > 3)
            .collect()
    };
    let others = words(other);
    words(title).iter().any(|word| others.contains(word))
}

fn draft(
    chosen: &[Candidate],
    best: &[(String, f32)],
    decision: &Decision,
    context: &Context,
    mut notes: Vec<String>,
) -> Draft {
    let mut said: Vec<String> = Vec::new();
    for candidate in chosen {
        let id = &context.hits[candidate.source].passage.id;
        let sentence = format!("{} [{id}]", candidate.text(context).trim());
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    let weakest = best
        .iter()
        .map(|(_, log_odds)| *log_odds)
        .fold(f32::INFINITY, f32::min);
    let unanswered = best.iter().filter(|(_, log_odds)| !decision.accepts(*log_odds));
    if !said.is_empty() {
        notes.extend(unanswered.map(|(part, _)| format!("no source answers: {part}")));
    }
    Draft {
        text: if said.is_empty() {
            DECLINED.to_owned()
        } else {
            said.join(" ")
        },
        confidence: probability(weakest),
        notes,
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
