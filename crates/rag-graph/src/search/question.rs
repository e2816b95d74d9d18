//! A question answered from the graph: routed, and what is found ordered by how well its sources fit the words.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::text::Analyzer;
use serde::Serialize;

use super::{Connection, Path, Route, Summary};
use crate::error::GraphError;
use crate::extract::Kind;
use crate::units::quote;
use crate::view::{EntityId, Predicate, Statement, View};

/// Edges of an entity whose sources are read; the strongest are.
const MAX_EDGES: usize = 300;

/// Sources that are read per edge.
const MAX_SOURCES: usize = 8;

/// What the graph says to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// How the question was understood.
    pub route: Route,
    /// The entities that it names.
    pub named: Vec<String>,
    /// What is connected with them, best first. For [`Route::Shared`], what is connected with all of them, with an
    /// edge to each.
    pub connections: Vec<Connection>,
    /// How they are connected.
    pub paths: Vec<Path>,
    /// What the whole is about.
    pub themes: Vec<Summary>,
    /// Edges that were not looked at, since an entity has more than a few hundred.
    pub unread: usize,
}

impl View {
    /// Answers `question` with up to `limit` connections, paths or themes.
    pub fn answer(&self, question: &str, limit: usize) -> Result<Answer, GraphError> {
        let (route, named) = self.route(question);
        let mut answer = Answer {
            route,
            named: named.iter().map(|&id| self.entity(id).name.clone()).collect(),
            connections: Vec::new(),
            paths: Vec::new(),
            themes: Vec::new(),
            unread: 0,
        };
        match (route, named.as_slice()) {
            (Route::Themes, _) => answer.themes = self.global(question, limit, 3)?,
            (Route::Paths, [from, .., to]) => answer.paths = self.paths(*from, *to, limit.min(5))?,
            (Route::Passages, _) => {}
            _ => {
                let mut reader = Reader::new(self, question, &named);
                answer.connections = reader.connections(&named, limit)?;
                answer.unread = reader.unread;
            }
        }
        Ok(answer)
    }
}

/// Reads the sources of edges for what they have in common with a question.
struct Reader<'v> {
    view: &'v View,
    analyzer: Analyzer,
    wanted: HashSet<String>,
    wants_person: bool,
    passages: BTreeMap<u32, Passage>,
    unread: usize,
}

/// An edge and how well its best source fits.
#[derive(Clone, Copy)]
struct Fit {
    pair: u32,
    /// Index of the best statement.
    best: usize,
    score: f32,
    place: (u32, u16),
}

impl<'v> Reader<'v> {
    fn new(view: &'v View, question: &str, named: &[EntityId]) -> Self {
        let analyzer = Analyzer::new(Language::ENGLISH);
        let mut wanted = analyzer.term_set(question);
        let wants_person = ["who", "whom", "whose"].iter().any(|word| wanted.remove(*word));
        for word in [
            "what", "which", "where", "when", "how", "do", "doe", "all", "have", "has",
        ] {
            wanted.remove(word);
        }
        for id in named {
            let entity = view.entity(*id);
            let spellings = std::iter::once(&entity.name).chain(&entity.aliases);
            spellings
                .flat_map(|name| analyzer.term_set(name))
                .for_each(|term| {
                    wanted.remove(&term);
                });
        }
        Self {
            view,
            wanted,
            wants_person,
            analyzer,
            passages: BTreeMap::new(),
            unread: 0,
        }
    }

    /// What is connected with all of `named`, or with the first of them that has anything when nothing is.
    fn connections(&mut self, named: &[EntityId], limit: usize) -> Result<Vec<Connection>, GraphError> {
        let mut fits: Vec<BTreeMap<EntityId, Fit>> = Vec::new();
        for &entity in named {
            fits.push(self.fits(entity, named)?);
        }
        let shared = |id: &&EntityId| fits.iter().all(|fits| fits.contains_key(id));
        let mut others: Vec<EntityId> = fits
            .iter()
            .take(1)
            .flat_map(|fits| fits.keys().filter(shared))
            .copied()
            .collect();
        let edges_from = if others.is_empty() {
            others = fits
                .first()
                .map(|fits| fits.keys().copied().collect())
                .unwrap_or_default();
            1
        } else {
            named.len()
        };
        let score = |id: EntityId| -> f32 {
            let places: BTreeSet<(u32, u16)> =
                fits[..edges_from].iter().map(|fits| fits[&id].place).collect();
            let one_source = if edges_from > 1 && places.len() == 1 {
                2.0
            } else {
                0.0
            };
            fits[..edges_from].iter().map(|fits| fits[&id].score).sum::<f32>() + one_source
        };
        let mut ranked: Vec<(f32, EntityId)> = others.iter().map(|&id| (score(id), id)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(limit);
        let mut found = Vec::new();
        for (_, other) in ranked {
            for (&entity, fits) in named.iter().zip(&fits).take(edges_from) {
                let Fit { pair, best, .. } = fits[&other];
                found.push(self.view.connection_by(entity, other, pair, best)?);
            }
        }
        Ok(found)
    }

    fn fits(&mut self, entity: EntityId, named: &[EntityId]) -> Result<BTreeMap<EntityId, Fit>, GraphError> {
        let view = self.view;
        let mut edges: Vec<(EntityId, u32, f32)> = view
            .edges_of(entity)
            .filter(|(id, ..)| !named.contains(id))
            .collect();
        edges.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        self.unread += edges.len().saturating_sub(MAX_EDGES);
        edges.truncate(MAX_EDGES);
        let mut fits = BTreeMap::new();
        for (other, pair, weight) in edges {
            let mut best: Option<Fit> = None;
            for (index, statement) in view.pair(pair).iter().enumerate().take(MAX_SOURCES) {
                let score = self.score(statement, other)? + weight.min(4.0) * 0.1;
                if best.is_none_or(|best| score > best.score) {
                    let place = (statement.passage, statement.unit);
                    best = Some(Fit {
                        pair,
                        best: index,
                        score,
                        place,
                    });
                }
            }
            fits.extend(best.map(|fit| (other, fit)));
        }
        Ok(fits)
    }

    /// How well a statement fits: words of the question in what is stated count most, then those in its source,
    /// then that the other entity is of the sort asked for.
    fn score(&mut self, statement: &Statement, other: EntityId) -> Result<f32, GraphError> {
        let text = self.quote(statement.passage, statement.unit)?;
        let in_source = self.shared_terms(&text);
        let predicate = self.view.predicate(statement.predicate).to_owned();
        let stated = match statement.predicate {
            Predicate::Stated(_) => 1.0 + 2.0 * self.shared_terms(&predicate),
            Predicate::Together => 0.5,
            Predicate::About => 0.0,
        };
        let entity = self.view.entity(other);
        let (kind, name) = (entity.kind.as_str().to_owned(), entity.name.clone());
        let is_document = kind == Kind::DOCUMENT;
        let of_kind = if is_document {
            -1.0
        } else {
            self.shared_terms(&kind).min(2.0)
        };
        let looks_like_person =
            kind == Kind::PERSON || (kind == Kind::NAME && name.split(' ').count() > 1) || kind == Kind::ROLE;
        let person = if self.wants_person && looks_like_person {
            1.5
        } else {
            0.0
        };
        Ok(stated + in_source + of_kind + person + 0.5 * self.shared_terms(&name))
    }

    /// Number of different wanted terms in `text`.
    fn shared_terms(&self, text: &str) -> f32 {
        self.analyzer.term_set(text).intersection(&self.wanted).count() as f32
    }

    fn quote(&mut self, passage: u32, unit: u16) -> Result<String, GraphError> {
        if !self.passages.contains_key(&passage) {
            let read = self.view.data.passage(self.view.passages[passage as usize])?;
            self.passages.insert(passage, read);
        }
        let passage = &self.passages[&passage];
        Ok(quote(&passage.title, &passage.text, unit).to_owned())
    }
}
