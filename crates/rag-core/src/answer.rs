//! Answers with their citations, and what checking them found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::date::Date;
use crate::hit::{Hit, LegReport};
use crate::id::{DocumentId, PassageId};
use crate::question::Question;
use crate::span::{BoundingBox, Span};

/// The answers of a batch, in the order of the questions.
pub const ANSWERS_FILE: &str = "answers.jsonl";

/// What is said when the sources support no answer.
pub const DECLINED: &str = "I don't know based on the provided sources.";

/// The answer to one question: one line of `answers.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question, with its asker and conditions.
    pub question: Question,
    /// The text shown to the asker, with `[document#n]` after each sentence.
    #[serde(rename = "answer")]
    pub text: String,
    /// True when the sources support no answer.
    pub abstained: bool,
    /// How sure the generator is that the sources answer the question, from 0 to 1.
    pub confidence: f32,
    /// The citations in the order of the text.
    pub citations: Vec<Citation>,
    /// What the checks found.
    pub verification: Verification,
    /// Sentences of the draft whose citations did not hold, and what was done about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// Who wrote the answer.
    #[serde(default)]
    pub generator: String,
    /// The searches behind the answer, when they were planned step by step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The passages of the context, best first.
    pub passages: Vec<Hit>,
    /// What each leg did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<LegReport>,
    /// What a reader of the answer should know: a leg left out, text cut by a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What it cost.
    pub usage: Usage,
    /// Milliseconds that each step took, by its name.
    pub timings_ms: BTreeMap<String, f64>,
}

/// A sentence of the answer tied to the place that states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The cited passage.
    pub id: PassageId,
    /// Its document.
    pub document: DocumentId,
    /// Title of the document.
    pub title: String,
    /// Headings above the passage, joined with ` > `.
    pub section: String,
    /// Page, from 1, for formats that have pages.
    pub page: Option<u32>,
    /// Place on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// Day of the document's last change.
    pub updated: Option<Date>,
    /// The exact words of the source.
    pub quote: String,
    /// Where the quote stands in the document's text.
    pub span: Option<Span>,
    /// The sentence of the answer that the citation vouches for.
    pub claim: String,
    /// What the check found.
    pub status: CitationStatus,
    /// How far the passage supports the sentence; `None` when there was nothing to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportScore>,
}

/// How far a passage supports a sentence, and by what that was decided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportScore {
    /// From 0 to 1: a probability when models decided, else the share of the sentence's terms.
    pub score: f32,
    /// By what it was decided.
    pub basis: SupportBasis,
}

/// By what it is decided whether a passage supports a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupportBasis {
    /// The sentence stands in the passage word for word.
    Verbatim,
    /// The passage has the sentence's terms in one place, or another fact than the sentence states.
    SharedTerms,
    /// Models read both; whoever has no models cannot compute the score again.
    Models,
}

/// What checking a citation found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitationStatus {
    /// The passage was in the context and supports the sentence.
    Verified,
    /// The passage was in the context but does not support the sentence.
    Unsupported,
    /// No such passage was in the context.
    UnknownId,
}

/// The result of checking all citations of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Cited ids that were not in the context.
    pub unknown_ids: Vec<String>,
    /// Sentences that their cited passage does not support, or that cite nothing.
    pub unsupported: Vec<String>,
}

impl Verification {
    /// True when every citation held.
    pub fn passed(&self) -> bool {
        self.unknown_ids.is_empty() && self.unsupported.is_empty()
    }
}

/// A sentence of a draft whose citations did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The sentence.
    pub sentence: String,
    /// What it cited.
    pub cited: Vec<String>,
    /// What it cites instead; empty when it was withheld.
    pub instead: Vec<String>,
}

/// How an answer was searched for, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Who decided what to search for.
    pub planner: String,
    /// The searches, in order; none for small talk.
    pub searches: Vec<SearchStep>,
    /// Why no further search was made.
    pub stopped: StopReason,
}

/// One search of a [`Trace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchStep {
    /// The words searched for.
    pub query: String,
    /// Only documents changed on that day or later were asked for; never wider than the question's own filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<Date>,
    /// The passages found, best first. The asker may read all of them.
    pub hits: Vec<PassageId>,
}

/// Why a search step by step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The question asks nothing that a source could answer.
    SmallTalk,
    /// All parts of the question are answered, or the model wrote its answer.
    Answered,
    /// Nothing else to search for came to mind.
    Exhausted,
    /// The budget of searches was used up.
    Budget,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the assembled context.
    pub context_tokens: u32,
    /// Passages that the context's budget left out.
    pub passages_left_out: u32,
    /// Tokens that a language model wrote.
    pub written_tokens: u64,
}
