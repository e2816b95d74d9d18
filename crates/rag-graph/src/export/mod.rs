//! A view as a file for other programs (GraphML, DOT, JSON) or for people (one HTML page).
//!
//! Names and quotations come from documents, so each format escapes them. The strongest entities are taken; how
//! many were not is written into the file.

mod escape;
mod html;
mod layout;
mod text;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::error::GraphError;
use crate::search::Connection;
use crate::view::{EntityId, View};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// GraphML, for Gephi, yEd, NetworkX and others.
    GraphMl,
    /// Graphviz.
    Dot,
    /// One JSON object.
    Json,
    /// A page that needs nothing else: no script, no other file.
    Html,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GraphMl => "graphml",
            Self::Dot => "dot",
            Self::Json => "json",
            Self::Html => "html",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::GraphMl, Self::Dot, Self::Json, Self::Html]
            .into_iter()
            .find(|format| format.to_string() == text)
            .ok_or_else(|| format!("`{text}` is no format; write graphml, dot, json or html"))
    }
}

/// The part of a view that is written.
#[derive(Debug, Serialize)]
struct Drawing {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Entities that are not among the nodes.
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct Node {
    name: String,
    kind: String,
    passages: u32,
    community: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Edge {
    /// Index of the subject among the nodes.
    source: usize,
    /// Index of the object.
    target: usize,
    #[serde(flatten)]
    connection: Connection,
}

impl View {
    /// Writes the `limit` most connected entities, and what connects them, in `format`.
    pub fn export(&self, format: Format, limit: usize) -> Result<String, GraphError> {
        let drawing = Drawing::of(self, limit)?;
        Ok(match format {
            Format::GraphMl => text::graphml(&drawing),
            Format::Dot => text::dot(&drawing),
            Format::Json => text::json(&drawing),
            Format::Html => html::page(&drawing),
        })
    }
}

impl Drawing {
    fn of(view: &View, limit: usize) -> Result<Self, GraphError> {
        let mut ids: Vec<EntityId> = view.entities().map(|(id, _)| id).collect();
        ids.sort_by(|a, b| {
            view.links
                .strength(b.0)
                .total_cmp(&view.links.strength(a.0))
                .then(a.cmp(b))
        });
        let left_out = ids.len().saturating_sub(limit);
        ids.truncate(limit);
        let places: HashMap<EntityId, usize> = ids.iter().copied().zip(0..).collect();
        let nodes = ids.iter().map(|&id| node(view, id)).collect();
        let mut edges = Vec::new();
        for &id in &ids {
            for (other, pair, _) in view.edges_of(id).filter(|(other, ..)| *other > id) {
                if let Some(&target) = places.get(&other) {
                    let connection = view.connection(id, other, pair)?;
                    let (source, target) = (places[&id], target);
                    let (source, target) = if connection.reversed {
                        (target, source)
                    } else {
                        (source, target)
                    };
                    edges.push(Edge {
                        source,
                        target,
                        connection,
                    });
                }
            }
        }
        Ok(Self {
            nodes,
            edges,
            left_out,
        })
    }
}

fn node(view: &View, id: EntityId) -> Node {
    let entity = view.entity(id);
    Node {
        name: entity.name.clone(),
        kind: entity.kind.as_str().to_owned(),
        passages: entity.passages,
        community: view.communities().of(id),
    }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
