//! The settings of the stage, with their defaults and why.

use std::fmt;
use std::str::FromStr;

use rag_core::setting::in_range;
use rag_index::Statistics;
use serde::{Deserialize, Serialize};

use crate::error::RetrieveError;

/// Most candidates and hits that can be asked for.
pub const MOST: usize = 10_000;

/// Most phrasings of one question: each is searched for on every leg.
const MOST_PHRASINGS: usize = 16;

/// How passages are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which legs search. Default: [`Mode::Hybrid`].
    pub mode: Mode,
    /// Which passages may have a say in the scores of others. Default: [`Statistics::All`]. With
    /// [`Statistics::Readable`] hits and scores are what they would be if what the asker may not read did not exist; an
    /// embedder that learned from the collection, as TF-IDF does, is then left out.
    pub statistics: Statistics,
    /// Candidates that each leg brings to the fusion. Default: 100: deeper ranks add less than 1/160.
    pub candidates_per_leg: usize,
    /// The constant of reciprocal rank fusion. Default: 60, as in its paper.
    pub rrf_k: u32,
    /// Hits that are kept after fusion. Default: 30, what the reranker reads.
    pub hits: usize,
    /// Most questions that one question is taken apart into; one that asks more stays whole. Default: 4;
    /// 1 leaves every question whole.
    pub max_sub_questions: usize,
    /// How a follow-up is made standalone. Default: [`Rewrite::Rule`].
    pub rewrite: Rewrite,
    /// Searches with a drafted passage beside the question (HyDE), on the dense leg. Default: off.
    pub hyde: bool,
    /// Other phrasings that are searched for as well. Default: 0; drafts are needed for more.
    pub phrasings: usize,
    /// Resemblance, from 0 to 1, from which of two hits only the better is kept; above 1 keeps all.
    /// Default: 0.9.
    pub collapse_at: f32,
    /// What is handed over around a hit for the answer. Default: [`Expand::Nothing`].
    pub expand: Expand,
    /// Most passages after that. Default: 20.
    pub expanded_passages: usize,
}

/// How a follow-up is made standalone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewrite {
    /// Not at all.
    Off,
    /// By the rule of [`crate::standalone`].
    #[default]
    Rule,
    /// By a draft; by the rule when there is none for the question.
    Draft,
}

/// What is handed over around a hit: small passages are found best, larger ones answer best.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expand {
    /// The passage alone.
    #[default]
    Nothing,
    /// The passages next to it in its document.
    Neighbours,
    /// The passages of its section or document, whichever the chunker made its parent.
    Parent,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            statistics: Statistics::default(),
            candidates_per_leg: 100,
            rrf_k: 60,
            hits: 30,
            max_sub_questions: 4,
            rewrite: Rewrite::default(),
            hyde: false,
            phrasings: 0,
            collapse_at: 0.9,
            expand: Expand::default(),
            expanded_passages: 20,
        }
    }
}

impl Config {
    /// True when something is searched for that must be drafted first.
    pub fn needs_drafts(&self) -> bool {
        self.hyde || self.phrasings > 0 || self.rewrite == Rewrite::Draft
    }

    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), RetrieveError> {
        in_range("retrieve.candidates_per_leg", self.candidates_per_leg, 1..=MOST)?;
        in_range("retrieve.hits", self.hits, 1..=MOST)?;
        in_range("retrieve.max_sub_questions", self.max_sub_questions, 1..=MOST)?;
        in_range("retrieve.phrasings", self.phrasings, 0..=MOST_PHRASINGS)?;
        in_range("retrieve.expanded_passages", self.expanded_passages, 1..=MOST)?;
        in_range("retrieve.collapse_at", self.collapse_at, 0.0..=2.0)?;
        Ok(())
    }
}

/// Which legs search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Lexical search alone.
    Bm25,
    /// Vector search alone.
    Dense,
    /// Both, fused by rank.
    #[default]
    Hybrid,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Bm25, Self::Dense, Self::Hybrid];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = RetrieveError;

    fn from_str(name: &str) -> Result<Self, RetrieveError> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| RetrieveError::UnknownMode {
            name: name.chars().take(40).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_ranges_are_checked() {
        assert_eq!("hybrid".parse::<Mode>().unwrap(), Mode::Hybrid);
        assert!("hybird".parse::<Mode>().is_err());
        assert!(
            Config {
                hits: 0,
                ..Config::default()
            }
            .check()
            .is_err()
        );
        assert!(
            Config {
                candidates_per_leg: MOST + 1,
                ..Config::default()
            }
            .check()
            .is_err()
        );
    }
}
