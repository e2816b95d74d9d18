//! The batch entry point: a folder of files to an artifact of documents.
//!
//! | file of the artifact | holds |
//! |---|---|
//! | `documents.jsonl` | a [`Document`] per file, by path |
//! | `diagnostics.jsonl` | a [`Diagnostic`] per thing that went wrong, by path |
//! | `sources.jsonl` | path, key and fate of every file, from which the next run knows what it may take over |

mod ours;
mod plan;
mod previous;
mod sidecars;
mod stat_cache;
mod walk;

use rag_core::document::{DOCUMENTS_FILE, SOURCES_FILE};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rag_core::artifact::{Artifact, ArtifactWriter, Digest, Journal, StageKey, jsonl};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic, Severity};
use rag_core::document::Document;
use rag_core::id::DocumentId;
use rag_core::progress::{Progress, Unit};
use rag_core::stage::{self, Outcome};
use serde::{Deserialize, Serialize};

use crate::config::{Config, PdfEngine, Runtime};
use crate::document::Parsed;
use crate::error::{Failure, ParseError};
use crate::pdf::ocr_identity;
use crate::worker::{Finished, JobResult, Pool, Setup};
use plan::Item;
use previous::Previous;

/// Name of this stage in manifests.
pub const STAGE: &str = stage::PARSE;

/// Raised whenever the same file would give another document.
pub const STAGE_VERSION: u32 = 6;

/// Files that are parsed ahead of the one that is written next, per worker.
const LOOKAHEAD: usize = 32;

const TASK: &str = "parse";

/// One line of `sources.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SourceRecord {
    source: String,
    /// Digest of path, bytes, metadata, settings and version.
    key: Digest,
    fate: Fate,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fate {
    /// It is a line of `documents.jsonl`.
    Document,
    /// It was quarantined and will be again.
    Quarantined,
    /// It was quarantined for a reason that may be over next time.
    Retry,
}

/// Parses every file below `input` into an artifact at `output`.
///
/// Files are taken in the order of their paths, so the same input gives the same bytes. Hidden files,
/// symbolic links, and stores and artifacts below `input` are skipped. A file that cannot be parsed is a line of `diagnostics.jsonl` and counted
/// as quarantined; an error is returned only when the run itself cannot go on.
///
/// Nothing is done when the artifact at `output` was made of the same files with the same settings, and
/// documents of unchanged files are taken over from the previous artifact or from the journal of a
/// killed run.
pub fn run(
    config: &Config,
    input: &Path,
    output: &Path,
    runtime: &Runtime,
    progress: &dyn Progress,
) -> Result<Outcome, ParseError> {
    let engine = engine_identity(config, runtime)?;
    let ocr = ocr_identity(&config.ocr, runtime.ocr_models.as_ref());
    let base = StageKey::new(STAGE, STAGE_VERSION, config)
        .model("pdf", &engine)
        .model("ocr", &ocr);
    if let Some(state_dir) = &runtime.state_dir {
        fs_err::create_dir_all(state_dir)?;
    }
    let listing = walk::list(input, &excluded(output, runtime))?;
    let mut notices = listing.diagnostics.clone();
    let items = plan::items(&listing, &base.digest(), config, runtime, progress, &mut notices)?;
    let key = base
        .input("files", &plan::files_digest(&items))
        .input("notices", &notices_digest(&notices));
    if let Some(outcome) = unchanged(output, &key) {
        return Ok(outcome);
    }
    progress.start(TASK, Some(items.len() as u64), Unit::Items);
    let mut batch = Batch::begin(config, output, runtime, &items, progress)?;
    for number in 0..items.len() {
        batch.step(number)?;
        progress.advance(TASK, 1);
    }
    progress.finish(TASK);
    let base = StageKey::new(STAGE, STAGE_VERSION, config)
        .model("pdf", &engine)
        .model("ocr", &ocr);
    batch.publish(output, base, notices)
}

/// Names the engine that will read PDF files, as it enters the artifact's key.
fn engine_identity(config: &Config, runtime: &Runtime) -> Result<String, ParseError> {
    let library = match config.pdf_engine {
        PdfEngine::Hayro => None,
        PdfEngine::Auto | PdfEngine::Pdfium => runtime.pdfium_library.as_ref(),
    };
    let Some(path) = library else {
        return Ok("hayro".to_owned());
    };
    let unreadable = |source| ParseError::PdfLibrary {
        path: path.clone(),
        source,
    };
    let digest = Digest::of_file(path).map_err(unreadable)?;
    Ok(format!("pdfium {}", digest.blake3))
}

fn excluded(output: &Path, runtime: &Runtime) -> Vec<PathBuf> {
    let state = runtime.state_dir.iter();
    let given = runtime.exclude.iter().chain(state).chain(runtime.previous.iter());
    let all = given.map(PathBuf::as_path).chain([output]);
    all.filter_map(|path| fs_err::canonicalize(path).ok()).collect()
}

fn notices_digest(notices: &[Diagnostic]) -> Digest {
    let lines: Vec<String> = notices
        .iter()
        .map(|n| format!("{}\n{}\n{}", n.source, n.reason, n.message))
        .collect();
    Digest::of_parts(lines.iter().map(String::as_bytes))
}

/// The counts of the artifact at `output` when it has this key and its files are intact.
fn unchanged(output: &Path, key: &StageKey) -> Option<Outcome> {
    let artifact = Artifact::open(output, STAGE).ok()?;
    let manifest = artifact.manifest();
    if manifest.key != key.digest() || manifest.made_from.digest() != manifest.key {
        return None;
    }
    for name in [DOCUMENTS_FILE, DIAGNOSTICS_FILE, SOURCES_FILE] {
        artifact.file(name).ok()?;
    }
    let Outcome {
        seen, quarantined, ..
    } = manifest.counts;
    Some(Outcome {
        seen,
        quarantined,
        reused: seen - quarantined,
        written: 0,
    })
}

/// A run in progress.
struct Batch<'b> {
    items: &'b [Item],
    previous: Previous,
    journal: Option<Journal<String>>,
    pool: Pool,
    /// Results that came before it was their turn.
    waiting: HashMap<usize, Result<JobResult, ParseError>>,
    /// The next item that may be handed to the pool, and how far ahead items are handed out.
    ahead: usize,
    lookahead: usize,
    submitted: HashSet<usize>,
    draft: tempfile::TempDir,
    documents: jsonl::Writer<Document>,
    sources: jsonl::Writer<SourceRecord>,
    diagnostics: Vec<Diagnostic>,
    ids: HashMap<DocumentId, usize>,
    /// Digest of the bytes that were parsed, where it differs from the plan.
    changed: HashMap<usize, Option<Digest>>,
    outcome: Outcome,
}

impl<'b> Batch<'b> {
    fn begin(
        config: &Config,
        output: &Path,
        runtime: &Runtime,
        items: &'b [Item],
        progress: &dyn Progress,
    ) -> Result<Self, ParseError> {
        let previous = Previous::open(runtime.previous.as_deref().unwrap_or(output), progress);
        let journal = match &runtime.state_dir {
            Some(folder) => Some(Journal::open(&folder.join("parse.journal"))?),
            None => None,
        };
        let setup = Setup {
            config: config.clone(),
            pdfium_library: runtime.pdfium_library.clone(),
            ocr_models: runtime.ocr_models.clone(),
            command: runtime.worker.clone(),
        };
        let workers = plan::worker_count(runtime);
        let draft = draft_folder(output)?;
        Ok(Self {
            items,
            previous,
            journal,
            pool: Pool::start(&setup, workers)?,
            waiting: HashMap::new(),
            ahead: 0,
            lookahead: workers * LOOKAHEAD,
            submitted: HashSet::new(),
            documents: jsonl::Writer::create(&draft.path().join(DOCUMENTS_FILE))?,
            sources: jsonl::Writer::create(&draft.path().join(SOURCES_FILE))?,
            draft,
            diagnostics: Vec::new(),
            ids: HashMap::new(),
            changed: HashMap::new(),
            outcome: Outcome::default(),
        })
    }

    /// Brings item `number` to its end: taken over, parsed or quarantined.
    fn step(&mut self, number: usize) -> Result<(), ParseError> {
        self.submit_ahead(number);
        let items = self.items;
        let item = &items[number];
        self.outcome.seen += 1;
        if let Some(failure) = &item.failure {
            return self.quarantine(item, item.key, failure);
        }
        if let Some(earlier) = self.earlier(item) {
            return match earlier {
                Ok(parsed) => self.keep(number, item.key, parsed, true),
                Err(failure) => self.quarantine(item, item.key, &failure),
            };
        }
        let result = self.parsed(number)?;
        let read = result.content.and_then(|hex| Digest::try_from(hex).ok());
        let key = item.key_for(read);
        if read != item.content {
            self.changed.insert(number, read);
        }
        match result.outcome {
            Ok(parsed) => self.keep(number, key, parsed, false),
            Err(failure) => self.quarantine(item, key, &failure),
        }
    }

    /// True when the item must be parsed in this run.
    fn needs_parsing(&self, item: &Item) -> bool {
        let is_journaled = self
            .journal
            .as_ref()
            .is_some_and(|journal| journal.get(&item.key).is_some());
        item.failure.is_none() && !is_journaled && !self.previous.has(&item.source, &item.key)
    }

    fn submit_ahead(&mut self, number: usize) {
        let end = self.items.len().min(number + self.lookahead);
        while self.ahead < end {
            if self.needs_parsing(&self.items[self.ahead]) {
                self.submit(self.ahead);
            }
            self.ahead += 1;
        }
    }

    fn submit(&mut self, number: usize) {
        if self.submitted.insert(number) {
            self.pool.submit(number, self.items[number].job());
        }
    }

    /// The result of an earlier run, when there is one for the same key.
    fn earlier(&mut self, item: &Item) -> Option<Result<Parsed, Failure>> {
        if let Some(text) = self.journal.as_mut().and_then(|journal| journal.take(&item.key)) {
            // Unreadable only if another version wrote it, whose keys differ.
            return serde_json::from_str(&text).ok();
        }
        self.previous.take(&item.source, &item.key)
    }

    /// Waits for the pool's result for item `number`; what other items' results come before is kept.
    fn parsed(&mut self, number: usize) -> Result<JobResult, ParseError> {
        // Not submitted yet only if it was to be taken over and the earlier result proved unreadable.
        self.submit(number);
        loop {
            if let Some(result) = self.waiting.remove(&number) {
                return result;
            }
            let (finished, result): Finished = self.pool.next().ok_or_else(|| ParseError::Worker {
                program: PathBuf::from("parse thread"),
                reason: "all of them ended early".to_owned(),
            })?;
            if let Ok(result) = &result {
                self.record(finished, result)?;
            }
            self.waiting.insert(finished, result);
        }
    }

    /// Writes a lasting result to the journal.
    fn record(&mut self, number: usize, result: &JobResult) -> Result<(), ParseError> {
        let is_lasting = result
            .outcome
            .as_ref()
            .map_or_else(|failure| !failure.is_transient, |_| true);
        let read = result
            .content
            .as_ref()
            .and_then(|hex| Digest::try_from(hex.clone()).ok());
        if let (Some(journal), true, Some(_)) = (&mut self.journal, is_lasting, read) {
            let text = serde_json::to_string(&result.outcome).expect("results are plain data");
            journal.record(self.items[number].key_for(read), &text)?;
        }
        Ok(())
    }

    fn keep(
        &mut self,
        number: usize,
        key: Digest,
        parsed: Parsed,
        is_reused: bool,
    ) -> Result<(), ParseError> {
        let item = &self.items[number];
        let mut parsed = parsed;
        self.tell_apart(&item.source, &mut parsed.document.id);
        let id = &parsed.document.id;
        if let Some(first) = self.ids.get(id) {
            let message = format!(
                "the id `{id}` is that of {} already; give one of them another id",
                self.items[*first].source
            );
            return self.quarantine(item, key, &Failure::transient("duplicate-id", message));
        }
        self.ids.insert(id.clone(), number);
        self.documents.write(&parsed.document)?;
        self.diagnostics.extend(parsed.diagnostics);
        self.sources.write(&SourceRecord {
            source: item.source.clone(),
            key,
            fate: Fate::Document,
        })?;
        if is_reused {
            self.outcome.reused += 1;
        } else {
            self.outcome.written += 1;
        }
        Ok(())
    }

    /// Gives a file whose id was made of its path another one where paths make the same: the file of that
    /// very path has it before the others. What an earlier run decided does not count.
    fn tell_apart(&self, source: &str, id: &mut DocumentId) {
        let made = DocumentId::from_path_like(source);
        let other = made_apart(source);
        if *id != made && *id != other {
            return;
        }
        let is_of_another =
            made.as_str() != source && (self.ids.contains_key(&made) || self.is_source(made.as_str()));
        *id = if is_of_another { other } else { made };
    }

    /// True for the path of a file of this run; they are in order.
    fn is_source(&self, source: &str) -> bool {
        self.items
            .binary_search_by(|item| item.source.as_str().cmp(source))
            .is_ok()
    }

    fn quarantine(&mut self, item: &Item, key: Digest, failure: &Failure) -> Result<(), ParseError> {
        let fate = if failure.is_transient {
            Fate::Retry
        } else {
            Fate::Quarantined
        };
        self.outcome.quarantined += 1;
        self.diagnostics.push(failure.diagnostic(&item.source));
        Ok(self.sources.write(&SourceRecord {
            source: item.source.clone(),
            key,
            fate,
        })?)
    }

    /// Publishes the artifact under the key of what was in fact read.
    fn publish(self, output: &Path, base: StageKey, notices: Vec<Diagnostic>) -> Result<Outcome, ParseError> {
        let files = plan::files_digest_with(self.items, &self.changed);
        let key = base
            .input("files", &files)
            .input("notices", &notices_digest(&notices));
        self.documents.finish()?;
        self.sources.finish()?;
        let mut outcome = self.outcome;
        let lost_folders = notices
            .iter()
            .filter(|n| n.severity == Severity::Quarantined)
            .count() as u64;
        outcome.seen += lost_folders;
        outcome.quarantined += lost_folders;
        let mut diagnostics = self.diagnostics;
        diagnostics.extend(notices);
        diagnostics.sort_by(|a, b| a.source.cmp(&b.source));
        let writer = ArtifactWriter::begin(output, key)?;
        for name in [DOCUMENTS_FILE, SOURCES_FILE] {
            fs_err::rename(self.draft.path().join(name), writer.path(name))?;
        }
        jsonl::write_all(&writer.path(DIAGNOSTICS_FILE), &diagnostics)?;
        // The previous artifact is no longer read; on some systems an open file cannot be replaced.
        drop(self.previous);
        writer.publish(outcome)?;
        if let Some(journal) = self.journal {
            journal.remove()?;
        }
        Ok(outcome)
    }
}

/// The id of a file whose path makes the same id as another.
fn made_apart(source: &str) -> DocumentId {
    let digest = Digest::of(source.as_bytes()).to_string();
    DocumentId::from_path_like(&format!("{source}-{}", &digest[..8]))
}

/// A fresh folder beside the output, on the same file system; what killed runs left there is removed.
fn draft_folder(output: &Path) -> Result<tempfile::TempDir, ParseError> {
    let parent = output
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs_err::create_dir_all(parent)?;
    let name = output
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let prefix = format!(".drafting-{name}-");
    for entry in fs_err::read_dir(parent)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            // Failing to is not worth failing for: the next run tries again.
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
    Ok(tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?)
}

#[cfg(test)]
mod tests;
