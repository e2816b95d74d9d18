//! Glyphs from hayro, the engine in pure Rust that is always there.

use hayro_interpret::font::{Glyph as HayroGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};

use super::drawn::Drawn;
use super::glyph::{Glyph, GlyphSource, GlyphText, Page, Turn};
use super::ligatures::{self, LOST};
use super::operators;
use super::slanted::{self, SlantedGlyph};
use crate::error::Failure;

/// Glyph space has this many units per em.
const UNITS_PER_EM: f64 = 1000.0;

/// Advance of a glyph whose font does not say, in glyph space.
const DEFAULT_ADVANCE: f32 = 500.0;

/// A document opened with hayro.
pub(super) struct Hayro {
    pdf: Pdf,
}

impl Hayro {
    pub(super) fn open(bytes: &[u8]) -> Result<Self, Failure> {
        let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
            hayro_interpret::hayro_syntax::LoadPdfError::Decryption(_) => {
                Failure::lasting("encrypted", "the file is encrypted; save it without a password")
            }
            hayro_interpret::hayro_syntax::LoadPdfError::Invalid => {
                Failure::lasting("damaged", "the file is no readable PDF; export it again")
            }
        })?;
        Ok(Self { pdf })
    }
}

impl GlyphSource for Hayro {
    fn page_count(&self) -> u32 {
        self.pdf.pages().len() as u32
    }

    fn title(&self) -> Option<String> {
        let bytes = self.pdf.metadata().title.as_ref()?;
        match bytes.strip_prefix(b"\xfe\xff") {
            Some(wide) => {
                let units = wide
                    .chunks_exact(2)
                    .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                Some(
                    char::decode_utf16(units)
                        .map(|c| c.unwrap_or('\u{FFFD}'))
                        .collect(),
                )
            }
            None => Some(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    fn page(&mut self, index: u32, limit: usize) -> Result<Page, String> {
        let pages = self.pdf.pages();
        let page = pages.get(index as usize).ok_or("it is not there")?;
        Ok(self.collect(page, limit))
    }
}

impl Hayro {
    /// What a page shows beside text; nothing when it is not there.
    pub(super) fn drawn(&self, index: u32) -> Option<Drawn> {
        let pages = self.pdf.pages();
        Some(operators::drawn(pages.get(index as usize)?))
    }

    fn collect(&self, page: &hayro_interpret::hayro_syntax::page::Page<'_>, limit: usize) -> Page {
        let (width, height) = page.render_dimensions();
        let cache = InterpreterCache::new();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let transform = hayro_interpret::TransformExt::to_kurbo(&page.initial_transform(true));
        let settings = InterpreterSettings::default();
        let mut context = Context::new(transform, bounds, &cache, self.pdf.xref(), settings);
        let mut collector = Collector {
            page: Page {
                width,
                height,
                drawn: operators::drawn(page),
                ..Page::default()
            },
            limit,
        };
        interpret_page(page, &mut context, &mut collector);
        ligatures::mend(&mut collector.page.glyphs);
        collector.page
    }
}

/// Collects glyphs where other devices would draw them.
struct Collector {
    page: Page,
    limit: usize,
}

impl Collector {
    fn glyph(&mut self, glyph: &HayroGlyph<'_>, transform: Affine, is_hidden: bool) {
        if self.page.glyphs.len() >= self.limit {
            self.page.cut += 1;
            return;
        }
        let text = glyph.as_unicode().and_then(|text| match text {
            BfString::Char(c) => GlyphText::of(c.encode_utf8(&mut [0; 4])),
            BfString::String(text) => GlyphText::of(&text),
        });
        let text = text.unwrap_or_else(|| {
            self.page.unmapped += 1;
            GlyphText::One(LOST)
        });
        let (advance, is_bold) = match glyph {
            HayroGlyph::Outline(outline) => {
                let weight = outline.font_data().and_then(|data| data.weight);
                (
                    outline.advance_width(),
                    weight.is_some_and(|weight| weight >= 600),
                )
            }
            HayroGlyph::Type3(glyph) => (glyph.advance_width(), false),
        };
        let advance = f64::from(advance.unwrap_or(DEFAULT_ADVANCE));
        let origin = transform * Point::ZERO;
        let end = transform * Point::new(advance, 0.0);
        let em = transform * Point::new(UNITS_PER_EM, 0.0) - origin;
        let up = transform * Point::new(0.0, UNITS_PER_EM) - origin;
        let Some(turn) = Turn::of(em.x as f32, em.y as f32) else {
            let length = em.hypot().max(f64::EPSILON);
            let glyph = SlantedGlyph {
                text,
                start: (origin.x as f32, origin.y as f32),
                direction: ((em.x / length) as f32, (em.y / length) as f32),
                advance: Some((end - origin).hypot() as f32),
                size: up.hypot() as f32,
            };
            slanted::push(&mut self.page.slanted, glyph);
            return;
        };
        let order = self.page.glyphs.len() + self.page.hidden.len();
        let glyphs = if is_hidden {
            &mut self.page.hidden
        } else {
            &mut self.page.glyphs
        };
        glyphs.push(Glyph {
            text,
            x: origin.x as f32,
            y: origin.y as f32,
            advance: (end - origin).hypot() as f32,
            size: up.hypot() as f32,
            is_bold,
            is_apart: false,
            order,
            turn,
        });
    }
}

impl<'a> Device<'a> for Collector {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let drawn = &self.page.drawn;
        let is_hidden = matches!(mode, DrawMode::Invisible) && drawn.visible > 0;
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform(), is_hidden);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
