//! The boxes of the query row that a run takes its questions through, and where each keeps its artifact.

use rag_core::stage;
use rag_retrieve::Expand;

use crate::settings::Settings;

/// One box of the query row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryBox {
    Retrieve,
    Rerank,
    Expand,
    Generate,
}

impl QueryBox {
    /// The boxes that `settings` ask for. Each reads what the one before it made; the first reads the questions, the
    /// last makes the answers.
    pub(super) fn row(settings: &Settings) -> Vec<Self> {
        let rerank = settings.has_rerank_step().then_some(Self::Rerank);
        let expand = (settings.retrieve.expand != Expand::Nothing).then_some(Self::Expand);
        [Some(Self::Retrieve), rerank, expand, Some(Self::Generate)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The box whose rankings `settings` hand to the generator.
    pub(super) fn last_ranked(settings: &Settings) -> Self {
        let mut row = Self::row(settings);
        row.retain(|of| *of != Self::Generate);
        row.pop().expect("questions are always retrieved for")
    }

    /// The stage that its artifact is of.
    pub(super) fn stage(self) -> &'static str {
        match self {
            Self::Retrieve => stage::RETRIEVE,
            Self::Rerank => stage::RERANK,
            Self::Expand => stage::EXPAND,
            Self::Generate => stage::GENERATE,
        }
    }

    /// The folder of its artifact within the run's.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Retrieve => "retrieved",
            Self::Rerank => "reranked",
            Self::Expand => "expanded",
            Self::Generate => "answered",
        }
    }
}
