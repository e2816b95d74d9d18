//! One encoder layer: attention and feed-forward, each followed by residual and normalisation.

use super::Tokens;
use super::attention::{AttentionScratch, AttentionShape};
use super::gemm::Finish;
use super::kernels::{EncodedRows, Kernels};
use super::matrix::PackedMatrix;
use crate::identity::Precision;
use crate::weights::{BertWeights, WeightsError};

/// Tokens that pass through a product at a time: their activations stay in the second-level cache.
const BLOCK_TOKENS: usize = 96;

/// Scale and shift of a normalisation.
#[derive(Debug)]
pub(super) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    pub(super) fn load(weights: &BertWeights, name: &str) -> Result<Self, WeightsError> {
        let hidden = weights.config().hidden;
        Ok(Self {
            weight: weights.values(&format!("{name}.weight"), &[hidden])?,
            bias: weights.values(&format!("{name}.bias"), &[hidden])?,
            epsilon: weights.config().layer_norm_eps as f32,
        })
    }

    pub(super) fn apply(&self, kernels: &Kernels, rows: &mut [f32]) {
        kernels.layer_norm(rows, &self.weight, &self.bias, self.epsilon);
    }
}

/// The weights of one layer.
#[derive(Debug)]
pub(super) struct Layer {
    query_key_value: PackedMatrix,
    attention_output: PackedMatrix,
    attention_norm: Norm,
    intermediate: PackedMatrix,
    output: PackedMatrix,
    output_norm: Norm,
    heads: usize,
}

/// Reusable memory of one thread.
#[derive(Debug, Default)]
pub(super) struct LayerScratch {
    qkv: Vec<f32>,
    context: Vec<f32>,
    wide: Vec<f32>,
    encoded: EncodedRows,
    attention: AttentionScratch,
}

impl Layer {
    pub(super) fn load(
        weights: &BertWeights,
        layer: usize,
        kernels: &Kernels,
        precision: Precision,
    ) -> Result<Self, WeightsError> {
        let config = *weights.config();
        let (hidden, wide) = (config.hidden, config.intermediate);
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let linear = |part: &str, rows: usize, columns: usize| {
            let weight = weights.values(&name(&format!("{part}.weight")), &[rows, columns])?;
            let bias = weights.values(&name(&format!("{part}.bias")), &[rows])?;
            Ok::<_, WeightsError>((weight, bias))
        };
        let packed = |part: &str, rows: usize, columns: usize| {
            let (weight, bias) = linear(part, rows, columns)?;
            Ok::<_, WeightsError>(PackedMatrix::new(
                &weight,
                &bias,
                columns,
                precision,
                kernels.width,
            ))
        };
        let (mut weight, mut bias) = linear("attention.self.query", hidden, hidden)?;
        let scale = std::f32::consts::LOG2_E / ((hidden / config.heads) as f32).sqrt();
        for value in weight.iter_mut().chain(&mut bias) {
            *value *= scale;
        }
        for part in ["attention.self.key", "attention.self.value"] {
            let (more_weight, more_bias) = linear(part, hidden, hidden)?;
            weight.extend(more_weight);
            bias.extend(more_bias);
        }
        Ok(Self {
            query_key_value: PackedMatrix::new(&weight, &bias, hidden, precision, kernels.width),
            attention_output: packed("attention.output.dense", hidden, hidden)?,
            attention_norm: Norm::load(weights, &name("attention.output.LayerNorm"))?,
            intermediate: packed("intermediate.dense", wide, hidden)?,
            output: packed("output.dense", hidden, wide)?,
            output_norm: Norm::load(weights, &name("output.LayerNorm"))?,
            heads: config.heads,
        })
    }

    /// Applies the layer in place to the packed rows of `states`; `lengths` are the sequences' tokens. When only
    /// first tokens are wanted, `states` has one row per sequence afterwards.
    pub(super) fn apply(
        &self,
        kernels: &Kernels,
        lengths: &[usize],
        tokens: Tokens,
        states: &mut Vec<f32>,
        scratch: &mut LayerScratch,
    ) {
        let hidden = self.attention_output.outputs;
        let wide = self.intermediate.outputs;
        scratch.qkv.resize(states.len() * 3, 0.0);
        scratch.context.resize(states.len(), 0.0);
        scratch.wide.resize(BLOCK_TOKENS * wide, 0.0);
        let LayerScratch {
            qkv,
            context,
            wide: wide_rows,
            encoded,
            attention,
        } = scratch;
        let block = BLOCK_TOKENS * hidden;
        for (states, qkv) in states.chunks(block).zip(qkv.chunks_mut(3 * block)) {
            kernels.encode_rows(states, hidden, encoded);
            kernels.multiply(&self.query_key_value, encoded, Finish::Store, qkv);
        }
        self.attend(kernels, lengths, tokens, qkv, context, attention);
        if tokens == Tokens::First {
            keep_first_rows(lengths, hidden, context);
            keep_first_rows(lengths, hidden, states);
        }
        for (states, context) in states.chunks_mut(block).zip(context.chunks(block)) {
            kernels.encode_rows(context, hidden, encoded);
            kernels.multiply(&self.attention_output, encoded, Finish::AddTo, states);
            self.attention_norm.apply(kernels, states);
            let wide_rows = &mut wide_rows[..states.len() / hidden * wide];
            kernels.encode_rows(states, hidden, encoded);
            kernels.multiply(&self.intermediate, encoded, Finish::Gelu, wide_rows);
            kernels.encode_rows(wide_rows, wide, encoded);
            kernels.multiply(&self.output, encoded, Finish::AddTo, states);
            self.output_norm.apply(kernels, states);
        }
    }

    fn attend(
        &self,
        kernels: &Kernels,
        lengths: &[usize],
        tokens: Tokens,
        qkv: &[f32],
        context: &mut [f32],
        scratch: &mut AttentionScratch,
    ) {
        let hidden = self.attention_output.outputs;
        let mut first = 0;
        for &length in lengths {
            let shape = AttentionShape {
                length,
                queries: match tokens {
                    Tokens::All => length,
                    Tokens::First => 1,
                },
                heads: self.heads,
                head: hidden / self.heads,
            };
            let rows = first * hidden..(first + length) * hidden;
            let qkv = &qkv[rows.start * 3..rows.end * 3];
            kernels.attend(shape, qkv, &mut context[rows], scratch);
            first += length;
        }
    }
}

/// Moves the first row of each sequence together and drops the others.
fn keep_first_rows(lengths: &[usize], width: usize, rows: &mut Vec<f32>) {
    let mut first = 0;
    for (sequence, length) in lengths.iter().enumerate() {
        rows.copy_within(first * width..(first + 1) * width, sequence * width);
        first += length;
    }
    rows.truncate(lengths.len() * width);
}
