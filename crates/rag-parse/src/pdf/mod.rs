//! PDF to blocks. An engine gives glyphs; what is made of them is ours: segments of lines, reading
//! order, furniture, tables by ruling lines or alignment, headings and paragraphs, each with its page and
//! its place there. Pages without usable text are read by recognition where an engine for it is here.
//!
//! Not here yet: vertical text.

mod baselines;
mod columns;
mod drawn;
mod furniture;
mod glyph;
mod hayro;
mod image;
mod lattice;
mod layout;
mod ligatures;
mod line_numbers;
mod lines;
mod notes;
mod ocr;
mod operators;
mod pdfium;
mod rows;
mod slanted;
mod tables;
mod triage;
mod wording;

use std::path::{Path, PathBuf};

use rag_core::document::BlockKind;
use rag_core::span::BoundingBox;

use crate::config::{Config, OcrModels, PdfEngine, PdfLayout};
use crate::draft::Draft;
use crate::error::Failure;
use crate::repair::hyphens::KnownWords;
use drawn::Rule;
use glyph::GlyphSource;
use layout::{Layout, Place, Sizes};
use lines::Segment;
use ocr::Networks;
pub(crate) use ocr::identity as ocr_identity;

/// Reads PDF files with the configured engine.
#[derive(Debug)]
pub(crate) struct PdfReader {
    engine: PdfEngine,
    library: Option<PathBuf>,
    networks: Networks,
}

impl PdfReader {
    pub(crate) fn new(engine: PdfEngine, library: Option<&Path>) -> Self {
        Self {
            engine,
            library: library.map(Path::to_owned),
            networks: Networks::default(),
        }
    }

    /// Lets it recognise text with networks.
    pub(crate) fn recognise_with(&mut self, models: Option<&OcrModels>) {
        self.networks = Networks::new(models);
    }

    /// Reads a PDF file into `draft`.
    pub(crate) fn parse(&self, bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
        match (self.engine, &self.library) {
            (PdfEngine::Auto | PdfEngine::Pdfium, Some(library)) => {
                match pdfium::PdfiumDocument::open(library, bytes) {
                    Ok(mut document) => self.read(&mut document, config, draft),
                    Err(failure) => self.read_otherwise(failure, bytes, config, draft)?,
                }
            }
            (PdfEngine::Pdfium, None) => {
                let message =
                    "the engine `pdfium` is configured but no library is given; fetch it or choose `auto`";
                return Err(Failure::transient("pdf-library", message));
            }
            (PdfEngine::Auto | PdfEngine::Hayro, _) => {
                self.read(&mut hayro::Hayro::open(bytes)?, config, draft);
            }
        }
        Ok(())
    }

    /// Reads a file that libpdfium cannot open with the other engine, where the choice is free: each opens
    /// files that the other does not.
    fn read_otherwise(
        &self,
        failure: Failure,
        bytes: &[u8],
        config: &Config,
        draft: &mut Draft,
    ) -> Result<(), Failure> {
        match hayro::Hayro::open(bytes) {
            Ok(mut document) if self.engine == PdfEngine::Auto && !failure.is_transient => {
                self.read(&mut document, config, draft);
                Ok(())
            }
            _ => Err(failure),
        }
    }

    fn read(&self, source: &mut impl GlyphSource, config: &Config, draft: &mut Draft) {
        read(source, &self.networks, config, draft);
    }
}

/// The segments of one page that run in one direction.
struct Sheet {
    place: Place,
    segments: Vec<Segment>,
    /// Lines that may rule tables.
    rules: Vec<Rule>,
    /// What recognition read, instead of segments.
    read: Vec<(String, BoundingBox)>,
}

fn read(source: &mut impl GlyphSource, networks: &Networks, config: &Config, draft: &mut Draft) {
    draft.fallback_title = source
        .title()
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty());
    draft.pages = Some(source.page_count());
    if config.pdf_layout == PdfLayout::EngineOrder {
        return engine_order(source, config, draft);
    }
    let mut sheets = triage::sheets(source, networks, config, draft);
    drop_furniture(&mut sheets, config, draft);
    let all = || sheets.iter().flat_map(|sheet| &sheet.segments);
    let sizes = Sizes::of(all().map(|segment| (segment.size, segment.characters(), segment.text.as_str())));
    let mut words = String::new();
    for segment in all() {
        words.push_str(&segment.text);
        words.push('\n');
    }
    let known = if config.repair.rejoin_hyphens {
        KnownWords::of(&words)
    } else {
        KnownWords::default()
    };
    let mut layout = Layout {
        draft,
        repair: &config.repair,
        known,
        sizes,
        tables: Vec::new(),
        rules: Vec::new(),
        open_table: None,
        open_paragraph: None,
        open_notes: Vec::new(),
    };
    for mut sheet in sheets {
        layout.read_text(&sheet.read, sheet.place);
        layout.tables = lattice::take_tables(&mut sheet.segments, &sheet.rules);
        layout.mark_tables(&mut sheet.segments);
        layout.rules = sheet.rules;
        for region in columns::regions(sheet.segments) {
            layout.region(&rows::rows(region), sheet.place);
        }
    }
    layout.close_paragraph();
}

/// The characters of each page in the engine's own order.
fn engine_order(source: &mut impl GlyphSource, config: &Config, draft: &mut Draft) {
    for index in 0..config.limits.max_pages.min(source.page_count()) {
        match source.characters(index, config.limits.max_page_glyphs) {
            Ok(text) => {
                if let Some(block) = draft.prose(BlockKind::Paragraph, &text) {
                    block.page = Some(index + 1);
                }
            }
            Err(reason) => draft.warn(
                "damaged-page",
                format!("page {} cannot be read: {reason}", index + 1),
            ),
        }
    }
}

/// Furniture is looked for among the sheets of the usual direction of each page.
fn drop_furniture(sheets: &mut [Sheet], config: &Config, draft: &mut Draft) {
    let mut pages: Vec<furniture::Sheet> = Vec::with_capacity(sheets.len());
    for sheet in sheets.iter_mut() {
        let height = sheet.place.height();
        pages.push(furniture::Sheet {
            page: sheet.place.page,
            height,
            segments: std::mem::take(&mut sheet.segments),
        });
    }
    for dropped in furniture::drop_furniture(&mut pages, &config.repair) {
        draft.removed(
            dropped.step,
            Some(sheets[dropped.sheet].place.page),
            &dropped.text,
        );
    }
    for (sheet, page) in sheets.iter_mut().zip(pages) {
        sheet.segments = page.segments;
    }
}
