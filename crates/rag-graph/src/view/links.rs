//! The edges of a view as a weighted graph: entities are joined by what is stated of them, and with the
//! passages that name them.

use petgraph::Directed;
use petgraph::csr::Csr;
use petgraph::visit::EdgeRef;
use rayon::slice::ParallelSliceMut;

/// An edge, seen from one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Link {
    /// How strong the connection is.
    pub(crate) weight: f32,
    /// Number of the pair of entities, [`NO_PAIR`] where one end is a passage.
    pub(crate) pair: u32,
    /// What a path pays for it: 1 where something is stated, more where the ends merely stand together.
    pub(crate) cost: f32,
}

/// No pair of entities.
pub(crate) const NO_PAIR: u32 = u32::MAX;

/// The graph, each edge in both directions.
pub(crate) struct Links {
    graph: Csr<(), Link, Directed, u32>,
    /// Sum of the weights at each node.
    strengths: Vec<f32>,
}

impl Links {
    /// The graph of `nodes` nodes with these edges, each given once.
    pub(crate) fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32, Link)>) -> Self {
        let mut both: Vec<(u32, u32, Link)> = edges
            .flat_map(|(a, b, link)| [(a, b, link), (b, a, link)])
            .collect();
        both.par_sort_by_key(|&(a, b, _)| (a, b));
        both.dedup_by_key(|&mut (a, b, _)| (a, b));
        let mut graph = Csr::from_sorted_edges(&both).expect("sorted, and each once");
        while graph.node_count() < nodes {
            graph.add_node(());
        }
        let mut links = Self {
            graph,
            strengths: Vec::new(),
        };
        links.strengths = (0..nodes as u32)
            .map(|node| links.of(node).map(|(_, link)| link.weight).sum())
            .collect();
        links
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.strengths.len()
    }

    /// The neighbours of `node`, in order.
    pub(crate) fn of(&self, node: u32) -> impl Iterator<Item = (u32, Link)> {
        self.graph.edges(node).map(|edge| (edge.target(), *edge.weight()))
    }

    /// Number of neighbours.
    pub(crate) fn degree(&self, node: u32) -> usize {
        self.graph.out_degree(node)
    }

    /// Sum of the weights at `node`.
    pub(crate) fn strength(&self, node: u32) -> f32 {
        self.strengths[node as usize]
    }
}
