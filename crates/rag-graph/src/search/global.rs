//! Global search: what the readable passages are about, community by community, in their own sentences.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::error::GraphError;
use crate::view::{EntityId, Evidence, Statement, View};

/// Entities that a summary names.
const NAMED: usize = 6;

/// What a community is about. No word of it is generated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Its most connected entities.
    pub entities: Vec<String>,
    /// Number of its entities.
    pub size: usize,
    /// Number of passages that connect two of them.
    pub passages: usize,
    /// Sentences that name many of them, each from another passage.
    pub sentences: Vec<Evidence>,
}

impl View {
    /// Summaries of the `count` communities that matter most to `question`: those that a walk from the names in
    /// it visits most, or the largest when it names nothing.
    pub fn global(&self, question: &str, count: usize, sentences: usize) -> Result<Vec<Summary>, GraphError> {
        let visits = self.visits(question, &[]);
        let groups = self.communities().groups();
        let visited =
            |group: &[EntityId]| -> f32 { group.iter().map(|entity| visits[entity.0 as usize]).sum() };
        let mut ranked: Vec<(usize, f32)> = groups.iter().map(|group| visited(group)).enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let has_names = ranked.first().is_some_and(|(_, visited)| *visited > 0.0);
        let chosen = ranked
            .iter()
            .filter(|(_, visited)| !has_names || *visited > 0.0)
            .take(count);
        chosen
            .map(|&(community, _)| self.summary(community, sentences))
            .collect()
    }

    /// The summary of a community by its number, with up to `sentences` sentences.
    pub fn summary(&self, community: usize, sentences: usize) -> Result<Summary, GraphError> {
        let members = &self.communities().groups()[community];
        let inside = self.inside(community);
        let passages: BTreeSet<u32> = inside.iter().map(|statement| statement.passage).collect();
        let chosen = self.choose(&inside, sentences);
        Ok(Summary {
            entities: members
                .iter()
                .take(NAMED)
                .map(|&id| self.entity(id).name.clone())
                .collect(),
            size: members.len(),
            passages: passages.len(),
            sentences: chosen
                .into_iter()
                .map(|(passage, unit)| self.evidence(passage, unit))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The statements between two entities of one community.
    fn inside(&self, community: usize) -> Vec<Statement> {
        let communities = self.communities();
        let is_in = |entity: u32| communities.of(EntityId(entity)) == Some(community);
        let members = &communities.groups()[community];
        let pairs: BTreeSet<u32> = members
            .iter()
            .flat_map(|&member| self.edges_of(member))
            .filter(|(other, ..)| is_in(other.0))
            .map(|(_, pair, _)| pair)
            .collect();
        pairs
            .into_iter()
            .flat_map(|pair| self.pair(pair))
            .copied()
            .collect()
    }

    /// Units of text that together name as much of the community as they can: one after the other the one that
    /// names most of what is not named yet, weighted by how connected it is.
    fn choose(&self, statements: &[Statement], count: usize) -> Vec<(u32, u16)> {
        let mut named: BTreeMap<(u32, u16), BTreeSet<u32>> = BTreeMap::new();
        for statement in statements.iter().filter(|statement| statement.unit > 0) {
            let entities = named.entry((statement.passage, statement.unit)).or_default();
            entities.extend([statement.pair.0, statement.pair.1]);
        }
        let mut covered: BTreeSet<u32> = BTreeSet::new();
        let mut chosen: Vec<(u32, u16)> = Vec::new();
        while chosen.len() < count {
            let news = |entities: &BTreeSet<u32>| -> f32 {
                entities
                    .difference(&covered)
                    .map(|&entity| self.links.strength(entity))
                    .sum()
            };
            let open = named
                .iter()
                .filter(|(place, _)| !chosen.iter().any(|(passage, _)| *passage == place.0));
            let best = open
                .map(|(place, entities)| (*place, news(entities)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((place, _)) = best.filter(|(_, news)| *news > 0.0) else {
                break;
            };
            covered.extend(&named[&place]);
            chosen.push(place);
        }
        chosen
    }
}
