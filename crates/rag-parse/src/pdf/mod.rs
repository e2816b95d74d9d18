//! PDF to blocks. An engine gives glyphs; what is made of them is ours: segments of lines, reading
//! order, furniture, tables, headings and paragraphs, each with its page and its place there.
//!
//! Not here yet: text recognition of scans (their pages are named in a warning), tables by ruling lines,
//! hidden text, footnotes apart from the body.

mod baselines;
mod columns;
mod furniture;
mod glyph;
mod hayro;
mod layout;
mod lines;
mod pdfium;
mod rows;
mod tables;

use std::path::{Path, PathBuf};

use rag_core::document::BlockKind;

use crate::config::{Config, PdfEngine, PdfLayout};
use crate::draft::Draft;
use crate::error::Failure;
use crate::repair::hyphens::KnownWords;
use glyph::{GlyphSource, Page, Turn};
use layout::{Layout, Place, Sizes};
use lines::Segment;

/// Share of glyphs without a known character from which on a page's text is worthless.
const MAX_UNMAPPED: f32 = 0.3;

/// Most page numbers that a warning lists.
const MAX_LISTED: usize = 20;

/// Reads PDF files with the configured engine.
#[derive(Debug)]
pub(crate) struct PdfReader {
    engine: PdfEngine,
    library: Option<PathBuf>,
}

impl PdfReader {
    pub(crate) fn new(engine: PdfEngine, library: Option<&Path>) -> Self {
        Self {
            engine,
            library: library.map(Path::to_owned),
        }
    }

    /// Reads a PDF file into `draft`.
    pub(crate) fn parse(&self, bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
        match (self.engine, &self.library) {
            (PdfEngine::Auto | PdfEngine::Pdfium, Some(library)) => {
                read(&mut pdfium::PdfiumDocument::open(library, bytes)?, config, draft);
            }
            (PdfEngine::Pdfium, None) => {
                let message =
                    "the engine `pdfium` is configured but no library is given; fetch it or choose `auto`";
                return Err(Failure::transient("pdf-library", message));
            }
            (PdfEngine::Auto | PdfEngine::Hayro, _) => read(&mut hayro::Hayro::open(bytes)?, config, draft),
        }
        Ok(())
    }
}

/// The segments of one page that run in one direction.
struct Sheet {
    place: Place,
    segments: Vec<Segment>,
}

fn read(source: &mut impl GlyphSource, config: &Config, draft: &mut Draft) {
    draft.fallback_title = source
        .title()
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty());
    draft.pages = Some(source.page_count());
    if config.pdf_layout == PdfLayout::EngineOrder {
        return engine_order(source, config, draft);
    }
    let mut sheets = sheets(source, config, draft);
    drop_furniture(&mut sheets, config);
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
        open_table: None,
        open_paragraph: None,
    };
    for sheet in sheets {
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

/// Reads all pages within the limits; what cannot be read is a warning that names the pages.
fn sheets(source: &mut impl GlyphSource, config: &Config, draft: &mut Draft) -> Vec<Sheet> {
    let count = source.page_count();
    let limit = config.limits.max_pages.min(count);
    let (mut sheets, mut without_text, mut unmapped, mut broken) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut cut = 0;
    for index in 0..limit {
        let number = index + 1;
        match source.page(index, config.limits.max_page_glyphs) {
            Err(_) => broken.push(number),
            Ok(page) if is_unmapped(&page) => unmapped.push(number),
            Ok(page) if page.glyphs.iter().all(|glyph| glyph.text.is_space()) => without_text.push(number),
            Ok(page) => {
                cut += page.cut;
                sheets.extend(turned(&page, number));
            }
        }
    }
    let mut warn = |reason, pages: &[u32], what: &str| {
        if !pages.is_empty() {
            draft.warn(reason, format!("{} {what}", listed(pages)));
        }
    };
    warn(
        "no-text-layer",
        &without_text,
        "without text; if it is a scan, have it read by OCR first",
    );
    warn(
        "unmapped-text",
        &unmapped,
        "whose fonts do not say what their characters are; left out, OCR would read them",
    );
    warn("damaged-page", &broken, "that could not be read");
    if cut > 0 {
        draft.warn(
            "too-long",
            format!("{cut} characters beyond the limit for one page were left out"),
        );
    }
    if limit < count {
        draft.warn(
            "too-long",
            format!(
                "{} pages beyond the limit of {limit} were left out",
                count - limit
            ),
        );
    }
    sheets
}

fn is_unmapped(page: &Page) -> bool {
    page.unmapped as f32 > MAX_UNMAPPED * (page.unmapped + page.glyphs.len()) as f32
}

fn listed(pages: &[u32]) -> String {
    let numbers: Vec<String> = pages.iter().take(MAX_LISTED).map(u32::to_string).collect();
    let more = if pages.len() > MAX_LISTED {
        format!(" and {} more", pages.len() - MAX_LISTED)
    } else {
        String::new()
    };
    format!("page {}{more}", numbers.join(", "))
}

/// The segments of a page by direction, the most frequent one first.
fn turned(page: &Page, number: u32) -> Vec<Sheet> {
    let mut turns: Vec<(usize, Turn)> = [Turn::Right, Turn::Down, Turn::Left, Turn::Up]
        .into_iter()
        .map(|turn| {
            (
                page.glyphs.iter().filter(|glyph| glyph.turn == turn).count(),
                turn,
            )
        })
        .filter(|(count, _)| *count > 0)
        .collect();
    turns.sort_by_key(|(count, turn)| (std::cmp::Reverse(*count), *turn));
    let size = (page.width, page.height);
    let main = turns.first().map(|(_, turn)| *turn);
    let sheet = |(_, turn)| Sheet {
        place: Place {
            page: number,
            size,
            turn,
            is_aside: Some(turn) != main,
        },
        segments: lines::segments(page, turn),
    };
    turns.into_iter().map(sheet).collect()
}

/// Furniture is looked for among the sheets of the usual direction of each page.
fn drop_furniture(sheets: &mut [Sheet], config: &Config) {
    let mut pages: Vec<furniture::Sheet> = Vec::with_capacity(sheets.len());
    for sheet in sheets.iter_mut() {
        let (width, height) = sheet.place.size;
        let height = if matches!(sheet.place.turn, Turn::Right | Turn::Left) {
            height
        } else {
            width
        };
        pages.push((height, std::mem::take(&mut sheet.segments)));
    }
    furniture::drop_furniture(&mut pages, &config.repair);
    for (sheet, (_, segments)) in sheets.iter_mut().zip(pages) {
        sheet.segments = segments;
    }
}
