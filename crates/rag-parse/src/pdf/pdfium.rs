//! Glyphs from libpdfium, the engine that reads most files best, when its library is there.
//!
//! What the library needs to be told apart: a hyphen at a line's end arrives as U+0002, an unmapped
//! glyph as U+0000, a ligature as several characters with one box, and characters that it makes up
//! (spaces, line breaks) among those of the file. It is not thread-safe, so one document is read at a time.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pdfium_render::prelude::{
    PdfBitmapFormat, PdfDocument, PdfDocumentMetadataTagType, PdfFontWeight, PdfPage, PdfPageRenderRotation,
    PdfPageTextChar, PdfPageTextRenderMode, PdfRenderConfig, Pdfium, PdfiumError, PdfiumInternalError,
};

use super::glyph::{Glyph, GlyphSource, GlyphText, Page, Turn};
use super::hayro::Hayro;
use super::image::GreyImage;
use super::ligatures::{self, LOST};
use super::slanted::{self, SlantedGlyph};
use crate::error::Failure;

/// The library, loaded once per process: the first path that is asked for stays.
static LIBRARY: OnceLock<Result<Pdfium, String>> = OnceLock::new();

/// Longest side of a picture of a page, in pixels: more is a page that wants to be a bomb.
const MAX_IMAGE_SIDE: f32 = 4_000.0;

/// Held while a document is open.
static TURN: Mutex<()> = Mutex::new(());

/// A document opened with libpdfium.
pub(super) struct PdfiumDocument<'b> {
    document: PdfDocument<'b>,
    /// Reads what pages show beside text, which this library gives object by object only.
    drawings: Option<Hayro>,
    _turn: MutexGuard<'static, ()>,
}

impl<'b> PdfiumDocument<'b> {
    /// Opens a document with the library at `library`.
    pub(super) fn open(library: &Path, bytes: &'b [u8]) -> Result<Self, Failure> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let pdfium = LIBRARY.get_or_init(|| load(library)).as_ref().map_err(|reason| {
            let message = format!(
                "the PDF library {} cannot be loaded: {reason}; fetch it again or choose the engine `hayro`",
                library.display()
            );
            Failure::transient("pdf-library", message)
        })?;
        let document = pdfium
            .load_pdf_from_byte_slice(bytes, None)
            .map_err(|error| match error {
                PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError) => {
                    Failure::lasting("encrypted", "the file is encrypted; save it without a password")
                }
                _ => Failure::lasting("damaged", "the file is no readable PDF; export it again"),
            })?;
        Ok(Self {
            document,
            drawings: Hayro::open(bytes).ok(),
            _turn: turn,
        })
    }
}

fn load(library: &Path) -> Result<Pdfium, String> {
    Pdfium::bind_to_library(library)
        .map(Pdfium::new)
        .map_err(|error| error.to_string())
}

impl PdfiumDocument<'_> {
    fn page_at(&self, index: u32) -> Result<PdfPage<'_>, String> {
        let index = index
            .try_into()
            .map_err(|_| "it is beyond what the engine can count")?;
        let page = self.document.pages().get(index);
        page.map_err(|error| error.to_string())
    }
}

impl GlyphSource for PdfiumDocument<'_> {
    fn page_count(&self) -> u32 {
        u32::try_from(self.document.pages().len()).unwrap_or_default()
    }

    fn title(&self) -> Option<String> {
        let tag = self.document.metadata().get(PdfDocumentMetadataTagType::Title)?;
        Some(tag.value().to_owned())
    }

    fn page(&mut self, number: u32, limit: usize) -> Result<Page, String> {
        let page = self.page_at(number)?;
        let frame = Frame::of(&page);
        let (width, height) = frame.shown_size();
        let drawn = self.drawings.as_ref().and_then(|drawings| drawings.drawn(number));
        let drawn = drawn.unwrap_or_default();
        let mut collector = Collector {
            frame,
            page: Page {
                width,
                height,
                ..Page::default()
            },
            limit,
            last: None,
            is_bold: false,
            is_apart: false,
            was_slanted: false,
            is_mixed: drawn.visible > 0 && drawn.invisible > 0,
        };
        let text = page.text().map_err(|error| error.to_string())?;
        for character in text.chars().iter() {
            collector.character(&character);
        }
        collector.page.drawn = drawn;
        ligatures::mend(&mut collector.page.glyphs);
        Ok(collector.page)
    }

    fn image(&mut self, index: u32, dpi: u32) -> Option<GreyImage> {
        let page = self.document.pages().get(index.try_into().ok()?).ok()?;
        let scale = dpi as f32 / 72.0;
        let largest = page.width().value.max(page.height().value) * scale;
        let scale = scale * (MAX_IMAGE_SIDE / largest).min(1.0);
        let config = PdfRenderConfig::new()
            .scale_page_by_factor(scale)
            .set_format(PdfBitmapFormat::BGRx);
        let bitmap = page.render_with_config(&config).ok()?;
        let (width, height) = (bitmap.width() as usize, bitmap.height() as usize);
        let rgba = bitmap.as_rgba_bytes();
        // Green is nearly what the eye sees of brightness.
        let pixels: Vec<u8> = rgba.chunks_exact(4).map(|pixel| pixel[1]).collect();
        (pixels.len() == width * height && !pixels.is_empty()).then_some(GreyImage {
            width,
            height,
            pixels,
        })
    }

    fn characters(&mut self, index: u32, limit: usize) -> Result<String, String> {
        let page = self.page_at(index)?;
        let text = page.text().map_err(|error| error.to_string())?;
        let characters = text.chars();
        let characters = characters.iter().take(limit);
        let characters = characters.filter_map(|c| char::from_u32(c.unicode_value()));
        // A hyphen at a line's end arrives as U+0002.
        Ok(characters.map(|c| if c == '\u{2}' { '-' } else { c }).collect())
    }
}

/// The part of the page that is shown, and how it is turned.
struct Frame {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    rotation: PdfPageRenderRotation,
}

impl Frame {
    fn of(page: &PdfPage<'_>) -> Self {
        let rotation = page.rotation().unwrap_or(PdfPageRenderRotation::None);
        let is_turned = matches!(
            rotation,
            PdfPageRenderRotation::Degrees90 | PdfPageRenderRotation::Degrees270
        );
        let (shown_width, shown_height) = (page.width().value, page.height().value);
        let (width, height) = if is_turned {
            (shown_height, shown_width)
        } else {
            (shown_width, shown_height)
        };
        let corner = page
            .boundaries()
            .bounding()
            .map(|found| (found.bounds.left().value, found.bounds.bottom().value));
        let (left, bottom) = corner.unwrap_or_default();
        Self {
            left,
            bottom,
            right: left + width,
            top: bottom + height,
            rotation,
        }
    }

    fn shown_size(&self) -> (f32, f32) {
        let (width, height) = (self.right - self.left, self.top - self.bottom);
        match self.rotation {
            PdfPageRenderRotation::Degrees90 | PdfPageRenderRotation::Degrees270 => (height, width),
            PdfPageRenderRotation::None | PdfPageRenderRotation::Degrees180 => (width, height),
        }
    }

    /// A point of the file's coordinates as it is shown, from the top left.
    fn shown(&self, x: f32, y: f32) -> (f32, f32) {
        match self.rotation {
            PdfPageRenderRotation::None => (x - self.left, self.top - y),
            PdfPageRenderRotation::Degrees90 => (y - self.bottom, x - self.left),
            PdfPageRenderRotation::Degrees180 => (self.right - x, y - self.bottom),
            PdfPageRenderRotation::Degrees270 => (self.top - y, self.right - x),
        }
    }
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that the library said of the glyph before"
)]
struct Collector {
    frame: Frame,
    page: Page,
    limit: usize,
    /// Origin and box of the last glyph: a character with the same is a part of the same ligature.
    last: Option<([f32; 4], String)>,
    is_bold: bool,
    /// True when the library made up a space before the next glyph.
    is_apart: bool,
    was_slanted: bool,
    /// True when the page draws some of its text and some not.
    is_mixed: bool,
}

impl Collector {
    fn character(&mut self, character: &PdfPageTextChar<'_>) {
        let value = character.unicode_value();
        let is_generated = character.is_generated().unwrap_or(false);
        if is_generated && value != 2 {
            self.last = None;
            self.is_apart = value == u32::from(' ');
            // The advance of a glyph on a slope is not known, so the library's spaces are.
            if self.was_slanted {
                slanted::push_space(&mut self.page.slanted);
            }
            return;
        }
        let value = if value == 2 { u32::from('-') } else { value };
        if self.page.glyphs.len() >= self.limit {
            self.page.cut += 1;
            return;
        }
        let text = char::from_u32(value).filter(|c| *c != '\0').map(String::from);
        let usable = text.as_deref().and_then(GlyphText::of);
        let bounds = character.loose_bounds().or_else(|_| character.tight_bounds());
        let (Ok(bounds), Ok((x, y))) = (bounds, character.origin()) else {
            self.page.unmapped += usize::from(usable.is_none());
            return;
        };
        let place = [bounds.left().value, bounds.right().value, x.value, y.value];
        if let Some(text) = text {
            if self.continues_ligature(place, &text) {
                return;
            }
            self.last = Some((place, text));
        }
        self.page.unmapped += usize::from(usable.is_none());
        let text = usable.unwrap_or(GlyphText::One(LOST));
        if text.is_space() || self.page.glyphs.last().is_none_or(|glyph| glyph.text.is_space()) {
            self.is_bold = is_bold(character);
        }
        let (width, height) = (bounds.width().value, bounds.height().value);
        self.push(character, text, (x.value, y.value), (width, height));
    }

    fn push(
        &mut self,
        character: &PdfPageTextChar<'_>,
        text: GlyphText,
        origin: (f32, f32),
        size: (f32, f32),
    ) {
        // The library measures the angle clockwise.
        let angle = -character.angle_radians().unwrap_or_default();
        let start = self.frame.shown(origin.0, origin.1);
        let ahead = self.frame.shown(origin.0 + angle.cos(), origin.1 + angle.sin());
        let Some(turn) = Turn::of(ahead.0 - start.0, ahead.1 - start.1) else {
            let glyph = SlantedGlyph {
                text,
                start,
                direction: (ahead.0 - start.0, ahead.1 - start.1),
                advance: None,
                size: character.scaled_font_size().value.abs().max(1.0),
            };
            slanted::push(&mut self.page.slanted, glyph);
            self.was_slanted = true;
            return;
        };
        self.was_slanted = false;
        let is_level = angle.cos().abs() > angle.sin().abs();
        let advance = if is_level { size.0 } else { size.1 };
        // A font size of 1 whose matrix does not say either: the box is the better witness.
        let scaled = character.scaled_font_size().value.abs();
        let extent = if is_level { size.1 } else { size.0 };
        let size = if scaled > 1.5 { scaled } else { extent.max(scaled) };
        let order = self.page.glyphs.len() + self.page.hidden.len();
        let is_hidden = self.is_mixed && is_invisible(character);
        let glyphs = if is_hidden {
            &mut self.page.hidden
        } else {
            &mut self.page.glyphs
        };
        glyphs.push(Glyph {
            text,
            x: start.0,
            y: start.1,
            advance,
            size,
            is_bold: self.is_bold,
            is_apart: std::mem::take(&mut self.is_apart),
            order,
            turn,
        });
    }

    /// Adds a further character of the glyph that was read last.
    fn continues_ligature(&mut self, place: [f32; 4], text: &str) -> bool {
        let Some((last_place, letters)) = self.last.as_mut().filter(|(last, _)| *last == place) else {
            return false;
        };
        let is_arabic = |c: char| rag_core::language::is_arabic_letter(c);
        if letters.chars().chain(text.chars()).all(is_arabic) {
            // The library gives the letters of an Arabic ligature in the order in which they are drawn.
            letters.insert_str(0, text);
        } else {
            letters.push_str(text);
        }
        debug_assert_eq!(*last_place, place);
        if let (Some(glyph), Some(text)) = (self.page.glyphs.last_mut(), GlyphText::of(letters)) {
            glyph.text = text;
        }
        true
    }
}

/// True for a character that the file asks not to be drawn. It takes a while to find out.
fn is_invisible(character: &PdfPageTextChar<'_>) -> bool {
    matches!(character.render_mode(), Ok(PdfPageTextRenderMode::Invisible))
}

fn is_bold(character: &PdfPageTextChar<'_>) -> bool {
    let is_heavy = match character.font_weight() {
        Some(
            PdfFontWeight::Weight600
            | PdfFontWeight::Weight700Bold
            | PdfFontWeight::Weight800
            | PdfFontWeight::Weight900,
        ) => true,
        Some(PdfFontWeight::Custom(weight)) => weight >= 600,
        _ => false,
    };
    is_heavy || character.font_name().to_ascii_lowercase().contains("bold")
}
