//! The settings of the stage, with their defaults and why.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::RetrieveError;

/// Most candidates and hits that can be asked for.
const MOST: usize = 10_000;

/// How passages are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which legs search. Default: [`Mode::Hybrid`].
    pub mode: Mode,
    /// Candidates that each leg brings to the fusion. Default: 100: deeper ranks add less than 1/160.
    pub candidates_per_leg: usize,
    /// The constant of reciprocal rank fusion. Default: 60, as in its paper.
    pub rrf_k: u32,
    /// Hits that are kept after fusion. Default: 30, what the reranker reads.
    pub hits: usize,
    /// Most questions that one question is taken apart into; one that asks more stays whole. Default: 4;
    /// 1 leaves every question whole.
    pub max_sub_questions: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            candidates_per_leg: 100,
            rrf_k: 60,
            hits: 30,
            max_sub_questions: 4,
        }
    }
}

impl Config {
    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), RetrieveError> {
        for (name, value) in [
            ("candidates_per_leg", self.candidates_per_leg),
            ("hits", self.hits),
            ("max_sub_questions", self.max_sub_questions),
        ] {
            if !(1..=MOST).contains(&value) {
                return Err(RetrieveError::Setting {
                    name,
                    value,
                    most: MOST,
                });
            }
        }
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
