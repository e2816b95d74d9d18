//! Generation: context assembly, answers with citations, and the check that each citation holds.
//!
//! Reads `hits.jsonl` of the stage `rerank` (or `retrieve`); writes `answers.jsonl` of the stage
//! `generate`: text, citations with their exact quotes, what the check found, what it cost.
//!
//! ```
//! use rag_core::{access::Principal, hit::Ranking, question::Question};
//! use rag_generate::{Config, ExtractiveGenerator, SupportModels, generate};
//!
//! let question = Question::new("1", "How many days of leave?", Principal::everyone());
//! let ranking = Ranking::new(question, vec![]);
//! let config = Config::default();
//! let generator = ExtractiveGenerator::new(None, config.extract.clone());
//! let models = SupportModels::default();
//! let answer = generate(&ranking, &generator, models, &config, &|text| text.len() / 4)?;
//! assert_eq!(answer.text, rag_core::answer::DECLINED);
//! # Ok::<(), rag_generate::GenerateError>(())
//! ```
//!
//! | want | look at |
//! |---|---|
//! | what a model reads | [`assemble`] |
//! | answers made of the sources' own sentences | [`ExtractiveGenerator`] |
//! | answers written by a language model | [`ModelGenerator`] |
//! | searching step by step | [`agent`], [`research`] |
//! | when we decline | [`Decision`], [`Features`] |
//! | whether a citation holds | [`verify`], [`SupportScorer`] |
//! | the stage over files | [`run`] |
//!
//! An answer leaves only after its citations were checked; a sentence that no source supports is withheld, and
//! of nothing left [`rag_core::answer::DECLINED`] is made. Text of documents is never followed as an instruction.
//!
//! Not here: searching, permissions (every passage that arrives may be read by its asker), judging
//! answers against labels.

pub mod agent;
mod batch;
mod config;
mod context;
mod error;
mod extract;
mod generate;
mod generator;
mod identifiers;
mod model;
mod receipt;
mod repair;
#[cfg(test)]
mod testing;
mod verify;

pub use batch::{STAGE, STAGE_VERSION, Tools, open_hits, run};
pub use config::{Config, Writer};
pub use context::{Context, ContextConfig, assemble};
pub use error::GenerateError;
pub use extract::{Candidate, Decision, ExtractConfig, ExtractiveGenerator, Features, Scored, is_small_talk};
pub use generate::{generate, research};
pub use generator::{Draft, Generator};
pub use model::{ModelConfig, ModelGenerator};
pub use receipt::{Receipt, ReceiptSource, misquoted};
pub use verify::{
    Claim, Judged, MAX_CLAIMS, SupportDecision, SupportFeatures, SupportModels, SupportScorer, VerifyConfig,
    parse_citations, verify,
};
