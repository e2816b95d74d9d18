//! The classification head of a cross-encoder: pooler, tanh, one output.

use crate::weights::{BertWeights, WeightsError};

/// Partial sums of a dot product, so that the compiler may use vectors in a fixed order of addition.
const PARTS: usize = 16;

/// Weights of the head.
#[derive(Debug)]
pub(crate) struct ClassifierHead {
    pooler: Vec<f32>,
    pooler_bias: Vec<f32>,
    classifier: Vec<f32>,
    bias: f32,
}

impl ClassifierHead {
    /// Loads the head if the model has one with a single output.
    pub(super) fn load(weights: &BertWeights) -> Result<Option<Self>, WeightsError> {
        if !weights.has("classifier.weight") {
            return Ok(None);
        }
        let hidden = weights.config().hidden;
        let bias = weights.values("classifier.bias", &[1])?;
        Ok(Some(Self {
            pooler: weights.values("pooler.dense.weight", &[hidden, hidden])?,
            pooler_bias: weights.values("pooler.dense.bias", &[hidden])?,
            classifier: weights.values("classifier.weight", &[1, hidden])?,
            bias: bias[0],
        }))
    }

    /// The model's output for a pair whose first token has the vector `first`.
    pub(super) fn score(&self, first: &[f32]) -> f32 {
        let rows = self.pooler.chunks_exact(first.len());
        let pooled: Vec<f32> = rows
            .zip(&self.pooler_bias)
            .map(|(row, bias)| (dot(row, first) + bias).tanh())
            .collect();
        dot(&self.classifier, &pooled) + self.bias
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut parts = [0.0f32; PARTS];
    for (a, b) in a.chunks_exact(PARTS).zip(b.chunks_exact(PARTS)) {
        for lane in 0..PARTS {
            parts[lane] += a[lane] * b[lane];
        }
    }
    parts.iter().sum()
}
