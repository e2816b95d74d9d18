//! Communities of entities that are more connected with each other than with the rest.
//!
//! The Leiden algorithm (Traag, Waltman and van Eck 2019) for modularity with a resolution: nodes move to the
//! neighbouring community that gains most, each community is refined into connected parts, the parts become the
//! nodes of a smaller graph, and so on. The order in which nodes are visited is random with a seed. Where the
//! original refines at random by gain, the best gain is taken.

use std::collections::{BTreeMap, VecDeque};

use rag_core::random::Random;

use crate::view::{EntityId, View};

/// Rounds of moving, refining and aggregating.
const MAX_ROUNDS: usize = 12;

/// Least gain that a node moves for: below it are rounding errors.
const LEAST_GAIN: f64 = 1e-9;

/// The communities of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Communities {
    of: Vec<Option<u32>>,
    groups: Vec<Vec<EntityId>>,
}

impl Communities {
    /// Finds the communities of the entities of `view`.
    pub(crate) fn find(view: &View) -> Self {
        let entities = view.entities.len();
        let mut graph = Weighted::with_nodes(entities);
        for node in 0..entities as u32 {
            let links = view
                .links
                .of(node)
                .filter(|&(other, _)| other > node && (other as usize) < entities);
            for (other, link) in links {
                graph.connect(node as usize, other as usize, f64::from(link.weight));
            }
        }
        let found = leiden(&graph, view.config.resolution, view.config.seed);
        Self::new(&found, |entity| view.links.strength(entity))
    }

    /// Communities of at least two entities, the largest first; the most connected entity of each comes first.
    fn new(found: &[usize], strength: impl Fn(u32) -> f32) -> Self {
        let mut groups: BTreeMap<usize, Vec<EntityId>> = BTreeMap::new();
        for (entity, &community) in found.iter().enumerate() {
            groups.entry(community).or_default().push(EntityId(entity as u32));
        }
        let mut groups: Vec<Vec<EntityId>> = groups.into_values().filter(|group| group.len() > 1).collect();
        groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
        let mut of = vec![None; found.len()];
        for (group, number) in groups.iter_mut().zip(0..) {
            for entity in group.iter() {
                of[entity.0 as usize] = Some(number);
            }
            group.sort_by(|a, b| strength(b.0).total_cmp(&strength(a.0)).then(a.cmp(b)));
        }
        Self { of, groups }
    }

    /// The communities, largest first.
    pub fn groups(&self) -> &[Vec<EntityId>] {
        &self.groups
    }

    /// The number of the community that `entity` is in; `None` when it is connected with nothing.
    pub fn of(&self, entity: EntityId) -> Option<usize> {
        self.of[entity.0 as usize].map(|number| number as usize)
    }
}

/// An undirected weighted graph that shrinks by aggregation.
#[derive(Debug, Clone, Default)]
struct Weighted {
    neighbours: Vec<Vec<(usize, f64)>>,
    /// Weight of edges at each node, edges inside an aggregated node counted twice.
    strengths: Vec<f64>,
    /// Twice the weight of all edges.
    total: f64,
}

impl Weighted {
    fn with_nodes(nodes: usize) -> Self {
        Self {
            neighbours: vec![Vec::new(); nodes],
            strengths: vec![0.0; nodes],
            total: 0.0,
        }
    }

    fn connect(&mut self, a: usize, b: usize, weight: f64) {
        self.neighbours[a].push((b, weight));
        self.neighbours[b].push((a, weight));
        self.strengths[a] += weight;
        self.strengths[b] += weight;
        self.total += 2.0 * weight;
    }

    fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// The graph whose nodes are the `groups` groups of `of`.
    fn aggregate(&self, of: &[usize], groups: usize) -> Self {
        let mut small = Self::with_nodes(groups);
        small.total = self.total;
        let mut between: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (node, neighbours) in self.neighbours.iter().enumerate() {
            small.strengths[of[node]] += self.strengths[node];
            for &(other, weight) in neighbours.iter().filter(|&&(other, _)| of[other] != of[node]) {
                *between.entry((of[node], of[other])).or_default() += weight;
            }
        }
        for ((a, b), weight) in between {
            small.neighbours[a].push((b, weight));
        }
        small
    }
}

/// The community of each node, numbered from 0 in the order of their first nodes.
fn leiden(graph: &Weighted, resolution: f64, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut graph = graph.clone();
    let mut of: Vec<usize> = (0..graph.len()).collect();
    let mut partition: Vec<usize> = (0..graph.len()).collect();
    for _ in 0..MAX_ROUNDS {
        move_nodes(&graph, &mut partition, resolution, &mut random);
        let (refined, parts) = refine(&graph, &partition, resolution, &mut random);
        if parts == graph.len() {
            break;
        }
        let mut coarse = vec![0; parts];
        for (node, &part) in refined.iter().enumerate() {
            coarse[part] = partition[node];
        }
        for node in &mut of {
            *node = refined[*node];
        }
        graph = graph.aggregate(&refined, parts);
        partition = renumber(&coarse);
    }
    let found: Vec<usize> = of.iter().map(|&node| partition[node]).collect();
    renumber(&found)
}

/// Moves each node to the neighbouring community that gains most, until none gains.
fn move_nodes(graph: &Weighted, partition: &mut [usize], resolution: f64, random: &mut Random) {
    let mut strengths = vec![0.0; graph.len()];
    for (node, &community) in partition.iter().enumerate() {
        strengths[community] += graph.strengths[node];
    }
    let mut waits = vec![true; graph.len()];
    let mut sums = Sums::new(graph.len());
    let mut queue: VecDeque<usize> = shuffled(graph.len(), random).into();
    while let Some(node) = queue.pop_front() {
        waits[node] = false;
        let own = partition[node];
        strengths[own] -= graph.strengths[node];
        let best = sums.best_community((graph, partition), node, &strengths, resolution, |_| true);
        let stay = gain(graph, node, own, partition, &strengths, resolution);
        let next = best
            .filter(|&(_, gain)| gain > stay + LEAST_GAIN)
            .map_or(own, |(community, _)| community);
        strengths[next] += graph.strengths[node];
        if next != own {
            partition[node] = next;
            for &(other, _) in graph.neighbours[node]
                .iter()
                .filter(|&&(other, _)| partition[other] != next)
            {
                if !std::mem::replace(&mut waits[other], true) {
                    queue.push_back(other);
                }
            }
        }
    }
}

/// Splits each community into connected parts that hang together by themselves; returns the part of each node
/// and the number of parts.
fn refine(
    graph: &Weighted,
    partition: &[usize],
    resolution: f64,
    random: &mut Random,
) -> (Vec<usize>, usize) {
    let mut parts: Vec<usize> = (0..graph.len()).collect();
    let mut strengths = graph.strengths.clone();
    let mut sizes = vec![1usize; graph.len()];
    let mut sums = Sums::new(graph.len());
    for node in shuffled(graph.len(), random) {
        if sizes[parts[node]] > 1 {
            continue;
        }
        let own = parts[node];
        strengths[own] -= graph.strengths[node];
        let inside = |other: usize| partition[other] == partition[node];
        let best = sums.best_community((graph, &parts), node, &strengths, resolution, inside);
        let next = best
            .filter(|&(_, gain)| gain > LEAST_GAIN)
            .map_or(own, |(part, _)| part);
        strengths[next] += graph.strengths[node];
        sizes[own] -= 1;
        sizes[next] += 1;
        parts[node] = next;
    }
    let parts = renumber(&parts);
    let count = parts.iter().max().map_or(0, |&last| last + 1);
    (parts, count)
}

/// Sums per community, kept between nodes so that no map is made for each.
struct Sums {
    weights: Vec<f64>,
    touched: Vec<usize>,
}

impl Sums {
    fn new(communities: usize) -> Self {
        Self {
            weights: vec![0.0; communities],
            touched: Vec::new(),
        }
    }

    /// The community among those of the neighbours that `counts` which `node` gains most by joining, and the
    /// gain; the smallest number among equals.
    fn best_community(
        &mut self,
        (graph, partition): (&Weighted, &[usize]),
        node: usize,
        strengths: &[f64],
        resolution: f64,
        counts: impl Fn(usize) -> bool,
    ) -> Option<(usize, f64)> {
        for &(other, weight) in graph.neighbours[node].iter().filter(|&&(other, _)| counts(other)) {
            let community = partition[other];
            if self.weights[community] == 0.0 {
                self.touched.push(community);
            }
            self.weights[community] += weight;
        }
        let mut best: Option<(usize, f64)> = None;
        for community in self.touched.drain(..) {
            let weight = std::mem::take(&mut self.weights[community]);
            let gain = weight - resolution * graph.strengths[node] * strengths[community] / graph.total;
            let is_better =
                best.is_none_or(|(other, least)| gain > least || (gain == least && community < other));
            if is_better {
                best = Some((community, gain));
            }
        }
        best
    }
}

/// What `node` gains by being in `community`, whose strength is without it.
fn gain(
    graph: &Weighted,
    node: usize,
    community: usize,
    partition: &[usize],
    strengths: &[f64],
    resolution: f64,
) -> f64 {
    let own = graph.neighbours[node]
        .iter()
        .filter(|&&(other, _)| partition[other] == community);
    let weight: f64 = own.map(|&(_, weight)| weight).sum();
    weight - resolution * graph.strengths[node] * strengths[community] / graph.total.max(f64::MIN_POSITIVE)
}

/// The same groups, numbered from 0 in the order of their first members.
fn renumber(groups: &[usize]) -> Vec<usize> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    groups
        .iter()
        .map(|&group| {
            let next = numbers.len();
            *numbers.entry(group).or_insert(next)
        })
        .collect()
}

/// The numbers below `len` in random order.
fn shuffled(len: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    random.shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Weighted {
        let mut graph = Weighted::with_nodes(nodes);
        let mut known = std::collections::BTreeSet::new();
        for &(a, b) in edges {
            let (a, b) = (a % nodes, b % nodes);
            if a != b && known.insert((a.min(b), a.max(b))) {
                graph.connect(a, b, 1.0);
            }
        }
        graph
    }

    #[test]
    fn two_cliques_with_a_bridge_are_two_communities() {
        let edges = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)];
        assert_eq!(leiden(&graph(6, &edges), 1.0, 7), [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_ring_of_cliques_is_its_cliques() {
        let clique = |k: usize| (0..5).flat_map(move |a| (a + 1..5).map(move |b| (k * 5 + a, k * 5 + b)));
        let mut edges: Vec<(usize, usize)> = (0..6).flat_map(clique).collect();
        edges.extend((0..6).map(|k| (k * 5, (k * 5 + 6) % 30)));
        let found = leiden(&graph(30, &edges), 1.0, 1);
        let expected: Vec<usize> = (0..30).map(|node| node / 5).collect();
        assert_eq!(found, expected);
    }

    fn modularity(graph: &Weighted, of: &[usize]) -> f64 {
        let mut inside = 0.0;
        let mut strengths = vec![0.0; graph.len()];
        for node in 0..graph.len() {
            strengths[of[node]] += graph.strengths[node];
            let own = graph.neighbours[node]
                .iter()
                .filter(|&&(other, _)| of[other] == of[node]);
            inside += own.map(|&(_, weight)| weight).sum::<f64>();
        }
        let expected: f64 = strengths.iter().map(|s| (s / graph.total).powi(2)).sum();
        inside / graph.total - expected
    }

    fn is_connected(graph: &Weighted, members: &[usize]) -> bool {
        let mut seen = vec![members[0]];
        let mut at = 0;
        while at < seen.len() {
            for &(other, _) in &graph.neighbours[seen[at]] {
                if members.contains(&other) && !seen.contains(&other) {
                    seen.push(other);
                }
            }
            at += 1;
        }
        seen.len() == members.len()
    }

    proptest! {
        #[test]
        fn communities_are_connected_repeatable_and_no_worse_than_none(
            nodes in 2..30usize,
            edges in proptest::collection::vec((0..30usize, 0..30usize), 1..80),
            seed: u64,
        ) {
            let graph = graph(nodes, &edges);
            let found = leiden(&graph, 1.0, seed);
            prop_assert_eq!(&found, &leiden(&graph, 1.0, seed));
            if graph.total > 0.0 {
                let singletons: Vec<usize> = (0..nodes).collect();
                prop_assert!(modularity(&graph, &found) >= modularity(&graph, &singletons) - 1e-9);
            }
            for community in 0..nodes {
                let members: Vec<usize> = (0..nodes).filter(|&node| found[node] == community).collect();
                prop_assert!(members.is_empty() || is_connected(&graph, &members), "{:?}", members);
            }
        }
    }
}
