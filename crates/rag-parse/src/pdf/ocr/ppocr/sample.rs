//! Pictures sampled at other sizes and along a slope.

use rag_core::span::BoundingBox;

use crate::pdf::image::GreyImage;

/// A strip of a picture that holds a line of text, in pixels of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strip {
    /// Its middle.
    pub(super) center: (f32, f32),
    /// How far it reaches along the line and across it, from edge to edge.
    pub(super) size: (f32, f32),
    /// Direction in which the line runs: cosine and sine of its angle, y downwards.
    pub(super) along: (f32, f32),
}

impl Strip {
    /// The upright box around it.
    pub(super) fn bounds(&self) -> BoundingBox {
        let (cos, sin) = self.along;
        let half_width = f32::midpoint(self.size.0 * cos.abs(), self.size.1 * sin.abs());
        let half_height = f32::midpoint(self.size.0 * sin.abs(), self.size.1 * cos.abs());
        BoundingBox {
            left: self.center.0 - half_width,
            top: self.center.1 - half_height,
            right: self.center.0 + half_width,
            bottom: self.center.1 + half_height,
        }
    }

    /// The strip turned upright, at a size in pixels; values from -1 for black to 1 for white.
    pub(super) fn pixels(&self, image: &GreyImage, width: usize, height: usize) -> Vec<f32> {
        let (cos, sin) = self.along;
        let step = (self.size.0 / width as f32, self.size.1 / height as f32);
        let mut values = Vec::with_capacity(width * height);
        for y in 0..height {
            let across = (y as f32 + 0.5) * step.1 - self.size.1 / 2.0;
            for x in 0..width {
                let along = (x as f32 + 0.5) * step.0 - self.size.0 / 2.0;
                let place = (
                    self.center.0 + along * cos - across * sin,
                    self.center.1 + along * sin + across * cos,
                );
                values.push(value(image, place, step));
            }
        }
        values
    }
}

/// The whole picture at another size, values as of a strip.
pub(super) fn resized(image: &GreyImage, width: usize, height: usize) -> Vec<f32> {
    let size = (image.width as f32, image.height as f32);
    let whole = Strip {
        center: (size.0 / 2.0, size.1 / 2.0),
        size,
        along: (1.0, 0.0),
    };
    whole.pixels(image, width, height)
}

/// The picture's value around a place: between four pixels, and the mean of four such values where a step
/// is wider than a pixel, so that thin strokes do not fall between samples.
fn value(image: &GreyImage, (x, y): (f32, f32), step: (f32, f32)) -> f32 {
    let grey = if step.0.max(step.1) > 1.2 {
        let (dx, dy) = (step.0 / 4.0, step.1 / 4.0);
        let around = [(-dx, -dy), (dx, -dy), (-dx, dy), (dx, dy)];
        around
            .iter()
            .map(|(dx, dy)| between(image, x + dx, y + dy))
            .sum::<f32>()
            / 4.0
    } else {
        between(image, x, y)
    };
    grey / 127.5 - 1.0
}

/// The value at a place whose pixels have their middles at halves; beyond the edge it is that of the edge.
fn between(image: &GreyImage, x: f32, y: f32) -> f32 {
    let (x, y) = (x - 0.5, y - 0.5);
    let pixel = |x: f32, y: f32| {
        let x = (x.max(0.0) as usize).min(image.width - 1);
        let y = (y.max(0.0) as usize).min(image.height - 1);
        f32::from(image.pixels[y * image.width + x])
    };
    let (left, top) = (x.floor(), y.floor());
    let (right_share, lower_share) = (x - left, y - top);
    let upper = pixel(left, top) * (1.0 - right_share) + pixel(left + 1.0, top) * right_share;
    let lower = pixel(left, top + 1.0) * (1.0 - right_share) + pixel(left + 1.0, top + 1.0) * right_share;
    upper * (1.0 - lower_share) + lower * lower_share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> GreyImage {
        GreyImage {
            width: 4,
            height: 2,
            pixels: vec![0, 0, 255, 255, 0, 0, 255, 255],
        }
    }

    #[test]
    fn sizes_change_and_values_stay() {
        assert_eq!(
            resized(&image(), 4, 2),
            [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0]
        );
        assert_eq!(resized(&image(), 2, 1), [-1.0, 1.0]);
        assert_eq!(resized(&image(), 8, 4)[..4], [-1.0, -1.0, -1.0, -0.5]);
    }

    #[test]
    fn a_turned_strip_comes_out_upright() {
        let strip = Strip {
            center: (2.0, 1.0),
            size: (2.0, 4.0),
            along: (0.0, 1.0),
        };
        let bounds = strip.bounds();
        assert_eq!(
            (bounds.left, bounds.top, bounds.right, bounds.bottom),
            (0.0, 0.0, 4.0, 2.0)
        );
        assert_eq!(
            strip.pixels(&image(), 2, 4),
            [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]
        );
    }
}
