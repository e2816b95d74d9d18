//! Where text is: the detection network's map of the page, cut into strips of one line each.

use rten::{Model, RunOptions};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::super::NotRead;
use super::sample::{Strip, resized};
use crate::pdf::image::GreyImage;

/// Longest side of the picture that the network sees, in pixels: letters of ten points on a page of A4 are
/// then as high as those that it learned from, and its memory stays within that of a worker.
const MAX_SIDE: f32 = 1_408.0;

/// The network wants sides that are multiples of this.
const STEP: f32 = 32.0;

/// Value from which on a pixel is text, and least mean value of the pixels of a line.
const TEXT: f32 = 0.3;
const MIN_MEAN: f32 = 0.5;

/// The network marks the core of a line: how much of its area through its outline is added on all sides.
const GROWTH: f32 = 1.6;

/// Fewest pixels and least height of the core of a line.
const MIN_PIXELS: usize = 12;
const MIN_HEIGHT: f32 = 2.5;

/// A line is this many times as long as high before its slope is believed.
const LONG: f32 = 5.0;

/// Most lines of a page.
const MAX_LINES: usize = 1_000;

/// The detection network.
pub(super) struct Detector {
    pub(super) model: Model,
    pub(super) options: RunOptions,
}

impl Detector {
    /// The lines of a page, in no order that counts.
    pub(super) fn strips(&self, image: &GreyImage) -> Result<Vec<Strip>, NotRead> {
        if image.width == 0 || image.height == 0 {
            return Ok(Vec::new());
        }
        let (width, height) = seen_size(image);
        let grey = resized(image, width, height);
        let input = NdTensor::from_data([1, 3, height, width], [&grey[..]; 3].concat());
        let output = self
            .model
            .run_one(input.view().into(), Some(self.options.clone()))
            .map_err(|_| NotRead::Failed)?;
        let map: NdTensor<f32, 4> = output.try_into().map_err(|_| NotRead::Failed)?;
        let [_, _, map_height, map_width] = map.shape();
        let map = map.to_vec();
        let scale = (
            image.width as f32 / map_width as f32,
            image.height as f32 / map_height as f32,
        );
        Ok(strips(&map, map_width)
            .into_iter()
            .map(|strip| enlarged(strip, scale))
            .collect())
    }
}

/// The size at which the network sees a picture.
fn seen_size(image: &GreyImage) -> (usize, usize) {
    let (width, height) = (image.width as f32, image.height as f32);
    let scale = (MAX_SIDE / width.max(height)).min(1.0);
    let side = |length: f32| ((length * scale / STEP).round().max(1.0) * STEP) as usize;
    (side(width), side(height))
}

/// The strip at the scale of the picture. Both sides have nearly one scale.
fn enlarged(strip: Strip, scale: (f32, f32)) -> Strip {
    let (cos, sin) = (strip.along.0 * scale.0, strip.along.1 * scale.1);
    let length = cos.hypot(sin);
    let across = (strip.along.1 * scale.0).hypot(strip.along.0 * scale.1);
    Strip {
        center: (strip.center.0 * scale.0, strip.center.1 * scale.1),
        size: (strip.size.0 * length, strip.size.1 * across),
        along: (cos / length, sin / length),
    }
}

/// Strips around the connected pixels of text in a map.
fn strips(map: &[f32], width: usize) -> Vec<Strip> {
    let spots: Vec<Spot> = spots(map, width)
        .into_iter()
        .filter(|spot| spot.points.len() >= MIN_PIXELS && spot.mean >= MIN_MEAN)
        .take(MAX_LINES)
        .collect();
    let along = page_direction(&spots);
    spots
        .iter()
        .map(|spot| spot.strip(along))
        .filter(|strip| strip.size.1 >= MIN_HEIGHT)
        .map(grown)
        .collect()
}

/// Connected pixels.
struct Spot {
    points: Vec<(f32, f32)>,
    mean: f32,
}

impl Spot {
    /// The strip in a direction that just holds the pixels.
    fn strip(&self, (cos, sin): (f32, f32)) -> Strip {
        let mut range = [(f32::INFINITY, f32::NEG_INFINITY); 2];
        for (x, y) in &self.points {
            for (range, value) in range.iter_mut().zip([x * cos + y * sin, y * cos - x * sin]) {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        let [(from, to), (top, bottom)] = range;
        let (along, across) = (f32::midpoint(from, to), f32::midpoint(top, bottom));
        Strip {
            center: (along * cos - across * sin, along * sin + across * cos),
            // Pixels are a pixel wide.
            size: (to - from + 1.0, bottom - top + 1.0),
            along: (cos, sin),
        }
    }

    /// Slope of the pixels, as a tangent; nothing unless they are a long line that runs rather level.
    fn slope(&self) -> Option<f32> {
        let count = self.points.len() as f32;
        let sum = self
            .points
            .iter()
            .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let mean = (sum.0 / count, sum.1 / count);
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in &self.points {
            let (x, y) = (x - mean.0, y - mean.1);
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        (xx > LONG * LONG * yy).then(|| xy / xx)
    }
}

/// The direction in which the lines of a page run: a scan lies askew as a whole.
fn page_direction(spots: &[Spot]) -> (f32, f32) {
    let mut slopes: Vec<f32> = spots.iter().filter_map(Spot::slope).collect();
    slopes.sort_by(f32::total_cmp);
    let slope = slopes.get(slopes.len() / 2).copied().unwrap_or_default();
    let length = slope.hypot(1.0);
    (1.0 / length, slope / length)
}

/// The line around its core.
fn grown(strip: Strip) -> Strip {
    let (width, height) = strip.size;
    let growth = GROWTH * width * height / (width + height);
    Strip {
        size: (width + growth, height + growth),
        ..strip
    }
}

/// Pixels of text that touch at a side or corner, top down.
fn spots(map: &[f32], width: usize) -> Vec<Spot> {
    let height = map.len().checked_div(width).unwrap_or(0);
    let mut is_open: Vec<bool> = map.iter().map(|value| *value > TEXT).collect();
    let mut found = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for first in 0..width * height {
        if !std::mem::take(&mut is_open[first]) {
            continue;
        }
        waiting.push(first);
        let mut points = Vec::new();
        let mut sum = 0.0;
        while let Some(at) = waiting.pop() {
            let (x, y) = (at % width, at / width);
            points.push((x as f32 + 0.5, y as f32 + 0.5));
            sum += map[at];
            for y in y.saturating_sub(1)..(y + 2).min(height) {
                for x in x.saturating_sub(1)..(x + 2).min(width) {
                    if std::mem::take(&mut is_open[y * width + x]) {
                        waiting.push(y * width + x);
                    }
                }
            }
        }
        let mean = sum / points.len() as f32;
        found.push(Spot { points, mean });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map with text where `is_text` says so.
    fn map(width: usize, height: usize, is_text: impl Fn(f32, f32) -> bool) -> Vec<f32> {
        let pixel = |at: usize| f32::from(is_text((at % width) as f32, (at / width) as f32)) * 0.9;
        (0..width * height).map(pixel).collect()
    }

    #[test]
    fn lines_are_strips_that_reach_beyond_their_cores() {
        let found = strips(
            &map(100, 40, |x, y| {
                (10.0..90.0).contains(&x) && ((5.0..9.0).contains(&y) || (20.0..24.0).contains(&y))
            }),
            100,
        );
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].center, found[0].along), ((50.0, 7.0), (1.0, 0.0)));
        assert!(found[0].size.1 > 8.0 && found[0].size.1 < 12.0, "{:?}", found[0]);
        assert!(strips(&map(100, 40, |_, _| false), 100).is_empty());
        assert!(strips(&[], 0).is_empty());
    }

    #[test]
    fn a_page_askew_has_strips_askew() {
        let found = strips(
            &map(200, 60, |x, y| {
                (10.0..190.0).contains(&x) && (y - 10.0 - x * 0.1).abs() < 3.0
            }),
            200,
        );
        assert_eq!(found.len(), 1);
        let slope = found[0].along.1 / found[0].along.0;
        assert!((slope - 0.1).abs() < 0.01, "{slope}");
        assert!(found[0].size.1 < 20.0, "{:?}", found[0]);
    }
}
