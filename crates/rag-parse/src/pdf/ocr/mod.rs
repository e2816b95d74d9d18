//! Text recognition of pages without usable text: by an installed program, or by networks that run here.
//!
//! The page is read as it stands; where that gives nothing to trust it is turned, and the turn that the
//! engine trusts most counts. What a document may spend on recognition is bounded: pages beyond are named.

mod identity;
mod ppocr;
mod tesseract;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rag_core::span::BoundingBox;

use super::image::GreyImage;
use crate::config::{OcrConfig, OcrEngine, OcrModels};
pub(crate) use identity::identity;
use ppocr::PpOcr;
use tesseract::Tesseract;

/// Mean confidence below which the other turns are tried, and below which text is not used, in percent.
const GOOD_CONFIDENCE: f32 = 70.0;
const MIN_CONFIDENCE: f32 = 30.0;

/// Fewest words that are taken for the right turn at once.
const FEW_WORDS: usize = 3;

/// A page that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ReadPage {
    pub(super) paragraphs: Vec<ReadParagraph>,
    /// Mean confidence of the words, in percent.
    pub(super) confidence: f32,
    pub(super) words: usize,
}

/// A paragraph with its lines, and its place in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadParagraph {
    pub(super) lines: Vec<String>,
    pub(super) bounds: BoundingBox,
}

/// Why a page was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotRead {
    /// Recognition is switched off, or there is no engine: neither program nor networks.
    NoEngine,
    /// The document's time for recognition is over.
    NoTime,
    /// The engine failed on the page.
    Failed,
}

/// Reads a picture of a page as it stands.
trait Engine {
    /// What stands in the picture, until the deadline. [`NotRead::NoEngine`] means that it is not here at all.
    fn read(&self, image: &GreyImage, config: &OcrConfig, deadline: Instant) -> Result<ReadPage, NotRead>;
}

/// The networks, loaded when the first page needs them.
#[derive(Debug, Default)]
pub(super) struct Networks {
    models: Option<OcrModels>,
    loaded: OnceLock<Option<PpOcr>>,
}

impl Networks {
    pub(super) fn new(models: Option<&OcrModels>) -> Self {
        Self {
            models: models.cloned(),
            loaded: OnceLock::new(),
        }
    }
}

impl Engine for Networks {
    fn read(&self, image: &GreyImage, config: &OcrConfig, deadline: Instant) -> Result<ReadPage, NotRead> {
        let load = || self.models.as_ref().and_then(|models| PpOcr::load(models).ok());
        let networks = self.loaded.get_or_init(load).as_ref();
        networks.ok_or(NotRead::NoEngine)?.read(image, config, deadline)
    }
}

/// Reads pages of one document.
pub(super) struct Recognizer<'c> {
    config: &'c OcrConfig,
    deadline: Instant,
    /// The engines that may be here, the preferred one first.
    engines: Vec<&'c dyn Engine>,
}

impl<'c> Recognizer<'c> {
    pub(super) fn new(config: &'c OcrConfig, networks: &'c Networks) -> Self {
        let engines: Vec<&dyn Engine> = match config.engine {
            OcrEngine::Auto => vec![&Tesseract, networks],
            OcrEngine::Tesseract => vec![&Tesseract],
            OcrEngine::PpOcr => vec![networks],
            OcrEngine::Off => Vec::new(),
        };
        Self {
            config,
            deadline: Instant::now() + Duration::from_millis(config.max_document_ms),
            engines,
        }
    }

    /// True when it is of use to draw a page.
    pub(super) fn is_ready(&self) -> Result<(), NotRead> {
        match (self.engines.is_empty(), Instant::now() < self.deadline) {
            (true, _) => Err(NotRead::NoEngine),
            (_, false) => Err(NotRead::NoTime),
            _ => Ok(()),
        }
    }

    /// Reads a page as it stands, then turned. Only in the first case places are known.
    pub(super) fn read(&mut self, image: &GreyImage) -> Result<ReadPage, NotRead> {
        let mut best = self.read_once(image)?;
        let mut turned = image.clone();
        for _ in 0..3 {
            if best.confidence >= GOOD_CONFIDENCE && best.words >= FEW_WORDS {
                break;
            }
            turned = turned.turned();
            let Ok(mut read) = self.read_once(&turned) else {
                break;
            };
            if score(&read) > score(&best) {
                read.paragraphs
                    .iter_mut()
                    .for_each(|paragraph| paragraph.bounds = whole(image));
                best = read;
            }
        }
        if best.confidence < MIN_CONFIDENCE {
            best.paragraphs.clear();
        }
        Ok(best)
    }

    fn read_once(&mut self, image: &GreyImage) -> Result<ReadPage, NotRead> {
        self.is_ready()?;
        while let Some(engine) = self.engines.first() {
            match engine.read(image, self.config, self.deadline) {
                Err(NotRead::NoEngine) => self.engines.remove(0),
                read => return read,
            };
        }
        Err(NotRead::NoEngine)
    }
}

/// Many words that are trusted beat few.
fn score(read: &ReadPage) -> f32 {
    read.confidence * (read.words as f32).sqrt()
}

fn whole(image: &GreyImage) -> BoundingBox {
    BoundingBox {
        left: 0.0,
        top: 0.0,
        right: image.width as f32,
        bottom: image.height as f32,
    }
}

#[cfg(all(test, unix))]
mod tests;
