//! A way of ranking: which legs search, and whether the reranker reads what they find.

use std::fmt;
use std::str::FromStr;

use rag_rerank::Rule;
use rag_retrieve::{Mode, RetrieveError};

use crate::error::PipelineError;
use crate::settings::Settings;

/// A mode, with or without the reranker. Written `hybrid+rerank`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Which legs search.
    pub mode: Mode,
    /// Whether the reranker reads the best candidates.
    pub reranked: bool,
}

impl Way {
    /// Makes it the way of `settings`. Reranking cannot be asked for where nothing reranks.
    pub fn apply_to(self, settings: &mut Settings) -> Result<(), PipelineError> {
        settings.retrieve.mode = self.mode;
        let combine = &mut settings.rerank.combine;
        match (self.reranked, *combine) {
            (false, _) => {
                *combine = Rule::Fused;
                settings.exec.rerank = None;
            }
            (true, Rule::Fused) => *combine = Rule::default(),
            (true, _) => {}
        }
        if self.reranked && !settings.has_rerank_step() {
            return Err(PipelineError::NoReranker);
        }
        Ok(())
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.mode, if self.reranked { "+rerank" } else { "" })
    }
}

impl FromStr for Way {
    type Err = RetrieveError;

    fn from_str(text: &str) -> Result<Self, RetrieveError> {
        let (mode, reranked) = match text.strip_suffix("+rerank") {
            Some(mode) => (mode, true),
            None => (text, false),
        };
        Ok(Self {
            mode: mode.parse()?,
            reranked,
        })
    }
}
