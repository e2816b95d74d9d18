//! The extractive generator: answers only with sentences of the sources, each cited, or declines.
//!
//! 1. Small talk is declined. A question comes in parts that ask one thing each.
//! 2. Every sentence of the context becomes a [`Candidate`]; those about a twin of an identifier that is
//!    asked for, and those addressed to a model, are no candidates.
//! 3. [`Features`] say what speaks for a candidate: foremost the cross-encoder's output for question and
//!    sentence; without a cross-encoder, or in a language that it does not serve, the terms they share.
//! 4. [`Decision`] makes a probability of them. The best candidate of each part is given as the answer if
//!    its probability reaches the threshold, with a second one that is as likely, or that goes on from it. Of two documents that compete closely the newer is preferred.

mod candidates;
mod decision;
mod features;
mod lead;
mod small_talk;

use std::cmp::Ordering;

use rag_core::answer::DECLINED;
use rag_core::language::Language;
use rag_core::question::Question;
use rag_core::version::{Kinship, kinship, names_version};
use rag_models::CrossEncoder;
use serde::{Deserialize, Serialize};

pub use candidates::Candidate;
pub use decision::Decision;
pub use features::Features;
pub use small_talk::is_small_talk;

use crate::context::Context;
use crate::error::GenerateError;
use crate::generator::{Draft, Generator};
use candidates::candidates;
use decision::probability;
use features::{Asked, rarity_among};
use lead::{Measure, set_leads};

/// How sentences are chosen and when we decline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// The decision with a cross-encoder.
    pub with_cross_encoder: Decision,
    /// The decision without one.
    pub without_cross_encoder: Decision,
    /// A second sentence is given when its log-odds are at most this much below the first's, which is no
    /// difference to rely on. Default: 0.75; 0 means never. What an answer then holds, `eval answers
    /// --trade-off` prints.
    pub second_sentence_margin: f32,
    /// A sentence right behind a given one that points back to it ("For instance …", "These …") is given too, however
    /// little it has of the question: what it says is about the same. Default: true.
    pub continuations: bool,
    /// A sentence of a newer version of the same document (its title differs in numbers only) is preferred
    /// when its log-odds are at most this much below those of the best. Default: 3. A question that names
    /// a year is answered as it stands.
    pub newer_version_margin: f32,
    /// The same for a newer document whose title shares a word. Default: 0.5.
    pub newer_margin: f32,
    /// Most sentences that are looked at for a question; more are counted and noted. Default: 256.
    pub max_candidates: usize,
}

impl Default for ExtractConfig {
    fn default() -> Self {
        Self {
            with_cross_encoder: Decision {
                bias: -3.05,
                weights: Features::from_values([0.27, 1.01, -2.27, -2.71, -1.14, 0.33, 0.05]),
                threshold: 0.11,
            },
            without_cross_encoder: Decision {
                bias: -3.28,
                weights: Features::from_values([0.0, 3.87, -2.08, -3.02, 0.0, 0.18, 0.0]),
                threshold: 0.22,
            },
            second_sentence_margin: 0.75,
            continuations: true,
            newer_version_margin: 3.0,
            newer_margin: 0.5,
            max_candidates: 256,
        }
    }
}

impl ExtractConfig {
    /// Answers whatever the confidence, for measuring what a threshold would do.
    pub fn accept_everything(&mut self) {
        self.with_cross_encoder.threshold = 0.0;
        self.without_cross_encoder.threshold = 0.0;
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

/// Answers with sentences of the sources.
pub struct ExtractiveGenerator<'m> {
    cross_encoder: Option<&'m dyn CrossEncoder>,
    config: ExtractConfig,
}

impl<'m> ExtractiveGenerator<'m> {
    /// A generator that reads with `cross_encoder`; without one, shared terms decide.
    pub fn new(cross_encoder: Option<&'m dyn CrossEncoder>, config: ExtractConfig) -> Self {
        Self {
            cross_encoder,
            config,
        }
    }

    /// Scores every candidate of `context` as an answer to `question`, best first.
    pub fn rank(
        &self,
        question: &str,
        context: &Context,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Scored>, GenerateError> {
        let languages: Vec<Language> = context.hits.iter().map(|hit| hit.passage.language).collect();
        let (found, beyond) = candidates(context, self.config.max_candidates);
        if beyond > 0 {
            notes.push(format!("{beyond} sentences of the context were not looked at"));
        }
        let asked = Asked::new(question, &languages, &rarity_among(&found, context));
        let mut scored: Vec<(Candidate, Features)> = found
            .into_iter()
            .filter_map(|candidate| Some((candidate, asked.features(&candidate, context)?)))
            .collect();
        let measure = match self.model_for(question) {
            Some(model) => {
                add_logits(model, question, context, &mut scored)?;
                Measure::Logit
            }
            None => Measure::Coverage,
        };
        set_leads(&mut scored, context, measure);
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

    /// True when there is a cross-encoder.
    pub fn has_model(&self) -> bool {
        self.cross_encoder.is_some()
    }

    /// True when the cross-encoder is asked about `question`: there is one, and it serves the language.
    pub fn asks_model(&self, question: &str) -> bool {
        self.model_for(question).is_some()
    }

    fn model_for(&self, question: &str) -> Option<&dyn CrossEncoder> {
        let language = Language::detect(question);
        self.cross_encoder.filter(|model| model.serves(language))
    }

    fn decision(&self, question: &str) -> &Decision {
        match self.model_for(question) {
            Some(_) => &self.config.with_cross_encoder,
            None => &self.config.without_cross_encoder,
        }
    }

    /// The sentences to answer one part with, most often one, in the order of their passage.
    fn choose(&self, part: &str, ranked: &[Scored], context: &Context) -> Vec<Scored> {
        let Some(best) = ranked.first() else {
            return Vec::new();
        };
        let first = self.newest(part, best, ranked, context);
        let margin = self.config.second_sentence_margin;
        let second = ranked
            .iter()
            .filter(|other| margin > 0.0 && other.log_odds >= first.log_odds - margin)
            .find(|other| other.candidate.adds_to(&first.candidate, context));
        let follows = |other: &&Scored| other.candidate.goes_on_from(&first.candidate, context);
        let continuation = ranked
            .iter()
            .find(|other| self.config.continuations && second.is_none() && follows(other));
        let mut chosen: Vec<Scored> = std::iter::once(first)
            .chain(second)
            .chain(continuation)
            .copied()
            .collect();
        if chosen
            .iter()
            .all(|other| other.candidate.source == first.candidate.source)
        {
            chosen.sort_by_key(|scored| scored.candidate.span);
        }
        chosen
    }

    /// The best sentence, or one of a newer document that competes with it.
    fn newest<'s>(
        &self,
        part: &str,
        best: &'s Scored,
        ranked: &'s [Scored],
        context: &Context,
    ) -> &'s Scored {
        let passage = |scored: &Scored| &context.hits[scored.candidate.source].passage;
        let margin = |other: &Scored| match kinship(passage(other), passage(best)) {
            Kinship::Versions => self.config.newer_version_margin,
            Kinship::Topic => self.config.newer_margin,
            Kinship::None => f32::NEG_INFINITY,
        };
        let competing = ranked.iter().filter(|other| {
            !names_version(part, passage(best), passage(other))
                && passage(other).updated > passage(best).updated
                && other.log_odds >= best.log_odds - margin(other)
        });
        competing
            .max_by(|a, b| {
                (passage(a).updated, a.log_odds)
                    .partial_cmp(&(passage(b).updated, b.log_odds))
                    .unwrap_or(Ordering::Equal)
            })
            .unwrap_or(best)
    }
}

impl Generator for ExtractiveGenerator<'_> {
    fn name(&self) -> String {
        match self.cross_encoder {
            Some(model) => format!(
                "extractive, {} {}",
                model.identity().name,
                model.identity().key().short()
            ),
            None => "extractive, shared terms".to_owned(),
        }
    }

    fn draft(&self, question: &Question, context: &Context) -> Result<Draft, GenerateError> {
        if is_small_talk(&context.question) {
            return Ok(Draft::declined());
        }
        let mut chosen: Vec<Candidate> = Vec::new();
        let mut notes = Vec::new();
        let mut best = Vec::new();
        let decision = self.decision(&context.question);
        for part in question.parts() {
            let ranked = self.rank(part, context, &mut notes)?;
            let first = ranked.first().map_or(f32::NEG_INFINITY, |first| first.log_odds);
            if decision.accepts(first) {
                let answers = self.choose(part, &ranked, context);
                chosen.extend(answers.into_iter().map(|scored| scored.candidate));
            }
            best.push((part.as_str(), first));
        }
        Ok(draft(&chosen, &best, decision, context, notes))
    }

    fn answers(&self, part: &str, context: &Context) -> Result<bool, GenerateError> {
        let ranked = self.rank(part, context, &mut Vec::new())?;
        let best = ranked.first().map(|best| best.log_odds);
        Ok(best.is_some_and(|log_odds| self.decision(part).accepts(log_odds)))
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

fn draft(
    chosen: &[Candidate],
    best: &[(&str, f32)],
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
        confidence: Some(probability(weakest)),
        notes,
        written_tokens: 0,
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
