//! Text analysis that several stages must share, so that a term means the same everywhere.
//!
//! [`sentences`] cuts text into sentences; [`Analyzer`] cuts it into the terms that lexical search,
//! the lexical reranker and the citation check compare.

mod analyzer;
mod arabic;
mod question_words;
mod segment;
mod sentence;
mod stop_words;

pub use analyzer::{Analyzer, Term, query_terms};
pub use question_words::{ASKING, ASKING_ARABIC, is_asking_word, is_function_word};
pub use segment::{Piece, PieceKind, pieces};
pub use sentence::sentences;
pub use stop_words::is_stop_word;
