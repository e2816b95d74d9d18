//! What is connected with an entity, with a source for every edge.

use rag_core::date::Date;
use serde::Serialize;

use crate::error::GraphError;
use crate::extract::Kind;
use crate::view::{EntityId, Evidence, NO_PAIR, Predicate, Statement, View};

/// An edge as seen from one entity: the other one, what is stated, and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Connection {
    /// The entity that it is seen from.
    pub entity: String,
    /// Name of the other entity.
    pub other: String,
    /// What the other is.
    pub kind: Kind,
    /// What is stated, the most telling first; `mentioned with` where nothing more is.
    pub predicate: String,
    /// True when the other is the subject of that statement.
    pub reversed: bool,
    /// How strong the connection is.
    pub weight: f32,
    /// Number of statements, co-occurrences included.
    pub statements: usize,
    /// Day of the last change of its newest source.
    pub updated: Option<Date>,
    /// The sources, the most telling first; as many as the settings say.
    pub evidence: Vec<Evidence>,
    #[serde(skip)]
    pub(crate) id: Option<EntityId>,
}

impl Connection {
    /// The statement in words: `Osier requires Tarn`.
    pub fn sentence(&self) -> String {
        let (subject, object) = if self.reversed {
            (&self.other, &self.entity)
        } else {
            (&self.entity, &self.other)
        };
        format!("{subject} – {} – {object}", self.predicate)
    }
}

impl View {
    /// What is connected with `entity`: what is stated before what merely stands together, the strongest first.
    pub fn neighbours(&self, entity: EntityId, limit: usize) -> Result<Vec<Connection>, GraphError> {
        let mut found: Vec<(Rank, EntityId, u32)> = self
            .edges_of(entity)
            .map(|(other, pair, weight)| (Rank::of(self.pair(pair), weight), other, pair))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(limit);
        found
            .into_iter()
            .map(|(_, other, pair)| self.connection(entity, other, pair))
            .collect()
    }

    /// The entities next to `entity`, each with the number of the pair and the weight.
    pub(crate) fn edges_of(&self, entity: EntityId) -> impl Iterator<Item = (EntityId, u32, f32)> {
        let links = self.links.of(entity.0).filter(|(_, link)| link.pair != NO_PAIR);
        links.map(|(other, link)| (EntityId(other), link.pair, link.weight))
    }

    /// The statements of a pair, the most telling first.
    pub(crate) fn pair(&self, pair: u32) -> &[Statement] {
        let range = &self.pairs[pair as usize];
        &self.statements[range.start as usize..range.end as usize]
    }

    /// The pair's edge as seen from `entity`.
    pub(crate) fn connection(
        &self,
        entity: EntityId,
        other: EntityId,
        pair: u32,
    ) -> Result<Connection, GraphError> {
        self.connection_by(entity, other, pair, 0)
    }

    /// The same, told by its statement number `best` first.
    pub(crate) fn connection_by(
        &self,
        entity: EntityId,
        other: EntityId,
        pair: u32,
        best: usize,
    ) -> Result<Connection, GraphError> {
        let statements = self.pair(pair);
        let first = statements[best];
        let weight = self
            .edges_of(entity)
            .find(|(_, own, _)| *own == pair)
            .map_or(0.0, |(_, _, weight)| weight);
        let rest = statements
            .iter()
            .enumerate()
            .filter(|&(at, _)| at != best)
            .map(|(_, statement)| statement);
        let mut places: Vec<(u32, u16)> = Vec::new();
        for statement in std::iter::once(&first).chain(rest) {
            let place = (statement.passage, statement.unit);
            if !places.contains(&place) && places.len() < self.config.evidence_per_edge.max(1) {
                places.push(place);
            }
        }
        let subject = if first.reversed {
            first.pair.1
        } else {
            first.pair.0
        };
        Ok(Connection {
            entity: self.entity(entity).name.clone(),
            other: self.entity(other).name.clone(),
            kind: self.entity(other).kind.clone(),
            predicate: self.predicate(first.predicate).to_owned(),
            reversed: matches!(first.predicate, Predicate::Stated(_)) && subject == other.0,
            weight,
            statements: statements.len(),
            updated: statements
                .iter()
                .filter_map(|statement| self.updated(statement.passage))
                .max(),
            evidence: places
                .into_iter()
                .map(|(passage, unit)| self.evidence(passage, unit))
                .collect::<Result<_, _>>()?,
            id: Some(other),
        })
    }
}

/// Order of edges: by what their best statement says, then by weight.
#[derive(PartialEq)]
struct Rank {
    class: u8,
    weight: f32,
}

impl Rank {
    fn of(statements: &[Statement], weight: f32) -> Self {
        let class = match statements[0].predicate {
            Predicate::Stated(_) => 0,
            Predicate::Together => 1,
            Predicate::About => 2,
        };
        Self { class, weight }
    }

    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.class
            .cmp(&other.class)
            .then(other.weight.total_cmp(&self.weight))
    }
}
