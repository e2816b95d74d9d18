//! Labelled questions about connections: does the graph find what is connected, and cite what says so?

use std::collections::BTreeMap;

use rag_core::access::Principal;
use rag_core::filter::Filter;
use rag_core::id::DocumentId;
use rag_graph::{Answer, Connection, Currency, Graph, Route};
use serde::{Deserialize, Serialize};

use crate::error::PipelineError;

/// A labelled question: one line of `connections.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionLabel {
    /// Unique in its file.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// Groups of the asker.
    #[serde(default)]
    pub groups: Principal,
    /// The search that it asks for.
    pub route: Route,
    /// Names that must be among the results. For paths: names on the way, in any order.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Documents that must be cited for them.
    #[serde(default)]
    pub sources: Vec<DocumentId>,
    /// Names and words that must appear nowhere, since the asker may not read of them or they are out of date.
    #[serde(default)]
    pub absent: Vec<String>,
}

/// How a question went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionVerdict {
    /// The question's id.
    pub id: String,
    /// The search that it was taken to ask for.
    pub route: Route,
    /// True when it is the labelled one.
    pub routed: bool,
    /// Answers that are missing.
    pub missing: Vec<String>,
    /// Documents that are not cited.
    pub uncited: Vec<DocumentId>,
    /// What should not have appeared.
    pub leaked: Vec<String>,
}

impl ConnectionVerdict {
    /// True when everything was found and cited and nothing leaked.
    pub fn holds(&self) -> bool {
        self.routed && self.missing.is_empty() && self.uncited.is_empty() && self.leaked.is_empty()
    }
}

/// All verdicts, and the share that holds by route.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConnectionReport {
    /// Every question, in order.
    pub verdicts: Vec<ConnectionVerdict>,
    /// Questions that hold and questions asked, by labelled route.
    pub by_route: BTreeMap<Route, (usize, usize)>,
}

impl ConnectionReport {
    /// Share of the questions that hold.
    pub fn share(&self) -> f64 {
        let held = self.verdicts.iter().filter(|verdict| verdict.holds()).count();
        held as f64 / self.verdicts.len().max(1) as f64
    }
}

/// Asks every question as its asker and compares what the first `limit` results name and cite with the label.
pub fn evaluate_connections(
    graph: &Graph,
    labels: &[ConnectionLabel],
    limit: usize,
) -> Result<ConnectionReport, PipelineError> {
    let mut verdicts = Vec::new();
    let mut by_route: BTreeMap<Route, (usize, usize)> = BTreeMap::new();
    for label in labels {
        let view = graph.view(&label.groups, &Filter::default(), Currency::Current);
        let verdict = judge(label, &view.answer(&label.question, limit)?);
        let counts = by_route.entry(label.route).or_default();
        counts.0 += usize::from(verdict.holds());
        counts.1 += 1;
        verdicts.push(verdict);
    }
    Ok(ConnectionReport { verdicts, by_route })
}

fn judge(label: &ConnectionLabel, answer: &Answer) -> ConnectionVerdict {
    let edges: Vec<&Connection> = answer
        .connections
        .iter()
        .chain(answer.paths.iter().flat_map(|path| &path.steps))
        .collect();
    let names = |name: &str| {
        let is_it = |own: &str| own.to_lowercase() == name.to_lowercase();
        let in_edges = edges.iter().any(|edge| is_it(&edge.other) || is_it(&edge.entity));
        in_edges
            || answer
                .themes
                .iter()
                .any(|theme| theme.entities.iter().any(|own| is_it(own)))
    };
    let cited: Vec<&DocumentId> = edges
        .iter()
        .flat_map(|edge| &edge.evidence)
        .chain(answer.themes.iter().flat_map(|theme| &theme.sentences))
        .map(|evidence| &evidence.passage.document)
        .collect();
    let shown = serde_json::to_string(answer).unwrap_or_default().to_lowercase();
    ConnectionVerdict {
        id: label.id.clone(),
        route: answer.route,
        routed: answer.route == label.route,
        missing: label
            .answers
            .iter()
            .filter(|name| !names(name))
            .cloned()
            .collect(),
        uncited: label
            .sources
            .iter()
            .filter(|id| !cited.contains(id))
            .cloned()
            .collect(),
        leaked: label
            .absent
            .iter()
            .filter(|word| shown.contains(&word.to_lowercase()))
            .cloned()
            .collect(),
    }
}
