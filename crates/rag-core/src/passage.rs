//! Passages: the retrievable pieces of a document, each carrying all that filters need.

use serde::{Deserialize, Serialize};

use crate::access::AccessList;
use crate::date::Date;
use crate::id::{DocumentId, PassageId};
use crate::language::Language;
use crate::span::{BoundingBox, Span};

/// The passages of a chunk artifact.
pub const PASSAGES_FILE: &str = "passages.jsonl";

/// A piece of a document: one line of `passages.jsonl`.
///
/// `text` is exactly `document.text[span]`, so a place in a passage is a place in its document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// `<document id>#<position>`.
    pub id: PassageId,
    /// Title of the document.
    pub title: String,
    /// Path of the source file relative to the ingested folder.
    pub source: String,
    /// Headings above the passage, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section: Vec<String>,
    /// Page that the passage begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Place of the passage's part on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// Day of the document's last change.
    pub updated: Option<Date>,
    /// The document that this passage's document replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<DocumentId>,
    /// Department that owns the document.
    pub department: Option<String>,
    /// Language of the passage.
    pub language: Language,
    /// Groups that may read it, copied from the document. Empty means nobody.
    pub access: AccessList,
    /// Where the passage stands in its document's text.
    pub span: Span,
    /// The section or document part to hand over when this passage matches.
    pub parent: Span,
    /// The text, `document.text[span]`.
    pub text: String,
    /// Line put before the text for indexing only, such as `source > heading`; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// Length of `context` and `text` in the embedder's tokens.
    pub tokens: u32,
}

impl Passage {
    /// A passage that is its whole document, without metadata, that nobody may read yet.
    pub fn new(id: PassageId, text: impl Into<String>) -> Self {
        let text = text.into();
        let span = Span::new(0, text.len());
        Self {
            id,
            title: String::new(),
            source: String::new(),
            section: Vec::new(),
            page: None,
            bounding_box: None,
            updated: None,
            supersedes: None,
            department: None,
            language: Language::UNKNOWN,
            access: AccessList::default(),
            span,
            parent: span,
            text,
            context: String::new(),
            tokens: 0,
        }
    }

    /// The title of the document and the headings above the passage, outermost first.
    pub fn headings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.title)
            .chain(&self.section)
            .map(String::as_str)
    }

    /// Where the place `span` of the document stands in the passage's text; `None` when it begins before it.
    pub fn within(&self, span: Span) -> Option<Span> {
        let start = span.start.checked_sub(self.span.start)?;
        Some(Span::new(start, span.end.checked_sub(self.span.start)?))
    }

    /// The words at the place `span` of the document; `None` when the passage does not hold it.
    pub fn quoted(&self, span: Span) -> Option<&str> {
        self.within(span)?.slice(&self.text)
    }

    /// Id of the document that the passage is a part of.
    pub fn document_id(&self) -> &DocumentId {
        &self.id.document
    }

    /// What the lexical index and the embedder see: the context line, if any, then the text.
    pub fn index_text(&self) -> String {
        if self.context.is_empty() {
            self.text.clone()
        } else {
            format!("{}\n{}", self.context, self.text)
        }
    }

    /// The section as shown to people: headings joined with ` > `.
    pub fn section_label(&self) -> String {
        self.section.join(" > ")
    }
}
