//! Settings of the parse stage: [`Config`] decides what is written, [`Runtime`] how the work is done.

use std::path::PathBuf;

use rag_core::access::AccessList;
use serde::{Deserialize, Serialize};

/// What decides the content of the parsed documents. Part of the artifact's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who may read a document when neither the file, nor its sidecar, nor a folder above it says so.
    /// Default: `["everyone"]`. An empty list means nobody. An access value that is present but cannot
    /// be read never falls back to this: the file is quarantined.
    pub default_access: AccessList,
    /// Which engine reads the glyphs of PDF files. Default: `auto`.
    pub pdf_engine: PdfEngine,
    /// What is made of the glyphs of PDF files. Default: `full`.
    pub pdf_layout: PdfLayout,
    /// Text recognition of pages that have no usable text.
    pub ocr: OcrConfig,
    /// True keeps, beside each document, what every clean-up step removed. Default: false.
    pub report_removed: bool,
    /// Resolution at which the first pages of PDF files are kept as pictures beside the document, in dots
    /// per inch; 0 keeps none. Default: 0.
    pub picture_dpi: u32,
    /// Which repairs of extracted text are applied. Default: all.
    pub repair: RepairConfig,
    /// What a single file may cost.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            default_access: AccessList::public(),
            pdf_engine: PdfEngine::default(),
            pdf_layout: PdfLayout::default(),
            ocr: OcrConfig::default(),
            report_removed: false,
            picture_dpi: 0,
            repair: RepairConfig::default(),
            limits: Limits::default(),
        }
    }
}

/// The engine that reads the glyphs of PDF files; the layout is ours with either.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfEngine {
    /// libpdfium when [`Runtime::pdfium_library`] names it, else hayro.
    #[default]
    Auto,
    /// libpdfium; a PDF file is quarantined when the library is not there.
    Pdfium,
    /// hayro, which is part of this crate.
    Hayro,
}

/// What is made of the glyphs of PDF files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfLayout {
    /// Lines, columns, tables, headings and paragraphs.
    #[default]
    Full,
    /// The characters in the engine's own order, a paragraph per page: what layout is measured against.
    EngineOrder,
}

/// Text recognition of pages without usable text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OcrConfig {
    /// What reads such pages. Default: `auto`.
    pub engine: OcrEngine,
    /// The program. Default: `tesseract`, looked for where programs are installed.
    pub program: PathBuf,
    /// Its languages, joined with `+`. Default: `eng`.
    pub languages: String,
    /// Resolution at which pages are drawn, in dots per inch. Default: 200.
    pub dpi: u32,
    /// Time for all pages of one document, in milliseconds; pages beyond are named in a warning. It must
    /// stay below `limits.file_timeout_ms`. Default: 20,000.
    pub max_document_ms: u64,
}

impl Default for OcrConfig {
    fn default() -> Self {
        Self {
            engine: OcrEngine::default(),
            program: PathBuf::from("tesseract"),
            languages: "eng".to_owned(),
            dpi: 200,
            max_document_ms: 20_000,
        }
    }
}

/// What reads pages without usable text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OcrEngine {
    /// The program when it is installed, else the networks when they were fetched; else the pages are
    /// named in a warning.
    #[default]
    Auto,
    /// The program `tesseract`.
    Tesseract,
    /// The networks of [`Runtime::ocr_models`], which run inside this program.
    PpOcr,
    /// Nothing: the pages are named in a warning.
    Off,
}

/// Switches of the repair steps for text that was extracted from pages (PDF, and text files with form feeds).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each repair step is a switch of its own"
)]
pub struct RepairConfig {
    /// Drops glyphs outside the page. Default: true.
    pub clip_to_page: bool,
    /// Drops all but one of glyphs drawn at one place several times. Default: true.
    pub drop_overprinted: bool,
    /// Drops text that is not drawn, unless it lies over an image of the page. Default: true.
    pub drop_hidden_text: bool,
    /// Drops the numbers of lines in the margin. Default: true.
    pub drop_line_numbers: bool,
    /// Drops lines that stand at the same place of several pages, digits masked. Default: true.
    pub drop_running_lines: bool,
    /// Drops lines that only number the page. Default: true.
    pub drop_page_numbers: bool,
    /// Rejoins words that were hyphenated at the end of a line. Default: true.
    pub rejoin_hyphens: bool,
    /// Joins the lines of a paragraph. Default: true.
    pub unwrap_paragraphs: bool,
}

impl Default for RepairConfig {
    fn default() -> Self {
        Self {
            clip_to_page: true,
            drop_overprinted: true,
            drop_hidden_text: true,
            drop_line_numbers: true,
            drop_running_lines: true,
            drop_page_numbers: true,
            rejoin_hyphens: true,
            unwrap_paragraphs: true,
        }
    }
}

/// What a single file may cost. Whatever passes a limit is reported in `diagnostics.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest file, in bytes; larger ones are quarantined. Default: 128 MiB.
    pub max_file_bytes: u64,
    /// Longest text of a document, in bytes; what follows is dropped and counted. Default: 16 MiB.
    pub max_text_bytes: usize,
    /// Most blocks of a document; what follows is dropped and counted. Default: 200,000.
    pub max_blocks: usize,
    /// Most pages of a document; what follows is dropped and counted. Default: 5,000.
    pub max_pages: u32,
    /// Most glyphs of a page; what follows is dropped and counted. Default: 200,000.
    pub max_page_glyphs: usize,
    /// Deepest nesting of elements in HTML and XML; deeper files are quarantined. Default: 1,000.
    pub max_depth: usize,
    /// Most entries of a zip-based file; files with more are quarantined. Default: 10,000.
    pub max_archive_entries: usize,
    /// Most bytes that the parts of a zip-based file may unpack to. Default: 256 MiB.
    pub max_archive_bytes: u64,
    /// Most columns of a table; cells beyond are dropped and counted. Default: 1,000.
    pub max_table_columns: usize,
    /// Wall-clock time for one file in a worker process, in milliseconds. Default: 30,000.
    pub file_timeout_ms: u64,
    /// Processor time for one file in a worker process, in seconds. Default: 30.
    pub file_cpu_seconds: u64,
    /// Address space of a worker process, in bytes. Default: 1 GiB.
    pub worker_memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 128 << 20,
            max_text_bytes: 16 << 20,
            max_blocks: 200_000,
            max_pages: 5_000,
            max_page_glyphs: 200_000,
            max_depth: 1_000,
            max_archive_entries: 10_000,
            max_archive_bytes: 256 << 20,
            max_table_columns: 1_000,
            file_timeout_ms: 30_000,
            file_cpu_seconds: 30,
            worker_memory_bytes: 1 << 30,
        }
    }
}

/// How the work is done: nothing here changes what is written.
#[derive(Debug, Clone, Default)]
pub struct Runtime {
    /// Number of files parsed at the same time; 0 means one per core.
    pub workers: usize,
    /// The command that runs [`worker_main`](crate::worker::worker_main). `None` parses inside this
    /// process, where a hostile file can take the process down and no time or memory limit holds.
    pub worker: Option<WorkerCommand>,
    /// The libpdfium shared library, for PDF files.
    pub pdfium_library: Option<PathBuf>,
    /// The networks that recognise text, for scans.
    pub ocr_models: Option<OcrModels>,
    /// Folder for `parse.journal`, which lets a killed run be taken up where it ended, and for
    /// `parse.stat`, which spares unchanged files from being read again. `None` does without both.
    pub state_dir: Option<PathBuf>,
    /// An earlier output whose documents are taken over where file, metadata and settings are the same.
    /// `None` uses what stands at the output itself.
    pub previous: Option<PathBuf>,
    /// Folders below the input that are not part of it, such as a store kept beside the documents. The
    /// output and `state_dir` are always left out.
    pub exclude: Vec<PathBuf>,
}

/// The files of the PP-OCR networks, in ONNX form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OcrModels {
    /// The network that marks where text is.
    pub detector: PathBuf,
    /// The network that reads a line; it lists its characters.
    pub reader: PathBuf,
}

/// A command that parses files as a child process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}
