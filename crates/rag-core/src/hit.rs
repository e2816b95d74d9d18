//! Ranked passages, and the record of how each came to its place.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};

use crate::id::PassageId;
use crate::passage::Passage;
use crate::question::Question;

/// The rankings of a batch, in the order of the questions.
pub const HITS_FILE: &str = "hits.jsonl";

/// The same rankings in the form that trec_eval and ir-measures read.
pub const RUN_FILE: &str = "run.trec";

/// One of the searches whose rankings are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// Lexical search, ranked by BM25.
    Bm25,
    /// Vector search, ranked by cosine similarity.
    Dense,
    /// Search along the graph of entities, ranked by personalised PageRank.
    Graph,
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bm25 => "bm25",
            Self::Dense => "dense",
            Self::Graph => "graph",
        })
    }
}

/// A place in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Position, from 1.
    pub rank: u32,
    /// The ranking's own score; higher is better, the scale is the ranking's.
    pub score: f32,
}

/// A passage after fusion or reranking, with its place in every ranking on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Position in the present order, from 1.
    pub rank: u32,
    /// Score of the present order; higher is better.
    pub score: f32,
    /// Place among the candidates of each leg that found it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub legs: BTreeMap<Leg, Placement>,
    /// Place after fusion, once a reranker has changed the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fused: Option<Placement>,
    /// Place by the reranker alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranked: Option<Placement>,
    /// Passages that say the same in nearly the same words and were left out in favour of this one. The
    /// asker may read them too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<PassageId>,
    /// The passage. The asker may read it: nothing else is ever ranked.
    pub passage: Passage,
}

/// What one leg did for a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LegReport {
    /// The leg.
    pub leg: Leg,
    /// Number of candidates that it brought.
    pub candidates: u32,
    /// Why it was left out, when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// The ranked passages of one question: one line of `hits.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The question, with its asker and conditions.
    pub question: Question,
    /// What each leg did.
    pub legs: Vec<LegReport>,
    /// The passages, best first.
    pub hits: Vec<Hit>,
    /// What a reader of the result should know: a leg left out, text cut by a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Milliseconds that each step took, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timings_ms: BTreeMap<String, f64>,
}

impl Hit {
    /// A hit at `rank` with `score`, not yet placed by any leg or reranker.
    pub fn new(rank: u32, score: f32, passage: Passage) -> Self {
        Self {
            rank,
            score,
            legs: BTreeMap::new(),
            fused: None,
            reranked: None,
            duplicates: Vec::new(),
            passage,
        }
    }
}

impl Ranking {
    /// The ranking of `question` with `hits` and nothing else to report.
    pub fn new(question: Question, hits: Vec<Hit>) -> Self {
        Self {
            question,
            legs: Vec::new(),
            hits,
            notes: Vec::new(),
            timings_ms: BTreeMap::new(),
        }
    }

    /// Appends the ranking as lines of a TREC run, `question Q0 passage rank score tag`. White space in
    /// the question's id becomes `_`, since it would shift the columns.
    pub fn write_trec(&self, tag: &str, out: &mut String) {
        let question = self.question.id.replace(char::is_whitespace, "_");
        for hit in &self.hits {
            let line = format_args!(
                "{question} Q0 {} {} {} {tag}",
                hit.passage.id, hit.rank, hit.score
            );
            writeln!(out, "{line}").expect("writing to a string cannot fail");
        }
    }
}
