//! A line of text read by the recognition network, whose output is a class for each step along the line.

use rten::{Model, RunOptions};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::super::NotRead;
use super::sample::Strip;
use crate::pdf::image::GreyImage;

/// Height of a line as the network sees it, and least and greatest width, in pixels.
const HEIGHT: usize = 48;
const MIN_WIDTH: f32 = 48.0;
const MAX_WIDTH: f32 = 3_200.0;

/// The recognition network.
pub(super) struct LineReader {
    pub(super) model: Model,
    pub(super) options: RunOptions,
    /// By class; class 0 is none.
    pub(super) characters: Vec<String>,
}

impl LineReader {
    /// The text of a strip and how much it is trusted, from 0 to 1.
    pub(super) fn read(&self, image: &GreyImage, strip: &Strip) -> Result<(String, f32), NotRead> {
        let width = HEIGHT as f32 * strip.size.0 / strip.size.1.max(1.0);
        let width = width.ceil().clamp(MIN_WIDTH, MAX_WIDTH) as usize;
        let grey = strip.pixels(image, width, HEIGHT);
        let input = NdTensor::from_data([1, 3, HEIGHT, width], [&grey[..]; 3].concat());
        let output = self
            .model
            .run_one(input.view().into(), Some(self.options.clone()))
            .map_err(|_| NotRead::Failed)?;
        let steps: NdTensor<f32, 3> = output.try_into().map_err(|_| NotRead::Failed)?;
        let classes = steps.size(2);
        if classes == 0 {
            return Err(NotRead::Failed);
        }
        Ok(decode(&steps.to_vec(), classes, &self.characters))
    }
}

/// The most likely class of each step, runs of one class as one, class 0 as none.
fn decode(steps: &[f32], classes: usize, characters: &[String]) -> (String, f32) {
    let mut text = String::new();
    let (mut trust, mut count) = (0.0, 0);
    let mut last = 0;
    for step in steps.chunks_exact(classes) {
        let best = step.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((class, likelihood)) = best else { continue };
        if class != 0 && class != last {
            text.push_str(characters.get(class).map_or("", String::as_str));
            trust += likelihood;
            count += 1;
        }
        last = class;
    }
    (text, if count == 0 { 0.0 } else { trust / count as f32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_one_character_and_none_parts_them() {
        let characters: Vec<String> = ["", "a", "b"].map(str::to_owned).to_vec();
        let step = |class: usize, likelihood: f32| {
            let mut step = [0.0; 3];
            step[class] = likelihood;
            step
        };
        let steps = [
            step(1, 1.0),
            step(1, 0.6),
            step(0, 1.0),
            step(1, 0.5),
            step(2, 0.9),
        ]
        .concat();
        let (text, trust) = decode(&steps, 3, &characters);
        assert_eq!(text, "aab");
        assert!((trust - 0.8).abs() < 1e-6);
        assert_eq!(decode(&[], 3, &characters), (String::new(), 0.0));
    }
}
