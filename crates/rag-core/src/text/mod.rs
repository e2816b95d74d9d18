//! Text analysis that several stages must share, so that a term means the same everywhere.
//!
//! [`sentences`] cuts text into sentences; [`Analyzer`] cuts it into the terms that lexical search,
//! the lexical reranker and the citation check compare.

mod analyzer;
mod arabic;
mod instructions;
mod markup;
mod question_words;
mod segment;
mod sentence;
mod similarity;
mod stop_words;

pub use analyzer::{Analyzer, Term, query_terms};
pub use instructions::{instruction_lines, is_instruction_to_model};
pub use markup::{is_unsafe, markup};
pub use question_words::{ASKING, ASKING_ARABIC, is_asking_word, is_function_word};
pub use segment::{Piece, PieceKind, pieces};
pub use sentence::sentences;
pub use similarity::{Shingles, TermCounts};
pub use stop_words::is_stop_word;
