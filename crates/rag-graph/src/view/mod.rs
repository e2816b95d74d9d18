//! What one asker may see of a graph: entities, the statements that connect them, and the passages behind both.
//!
//! Everything in a view follows from its passages. Where a choice must be made between equals, the smaller key,
//! predicate or passage wins; all three are ordered in a way that other passages do not change.

mod build;
pub(crate) mod links;
mod lookup;
mod resolve;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rag_core::date::Date;
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use serde::Serialize;

use crate::community::Communities;
use crate::config::SearchConfig;
use crate::error::GraphError;
use crate::extract::Kind;
use crate::graph::Data;
use crate::units::quote;

pub(crate) use build::SHORTEST_STEP;
pub(crate) use links::{Links, NO_PAIR};
pub use lookup::Linked;

/// An entity of one view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId(pub(crate) u32);

/// What is known of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// The name most used for it.
    pub name: String,
    /// Its other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it is.
    pub kind: Kind,
    /// Number of readable passages that name it.
    pub passages: u32,
}

/// A statement about two entities, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Statement {
    /// The pair, smaller id first.
    pub(crate) pair: (u32, u32),
    pub(crate) predicate: Predicate,
    /// True when the subject is the second of the pair.
    pub(crate) reversed: bool,
    /// Number of the passage in the view.
    pub(crate) passage: u32,
    pub(crate) unit: u16,
}

/// What a statement says, most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Predicate {
    /// A predicate of the tables.
    Stated(u32),
    /// Both stand in one unit of text.
    Together,
    /// One stands in the text, the other in the title above it.
    About,
}

/// A piece of text that speaks for an edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The passage.
    pub passage: PassageId,
    /// Title of its document.
    pub title: String,
    /// Section, headings joined with ` > `.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Day of the document's last change.
    pub updated: Option<Date>,
    /// The sentence or table row, word for word.
    pub quote: String,
}

/// The graph as one asker may see it.
pub struct View {
    pub(crate) data: Arc<Data>,
    pub(crate) config: SearchConfig,
    /// The readable passages, by their number in the tables.
    pub(crate) passages: Vec<u32>,
    pub(crate) entities: Vec<Entity>,
    /// Sorted; statements of a pair stand together.
    pub(crate) statements: Vec<Statement>,
    /// The statements of each connected pair, in the order of pairs.
    pub(crate) pairs: Vec<Range<u32>>,
    /// Edges between the nodes: entities first, then passages.
    pub(crate) links: Links,
    /// Co-occurrences that were not made edges, since a sentence named too many things.
    pub(crate) crowded: u64,
    lookup: lookup::Lookup,
    communities: OnceLock<Communities>,
    numbers: OnceLock<HashMap<PassageId, u32>>,
}

/// Sizes of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Readable passages.
    pub passages: usize,
    /// Entities that they name.
    pub entities: usize,
    /// Connected pairs of entities.
    pub connections: usize,
    /// Statements about them, co-occurrences included.
    pub statements: usize,
    /// Co-occurrences left out, since a sentence or row named more than a dozen things.
    pub crowded: u64,
    /// Names and statements that the extractor left out of these passages.
    pub cut: u64,
}

impl View {
    /// Sizes.
    pub fn counts(&self) -> Counts {
        let rows = &self.data.tables.passages;
        Counts {
            passages: self.passages.len(),
            entities: self.entities.len(),
            connections: self.pairs.len(),
            statements: self.statements.len(),
            crowded: self.crowded,
            cut: self
                .passages
                .iter()
                .map(|&at| u64::from(rows[at as usize].cut))
                .sum(),
        }
    }

    /// What is known of an entity.
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0 as usize]
    }

    /// All entities, in the order of their keys.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        (0..).map(EntityId).zip(&self.entities)
    }

    /// The communities of the view's entities, found once.
    pub fn communities(&self) -> &Communities {
        self.communities.get_or_init(|| Communities::find(self))
    }

    /// True for entities that so many passages name that they connect everything with everything.
    pub(crate) fn is_hub(&self, entity: u32) -> bool {
        const FEW: u32 = 20;
        let passages = self.entities[entity as usize].passages;
        passages > FEW && f64::from(passages) > self.config.hub_share * self.passages.len() as f64
    }

    /// The node of passage `at` of the view.
    pub(crate) fn passage_node(&self, at: u32) -> u32 {
        self.entities.len() as u32 + at
    }

    /// The words of a predicate.
    pub(crate) fn predicate(&self, predicate: Predicate) -> &str {
        match predicate {
            Predicate::Stated(number) => &self.data.tables.predicates[number as usize],
            Predicate::Together => "mentioned with",
            Predicate::About => "in the same document as",
        }
    }

    /// The text behind a statement.
    pub(crate) fn evidence(&self, passage: u32, unit: u16) -> Result<Evidence, GraphError> {
        let passage = self.data.passage(self.passages[passage as usize])?;
        let quote = quote(&passage.title, &passage.text, unit).to_owned();
        Ok(Evidence {
            section: passage.section_label(),
            passage: passage.id,
            title: passage.title,
            page: passage.page,
            updated: passage.updated,
            quote,
        })
    }

    /// Day of the last change of the document behind passage `at` of the view.
    pub(crate) fn updated(&self, at: u32) -> Option<Date> {
        self.data.tables.passages[self.passages[at as usize] as usize].updated
    }

    /// The passage `id`, if the view has it.
    pub fn passage(&self, id: &PassageId) -> Result<Option<Passage>, GraphError> {
        let number = self.passage_number(id);
        let passage = number.map(|at| self.data.passage(self.passages[at as usize]));
        passage.transpose()
    }

    /// The number in the view of the passage `id`, if the view has it.
    pub(crate) fn passage_number(&self, id: &PassageId) -> Option<u32> {
        let numbers = self.numbers.get_or_init(|| {
            let ids = self.passages.iter().map(|&at| self.data.tables.passage_id(at));
            ids.zip(0..).collect()
        });
        numbers.get(id).copied()
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
