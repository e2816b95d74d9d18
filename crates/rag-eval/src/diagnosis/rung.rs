//! The rungs, in the order in which an answer passes them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where an answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// No document of the collection is one that answers it.
    Corpus,
    /// A document that answers it was not read, or its text does not have the answer.
    Parsing,
    /// The document has the answer, but no single passage does.
    Splitting,
    /// A passage has it, but the asker may not read it, or date, language or department exclude it.
    Filter,
    /// No leg brought such a passage.
    Candidates,
    /// A leg brought it, and fusion dropped it.
    Fusion,
    /// It was among the fused hits, and the reranked ones that are kept lack it.
    Reranking,
    /// It was kept, and did not fit into the context.
    Budget,
    /// It was in the context, and the answer does not use it.
    Unused,
    /// The answer is right and does not cite where it stands.
    Uncited,
    /// The answer cites and is wrong: it takes the wrong thing from the right document, follows a version that was
    /// replaced, or answers what nothing answers.
    WrongOrStale,
}

impl Rung {
    /// All rungs, from the first.
    pub const ALL: [Self; 11] = [
        Self::Corpus,
        Self::Parsing,
        Self::Splitting,
        Self::Filter,
        Self::Candidates,
        Self::Fusion,
        Self::Reranking,
        Self::Budget,
        Self::Unused,
        Self::Uncited,
        Self::WrongOrStale,
    ];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Parsing => "parsing",
            Self::Splitting => "splitting",
            Self::Filter => "filter",
            Self::Candidates => "candidates",
            Self::Fusion => "fusion",
            Self::Reranking => "reranking",
            Self::Budget => "budget",
            Self::Unused => "unused",
            Self::Uncited => "uncited",
            Self::WrongOrStale => "wrong_or_stale",
        }
    }

    /// What happened there, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Corpus => "not in the corpus",
            Self::Parsing => "lost or garbled in parsing",
            Self::Splitting => "split across passages",
            Self::Filter => "indexed but filtered out",
            Self::Candidates => "not among the candidates of any leg",
            Self::Fusion => "lost in fusion",
            Self::Reranking => "lost in reranking",
            Self::Budget => "cut by the context budget",
            Self::Unused => "in the context but not used",
            Self::Uncited => "used but not cited",
            Self::WrongOrStale => "cited but wrong or stale",
        }
    }

    /// What to try first.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Corpus => "ingest a document that answers it",
            Self::Parsing => "see `rag parse --explain FILE` and the diagnostics of the parse stage",
            Self::Splitting => "larger passages (chunk.max_tokens), another chunk.kind, or retrieve.expand",
            Self::Filter => "the document's groups, date and language, and the question's filter",
            Self::Candidates => {
                "hybrid mode, chunk.context, retrieve.rewrite, retrieve.hyde, retrieve.phrasings"
            }
            Self::Fusion => "more retrieve.hits",
            Self::Reranking => "more rerank.keep, another models.reranker or rerank.combine",
            Self::Budget => "more generate.context.max_tokens, or smaller passages",
            Self::Unused => "generate.extract thresholds, or a language model (generate.writer)",
            Self::Uncited => "label the cited document as relevant if it does answer the question",
            Self::WrongOrStale => "supersedes and dates in the documents, a date filter, generate.verify",
        }
    }

    /// The class that it belongs to: the passage never reached the context, or it did and was not made an answer.
    pub fn class(self) -> Class {
        if self < Self::Unused {
            Class::RetrievalMiss
        } else {
            Class::GenerationMiss
        }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rung {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|rung| rung.name() == name)
            .ok_or_else(|| format!("`{name}` is no rung of the ladder"))
    }
}

/// The three ends of a question that decide who has to mend something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Answered rightly, or declined rightly.
    Ok,
    /// What answers it never reached the context: no prompt can help.
    RetrievalMiss,
    /// It was in the context, and the answer is wrong or missing.
    GenerationMiss,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_stand_in_order_and_read_back() {
        assert!(Rung::ALL.is_sorted());
        for rung in Rung::ALL {
            assert_eq!(rung.name().parse(), Ok(rung));
            assert_eq!(serde_json::to_value(rung).unwrap(), rung.name());
        }
        assert!("nowhere".parse::<Rung>().is_err());
        assert_eq!(Rung::Budget.class(), Class::RetrievalMiss);
        assert_eq!(Rung::Unused.class(), Class::GenerationMiss);
    }
}
