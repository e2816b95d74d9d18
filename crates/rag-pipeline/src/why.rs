//! One answer walked back: from a sentence over its citation to the passage, the block, the page and the file.

use std::path::{Path, PathBuf};

use rag_core::answer::{Answer, Citation};
use rag_core::artifact::{Artifact, Digest};
use rag_core::document::{BlockKind, DOCUMENTS_FILE, Document};
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::span::{BoundingBox, Span};
use rag_core::stage;
use serde::Serialize;

use crate::error::PipelineError;
use crate::run::Collection;

/// Longest file in which the words of a quote are looked for, in bytes.
const MAX_SEARCHED_BYTES: u64 = 64 << 20;

/// Where one citation comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Provenance {
    /// The sentence of the answer, its citation and what checking it found.
    pub citation: Citation,
    /// The index generation that was asked.
    pub generation: String,
    /// The passage as the chunk stage cut it.
    pub passage: PassageTrace,
    /// The blocks of the document that the quote touches.
    pub blocks: Vec<BlockTrace>,
    /// The document as the parse stage read it.
    pub document: DocumentTrace,
    /// The file.
    pub file: FileTrace,
}

/// A passage in its artifact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassageTrace {
    /// Key of the chunk artifact.
    pub artifact: String,
    /// Where it stands in its document's text.
    pub span: Span,
    /// Whether it still has the quoted words at their place.
    pub has_quote: bool,
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockTrace {
    /// Its number in the document, from 0.
    pub number: usize,
    /// What it is.
    pub kind: BlockKind,
    /// Headings above it.
    pub headings: Vec<String>,
    /// Where it stands in the document's text.
    pub span: Span,
    /// Page, from 1, for formats that have pages.
    pub page: Option<u32>,
    /// Place on that page.
    pub bounding_box: Option<BoundingBox>,
}

/// A document in its artifact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentTrace {
    /// Key of the parse artifact.
    pub artifact: String,
    /// Its title.
    pub title: String,
    /// Whether its text has the quoted words at their place.
    pub has_quote: bool,
}

/// The file that a document was read from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileTrace {
    /// Its path.
    pub path: PathBuf,
    /// blake3 of its bytes when it was read.
    pub digest: String,
    /// Whether it still is what it was.
    pub state: FileState,
    /// Where the quoted words stand in its bytes, if they do as they are.
    pub bytes: Option<Span>,
}

/// What became of a file since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// The same bytes.
    Unchanged,
    /// Other bytes.
    Changed,
    /// It is gone.
    Missing,
    /// The document is a line of a data set, which is no file of its own.
    Imported,
    /// In which folder it lay was not recorded.
    Unknown,
}

/// Walks every citation of `answer` back through the artifacts of `collection`. A passage that the asker of the question
/// may not read is treated as one that is not there.
pub fn trace(answer: &Answer, collection: &Collection) -> Result<Vec<Provenance>, PipelineError> {
    let tracer = Tracer {
        answer,
        source: collection.source.as_deref(),
        documents: Artifact::open(&collection.documents, stage::PARSE)?,
        passages: Artifact::open(&collection.passages, stage::CHUNK)?,
        generation: Artifact::open(&collection.generation, stage::INDEX)?
            .manifest()
            .key
            .to_string(),
    };
    answer
        .citations
        .iter()
        .map(|citation| tracer.follow(citation))
        .collect()
}

struct Tracer<'a> {
    answer: &'a Answer,
    source: Option<&'a Path>,
    documents: Artifact,
    passages: Artifact,
    generation: String,
}

impl Tracer<'_> {
    fn follow(&self, citation: &Citation) -> Result<Provenance, PipelineError> {
        let gone = |what: String| PipelineError::Gone { what };
        let passage = self
            .passage(citation)?
            .ok_or_else(|| gone(format!("passage {}", citation.id)))?;
        let document = self
            .document(citation)?
            .ok_or_else(|| gone(format!("document {}", citation.document)))?;
        let quote = citation.span.unwrap_or(passage.span);
        let touched = document
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.span.overlaps(&quote));
        let blocks = touched.map(|(number, block)| BlockTrace {
            number,
            kind: block.kind,
            headings: block.heading_path.clone(),
            span: block.span,
            page: block.page,
            bounding_box: block.bounding_box,
        });
        let has_quote =
            |text: &str, start: usize| slice_at(text, start, quote) == Some(citation.quote.as_str());
        Ok(Provenance {
            generation: self.generation.clone(),
            passage: PassageTrace {
                artifact: self.passages.manifest().key.to_string(),
                span: passage.span,
                has_quote: has_quote(&passage.text, passage.span.start),
            },
            blocks: blocks.collect(),
            document: DocumentTrace {
                artifact: self.documents.manifest().key.to_string(),
                title: document.title.clone(),
                has_quote: has_quote(&document.text, 0),
            },
            file: self.file(&document, &citation.quote)?,
            citation: citation.clone(),
        })
    }

    fn passage(&self, citation: &Citation) -> Result<Option<Passage>, PipelineError> {
        let principal = &self.answer.question.principal;
        for passage in self.passages.json_lines::<Passage>(PASSAGES_FILE)? {
            let passage = passage?;
            // A forged answer may name another document than the passage is of.
            let is_cited = passage.id == citation.id && *passage.document_id() == citation.document;
            if is_cited && passage.access.allows(principal) {
                return Ok(Some(passage));
            }
        }
        Ok(None)
    }

    fn document(&self, citation: &Citation) -> Result<Option<Document>, PipelineError> {
        for document in self.documents.json_lines::<Document>(DOCUMENTS_FILE)? {
            let document = document?;
            if document.id == citation.document {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    fn file(&self, document: &Document, quote: &str) -> Result<FileTrace, PipelineError> {
        let path = self.source.unwrap_or(Path::new("")).join(&document.source);
        let state = match self.source.map(|_| Digest::of_file(&path)) {
            _ if is_imported(&self.documents) => FileState::Imported,
            None => FileState::Unknown,
            Some(Ok(found)) if found.blake3.to_string() == document.content_digest => FileState::Unchanged,
            Some(Ok(_)) => FileState::Changed,
            Some(Err(_)) => FileState::Missing,
        };
        let bytes = match state {
            FileState::Unchanged => find_bytes(&path, quote)?,
            FileState::Changed | FileState::Missing | FileState::Imported | FileState::Unknown => None,
        };
        Ok(FileTrace {
            path,
            digest: document.content_digest.clone(),
            state,
            bytes,
        })
    }
}

/// Whether the documents are the lines of a data set.
fn is_imported(documents: &Artifact) -> bool {
    documents
        .manifest()
        .made_from
        .config
        .get(0)
        .and_then(|name| name.as_str())
        == Some("import")
}

/// The part `span` of a document's text, from the piece `text` of it that begins at `start`.
fn slice_at(text: &str, start: usize, span: Span) -> Option<&str> {
    text.get(span.start.checked_sub(start)?..span.end.checked_sub(start)?)
}

/// Where `quote` stands in the bytes of the file, if it does as it is.
fn find_bytes(path: &Path, quote: &str) -> Result<Option<Span>, PipelineError> {
    if quote.is_empty() || fs_err::metadata(path)?.len() > MAX_SEARCHED_BYTES {
        return Ok(None);
    }
    let bytes = fs_err::read(path)?;
    let mut windows = bytes.windows(quote.len());
    let start = windows.position(|window| window == quote.as_bytes());
    Ok(start.map(|start| Span::new(start, start + quote.len())))
}
