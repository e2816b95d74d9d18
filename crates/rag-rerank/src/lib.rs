//! Reranking: reads the question next to each of the best candidates and puts the order right.
//!
//! Reads `hits.jsonl` of the stage `retrieve`; writes `hits.jsonl` and a TREC file `run.trec` of the
//! stage `rerank`. Each hit keeps its place in every ranking on the way: of each leg, after fusion, and
//! by the reranker alone.
//!
//! ```
//! use rag_core::{access::Principal, hit::Ranking, question::Question};
//! use rag_rerank::{Config, LexicalCoverageReranker, rerank};
//!
//! let question = Question::new("1", "What does ERR-4012 mean?", Principal::everyone());
//! let ranking = Ranking::new(question, vec![]);
//! let reranked = rerank(ranking, &LexicalCoverageReranker::default(), &Config::default())?;
//! assert!(reranked.hits.is_empty());
//! # Ok::<(), rag_rerank::RerankError>(())
//! ```
//!
//! | want | look at |
//! |---|---|
//! | the model that reads pairs | [`CrossEncoderReranker`] |
//! | reranking without weights | [`LexicalCoverageReranker`] |
//! | how the reranker's order and the legs' become one | [`Rule`], [`combine`] |
//! | the stage over files | [`run`] |
//!
//! Not here: searching, permissions (every hit that arrives may be read by its asker), building context.

mod batch;
mod combine;
mod config;
mod cross_encoder;
mod error;
mod lexical;
mod rerank;
mod reranker;
mod select;
#[cfg(test)]
mod testing;

pub use batch::{STAGE, STAGE_VERSION, run};
pub use combine::combine;
pub use config::{Config, Rule};
pub use cross_encoder::CrossEncoderReranker;
pub use error::RerankError;
pub use lexical::LexicalCoverageReranker;
pub use rerank::rerank;
pub use reranker::{Reranker, Scores};
