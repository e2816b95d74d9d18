//! One file's bytes to one document: format, parser, then identity, access and language.

use rag_core::artifact::Digest;
use rag_core::date::Date;
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::document::Document;
use rag_core::id::DocumentId;
use rag_core::language::Language;
use rag_core::text::instruction_lines;
use serde::{Deserialize, Serialize};

use crate::config::{Config, OcrModels};
use crate::draft::{Draft, Warning, clean_line};
use crate::encoding::decode;
use crate::error::Failure;
use crate::format::Format;
use crate::metadata::Metadata;
use crate::pdf::PdfReader;
use crate::{delimited, docx, epub, html, mail, markdown, pptx, text, xlsx};

/// Text, in bytes, from which the language is detected.
const LANGUAGE_WINDOW: usize = 16 << 10;

/// Reasons of text that is there and cannot be used.
const UNUSABLE: [&str; 3] = ["unmapped-text", "garbled-text", "hidden-text"];

/// What is known about a file beside its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// What its sidecar says; goes before what the file itself says.
    pub sidecar: Metadata,
    /// What the folders above it say, the nearest first; goes behind what the file itself says.
    pub defaults: Metadata,
}

/// A parsed file: its document, and what was lost on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// Warnings, in the order they were met.
    pub diagnostics: Vec<Diagnostic>,
    /// What clean-up steps removed, when [`Config::report_removed`] asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// Pictures of its pages, when [`Config::picture_dpi`] asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The page, from 1.
    pub page: u32,
    /// Width and height of the page, in points.
    pub size: (f32, f32),
    /// A BMP file in base64.
    pub bmp: String,
}

/// Something that a clean-up step removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// The step, by the name of its switch in [`RepairConfig`](crate::RepairConfig).
    pub step: String,
    /// The page, from 1.
    pub page: Option<u32>,
    /// What it was.
    pub text: String,
}

/// Parses files of all formats with one configuration.
///
/// ```
/// use rag_parse::{Config, Given, Parser};
///
/// let parser = Parser::new(Config::default(), None);
/// let parsed = parser.parse("it/vpn.md", b"# VPN\n\nCall the desk.", &Given::default())?;
/// assert_eq!(parsed.document.title, "VPN");
/// assert_eq!(parsed.document.blocks[1].heading_path, ["VPN"]);
/// # Ok::<(), rag_parse::Failure>(())
/// ```
#[derive(Debug)]
pub struct Parser {
    config: Config,
    pdf: PdfReader,
}

impl Parser {
    /// Makes a parser. `pdfium_library` is the shared library that PDF glyphs are read with, if any.
    pub fn new(config: Config, pdfium_library: Option<&std::path::Path>) -> Self {
        let pdf = PdfReader::new(config.pdf_engine, pdfium_library);
        Self { config, pdf }
    }

    /// Lets it recognise scans with the networks `models`, if there are any.
    #[must_use]
    pub fn with_ocr_models(mut self, models: Option<&OcrModels>) -> Self {
        self.pdf.recognise_with(models);
        self
    }

    /// Parses the bytes of the file `source`, a path relative to the ingested folder. A panic of an
    /// engine is a failure of the file.
    pub fn parse(&self, source: &str, bytes: &[u8], given: &Given) -> Result<Parsed, Failure> {
        let parse = std::panic::AssertUnwindSafe(|| self.try_parse(source, bytes, given));
        std::panic::catch_unwind(parse).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let text: String = text.chars().take(200).collect();
            Err(Failure::lasting(
                "crashed",
                format!("the parser gave up on it: {text}"),
            ))
        })
    }

    fn try_parse(&self, source: &str, bytes: &[u8], given: &Given) -> Result<Parsed, Failure> {
        let limits = &self.config.limits;
        if bytes.len() as u64 > limits.max_file_bytes {
            return Err(too_large(bytes.len() as u64, limits.max_file_bytes));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Failure::lasting(
                "empty",
                "the file is empty; remove it or fill it",
            ));
        }
        let format = Format::of(source, bytes)?;
        let mut draft = Draft::new(limits);
        draft.report_removed(self.config.report_removed);
        self.read(format, bytes, &mut draft, 0)?;
        if let (true, Some(cut)) = (draft.is_empty(), draft.cut()) {
            return Err(Failure::lasting(
                "too-long",
                format!("nothing is left of it: {cut}"),
            ));
        }
        if draft.is_empty() {
            // Text that cannot be used is another thing than none.
            let unusable = draft
                .warnings
                .iter()
                .find(|warning| UNUSABLE.contains(&warning.reason));
            if let Some(warning) = unusable {
                return Err(Failure::lasting(warning.reason, warning.message.clone()));
            }
            let message = match format {
                Format::Pdf => "no text was found in the file; if it is a scan, have it read by OCR first",
                _ => "the file holds no text beside its metadata",
            };
            return Err(Failure::lasting("no-text", message));
        }
        Ok(self.finish(source, bytes, given, format, draft))
    }

    /// Reads bytes of a format into a draft; `depth` counts the files around them.
    fn read(&self, format: Format, bytes: &[u8], draft: &mut Draft, depth: usize) -> Result<(), Failure> {
        match format {
            Format::Xlsx => xlsx::parse(bytes, &self.config, draft),
            Format::Pptx => pptx::parse(bytes, &self.config, draft),
            Format::Epub => epub::parse(bytes, &self.config, draft),
            Format::Mail => mail::parse(bytes, draft, depth, &|name, format, bytes, draft, depth| {
                let format = format.map_or_else(|| Format::of(name, bytes), Ok)?;
                self.read(format, bytes, draft, depth)
            }),
            Format::Html => html::parse(bytes, &self.config, draft),
            Format::Docx => docx::parse(bytes, &self.config, draft),
            Format::Pdf => self.pdf.parse(bytes, &self.config, draft),
            Format::Markdown | Format::Text | Format::Delimited => {
                let decoded = decode(bytes, None)?;
                if let Some(loss) = decoded.loss() {
                    draft.warn("encoding", loss);
                }
                match format {
                    Format::Markdown => markdown::parse(&decoded.text, &self.config, draft),
                    Format::Delimited => delimited::parse(&decoded.text, draft),
                    _ if depth > 0 => {
                        text::parse_body(&decoded.text, &self.config.repair, draft);
                        Ok(())
                    }
                    _ => text::parse(&decoded.text, &self.config.repair, draft),
                }
            }
        }
    }

    fn finish(&self, source: &str, bytes: &[u8], given: &Given, format: Format, mut draft: Draft) -> Parsed {
        let removed = std::mem::take(&mut draft.removed);
        let pictures = std::mem::take(&mut draft.pictures);
        let (text, own, pages, mut warnings) = draft.finish();
        let metadata = given.sidecar.clone().or(own).or(given.defaults.clone());
        let mut fields = Fields {
            metadata,
            warnings: &mut warnings,
        };
        let id = fields.id(source);
        let updated = fields.updated();
        let language = fields.language(&text.text);
        let supersedes = fields.supersedes();
        let metadata = fields.metadata;
        let title = metadata
            .title
            .or(text.title)
            .map(|title| clean_title(&title))
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| named_after(source));
        let document = Document {
            id,
            title,
            source: source.to_owned(),
            media_type: format.media_type().to_owned(),
            department: metadata.department,
            updated,
            language,
            access: metadata
                .access
                .unwrap_or_else(|| self.config.default_access.clone()),
            supersedes,
            metadata: metadata.other,
            content_digest: Digest::of(bytes).to_string(),
            pages,
            text: text.text,
            blocks: text.blocks,
        };
        warnings.extend(instructions(&document.text));
        let diagnostics = warnings
            .into_iter()
            .map(|warning| warning.diagnostic(source))
            .collect();
        Parsed {
            document,
            diagnostics,
            removed,
            pictures,
        }
    }
}

/// What is reported of text that gives orders to a language model.
fn instructions(text: &str) -> Option<Warning> {
    let lines = instruction_lines(text).len();
    (lines > 0).then(|| Warning {
        reason: "instructions",
        message: format!(
            "{lines} lines read like instructions to a language model; they are indexed as text and never followed"
        ),
    })
}

/// The failure of a file over the size limit.
pub(crate) fn too_large(bytes: u64, limit: u64) -> Failure {
    let message =
        format!("{bytes} bytes are more than the limit of {limit}; split the file or raise `max_file_bytes`");
    Failure::lasting("too-large", message)
}

impl Warning {
    fn diagnostic(self, source: &str) -> Diagnostic {
        Diagnostic {
            source: source.to_owned(),
            severity: Severity::Warning,
            reason: self.reason.to_owned(),
            message: self.message,
        }
    }
}

/// Reads the typed fields out of the merged metadata; what cannot be read is kept as text and reported.
struct Fields<'f> {
    metadata: Metadata,
    warnings: &'f mut Vec<Warning>,
}

impl Fields<'_> {
    fn warn(&mut self, field: &str, value: String, message: String) {
        self.metadata.other.insert(field.to_owned(), value);
        self.warnings.push(Warning {
            reason: "metadata",
            message,
        });
    }

    fn id(&mut self, source: &str) -> DocumentId {
        let Some(id) = self.metadata.id.take() else {
            return DocumentId::from_path_like(source);
        };
        DocumentId::new(id.as_str()).unwrap_or_else(|error| {
            let made = DocumentId::from_path_like(&id);
            self.warn("id", id, format!("{error}; `{made}` is used instead"));
            made
        })
    }

    fn supersedes(&mut self) -> Option<DocumentId> {
        let id = self.metadata.supersedes.take()?;
        Some(DocumentId::new(id.as_str()).unwrap_or_else(|_| DocumentId::from_path_like(&id)))
    }

    fn updated(&mut self) -> Option<Date> {
        let text = self.metadata.updated.take()?;
        match text.parse() {
            Ok(date) => Some(date),
            Err(error) => {
                self.warn("updated", text, format!("{error}; the document has no date"));
                None
            }
        }
    }

    fn language(&mut self, body: &str) -> Language {
        match self.metadata.language.take() {
            None => detect(body),
            Some(code) => code.trim().parse().unwrap_or_else(|error| {
                let detected = detect(body);
                self.warn(
                    "language",
                    code,
                    format!("{error}; it was detected as {detected}"),
                );
                detected
            }),
        }
    }
}

fn detect(body: &str) -> Language {
    let mut end = body.len().min(LANGUAGE_WINDOW);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    Language::detect(&body[..end])
}

/// A title that other programs can show: on one line, without characters that steer a terminal or turn the
/// direction of what stands behind it.
fn clean_title(title: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    clean_line(&title.replace(turns, ""))
}

fn named_after(source: &str) -> String {
    let title = clean_title(file_stem(source));
    if title.is_empty() {
        DocumentId::from_path_like(source).to_string()
    } else {
        title
    }
}

fn file_stem(source: &str) -> &str {
    let name = source.rsplit('/').next().unwrap_or(source);
    name.rsplit_once('.')
        .map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::read_sidecar;

    fn parse(source: &str, text: &str, given: &Given) -> Result<Parsed, Failure> {
        Parser::new(Config::default(), None).parse(source, text.as_bytes(), given)
    }

    #[test]
    fn sidecar_file_and_folder_are_merged_in_that_order() {
        let given = Given {
            sidecar: read_sidecar("s", b"title = 'From sidecar'\n").unwrap(),
            defaults: read_sidecar("d", b"title = 'From folder'\ndepartment = 'HR'\naccess = 'hr'\n")
                .unwrap(),
        };
        let document = parse(
            "a/b.md",
            "---\ntitle: Own\nlanguage: en\nowner: Ada\n---\ntext",
            &given,
        )
        .unwrap()
        .document;
        assert_eq!(document.title, "From sidecar");
        assert_eq!(document.department.as_deref(), Some("HR"));
        assert_eq!(document.access.groups().collect::<Vec<_>>(), ["hr"]);
        assert_eq!(document.id.as_str(), "a/b.md");
        assert_eq!(document.metadata["owner"], "Ada");
    }

    #[test]
    fn without_any_access_list_the_configured_default_holds() {
        let open = parse("a.md", "text", &Given::default()).unwrap().document;
        assert_eq!(open.access.groups().collect::<Vec<_>>(), ["everyone"]);
        let config = Config {
            default_access: [""; 0].into_iter().collect(),
            ..Config::default()
        };
        let closed = Parser::new(config, None)
            .parse("a.md", b"text", &Given::default())
            .unwrap()
            .document;
        assert!(closed.access.is_empty());
    }

    #[test]
    fn doubtful_fields_are_reported_and_doubtful_access_quarantines() {
        let parsed = parse(
            "a.md",
            "---\nid: a b\nupdated: soon\nlanguage: english\n---\nThe text is here for you.",
            &Given::default(),
        )
        .unwrap();
        assert_eq!(parsed.document.id.as_str(), "a-b");
        assert_eq!(parsed.document.updated, None);
        assert_eq!(parsed.document.metadata["updated"], "soon");
        assert_eq!(parsed.diagnostics.len(), 3);
        let failure = parse("a.md", "---\naccess: 3\n---\ntext", &Given::default()).unwrap_err();
        assert_eq!(failure.reason, "metadata");
    }

    #[test]
    fn files_without_text_are_named() {
        let cases = [
            ("a.md", " \n", "empty"),
            ("a.html", "<p></p>", "no-text"),
            ("a.md", "<!-- x -->", "no-text"),
        ];
        for (source, text, reason) in cases {
            assert_eq!(
                parse(source, text, &Given::default()).unwrap_err().reason,
                reason,
                "{source}"
            );
        }
    }

    #[test]
    fn a_single_paragraph_over_the_limit_is_too_long_rather_than_no_text() {
        let mut config = Config::default();
        config.limits.max_text_bytes = 100;
        let parser = Parser::new(config, None);
        for source in ["a.md", "a.txt", "a.html"] {
            let text = "word ".repeat(100);
            let failure = parser
                .parse(source, text.as_bytes(), &Given::default())
                .unwrap_err();
            assert_eq!(failure.reason, "too-long", "{source}");
            assert!(failure.message.contains("limits of 100 bytes"), "{failure}");
        }
    }

    #[test]
    fn titles_come_from_metadata_heading_or_name() {
        let cases = [
            ("x/plan.txt", "Some text. More of it.", "plan"),
            ("a.md", "## Part\n\ntext", "Part"),
            (".hidden", "Text here.", ".hidden"),
            (
                "a/new\nline \u{1b}[31m\u{202e}red.txt",
                "Text. More of it.",
                "new line [31mred",
            ),
            ("a/\u{202e}.txt", "Text. More of it.", "a/\u{202e}.txt"),
        ];
        for (source, text, title) in cases {
            assert_eq!(
                parse(source, text, &Given::default()).unwrap().document.title,
                title
            );
        }
    }
}
