//! A program as the chunker: it says where documents are cut, and all else comes from the documents.

use std::collections::HashSet;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactWriter, StageKey, already_done};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic, Severity};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::id::PassageId;
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::Progress;
use rag_core::span::Span;
use rag_core::stage::{self, Outcome};
use rag_models::Embedder;
use serde::Deserialize;

use super::program::{Call, Input};
use super::settings::Program;
use super::{ROLE, VERSION};
use crate::error::PipelineError;
use crate::settings::Settings;

/// Longest line that a program may put before a passage for indexing, in bytes.
const MOST_CONTEXT_BYTES: usize = 4096;

/// A passage as a program writes it; the rest of the line is not looked at.
#[derive(Debug, Deserialize)]
struct Cut {
    id: PassageId,
    span: Span,
    text: String,
    parent: Option<Span>,
    #[serde(default)]
    context: String,
    language: Option<Language>,
}

/// Lets `program` cut the documents of the parse artifact at `input`.
pub(crate) fn chunk(
    settings: &Settings,
    program: &Program,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let documents = Artifact::open(input, stage::PARSE)?;
    let counter = settings.models.open_counter(progress)?;
    let key = StageKey::new(stage::CHUNK, VERSION, &settings.chunk)
        .input("documents", &documents.manifest().key)
        .model("tokenizer", &counter.identity().tokenizer)
        .model(ROLE, &program.identity()?);
    if let Some(outcome) = already_done(output, stage::CHUNK, key.digest()) {
        progress.note("chunk: nothing changed, kept the passages");
        return Ok(outcome);
    }
    let call = Call::new(stage::CHUNK, program, settings, progress);
    let written = call.run(&settings.chunk, &[("--in", Input::Copy(&documents))], output)?;
    let mut cuts = written.lines::<Cut>(PASSAGES_FILE)?.peekable();
    let writer = ArtifactWriter::begin(output, key)?;
    let mut passages = writer.json_lines::<Passage>(PASSAGES_FILE)?;
    let mut diagnostics = writer.json_lines::<Diagnostic>(DIAGNOSTICS_FILE)?;
    let mut outcome = Outcome::default();
    for document in documents.json_lines::<Document>(DOCUMENTS_FILE)? {
        let document = document?;
        let mut positions = HashSet::new();
        let is_own = |cut: &Result<Cut, PipelineError>| {
            cut.as_ref().map_or(true, |cut| cut.id.document == document.id)
        };
        while let Some(cut) = cuts.next_if(is_own) {
            let passage = passage(&document, cut?, counter.as_ref()).map_err(|reason| call.failed(reason))?;
            if !positions.insert(passage.id.position) {
                return Err(call.failed(format!("wrote passage {} twice", passage.id)));
            }
            passages.write(&passage)?;
        }
        outcome.seen += 1;
        if positions.is_empty() && !document.text.trim().is_empty() {
            outcome.quarantined += 1;
            diagnostics.write(&left_out(&document))?;
        } else {
            outcome.written += 1;
        }
    }
    if let Some(cut) = cuts.next() {
        let id = cut?.id;
        return Err(call.failed(format!(
            "wrote passage {id} of a document that there is not, or not in the documents' order"
        )));
    }
    passages.finish()?;
    diagnostics.finish()?;
    writer.publish(outcome)?;
    Ok(outcome)
}

fn left_out(document: &Document) -> Diagnostic {
    Diagnostic {
        source: document.source.clone(),
        severity: Severity::Quarantined,
        reason: "no-passage".to_owned(),
        message: "the program made no passage of it, so no question finds it".to_owned(),
    }
}

/// The passage of `document` that `cut` names.
fn passage(document: &Document, cut: Cut, counter: &dyn Embedder) -> Result<Passage, String> {
    let id = &cut.id;
    if cut.text.trim().is_empty() || cut.span.slice(&document.text) != Some(cut.text.as_str()) {
        return Err(format!(
            "wrote passage {id} whose text is not what stands at its span (in bytes of UTF-8) in the document"
        ));
    }
    let parent = cut.parent.unwrap_or(cut.span);
    let covers = parent.start <= cut.span.start && cut.span.end <= parent.end;
    if !covers || parent.slice(&document.text).is_none() {
        return Err(format!(
            "wrote passage {id} whose parent is not a part of the document around it"
        ));
    }
    if cut.context.len() > MOST_CONTEXT_BYTES || cut.context.chars().any(char::is_control) {
        return Err(format!(
            "wrote a context for passage {id} that is not one line of at most {MOST_CONTEXT_BYTES} bytes"
        ));
    }
    let block = document
        .blocks
        .iter()
        .find(|block| block.span.overlaps(&cut.span));
    let mut passage = Passage {
        title: document.title.clone(),
        source: document.source.clone(),
        section: block.map(|block| block.heading_path.clone()).unwrap_or_default(),
        page: block.and_then(|block| block.page),
        bounding_box: block.and_then(|block| block.bounding_box),
        updated: document.updated,
        supersedes: document.supersedes.clone(),
        department: document.department.clone(),
        language: cut.language.unwrap_or(document.language),
        access: document.access.clone(),
        span: cut.span,
        parent,
        context: cut.context,
        ..Passage::new(cut.id, cut.text)
    };
    passage.tokens = counter.count_tokens(&passage.index_text()) as u32;
    Ok(passage)
}
