//! Passages to a graph of entities and relations, and searches over it that cite every edge.
//!
//! Reads `passages.jsonl` (stage `chunk`) and, for what replaced what, `documents.jsonl` (stage `parse`).
//! Writes an artifact of stage `graph`:
//!
//! | file | content |
//! |---|---|
//! | `graph.jsonl` | one line per passage: its mentions and relations ([`Facts`]), each naming the unit of text that states it |
//! | `passages.jsonl` | the passages themselves, so that an edge can be quoted and a search can hand passages on |
//! | `graph.bin` | the same as tables of numbers, for opening fast; made from the two above and nothing else |
//!
//! **Facts are local.** What a passage says is found by an [`Extractor`] from that passage alone, so a changed
//! document costs that document, and an updated graph equals a rebuilt one. Three extractors: [`RuleExtractor`]
//! (no model; English and Arabic; names of `entities.toml` first), [`DraftedExtractor`] (checks what a language
//! model drafted against the passage), and their union [`Both`].
//!
//! **Permission.** There is no search on a [`Graph`], only on a [`View`], and a view is what the graph would be
//! had it been built from the passages that its asker may read and from no others: names, kinds, counts, weights,
//! communities and the order of results follow from those passages. Hence no `communities.jsonl`: communities of
//! all passages would tell an asker of passages they may not read.
//!
//! **Currency.** A question's date filter applies as in search. Beyond it, passages of a document that a readable
//! document supersedes are left out unless [`Currency::All`] is asked for, and every edge says when its
//! newest source was updated.
//!
//! ```
//! use rag_core::{access::Principal, filter::Filter};
//! use rag_graph::{Currency, Gazetteer, Graph, RuleExtractor, SearchConfig};
//! # let passage: rag_core::passage::Passage = serde_json::from_str(r#"{"id":"a#0","title":"Pumps","source":"a.md","updated":null,
//! #   "department":null,"language":"en","access":["everyone"],"span":{"start":0,"end":9},"parent":{"start":0,"end":9},"text":"The Tarn pump is controlled by Osier.","tokens":9}"#).unwrap();
//!
//! let extractor = RuleExtractor::new(Gazetteer::default());
//! let graph = Graph::from_passages(vec![passage], &extractor, &SearchConfig::default())?;
//! let view = graph.view(&Principal::everyone(), &Filter::default(), Currency::Current);
//! let entity = view.find("Osier").expect("the passage names it");
//! assert_eq!(view.neighbours(entity, 10)?[0].other, "Tarn");
//! # Ok::<(), rag_graph::GraphError>(())
//! ```
//!
//! Not here: models, embeddings, HTTP, and answers. A local search hands its passages on as a
//! [`rag_core::hit::Ranking`], which the rerank and generate boxes read.

mod batch;
mod community;
mod config;
mod error;
mod export;
mod extract;
mod graph;
mod name;
mod search;
mod tables;
#[cfg(test)]
mod testing;
mod units;
mod view;

pub use batch::{Asked, FACTS_FILE, STAGE, STAGE_VERSION, Tools, made_from_passages, run, to_be_asked};
pub use community::Communities;
pub use config::{Currency, SearchConfig};
pub use error::GraphError;
pub use export::Format;
pub use extract::{
    Both, DraftFile, DraftedExtractor, Drafter, Extractor, Facts, Gazetteer, Kind, Mention, Relation,
    RuleExtractor,
};
pub use graph::Graph;
pub use search::{Answer, Connection, PassageSeed, Path, Route, Summary};
pub use view::{Counts, Entity, EntityId, Evidence, Linked, View};
