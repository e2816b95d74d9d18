//! Parsed documents: one text, cut into blocks that remember where they came from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::access::AccessList;
use crate::date::Date;
use crate::id::DocumentId;
use crate::language::Language;
use crate::span::{BoundingBox, Span};

/// The documents of a parse artifact.
pub const DOCUMENTS_FILE: &str = "documents.jsonl";

/// What each document was made from, so that unchanged ones are not worked on again.
pub const SOURCES_FILE: &str = "sources.jsonl";

/// What separates two blocks in a document's text.
pub const BLOCK_SEPARATOR: &str = "\n\n";

/// A parsed document: one line of `documents.jsonl`.
///
/// `text` is the concatenation of the blocks' texts with [`BLOCK_SEPARATOR`] between them, so every
/// place in the document is a [`Span`] of `text`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Unique in its collection.
    pub id: DocumentId,
    /// Shown to people; the first heading or the file name when the source names none.
    pub title: String,
    /// Path of the source file relative to the ingested folder, with `/` between its parts.
    pub source: String,
    /// Media type of the source file, such as `text/markdown`.
    pub media_type: String,
    /// Department that owns the document.
    pub department: Option<String>,
    /// Day of the last change, as the document itself says.
    pub updated: Option<Date>,
    /// Main language.
    pub language: Language,
    /// Groups that may read it. Empty means nobody.
    pub access: AccessList,
    /// The document that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<DocumentId>,
    /// Metadata of the source that has no field of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// blake3 of the source file's bytes, in hex.
    pub content_digest: String,
    /// Number of pages, for formats that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// The whole text.
    pub text: String,
    /// The blocks, in reading order; their spans do not overlap.
    pub blocks: Vec<Block>,
}

/// A paragraph, heading, list item, table row or the like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What the block is.
    pub kind: BlockKind,
    /// Where its text stands in the document's text.
    pub span: Span,
    /// Headings above the block, outermost first; a heading is in its own path, last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heading_path: Vec<String>,
    /// Page that the block begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Place on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// For a table row: header and value of each cell. The block's text is the sentence made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
}

/// The kinds of block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A title or section heading.
    Heading,
    /// Running prose.
    Paragraph,
    /// One item of a list.
    ListItem,
    /// One row of a table, as a sentence.
    TableRow,
    /// Program text or anything whose line breaks matter.
    Code,
    /// A footnote or endnote.
    Note,
    /// The caption of a figure or table.
    Caption,
}

/// One cell of a table row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Header of the cell's column; empty when the table has none.
    pub header: String,
    /// The cell's text, as displayed.
    pub value: String,
    /// The levels of the header, outermost first, when there are several; `header` is made of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_path: Vec<String>,
    /// The stored value, where the source displays another: `0.025` for `2.50 %`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Place on the row's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// True when this is the text of a cell that spans several rows or columns and stands here again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

impl Cell {
    /// The levels of the header, outermost first; none when the table has no header.
    pub fn header_levels(&self) -> Vec<String> {
        match (self.header_path.is_empty(), self.header.is_empty()) {
            (false, _) => self.header_path.clone(),
            (true, false) => vec![self.header.clone()],
            (true, true) => Vec::new(),
        }
    }
}

/// Collects blocks and keeps the document's text and their spans in step.
///
/// ```
/// use rag_core::document::{BlockKind, TextBuilder};
///
/// let mut builder = TextBuilder::default();
/// builder.push(BlockKind::Heading, "Refunds");
/// builder.push(BlockKind::Paragraph, "Refunds take five days.");
/// let (text, blocks) = builder.finish();
/// assert_eq!(text, "Refunds\n\nRefunds take five days.");
/// assert_eq!(blocks[1].span.slice(&text), Some("Refunds take five days."));
/// ```
#[derive(Debug, Default)]
pub struct TextBuilder {
    text: String,
    blocks: Vec<Block>,
}

impl TextBuilder {
    /// Appends a block and returns it for its other fields to be filled in.
    pub fn push(&mut self, kind: BlockKind, text: &str) -> &mut Block {
        if !self.blocks.is_empty() {
            self.text.push_str(BLOCK_SEPARATOR);
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.blocks.push(Block {
            kind,
            span: Span::new(start, self.text.len()),
            heading_path: Vec::new(),
            page: None,
            bounding_box: None,
            cells: Vec::new(),
        });
        self.blocks.last_mut().expect("a block was just pushed")
    }

    /// The text so far, in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// True when no block was pushed.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The document's text and its blocks.
    pub fn finish(self) -> (String, Vec<Block>) {
        (self.text, self.blocks)
    }
}

impl Document {
    /// The text of `block`, which must be one of this document's.
    pub fn block_text(&self, block: &Block) -> &str {
        block.span.slice(&self.text).unwrap_or_default()
    }
}
