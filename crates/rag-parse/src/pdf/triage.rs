//! Which pages have usable text, and what is done about those that have not.
//!
//! A page's text is not used when it is missing, when the file does not say what its characters are, when
//! it reads like no language, or when it is invisible and lies over nothing. Such a page is read by
//! recognition; where that cannot be, a warning names it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rag_core::span::BoundingBox;

use super::Sheet;
use super::glyph::{GlyphSource, Page, Turn, in_order};
use super::layout::Place;
use super::lines;
use super::ocr::{Networks, NotRead, ReadPage, Recognizer};
use crate::config::Config;
use crate::document::Picture;
use crate::draft::Draft;
use crate::repair::hyphens::{KnownWords, rejoin_onto};

/// Share of glyphs without a known character from which on a page's text is worthless.
const MAX_UNMAPPED: f32 = 0.3;

/// Share of the page that images cover, from which on it is one image and invisible text its transcript.
const IMAGE_COVER: f32 = 0.5;

/// Fewest characters from which text can be told to be garbled, and the shares that tell.
const MIN_JUDGED: usize = 20;
const MIN_LETTERS: f32 = 0.35;
const MIN_JUDGED_STRICTLY: usize = 4;
const MIN_LETTERS_OF_FEW: f32 = 0.25;
const MAX_MIXED: f32 = 0.25;

/// Most pages that are kept as pictures.
const MAX_PICTURES: u32 = 40;

/// Most page numbers that a warning lists.
const MAX_LISTED: usize = 20;

/// Why a page's text is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unusable {
    Missing,
    Unmapped,
    Garbled,
    Hidden,
}

/// Reads all pages within the limits; what cannot be read is a warning that names the pages.
pub(super) fn sheets(
    source: &mut impl GlyphSource,
    networks: &Networks,
    config: &Config,
    draft: &mut Draft,
) -> Vec<Sheet> {
    let count = source.page_count();
    let limit = config.limits.max_pages.min(count);
    let mut triage = Triage {
        config,
        recognizer: Recognizer::new(&config.ocr, networks),
        sheets: Vec::new(),
        unread: BTreeMap::new(),
        broken: Vec::new(),
        partly_hidden: Vec::new(),
        recognized: Vec::new(),
        cut: 0,
    };
    for index in 0..limit {
        triage.picture(source, index, draft);
        match source.page(index, config.limits.max_page_glyphs) {
            Err(_) => triage.broken.push(index + 1),
            Ok(page) => {
                let page = triage.shown(page, index, draft);
                triage.page(source, &page, index, draft);
            }
        }
    }
    if limit < count {
        let left = count - limit;
        draft.warn(
            "too-long",
            format!("{left} pages beyond the limit of {limit} were left out"),
        );
    }
    triage.finish(draft)
}

struct Triage<'c> {
    config: &'c Config,
    recognizer: Recognizer<'c>,
    sheets: Vec<Sheet>,
    unread: BTreeMap<(Unusable, &'static str), Vec<u32>>,
    broken: Vec<u32>,
    /// Pages some of whose text is hidden.
    partly_hidden: Vec<u32>,
    /// Pages that recognition read, and how much it trusts what it read.
    recognized: Vec<(u32, f32)>,
    cut: usize,
}

impl Triage<'_> {
    /// Keeps the page as a picture, where that is asked for and the engine can draw.
    fn picture(&self, source: &mut impl GlyphSource, index: u32, draft: &mut Draft) {
        let dpi = self.config.picture_dpi;
        if dpi == 0 || index >= MAX_PICTURES {
            return;
        }
        if let Some(image) = source.image(index, dpi) {
            let points = |pixels: usize| pixels as f32 * 72.0 / dpi as f32;
            draft.pictures.push(Picture {
                page: index + 1,
                size: (points(image.width), points(image.height)),
                bmp: BASE64_STANDARD.encode(image.to_bmp()),
            });
        }
    }

    /// The page with its hidden text, where that is the transcript of an image or is to be kept.
    fn shown(&mut self, mut page: Page, index: u32, draft: &mut Draft) -> Page {
        let hidden = std::mem::take(&mut page.hidden);
        if !self.config.repair.drop_hidden_text || is_image(&page) {
            page.glyphs.extend(hidden);
        } else if !hidden.is_empty() {
            draft.removed("drop_hidden_text", Some(index + 1), &in_order(&hidden));
            self.partly_hidden.push(index + 1);
        }
        page
    }

    fn page(&mut self, source: &mut impl GlyphSource, page: &Page, index: u32, draft: &mut Draft) {
        let number = index + 1;
        self.cut += page.cut;
        let Some(unusable) = unusable(page, self.config) else {
            self.sheets.extend(turned(page, number, self.config, draft));
            return;
        };
        if unusable == Unusable::Hidden {
            let mut text = String::new();
            page.glyphs.iter().for_each(|glyph| glyph.text.push_to(&mut text));
            draft.removed("drop_hidden_text", Some(number), &text);
        }
        match self.recognize(source, page, index) {
            Ok(read) => {
                self.recognized.push((number, read.confidence));
                self.sheets
                    .push(recognized_sheet(&read, page, number, self.config.ocr.dpi));
            }
            Err(reason) => {
                self.unread.entry((unusable, reason)).or_default().push(number);
            }
        }
    }

    fn recognize(
        &mut self,
        source: &mut impl GlyphSource,
        page: &Page,
        index: u32,
    ) -> Result<ReadPage, &'static str> {
        let is_blank = page.drawn.image_area < 1.0 && page.glyphs.is_empty() && page.unmapped == 0;
        if is_blank {
            return Err("it shows no picture");
        }
        let reason = |not_read| match not_read {
            NotRead::NoEngine => "install tesseract or fetch PP-OCR, or have it read by OCR first",
            NotRead::NoTime => "the time for OCR was over; raise `ocr.max_document_ms`",
            NotRead::Failed => "OCR failed; are its languages installed?",
        };
        self.recognizer.is_ready().map_err(reason)?;
        let image = source
            .image(index, self.config.ocr.dpi)
            .ok_or("OCR needs the page as a picture, which only libpdfium draws: fetch it")?;
        let read = self.recognizer.read(&image).map_err(reason)?;
        if read.paragraphs.is_empty() {
            return Err("OCR found no text that it trusts");
        }
        Ok(read)
    }

    fn finish(self, draft: &mut Draft) -> Vec<Sheet> {
        for ((unusable, reason), pages) in &self.unread {
            let (word, what) = match unusable {
                Unusable::Missing => ("no-text-layer", "without text"),
                Unusable::Unmapped => (
                    "unmapped-text",
                    "whose fonts do not say what their characters are; left out",
                ),
                Unusable::Garbled => ("garbled-text", "whose text reads like no language; left out"),
                Unusable::Hidden => (
                    "hidden-text",
                    "whose text is invisible and over no picture; left out",
                ),
            };
            draft.warn(word, format!("{} {what}: {reason}", listed(pages)));
        }
        if !self.partly_hidden.is_empty() {
            let pages = listed(&self.partly_hidden);
            draft.warn(
                "partly-hidden",
                format!("{pages} with text that is invisible and over no picture; it was left out"),
            );
        }
        if !self.broken.is_empty() {
            draft.warn(
                "damaged-page",
                format!("{} that could not be read", listed(&self.broken)),
            );
        }
        if self.cut > 0 {
            let cut = self.cut;
            draft.warn(
                "too-long",
                format!("{cut} characters beyond the limit for one page were left out"),
            );
        }
        if !self.recognized.is_empty() {
            let pages: Vec<u32> = self.recognized.iter().map(|(page, _)| *page).collect();
            let mean = self
                .recognized
                .iter()
                .map(|(_, confidence)| confidence)
                .sum::<f32>()
                / pages.len() as f32;
            let other = &mut draft.metadata.other;
            other.insert(
                "ocr_pages".to_owned(),
                listed(&pages).trim_start_matches("page ").to_owned(),
            );
            other.insert("ocr_confidence".to_owned(), format!("{mean:.0}"));
        }
        self.sheets
    }
}

/// Why the text of a page is not used; nothing when it is.
fn unusable(page: &Page, config: &Config) -> Option<Unusable> {
    let drawn = &page.drawn;
    if page.unmapped as f32 > MAX_UNMAPPED * (page.unmapped + page.glyphs.len()) as f32 {
        return Some(Unusable::Unmapped);
    }
    if page.glyphs.iter().all(|glyph| glyph.text.is_space()) && page.slanted.is_empty() {
        return Some(Unusable::Missing);
    }
    let is_image = is_image(page);
    let is_invisible = drawn.visible == 0 && drawn.invisible > 0;
    if config.repair.drop_hidden_text && is_invisible && !is_image {
        return Some(Unusable::Hidden);
    }
    let mut text = String::new();
    for glyph in &page.glyphs {
        glyph.text.push_to(&mut text);
    }
    is_garbled(&text).then_some(Unusable::Garbled)
}

/// True for a page that is mostly one image.
fn is_image(page: &Page) -> bool {
    page.drawn.image_area >= IMAGE_COVER * page.width * page.height
}

/// True when text has too few letters and digits, or mixes scripts within its words.
fn is_garbled(text: &str) -> bool {
    let counted = |c: &char| {
        !c.is_whitespace() && !matches!(c, '.' | '_' | '-' | '·' | '*' | '…' | '–' | '—' | '=' | '•')
    };
    let total = text.chars().filter(counted).count();
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    if total < MIN_JUDGED {
        return total >= MIN_JUDGED_STRICTLY && letters as f32 <= MIN_LETTERS_OF_FEW * total as f32;
    }
    if (letters as f32) < MIN_LETTERS * total as f32 {
        return true;
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() > 2)
        .collect();
    let mixed = words.iter().filter(|word| scripts(word) > 2).count();
    mixed > 2 && mixed as f32 > MAX_MIXED * words.len() as f32
}

/// How many blocks of scripts the letters of a word come from.
fn scripts(word: &str) -> usize {
    let block = |c: char| match u32::from(c) {
        0..=0x24F | 0x1E00..=0x1EFF => 0,
        0x250..=0x36F => 1,
        0x370..=0x3FF => 2,
        0x400..=0x52F => 3,
        0x530..=0x5FF => 4,
        0x600..=0x77F => 5,
        // The kana, ideographs and syllables of one language come from many blocks.
        0x1100..=0x11FF | 0x3000..=0xD7FF | 0xF900..=0xFFFF => 6,
        other => 7 + other / 0x80,
    };
    let mut blocks: Vec<u32> = word.chars().map(block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks.len()
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

/// What recognition read, its places in points.
fn recognized_sheet(read: &ReadPage, page: &Page, number: u32, dpi: u32) -> Sheet {
    let scale = 72.0 / dpi as f32;
    let known = KnownWords::of(
        &read
            .paragraphs
            .iter()
            .flat_map(|p| p.lines.clone())
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let paragraph = |paragraph: &super::ocr::ReadParagraph| {
        let mut text = String::new();
        for line in &paragraph.lines {
            if !rejoin_onto(&mut text, line, &known) {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(line);
            }
        }
        let bounds = BoundingBox {
            left: paragraph.bounds.left * scale,
            top: paragraph.bounds.top * scale,
            right: (paragraph.bounds.right * scale).min(page.width),
            bottom: (paragraph.bounds.bottom * scale).min(page.height),
        };
        (text, bounds)
    };
    Sheet {
        place: Place {
            page: number,
            size: (page.width, page.height),
            turn: Turn::Right,
            is_aside: false,
        },
        segments: Vec::new(),
        rules: Vec::new(),
        read: read.paragraphs.iter().map(paragraph).collect(),
    }
}

/// The segments of a page by direction, the most frequent one first.
fn turned(page: &Page, number: u32, config: &Config, draft: &mut Draft) -> Vec<Sheet> {
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
    let mut sheets = Vec::with_capacity(turns.len());
    for (_, turn) in turns {
        let (segments, left_out) = lines::segments(page, turn, &config.repair);
        draft.removed("clip_to_page", Some(number), &left_out.clipped);
        draft.removed("drop_overprinted", Some(number), &left_out.overprinted);
        sheets.push(Sheet {
            place: Place {
                page: number,
                size,
                turn,
                is_aside: Some(turn) != main,
            },
            segments,
            rules: page.drawn.upright(size, turn),
            read: Vec::new(),
        });
    }
    // Labels on a slope have no lines; they come behind the page's text.
    if !page.slanted.is_empty() {
        sheets.push(Sheet {
            place: Place {
                page: number,
                size,
                turn: Turn::Right,
                is_aside: true,
            },
            segments: Vec::new(),
            rules: Vec::new(),
            read: page
                .slanted
                .iter()
                .map(|run| (run.text.clone(), run.bounds))
                .collect(),
        });
    }
    sheets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_reads_like_no_language_is_told() {
        let cases = [
            ("The quick brown fox jumps over the lazy dog.", false),
            ("Chapter 1 ............................................ 12", false),
            ("$ 1,234.50 $ 99.00 (12) % 45.6 7,890 12,345", false),
            ("\"7+%-!! &'(*) $%&/() =?#+ ;:_ ~^|<> @@{}[] \"7+%-", true),
            ("東京タワーは日本の首都にある塔です。とても高い塔です。", false),
            ("Ελληνικά και English μαζί in one text of two scripts", false),
            ("aЖع bβش cяأ dλش eюغ fψق gыن hθي iэه", true),
            ("short", false),
            ("\"7+%-", true),
            ("§ 5 a", false),
            ("***", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_garbled(text), expected, "{text}");
        }
    }
}
