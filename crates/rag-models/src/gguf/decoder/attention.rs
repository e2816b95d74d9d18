//! Attention of new tokens over what was read before: the cache of keys and values, and weighted sums of it.

use rayon::prelude::*;

use super::arithmetic::{add_scaled, dot, softmax};
use super::shape::Shape;

/// Keys and values of the tokens read so far, one after another, of one layer.
#[derive(Debug, Default)]
pub(super) struct LayerCache {
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl LayerCache {
    /// Forgets everything; the memory stays.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// Adds the keys and values of the next tokens.
    pub(super) fn extend(&mut self, keys: &[f32], values: &[f32]) {
        self.keys.extend_from_slice(keys);
        self.values.extend_from_slice(values);
    }
}

/// For each of the last tokens in the cache, whose queries these are, the values that its heads look at.
///
/// A token sees itself and what came before, or only the last `window` tokens.
pub(super) fn attend(shape: &Shape, cache: &LayerCache, queries: &[f32], window: Option<usize>) -> Vec<f32> {
    let (size, width) = (shape.head_size, shape.kv_size());
    let rows = queries.len() / (shape.heads * size);
    let before = cache.keys.len() / width - rows;
    let group = shape.heads / shape.kv_heads;
    let mut output = vec![0.0; queries.len()];
    let heads = output
        .par_chunks_exact_mut(size)
        .zip(queries.par_chunks_exact(size));
    heads
        .enumerate()
        .for_each_init(Vec::new, |scores: &mut Vec<f32>, (index, (output, query))| {
            let (row, head) = (index / shape.heads, index % shape.heads);
            let end = before + row + 1;
            let start = window.map_or(0, |window| end.saturating_sub(window));
            let offset = head / group * size;
            let part = |token: usize| token * width + offset..token * width + offset + size;
            scores.clear();
            scores.extend(
                (start..end).map(|token| dot(query, &cache.keys[part(token)]) * shape.attention_scale),
            );
            softmax(scores);
            for (weight, token) in scores.iter().zip(start..end) {
                add_scaled(output, *weight, &cache.values[part(token)]);
            }
        });
    output
}
