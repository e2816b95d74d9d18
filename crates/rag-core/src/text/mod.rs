//! Text analysis that several stages must share, so that a term means the same everywhere.
//!
//! [`sentences`] cuts text into sentences; [`Analyzer`] cuts it into the terms that lexical search,
//! the lexical reranker and the citation check compare.

mod analyzer;
mod arabic;
mod segment;
mod sentence;
mod stop_words;

pub use analyzer::{Analyzer, Term, query_terms};
pub use segment::{Piece, PieceKind, pieces};
pub use sentence::sentences;
pub use stop_words::is_stop_word;
