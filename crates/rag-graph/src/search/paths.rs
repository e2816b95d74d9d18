//! How one entity is connected with another: paths whose every step has a source.

use petgraph::algo::astar;
use petgraph::visit::{EdgeRef, NodeFiltered};
use serde::Serialize;

use super::Connection;
use crate::error::GraphError;
use crate::view::{EntityId, LONGEST_STEP, Link, View};

/// A path from one entity to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Path {
    /// Its steps, each beginning where the one before ended.
    pub steps: Vec<Connection>,
}

impl View {
    /// Up to `count` paths from `from` to `to`, the best first: fewest steps, and among those the ones where
    /// something is stated rather than merely named together. They share no entity but the ends, none is longer
    /// than the settings allow, and none leads through a name that is everywhere.
    pub fn paths(&self, from: EntityId, to: EntityId, count: usize) -> Result<Vec<Path>, GraphError> {
        let mut used: Vec<u32> = Vec::new();
        let mut used_directly = false;
        let mut found = Vec::new();
        while found.len() < count && from != to {
            let Some(nodes) = self.shortest(from, to, &used, used_directly) else {
                break;
            };
            used_directly |= nodes.len() == 2;
            used.extend(&nodes[1..nodes.len() - 1]);
            found.push(self.path(&nodes)?);
        }
        Ok(found)
    }

    fn shortest(&self, from: EntityId, to: EntityId, used: &[u32], used_directly: bool) -> Option<Vec<u32>> {
        let entities = self.entities.len() as u32;
        let is_end = |node: u32| node == from.0 || node == to.0;
        let is_open =
            |node: u32| node < entities && (is_end(node) || (!used.contains(&node) && !self.is_hub(node)));
        let graph = NodeFiltered::from_fn(self.links.graph(), is_open);
        let longest = self.config.max_hops as f32 * LONGEST_STEP;
        let cost = |source: u32, target: u32, link: Link| {
            let is_closed = used_directly && is_end(source) && is_end(target);
            if is_closed { f32::INFINITY } else { link.cost }
        };
        let (total, nodes) = astar(
            &graph,
            from.0,
            |node| node == to.0,
            |edge| cost(edge.source(), edge.target(), *edge.weight()),
            |_| 0.0,
        )?;
        (total <= longest && nodes.len() <= self.config.max_hops + 1).then_some(nodes)
    }

    fn path(&self, nodes: &[u32]) -> Result<Path, GraphError> {
        let step = |pair: &[u32]| {
            let (from, to) = (EntityId(pair[0]), EntityId(pair[1]));
            let edge = self.edges_of(from).find(|(other, ..)| *other == to);
            edge.map(|(_, pair, _)| self.connection(from, to, pair))
        };
        let steps = nodes.windows(2).filter_map(step).collect::<Result<_, _>>()?;
        Ok(Path { steps })
    }
}
