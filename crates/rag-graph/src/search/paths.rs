//! How one entity is connected with another: paths whose every step has a source.

use serde::Serialize;

use super::Connection;
use crate::error::GraphError;
use crate::view::{EntityId, NO_PAIR, SHORTEST_STEP, View};

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

    /// The cheapest way within the longest number of steps. It is sought from both ends at once, a step more as long as
    /// that could make it cheaper: all that can be reached from one end would be most of the graph.
    fn shortest(&self, from: EntityId, to: EntityId, used: &[u32], used_directly: bool) -> Option<Vec<u32>> {
        let way = Way {
            view: self,
            ends: [from.0, to.0],
            used,
            used_directly,
        };
        let mut there = vec![Level::start(from.0, self.entities.len())];
        let mut back = vec![Level::start(to.0, self.entities.len())];
        let mut best: Option<(f32, Vec<u32>)> = None;
        for steps in 1..=self.config.max_hops {
            if best
                .as_ref()
                .is_some_and(|(cost, _)| *cost <= steps as f32 * SHORTEST_STEP)
            {
                break;
            }
            let side = if steps % 2 == 1 { &mut there } else { &mut back };
            side.push(way.one_step_on(&side[side.len() - 1]));
            for &node in &there[there.len() - 1].nodes {
                let cost = there[there.len() - 1].cost(node) + back[back.len() - 1].cost(node);
                if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let mut nodes = trace(&there, node);
                    nodes.reverse();
                    nodes.extend(trace(&back, node).into_iter().skip(1));
                    best = Some((cost, nodes));
                }
            }
        }
        best.map(|(_, nodes)| nodes)
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

/// Where a search for a path may go.
struct Way<'v> {
    view: &'v View,
    ends: [u32; 2],
    /// Nodes of earlier paths.
    used: &'v [u32],
    /// The edge between the two ends was taken by an earlier path.
    used_directly: bool,
}

impl Way<'_> {
    /// The nodes one step further than those of `level`, each in the cheapest way; of equals through the smaller node.
    fn one_step_on(&self, level: &Level) -> Level {
        let mut next = Level::empty(level.costs.len());
        for &node in &level.nodes {
            for (other, cost) in self.steps_from(node) {
                next.reach(other, level.cost(node) + cost, node);
            }
        }
        next.nodes.sort_unstable();
        next
    }

    fn steps_from(&self, node: u32) -> impl Iterator<Item = (u32, f32)> {
        let is_end = |node: u32| self.ends.contains(&node);
        let links = self.view.links.of(node).filter(|(_, link)| link.pair != NO_PAIR);
        let may_go = move |other: u32| {
            if is_end(other) {
                !(self.used_directly && is_end(node))
            } else {
                !self.used.contains(&other) && !self.view.is_hub(other)
            }
        };
        links
            .filter(move |&(other, _)| may_go(other))
            .map(|(other, link)| (other, link.cost))
    }
}

/// The nodes that are reached in a number of steps.
struct Level {
    /// In order.
    nodes: Vec<u32>,
    /// By node: what it costs to get there, infinite where it is not reached, and the node before.
    costs: Vec<(f32, u32)>,
}

impl Level {
    fn empty(entities: usize) -> Self {
        Self {
            nodes: Vec::new(),
            costs: vec![(f32::INFINITY, 0); entities],
        }
    }

    fn start(node: u32, entities: usize) -> Self {
        let mut level = Self::empty(entities);
        level.reach(node, 0.0, node);
        level
    }

    fn cost(&self, node: u32) -> f32 {
        self.costs[node as usize].0
    }

    fn reach(&mut self, node: u32, cost: f32, before: u32) {
        let known = &mut self.costs[node as usize];
        if known.0.is_infinite() {
            self.nodes.push(node);
        }
        if cost < known.0 {
            *known = (cost, before);
        }
    }
}

/// The nodes from `node`, which the last level reached, back to where the search began.
fn trace(levels: &[Level], node: u32) -> Vec<u32> {
    let mut nodes = vec![node];
    for level in levels[1..].iter().rev() {
        nodes.push(level.costs[nodes[nodes.len() - 1] as usize].1);
    }
    nodes
}
