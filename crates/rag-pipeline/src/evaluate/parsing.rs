//! `rag-parse` measured on a corpus of files: every file is read in a worker process, then scored.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rag_core::progress::{Progress, Unit};
use rag_eval::parse::{Cases, Corpus, Entry, FileScores, ParseScores, Read, Reference, score, truth};
use rag_parse::worker::Reader;
use rag_parse::{
    Config, Limits, OcrConfig, OcrEngine, PdfEngine, PdfLayout, RepairConfig, Runtime, WorkerCommand,
};

use crate::error::PipelineError;
use crate::settings::Settings;
use crate::stages::parse_runtime;

/// What one file may cost while it is measured: more is a crash.
const FILE_TIMEOUT_MS: u64 = 10_000;
const WORKER_MEMORY_BYTES: u64 = 1 << 30;

/// Time for text recognition of one file, which is part of the time above; scans get their own.
const OCR_MS: u64 = 7_500;
const SCAN_TIMEOUT_MS: u64 = 60_000;

/// The third engine of the consensus, where it is installed. Only measuring starts it.
const PDFTOTEXT: &str = "pdftotext";

/// How a corpus is measured.
#[derive(Debug, Clone, Default)]
pub struct ParseEvaluation {
    /// Reads files whose name holds this text only; all when empty.
    pub only: String,
}

/// Reads every file of the corpus at `folder` and scores what was read.
pub fn evaluate_parsing(
    folder: &Path,
    evaluation: &ParseEvaluation,
    settings: &Settings,
    worker: Option<WorkerCommand>,
    progress: &dyn Progress,
) -> Result<ParseScores, PipelineError> {
    let corpus = Corpus::open(folder)?;
    let entries: Vec<&Entry> = corpus
        .entries
        .iter()
        .filter(|entry| entry.file.contains(&evaluation.only))
        .collect();
    let runtime = parse_runtime(settings, worker)?;
    let config = bounded(&settings.parse);
    let engines = Engines::of(&config, &runtime);
    let mut readers = Readers {
        full: Reader::new(&config, &runtime),
        scans: Reader::new(&for_scans(&config, &settings.parse), &runtime),
        whole: Reader::new(&keeping_all(&config), &runtime),
        engines: engines.readers,
        cases: Cases::default(),
        recognizers: recognizers(&config, settings, &runtime),
    };
    progress.start("read", Some(entries.len() as u64), Unit::Items);
    let mut files: Vec<FileScores> = Vec::with_capacity(entries.len());
    for entry in &entries {
        files.push(readers.score(&corpus, entry)?);
        progress.advance("read", 1);
    }
    progress.finish("read");
    let mut scores = ParseScores::of(files, readers.cases.outcome(), engines.names);
    scores.two_workers = speed_up(&corpus, &entries, &config, &runtime)?;
    Ok(scores)
}

/// The settings with the limits that a measured file must keep.
fn bounded(config: &Config) -> Config {
    Config {
        limits: Limits {
            file_timeout_ms: FILE_TIMEOUT_MS,
            worker_memory_bytes: WORKER_MEMORY_BYTES,
            ..config.limits.clone()
        },
        ocr: OcrConfig {
            max_document_ms: config.ocr.max_document_ms.min(OCR_MS),
            ..config.ocr.clone()
        },
        ..config.clone()
    }
}

/// The settings with the time that recognition of whole scans takes.
fn for_scans(bounded: &Config, settings: &Config) -> Config {
    let mut config = bounded.clone();
    config.limits.file_timeout_ms = SCAN_TIMEOUT_MS;
    config.limits.file_cpu_seconds = SCAN_TIMEOUT_MS / 1_000;
    config.ocr.max_document_ms = settings.ocr.max_document_ms.max(SCAN_TIMEOUT_MS * 3 / 4);
    config
}

/// Readers of scans by each engine, where one was fetched or may be installed.
fn recognizers(bounded: &Config, settings: &Settings, runtime: &Runtime) -> Vec<(&'static str, Reader)> {
    let mut engines = vec![("tesseract", OcrEngine::Tesseract)];
    if runtime.ocr_models.is_some() {
        engines.push(("pp_ocr", OcrEngine::PpOcr));
    }
    let reader = |(name, engine)| {
        let mut config = for_scans(bounded, &settings.parse);
        config.ocr.engine = engine;
        (name, Reader::new(&config, runtime))
    };
    engines.into_iter().map(reader).collect()
}

/// The settings with nothing dropped.
fn keeping_all(config: &Config) -> Config {
    Config {
        repair: RepairConfig {
            clip_to_page: false,
            drop_hidden_text: false,
            drop_line_numbers: false,
            drop_running_lines: false,
            drop_page_numbers: false,
            ..config.repair.clone()
        },
        ..config.clone()
    }
}

/// The engines of the consensus that are here.
struct Engines {
    names: Vec<String>,
    readers: Vec<Reader>,
}

impl Engines {
    fn of(config: &Config, runtime: &Runtime) -> Self {
        let mut found = Self {
            names: Vec::new(),
            readers: Vec::new(),
        };
        for (name, engine) in [("libpdfium", PdfEngine::Pdfium), ("hayro", PdfEngine::Hayro)] {
            if engine == PdfEngine::Hayro || runtime.pdfium_library.is_some() {
                let config = Config {
                    pdf_engine: engine,
                    pdf_layout: PdfLayout::EngineOrder,
                    ..config.clone()
                };
                found.names.push(name.to_owned());
                found.readers.push(Reader::new(&config, runtime));
            }
        }
        if Command::new(PDFTOTEXT)
            .arg("-v")
            .stderr(Stdio::null())
            .status()
            .is_ok()
        {
            found.names.push(PDFTOTEXT.to_owned());
        }
        found
    }
}

struct Readers {
    full: Reader,
    scans: Reader,
    whole: Reader,
    engines: Vec<Reader>,
    cases: Cases,
    /// A reader of scans by each engine for text recognition, with the engine's name.
    recognizers: Vec<(&'static str, Reader)>,
}

impl Readers {
    fn score(&mut self, corpus: &Corpus, entry: &Entry) -> Result<FileScores, PipelineError> {
        let path = corpus.path(entry);
        let started = Instant::now();
        let reader = if entry.is_scan() {
            &mut self.scans
        } else {
            &mut self.full
        };
        let outcome = reader.read(&path, &entry.file)?;
        let mut read = Read {
            seconds: started.elapsed().as_secs_f64(),
            ..Read::default()
        };
        match outcome {
            Ok(parsed) => {
                let reasons = parsed.diagnostics.into_iter().map(|diagnostic| diagnostic.reason);
                read.reasons = reasons.collect();
                read.document = Some(parsed.document);
            }
            Err(failure) => read.reasons = vec![failure.reason],
        }
        self.cases.judge(&fs_err::read(&path)?, &read);
        let mut reference = Reference::default();
        if entry.is_pdf() && !entry.is_scan() {
            read.whole = self
                .whole
                .read(&path, &entry.file)?
                .ok()
                .map(|parsed| parsed.document);
            for engine in &mut self.engines {
                if let Ok(parsed) = engine.read(&path, &entry.file)? {
                    reference.texts.push(parsed.document.text);
                }
            }
            reference.texts.extend(pdftotext(&path));
        }
        let truth = truth::read(&corpus.folder.join("gt"), &entry.truth)?;
        let mut scores = score(entry, &read, &truth, &reference);
        if scores.ocr_word_f1.is_some() {
            for (engine, reader) in &mut self.recognizers {
                let read = Read {
                    document: reader
                        .read(&path, &entry.file)?
                        .ok()
                        .map(|parsed| parsed.document),
                    ..Read::default()
                };
                let found = score(entry, &read, &truth, &reference).ocr_word_f1;
                scores
                    .ocr_by_engine
                    .insert((*engine).to_owned(), found.unwrap_or(0.0));
            }
        }
        Ok(scores)
    }
}

/// The text that `pdftotext` finds; nothing when it is not installed or fails.
fn pdftotext(path: &Path) -> Option<String> {
    let output = Command::new("timeout")
        .args(["10", PDFTOTEXT, "-enc", "UTF-8"])
        .arg(path)
        .arg("-")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success() && !text.trim().is_empty()).then_some(text)
}

/// How much faster two workers read the PDF files of the corpus than one.
fn speed_up(
    corpus: &Corpus,
    entries: &[&Entry],
    config: &Config,
    runtime: &Runtime,
) -> Result<Option<f64>, PipelineError> {
    let files: Vec<&Entry> = entries
        .iter()
        .copied()
        .filter(|entry| entry.is_pdf() && !entry.is_scan())
        .collect();
    if files.is_empty() {
        return Ok(None);
    }
    let one = read_all(corpus, &files, config, runtime, 1)?;
    let two = read_all(corpus, &files, config, runtime, 2)?;
    Ok(Some(one / two))
}

/// Seconds that some workers take for the files, the largest first so that none is left with it at the end.
fn read_all(
    corpus: &Corpus,
    files: &[&Entry],
    config: &Config,
    runtime: &Runtime,
    workers: usize,
) -> Result<f64, PipelineError> {
    let mut files: Vec<&Entry> = files.to_vec();
    let size = |entry: &&Entry| fs_err::metadata(corpus.path(entry)).map_or(0, |found| found.len());
    files.sort_by_key(|entry| std::cmp::Reverse(size(entry)));
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut reader = Reader::new(config, runtime);
                while let Some(entry) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = reader.read(&corpus.path(entry), &entry.file) {
                        *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
            });
        }
    });
    match failure
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        Some(error) => Err(error.into()),
        None => Ok(started.elapsed().as_secs_f64()),
    }
}
