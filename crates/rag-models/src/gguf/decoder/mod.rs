//! A decoder-only transformer as Llama, Qwen 2, Qwen 3 and Gemma 3 are: one forward pass for the four, whose
//! differences are what [`shape::Shape`] and the presence of weights say.
//!
//! Matrices stay quantised: those in blocks of 32 numbers are packed for kernels of our own, the others are multiplied
//! by candle as the file has them. What is between the products is computed on plain rows, so that a token costs no tensors. Checked in `tests.rs` against candle's own
//! model of each family.

mod arithmetic;
mod attention;
mod block_kernels;
mod blocks;
mod rotation;
mod shape;
#[cfg(test)]
mod tests;
mod weights;

pub(super) use shape::Shape;

use super::error::GgufError;
use super::header::Header;
use arithmetic::{add, gelu_gate, root_mean_square_norm, silu_gate};
use attention::{LayerCache, attend};
use rotation::Rotary;
use shape::Family;
use weights::{Layer, Weights};

/// Tokens computed together; bounds the memory of a long prompt.
const CHUNK_TOKENS: usize = 256;

/// A decoder with its weights.
#[derive(Debug)]
pub(super) struct Decoder {
    shape: Shape,
    weights: Weights,
    rotary: Rotary,
    local_rotary: Rotary,
}

/// What a decoder remembers of the tokens it read.
#[derive(Debug, Default)]
pub(super) struct Memory {
    layers: Vec<LayerCache>,
    tokens: usize,
}

impl Memory {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.layers.iter_mut().for_each(LayerCache::clear);
        self.tokens = 0;
    }
}

impl Decoder {
    /// Reads the weights out of a file with this header.
    pub(super) fn read(file: &[u8], header: &Header, shape: Shape) -> Result<Self, GgufError> {
        let weights = Weights::read(file, header, &shape)?;
        let rotary = |rotation, factors| Rotary::new(shape.family, shape.head_size, rotation, factors);
        Ok(Self {
            rotary: rotary(shape.rotation, weights.frequency_factors.as_deref()),
            local_rotary: rotary(shape.local_rotation, None),
            weights,
            shape,
        })
    }

    /// Reads `tokens` after what `memory` has; gives the logits of the token that follows, one per entry of
    /// the vocabulary. There must be a token, and every id must be in the vocabulary.
    pub(super) fn read_tokens(&self, memory: &mut Memory, tokens: &[u32]) -> Result<Vec<f32>, GgufError> {
        memory.layers.resize_with(self.shape.layers, LayerCache::default);
        let mut last = Vec::new();
        for chunk in tokens.chunks(CHUNK_TOKENS) {
            last = self.read_chunk(memory, chunk)?;
        }
        root_mean_square_norm(&mut last, &self.weights.norm, self.shape.epsilon);
        let logits = self.weights.head.apply(&last)?;
        if logits.iter().any(|logit| !logit.is_finite()) {
            return Err(GgufError::NotFinite);
        }
        Ok(logits)
    }

    /// The last token's hidden state after all layers.
    fn read_chunk(&self, memory: &mut Memory, tokens: &[u32]) -> Result<Vec<f32>, GgufError> {
        let hidden = self.shape.hidden;
        let mut states = self.weights.embed(tokens)?;
        if self.shape.family == Family::Gemma3 {
            let scale = (hidden as f32).sqrt();
            for value in &mut states {
                *value *= scale;
            }
        }
        for (index, (layer, cache)) in self.weights.layers.iter().zip(&mut memory.layers).enumerate() {
            let window = self.shape.window_of(index);
            self.attention(layer, cache, window, memory.tokens, &mut states)?;
            self.feed_forward(layer, &mut states)?;
        }
        memory.tokens += tokens.len();
        Ok(states.split_off(states.len() - hidden))
    }

    /// Adds to each state what it sees in the states before.
    fn attention(
        &self,
        layer: &Layer,
        cache: &mut LayerCache,
        window: Option<usize>,
        position: usize,
        states: &mut [f32],
    ) -> Result<(), GgufError> {
        let (shape, epsilon) = (&self.shape, self.shape.epsilon);
        let mut input = states.to_vec();
        root_mean_square_norm(&mut input, &layer.attention_norm, epsilon);
        let mut queries = layer.query.apply(&input)?;
        let mut keys = layer.key.apply(&input)?;
        if let Some((query_norm, key_norm)) = &layer.head_norms {
            root_mean_square_norm(&mut queries, query_norm, epsilon);
            root_mean_square_norm(&mut keys, key_norm, epsilon);
        }
        let rotary = if window.is_some() {
            &self.local_rotary
        } else {
            &self.rotary
        };
        rotary.turn(&mut queries, shape.heads * shape.head_size, position);
        rotary.turn(&mut keys, shape.kv_size(), position);
        cache.extend(&keys, &layer.value.apply(&input)?);
        let seen = attend(shape, cache, &queries, window);
        let mut output = layer.output.apply(&seen)?;
        if let Some(norm) = &layer.post_attention_norm {
            root_mean_square_norm(&mut output, norm, epsilon);
        }
        add(states, &output);
        Ok(())
    }

    /// Adds to each state what the layer makes of it alone.
    fn feed_forward(&self, layer: &Layer, states: &mut [f32]) -> Result<(), GgufError> {
        let mut input = states.to_vec();
        root_mean_square_norm(&mut input, &layer.feed_forward_norm, self.shape.epsilon);
        let mut gate = layer.gate.apply(&input)?;
        let up = layer.up.apply(&input)?;
        if self.shape.family == Family::Gemma3 {
            gelu_gate(&mut gate, &up);
        } else {
            silu_gate(&mut gate, &up);
        }
        let mut output = layer.down.apply(&gate)?;
        if let Some(norm) = &layer.post_feed_forward_norm {
            root_mean_square_norm(&mut output, norm, self.shape.epsilon);
        }
        add(states, &output);
        Ok(())
    }
}
