//! `rows.bin`: what each vector was made from, so that the next generation takes over what is unchanged.

use std::collections::HashMap;

use rag_core::artifact::Digest;
use serde::{Deserialize, Serialize};

/// Name of the file in a generation.
pub(crate) const ROWS_FILE: &str = "rows.bin";

/// Kind of its frame.
pub(crate) const ROWS_KIND: [u8; 4] = *b"ROWS";

/// What the vectors of a generation were made from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rows {
    /// Digest over ids, languages and index texts of all passages in order: where it is the same,
    /// vectors, graph and lexical index are the same.
    pub(crate) content: [u8; 32],
    /// Digest of each passage's index text, by ordinal.
    pub(crate) texts: Vec<[u8; 32]>,
    /// Ordinals of the passages of which the embedder cut something, and how many tokens.
    pub(crate) cut: Vec<(u32, u32)>,
}

impl Rows {
    /// A row by the digest of its text.
    pub(crate) fn by_text(&self) -> HashMap<Digest, u32> {
        self.texts.iter().map(|text| Digest(*text)).zip(0..).collect()
    }
}
