//! The truncation ledger: text that a limit kept from being read, box by box.

use std::fmt;

use serde::Serialize;

/// A box with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// The embedder's tokens per text.
    Embedder,
    /// The reranker's tokens per pair, over all of its windows.
    Reranker,
    /// The budget of the context.
    Context,
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embedder => "embedder",
            Self::Reranker => "reranker",
            Self::Context => "context",
        })
    }
}

/// Of what text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// Every passage of the store.
    Passages,
    /// Passages of the documents that the labels name.
    GoldPassages,
    /// Passages that were handed to the generator.
    KeptPassages,
    /// Of these, those of the documents that the labels name.
    KeptGoldPassages,
    /// The questions themselves.
    Questions,
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passages => "passages",
            Self::GoldPassages => "gold passages",
            Self::KeptPassages => "kept passages",
            Self::KeptGoldPassages => "kept gold passages",
            Self::Questions => "questions",
        })
    }
}

impl Of {
    /// Whether what is lost here may be what answers.
    pub fn is_gold(self) -> bool {
        matches!(self, Self::GoldPassages | Self::KeptGoldPassages)
    }
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cut {
    /// Whose limit.
    pub component: Component,
    /// Of what.
    pub of: Of,
    /// The limit in the component's own tokens.
    pub limit_tokens: usize,
    /// Texts looked at; one is looked at once for each question that it belongs to.
    pub looked_at: usize,
    /// Texts longer than the limit that were read in several windows.
    pub in_windows: usize,
    /// Texts of which something lay beyond the limit.
    pub affected: usize,
    /// Tokens beyond it.
    pub tokens: u64,
    /// The text that lost most.
    pub worst: Option<Worst>,
}

/// The text that lost most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Worst {
    /// The passage's or the question's id.
    pub id: String,
    /// Tokens that were not read.
    pub tokens: usize,
}

impl Cut {
    /// A line without texts yet.
    pub fn new(component: Component, of: Of, limit_tokens: usize) -> Self {
        Self {
            component,
            of,
            limit_tokens,
            looked_at: 0,
            in_windows: 0,
            affected: 0,
            tokens: 0,
            worst: None,
        }
    }

    /// Counts a text of which `beyond` tokens lay beyond the limit.
    pub fn count(&mut self, id: impl fmt::Display, beyond: usize) {
        self.looked_at += 1;
        if beyond == 0 {
            return;
        }
        self.affected += 1;
        self.tokens += beyond as u64;
        if self.worst.as_ref().is_none_or(|worst| beyond > worst.tokens) {
            self.worst = Some(Worst {
                id: id.to_string(),
                tokens: beyond,
            });
        }
    }
}

/// The ledger.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TruncationReport {
    /// Its lines.
    pub lines: Vec<Cut>,
}

impl TruncationReport {
    /// Tokens of gold passages that some box did not read.
    pub fn gold_tokens(&self) -> u64 {
        self.lines
            .iter()
            .filter(|line| line.of.is_gold())
            .map(|line| line.tokens)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_is_added_up_and_the_worst_is_named() {
        let mut cut = Cut::new(Component::Embedder, Of::GoldPassages, 254);
        for (id, beyond) in [("a#0", 0), ("b#0", 7), ("c#0", 30), ("d#0", 30)] {
            cut.count(id, beyond);
        }
        assert_eq!((cut.looked_at, cut.affected, cut.tokens), (4, 3, 67));
        assert_eq!(cut.worst.as_ref().map(|worst| worst.id.as_str()), Some("c#0"));
        let mut all = Cut::new(Component::Embedder, Of::Passages, 254);
        all.count("x#0", 1_000);
        let report = TruncationReport {
            lines: vec![cut, all],
        };
        assert_eq!(report.gold_tokens(), 67);
    }
}
