//! The stage as a batch: passages in, a graph artifact out, unchanged passages taken over.

use rag_core::document::DOCUMENTS_FILE;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactWriter, Digest, Journal, StageKey, already_done, codec, jsonl};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic, Severity};
use rag_core::id::DocumentId;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Unit};
use rag_core::stage::{self, Outcome};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::GraphError;
use crate::extract::{Extractor, Facts, digest};
use crate::tables::{PassageHead, Supersessions, Tables};

/// The stage's name.
pub const STAGE: &str = stage::GRAPH;

/// Raised whenever this crate writes something else for the same facts.
pub const STAGE_VERSION: u32 = 1;

/// One line per passage: what it says.
pub const FACTS_FILE: &str = "graph.jsonl";

pub(crate) const TABLES_FILE: &str = "graph.bin";
pub(crate) const GRAPH_KIND: codec::Kind = *b"GRPH";

/// Passages read at a time.
const BATCH: usize = 1024;

/// Passages read at a time when a model is asked about them: what it said is kept after each.
const ASKED_BATCH: usize = 8;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// Finds what a passage says.
    pub extractor: &'t dyn Extractor,
    /// The artifact of stage `parse` that the passages were cut from, asked which documents supersede which.
    pub documents: Option<&'t Path>,
    /// Told how far the run is.
    pub progress: &'t dyn Progress,
}

/// Makes the graph of the passages at `input` (stage `chunk`) at `output`.
///
/// When `output` already holds the graph of the same passages, supersessions and extractor, nothing is done.
/// Otherwise passages whose title and text are unchanged keep their facts; so do those that a killed run had
/// finished. A passage whose facts cannot be had is kept without facts, with a diagnostic.
pub fn run(input: &Path, output: &Path, tools: &Tools<'_>) -> Result<Outcome, GraphError> {
    let passages = Artifact::open(input, stage::CHUNK)?;
    let supersessions = tools
        .documents
        .map(read_supersessions)
        .transpose()?
        .unwrap_or_default();
    let key = stage_key(&passages, &supersessions, tools.extractor);
    let done = already_done(output, STAGE, key.digest());
    if let Some(outcome) = done.filter(|outcome| outcome.quarantined == 0) {
        tools.progress.note("graph: nothing changed, kept the graph");
        return Ok(outcome);
    }
    let mut known = Known::open(output, tools.extractor)?;
    if let Some(asked) = known.to_be_asked(&passages, tools.extractor)? {
        tools.progress.note(&format!("graph: {asked}"));
    }
    let writer = ArtifactWriter::begin(output, key)?;
    tools
        .progress
        .start(STAGE, Some(passages.manifest().counts.seen), Unit::Items);
    let built = copy_and_extract(&passages, &writer, tools, &mut known)?;
    let tables = Tables::build(&built.heads, &built.facts, &supersessions)?;
    writer.framed(TABLES_FILE, GRAPH_KIND, &tables)?;
    jsonl::write_all(&writer.path(FACTS_FILE), &built.facts)?;
    jsonl::write_all(&writer.path(DIAGNOSTICS_FILE), &built.diagnostics)?;
    tools.progress.finish(STAGE);
    built.report(&tables, tools.progress);
    writer.publish(built.outcome)?;
    known.journal.remove()?;
    Ok(built.outcome)
}

/// What a model is yet to be asked, should the graph at `output` be made of the passages at `input`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// Passages.
    pub passages: u64,
    /// Characters that it is shown.
    pub chars: u64,
}

/// Characters of a token, roughly; other scripts than Latin have fewer.
const TOKEN_CHARS: u64 = 4;

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passages, chars } = self;
        let tokens = chars / TOKEN_CHARS;
        write!(
            f,
            "the model is asked about {passages} passages, some {tokens} tokens to read; what it said is kept when the \
             run is stopped"
        )
    }
}

/// What a model is yet to be asked for [`run`]: nothing when the extractor asks none, or all was asked before.
pub fn to_be_asked(input: &Path, output: &Path, extractor: &dyn Extractor) -> Result<Asked, GraphError> {
    let passages = Artifact::open(input, stage::CHUNK)?;
    let known = Known::open(output, extractor)?;
    Ok(known.to_be_asked(&passages, extractor)?.unwrap_or_default())
}

fn stage_key(passages: &Artifact, supersessions: &Supersessions, extractor: &dyn Extractor) -> StageKey {
    let pairs: Vec<&[u8]> = supersessions
        .iter()
        .flat_map(|(newer, older)| [newer.as_str().as_bytes(), older.as_str().as_bytes()])
        .collect();
    StageKey::new(STAGE, STAGE_VERSION, &())
        .input("passages", &passages.manifest().key)
        .input("supersedes", &Digest::of_parts(pairs))
        .model("extractor", &extractor.identity())
}

/// The key of the passages that the graph artifact at `path` was made from.
pub fn made_from_passages(path: &Path) -> Result<String, GraphError> {
    let artifact = Artifact::open(path, STAGE)?;
    let inputs = &artifact.manifest().made_from.inputs;
    Ok(inputs.get("passages").cloned().unwrap_or_default())
}

fn read_supersessions(parsed: &Path) -> Result<Supersessions, GraphError> {
    #[derive(Deserialize)]
    struct Successor {
        id: DocumentId,
        #[serde(default)]
        supersedes: Option<DocumentId>,
    }
    let documents = Artifact::open(parsed, stage::PARSE)?;
    let mut found = Supersessions::new();
    for document in documents.json_lines::<Successor>(DOCUMENTS_FILE)? {
        let Successor { id, supersedes } = document?;
        if let Some(older) = supersedes {
            found.insert(id, older);
        }
    }
    Ok(found)
}

/// What a run gathers.
#[derive(Default)]
struct Built {
    heads: Vec<PassageHead>,
    facts: Vec<Facts>,
    diagnostics: Vec<Diagnostic>,
    outcome: Outcome,
}

impl Built {
    fn report(&self, tables: &Tables, progress: &dyn Progress) {
        progress.note(&format!(
            "graph: {} names, {} mentions, {} statements in {} passages",
            tables.keys.len(),
            tables.mentions.len(),
            tables.relations.len(),
            self.facts.len()
        ));
        let cut: u64 = self.facts.iter().map(|facts| u64::from(facts.cut)).sum();
        if cut > 0 {
            progress.note(&format!(
                "graph: {cut} names or statements left out: too many, or not borne out"
            ));
        }
    }
}

fn copy_and_extract(
    passages: &Artifact,
    writer: &ArtifactWriter,
    tools: &Tools<'_>,
    known: &mut Known,
) -> Result<Built, GraphError> {
    let mut built = Built::default();
    let mut reader = passages.json_lines::<Passage>(PASSAGES_FILE)?;
    let mut copy = writer.json_lines::<Passage>(PASSAGES_FILE)?;
    let mut size = ASKED_BATCH;
    loop {
        let batch: Vec<Passage> = reader.by_ref().take(size).collect::<Result<_, _>>()?;
        let Some(first) = batch.first() else { break };
        if tools.extractor.asked_chars(first).is_none() {
            size = BATCH;
        }
        let found: Vec<Found> = batch
            .par_iter()
            .map(|passage| known.find(passage, tools.extractor))
            .collect();
        for (passage, found) in batch.iter().zip(found) {
            copy.write(passage)?;
            built.heads.push(PassageHead::from(passage));
            built.outcome.seen += 1;
            let facts = match found {
                Found::Known(facts) => {
                    built.outcome.reused += 1;
                    facts
                }
                Found::New(facts) => {
                    built.outcome.written += 1;
                    known.record(&facts)?;
                    facts
                }
                Found::Failed(error @ GraphError::Draft { .. }) => {
                    built.outcome.quarantined += 1;
                    built.diagnostics.push(diagnostic(passage, &error));
                    Facts {
                        missing: true,
                        ..tools.extractor.extract_without_draft(passage)?
                    }
                }
                Found::Failed(error) => return Err(error),
            };
            built.facts.push(facts);
        }
        tools.progress.advance(STAGE, batch.len() as u64);
    }
    copy.finish()?;
    Ok(built)
}

fn diagnostic(passage: &Passage, error: &GraphError) -> Diagnostic {
    Diagnostic {
        source: passage.source.clone(),
        severity: Severity::Warning,
        reason: "no_facts".to_owned(),
        message: error.to_string(),
    }
}

enum Found {
    Known(Facts),
    New(Facts),
    Failed(GraphError),
}

/// Facts that need not be found again: those of the artifact that is being replaced, and those of a run that
/// was killed. By the digest of what they were found in.
struct Known {
    earlier: HashMap<Digest, Facts>,
    /// Facts as JSON, since bincode cannot read back fields that were left out.
    journal: Journal<String>,
    extractor: String,
}

impl Known {
    fn open(output: &Path, extractor: &dyn Extractor) -> Result<Self, GraphError> {
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let journal = output.with_file_name(format!(".{name}.journal"));
        if let Some(parent) = journal.parent() {
            fs_err::create_dir_all(parent)?;
        }
        let extractor = extractor.identity();
        Ok(Self {
            earlier: earlier_facts(output, &extractor).unwrap_or_default(),
            journal: Journal::open(&journal)?,
            extractor,
        })
    }

    /// What is yet to be asked about `passages`; `None` when there is nothing.
    fn to_be_asked(
        &self,
        passages: &Artifact,
        extractor: &dyn Extractor,
    ) -> Result<Option<Asked>, GraphError> {
        let mut asked = Asked::default();
        for passage in passages.json_lines::<Passage>(PASSAGES_FILE)? {
            let passage = passage?;
            let Some(chars) = extractor.asked_chars(&passage) else {
                return Ok(None);
            };
            if self.known(&passage).is_none() {
                asked.passages += 1;
                asked.chars += chars as u64;
            }
        }
        Ok((asked.passages > 0).then_some(asked))
    }

    fn known(&self, passage: &Passage) -> Option<Facts> {
        let made_from = digest(passage);
        let earlier = self.earlier.get(&made_from).cloned();
        earlier.or_else(|| serde_json::from_str(self.journal.get(&self.journal_key(&made_from))?).ok())
    }

    /// The facts of `passage`, taken over where they can be.
    fn find(&self, passage: &Passage, extractor: &dyn Extractor) -> Found {
        match self.known(passage) {
            Some(facts) => Found::Known(Facts {
                passage: passage.id.clone(),
                ..facts
            }),
            None => extractor.extract(passage).map_or_else(Found::Failed, Found::New),
        }
    }

    /// Remembers `facts`, should this run be killed.
    fn record(&mut self, facts: &Facts) -> Result<(), GraphError> {
        let line = serde_json::to_string(facts).expect("facts are plain data");
        Ok(self.journal.record(self.journal_key(&facts.made_from), &line)?)
    }

    fn journal_key(&self, made_from: &Digest) -> Digest {
        Digest::of_parts([self.extractor.as_bytes(), made_from.0.as_slice()])
    }
}

/// The facts of the graph at `path`, if the same extractor found them.
fn earlier_facts(path: &Path, extractor: &str) -> Option<HashMap<Digest, Facts>> {
    let artifact = Artifact::open(path, STAGE).ok()?;
    let made_from = &artifact.manifest().made_from;
    let is_same = made_from.stage_version == STAGE_VERSION && made_from.models.get("extractor")? == extractor;
    if !is_same {
        return None;
    }
    let facts = artifact.json_lines::<Facts>(FACTS_FILE).ok()?;
    let mut found = HashMap::new();
    for facts in facts {
        let facts = facts.ok()?;
        if !facts.missing {
            found.insert(facts.made_from, facts);
        }
    }
    Some(found)
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
