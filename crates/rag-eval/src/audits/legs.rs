//! Leg health: a leg that could not search a question brought no low rank, it brought nothing, and must not be
//! averaged in.

use std::collections::BTreeMap;
use std::fmt;

use rag_core::hit::Leg;
use rag_core::language::Language;
use serde::Serialize;

use crate::answers::Rate;

/// What one leg did for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct LegObservation {
    /// The question's id.
    pub question: String,
    /// The question's language.
    pub language: Language,
    /// The leg.
    pub leg: Leg,
    /// Tokens that the leg had to search with.
    pub tokens: usize,
    /// Passages that the asker may read and the filter keeps.
    pub allowed: u64,
    /// Candidates that it brought.
    pub candidates: u32,
    /// Why it was left out, when it was.
    pub left_out: Option<String>,
    /// Whether a passage of a document that answers was among the hits that it brought; `None` when the labels name none.
    pub found: Option<bool>,
}

/// Why a leg brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// It was left out, for this reason.
    LeftOut(String),
    /// The question has no token that it could search with.
    NoTokens,
    /// It searched and nothing matched.
    NoHits,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(reason) => write!(f, "left out: {reason}"),
            Self::NoTokens => f.write_str("no tokens to search with"),
            Self::NoHits => f.write_str("nothing matched"),
        }
    }
}

/// A leg that brought nothing for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SilentLeg {
    /// The question's id.
    pub question: String,
    /// Its language.
    pub language: Language,
    /// The leg.
    pub leg: Leg,
    /// Why.
    pub why: Silence,
}

/// How one leg did over the questions of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LegHealth {
    /// Questions for which there was anything to be found.
    pub questions: usize,
    /// Those for which it was left out.
    pub left_out: usize,
    /// Those that gave it tokens.
    pub with_tokens: usize,
    /// Those for which it brought hits.
    pub with_hits: usize,
    /// Of those for which it brought hits and the labels name documents: for how many one of them was among its hits.
    pub found: Rate,
}

impl LegHealth {
    /// True when it brought nothing for any question.
    pub fn is_dead(&self) -> bool {
        self.questions > 0 && self.with_hits == 0
    }
}

/// The health of every leg.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LegsReport {
    /// By the question's language, by leg.
    pub languages: BTreeMap<Language, BTreeMap<Leg, LegHealth>>,
    /// Questions whose asker may read nothing that the filter keeps: no leg can bring anything.
    pub nothing_allowed: usize,
    /// Every leg that brought nothing for a question although there was something.
    pub silent: Vec<SilentLeg>,
}

impl LegsReport {
    /// Adds up what the legs did.
    pub fn of(observations: &[LegObservation]) -> Self {
        let mut report = Self::default();
        let mut barred: Vec<&str> = Vec::new();
        for seen in observations {
            if seen.allowed == 0 {
                barred.push(&seen.question);
                continue;
            }
            report.add(seen);
        }
        barred.sort_unstable();
        barred.dedup();
        report.nothing_allowed = barred.len();
        report
    }

    fn add(&mut self, seen: &LegObservation) {
        let legs = self.languages.entry(seen.language).or_default();
        let health = legs.entry(seen.leg).or_default();
        health.questions += 1;
        health.with_tokens += usize::from(seen.tokens > 0);
        health.left_out += usize::from(seen.left_out.is_some());
        if seen.candidates > 0 {
            health.with_hits += 1;
            if let Some(found) = seen.found {
                health.found.of += 1;
                health.found.hits += usize::from(found);
            }
            return;
        }
        let why = match &seen.left_out {
            Some(reason) => Silence::LeftOut(reason.clone()),
            None if seen.tokens == 0 => Silence::NoTokens,
            None => Silence::NoHits,
        };
        self.silent.push(SilentLeg {
            question: seen.question.clone(),
            language: seen.language,
            leg: seen.leg,
            why,
        });
    }

    /// The legs that brought nothing for any question of a language.
    pub fn dead(&self) -> Vec<(Language, Leg)> {
        let legs = self
            .languages
            .iter()
            .flat_map(|(&language, legs)| legs.iter().map(move |(&leg, health)| (language, leg, health)));
        legs.filter(|(_, _, health)| health.is_dead())
            .map(|(language, leg, _)| (language, leg))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(question: &str, language: Language, leg: Leg, tokens: usize, candidates: u32) -> LegObservation {
        LegObservation {
            question: question.to_owned(),
            language,
            leg,
            tokens,
            allowed: 9,
            candidates,
            left_out: None,
            found: Some(candidates > 5),
        }
    }

    #[test]
    fn a_dead_leg_is_named_and_not_averaged_in() {
        let left_out = LegObservation {
            left_out: Some("made for English".into()),
            ..seen("q3", Language::ARABIC, Leg::Dense, 4, 0)
        };
        let report = LegsReport::of(&[
            seen("q1", Language::ENGLISH, Leg::Dense, 4, 10),
            seen("q2", Language::ENGLISH, Leg::Dense, 4, 0),
            seen("q4", Language::ENGLISH, Leg::Dense, 0, 0),
            left_out,
            seen("q3", Language::ARABIC, Leg::Bm25, 4, 3),
        ]);
        assert_eq!(report.dead(), [(Language::ARABIC, Leg::Dense)]);
        let english = &report.languages[&Language::ENGLISH][&Leg::Dense];
        assert_eq!(
            (english.questions, english.with_tokens, english.with_hits),
            (3, 2, 1)
        );
        assert_eq!(english.found, Rate { hits: 1, of: 1 });
        assert_eq!(
            report.languages[&Language::ARABIC][&Leg::Dense].found.share(),
            None
        );
        let why: Vec<&Silence> = report.silent.iter().map(|silent| &silent.why).collect();
        assert_eq!(
            why,
            [
                &Silence::NoHits,
                &Silence::NoTokens,
                &Silence::LeftOut("made for English".into())
            ]
        );
    }

    #[test]
    fn an_asker_who_may_read_nothing_kills_no_leg() {
        let barred = |leg| LegObservation {
            allowed: 0,
            ..seen("q1", Language::ENGLISH, leg, 4, 0)
        };
        let report = LegsReport::of(&[barred(Leg::Bm25), barred(Leg::Dense)]);
        assert_eq!(
            (report.nothing_allowed, report.dead().len(), report.silent.len()),
            (1, 0, 0)
        );
    }
}
