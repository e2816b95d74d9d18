//! Which sorts of question the walk along the graph helps, as it was last measured on a store: `ask` and `search` walk
//! for those, and for no others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_eval::retrieval::Metric;
use rag_eval::significance::{Comparison, SignificanceConfig, Slices, Values, compare_slices};
use rag_graph::{Currency, Graph, GraphError, Route};
use serde::{Deserialize, Serialize};

use super::open_graph;
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::state;
use crate::store::Store;

/// What a gain is measured by.
pub(super) const GAIN_METRIC: Metric = Metric::Ndcg(Some(10));

/// A difference that chance makes more often than this is no gain.
const LEVEL: f64 = 0.05;

/// Ranking without and with the walk, by sort of question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RouteGains(BTreeMap<Route, Comparison>);

impl RouteGains {
    /// Compares two systems' values of [`GAIN_METRIC`] within each sort of question.
    pub(super) fn measured(plain: &Values, joined: &Values, routes: &BTreeMap<String, Route>) -> Self {
        let mut slices = Slices::new();
        let mut names: BTreeMap<String, Route> = BTreeMap::new();
        for (question, route) in routes {
            let name = format!("{route:?}");
            let questions: &mut BTreeSet<String> = slices.entry(name.clone()).or_default();
            questions.insert(question.clone());
            names.insert(name, *route);
        }
        let compared = compare_slices(plain, joined, &slices, &SignificanceConfig::default());
        Self(
            compared
                .into_iter()
                .map(|(name, comparison)| (names[&name], comparison))
                .collect(),
        )
    }

    /// What was measured of each sort.
    pub fn by_route(&self) -> impl Iterator<Item = (Route, &Comparison)> {
        self.0.iter().map(|(route, comparison)| (*route, comparison))
    }

    /// True when questions of this sort gained, and not by chance.
    pub fn helps(&self, route: Route) -> bool {
        self.0.get(&route).is_some_and(|comparison| {
            comparison.difference.is_some_and(|gain| gain > 0.0)
                && comparison.decisive_p().is_some_and(|p| p < LEVEL)
        })
    }

    fn helps_any(&self) -> bool {
        self.0.keys().any(|&route| self.helps(route))
    }

    fn path(store: &Store) -> PathBuf {
        store.root().join("graph-gains.json")
    }

    /// Keeps the measurement for the store's questions from now on.
    pub fn save(&self, store: &Store) -> Result<(), PipelineError> {
        state::write(&Self::path(store), self)
    }

    /// The last measurement; nothing helps where there is none.
    pub fn load(store: &Store) -> Result<Self, PipelineError> {
        Ok(state::read(&Self::path(store))?.unwrap_or_default())
    }
}

/// A graph and the sorts of question that gain from it.
pub(crate) struct RoutedGraph {
    graph: Graph,
    gains: RouteGains,
}

impl RoutedGraph {
    /// Opens the store's graph, if questions of some sort gain from it and it is up to date.
    pub(crate) fn open(
        settings: &Settings,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, PipelineError> {
        if !settings.graph.ask {
            return Ok(None);
        }
        let gains = RouteGains::load(store)?;
        if !gains.helps_any() {
            return Ok(None);
        }
        match open_graph(settings, store) {
            Ok(graph) => Ok(Some(Self { graph, gains })),
            Err(PipelineError::Graph(error @ GraphError::Stale { .. })) => {
                progress.note(&format!("asking without the graph: {error}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The graph, where the sort of `question` gains from it.
    pub(crate) fn helps(&self, question: &Question) -> Option<&Graph> {
        let view = self
            .graph
            .view(&question.principal, &question.filter, Currency::All);
        let (route, _) = view.route(&question.text);
        self.gains.helps(route).then_some(&self.graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gain_that_chance_does_not_make_counts() {
        let mut routes = BTreeMap::new();
        let (mut plain, mut joined) = (Values::default(), Values::default());
        for n in 0..30 {
            for (route, better) in [
                (Route::Shared, 0.5),
                (Route::Neighbours, if n == 0 { 0.5 } else { 0.0 }),
                (Route::Paths, -0.5),
            ] {
                let id = format!("{route:?}{n}");
                plain.insert(id.clone(), Some(0.5));
                joined.insert(id.clone(), Some(0.5 + better));
                routes.insert(id, route);
            }
        }
        let gains = RouteGains::measured(&plain, &joined, &routes);
        let helping: Vec<Route> = gains
            .by_route()
            .map(|(route, _)| route)
            .filter(|&route| gains.helps(route))
            .collect();
        assert_eq!(helping, [Route::Shared]);
        assert!(!gains.helps(Route::Passages) && gains.helps_any() && !RouteGains::default().helps_any());
        let text = serde_json::to_string(&gains).unwrap();
        assert_eq!(serde_json::from_str::<RouteGains>(&text).unwrap(), gains);
    }
}
