//! `lexical/`: BM25 over a tantivy segment. tantivy keeps the postings; analysis and scoring are ours.
//!
//! The terms come from `rag_core::text`, the score from [`search`], so that `k1` and `b` are settings and
//! passage lengths are exact (tantivy rounds them to 256 steps and fixes both constants).

mod search;
mod write;

pub(crate) use search::Lexical;
pub(crate) use write::{Writer, analyze};

use std::path::Path;

use rag_core::text::Term;
use tantivy::schema::{FAST, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

use crate::error::IndexError;

/// Name of the folder in a generation.
pub(crate) const LEXICAL_FOLDER: &str = "lexical";

/// The field that holds a passage's terms.
const TERMS: &str = "terms";

/// The column that holds how many terms a passage has.
const LENGTH: &str = "length";

fn schema() -> Schema {
    let mut schema = Schema::builder();
    // Terms are handed over as one text with a space between two: tantivy passes ready-made tokens through
    // JSON, which took a quarter of the time.
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    schema.add_text_field(TERMS, TextOptions::default().set_indexing_options(indexing));
    schema.add_u64_field(LENGTH, FAST);
    schema.build()
}

/// A term as it is indexed. Normalising may put a space into one (the ligature ﷺ is four words).
fn indexed(term: Term) -> String {
    if term.text.contains(' ') {
        return term.text.replace(' ', "_");
    }
    term.text
}

/// Tells what tantivy was doing in which folder when it failed.
fn failed<E: std::fmt::Display>(path: &Path, doing: &'static str) -> impl Fn(E) -> IndexError {
    move |error| IndexError::Engine {
        path: path.to_owned(),
        doing,
        reason: error.to_string(),
    }
}
