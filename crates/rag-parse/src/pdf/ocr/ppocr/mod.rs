//! Recognition without an installed program: the PP-OCR networks, run by `rten`.
//!
//! One network marks where text is, the other reads a line at a time. Lines are cut out along the slope of
//! the page, so that scans placed askew are read, and are then put in reading order like those of a page
//! with text.

mod detect;
mod dictionary;
mod order;
mod read;
mod sample;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rten::{Model, RunOptions, ThreadPool};

use super::{Engine, NotRead, ReadPage};
use crate::config::{OcrConfig, OcrModels};
use crate::pdf::image::GreyImage;
use detect::Detector;
use order::ReadLine;
use read::LineReader;
use sample::Strip;

/// Lines that are trusted less are left out, from 0 to 1.
const MIN_TRUST: f32 = 0.5;

/// How many times as high as wide a line is that runs up or down.
const SIDEWAYS: f32 = 1.5;

/// Lines after which a page that is trusted less than this is given up: another turn of it may be the right one.
const PROBED: usize = 6;
const MIN_PROBE: f32 = 0.6;

/// The networks, loaded.
pub(in crate::pdf) struct PpOcr {
    detector: Detector,
    reader: LineReader,
}

impl std::fmt::Debug for PpOcr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PpOcr").finish_non_exhaustive()
    }
}

impl PpOcr {
    /// Loads the networks; the error says what is wrong with which file.
    pub(in crate::pdf) fn load(models: &OcrModels) -> Result<Self, String> {
        let OcrModels { detector, reader } = models;
        let named = |path: &Path, reason: &dyn std::fmt::Display| format!("{}: {reason}", path.display());
        let bytes = |path: &Path| fs_err::read(path).map_err(|error| error.to_string());
        let reader_bytes = bytes(reader)?;
        let characters = dictionary::characters(&reader_bytes)
            .ok_or_else(|| named(reader, &"it does not say which characters it knows"))?;
        let model = |path: &Path, bytes| Model::load(bytes).map_err(|error| named(path, &error));
        // A worker reads one file on one thread; others read other files meanwhile.
        let options = RunOptions::default().with_thread_pool(Some(Arc::new(ThreadPool::with_num_threads(1))));
        Ok(Self {
            detector: Detector {
                model: model(detector, bytes(detector)?)?,
                options: options.clone(),
            },
            reader: LineReader {
                model: model(reader, reader_bytes)?,
                options,
                characters,
            },
        })
    }
}

/// True when most lines run up or down the page.
fn is_sideways(strips: &[Strip]) -> bool {
    let upright = strips
        .iter()
        .filter(|strip| strip.size.1 > SIDEWAYS * strip.size.0);
    strips.len() >= PROBED && upright.count() * 2 > strips.len()
}

impl Engine for PpOcr {
    fn read(&self, image: &GreyImage, config: &OcrConfig, deadline: Instant) -> Result<ReadPage, NotRead> {
        let mut lines = Vec::new();
        let mut trust = 0.0;
        let mut characters = 0;
        let mut strips = self.detector.strips(image)?;
        if is_sideways(&strips) {
            return Ok(ReadPage::default());
        }
        // The longest lines come first: they tell at once when the page stands on its head.
        strips.sort_by(|a, b| b.size.0.total_cmp(&a.size.0));
        for (at, strip) in strips.into_iter().enumerate() {
            if Instant::now() >= deadline {
                return Err(NotRead::NoTime);
            }
            if at == PROBED && trust < MIN_PROBE * characters as f32 {
                break;
            }
            let (text, confidence) = self.reader.read(image, &strip)?;
            let text = text.trim();
            let count = text.chars().count();
            trust += confidence * count as f32;
            characters += count;
            if confidence < MIN_TRUST || text.is_empty() {
                continue;
            }
            lines.push(ReadLine {
                text: text.to_owned(),
                bounds: strip.bounds(),
            });
        }
        Ok(ReadPage {
            words: lines
                .iter()
                .map(|line| line.text.split_whitespace().count())
                .sum(),
            confidence: if characters == 0 {
                0.0
            } else {
                100.0 * trust / characters as f32
            },
            paragraphs: order::paragraphs(lines, config.dpi),
        })
    }
}
