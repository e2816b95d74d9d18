//! The weights of a decoder, read from a mapped file with every shape checked against the metadata.

use std::sync::Arc;

use candle_core::quantized::ggml_file::qtensor_from_ggml;
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};

use super::super::error::GgufError;
use super::super::header::{Header, tensor_error};
use super::blocks::{BlockMatrix, RoundedRows};
use super::shape::{Family, Shape};

/// A matrix, quantised as in the file, with its bias if it has one.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    weight: Arc<Weight>,
    bias: Option<Vec<f32>>,
    inputs: usize,
}

/// The numbers of a matrix, by who multiplies them.
#[derive(Debug)]
enum Weight {
    /// We do.
    Blocks(BlockMatrix),
    /// Candle does: floats, and the formats of 256 numbers a block.
    Candle(QMatMul),
}

impl Weight {
    /// Multiplies rows of `inputs` numbers.
    fn apply(&self, rows: &[f32], inputs: usize) -> Result<Vec<f32>, GgufError> {
        match self {
            Self::Blocks(matrix) => Ok(matrix.apply(&RoundedRows::round(rows))),
            Self::Candle(matrix) => {
                let input = Tensor::from_slice(rows, (rows.len() / inputs, inputs), &Device::Cpu)?;
                Ok(matrix.forward(&input)?.flatten_all()?.to_vec1::<f32>()?)
            }
        }
    }

    /// The rows of the matrix by their numbers, one after another.
    fn rows(&self, numbers: &[u32]) -> Result<Vec<f32>, GgufError> {
        match self {
            Self::Blocks(matrix) => {
                let mut rows = Vec::new();
                for &number in numbers {
                    let row = matrix.row(number as usize);
                    rows.extend(row.ok_or_else(|| tensor_error("token_embd", "it has no such row"))?);
                }
                Ok(rows)
            }
            Self::Candle(matrix) => {
                let ids = Tensor::new(numbers, &Device::Cpu)?;
                Ok(matrix.embedding(&ids)?.flatten_all()?.to_vec1::<f32>()?)
            }
        }
    }
}

impl Linear {
    /// Multiplies rows of inputs; gives rows of outputs.
    pub(super) fn apply(&self, rows: &[f32]) -> Result<Vec<f32>, GgufError> {
        let mut output = self.weight.apply(rows, self.inputs)?;
        if let Some(bias) = &self.bias {
            for row in output.chunks_exact_mut(bias.len()) {
                super::arithmetic::add(row, bias);
            }
        }
        Ok(output)
    }
}

/// The weights of one layer.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) attention_norm: Vec<f32>,
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) output: Linear,
    /// Norms of each head's query and key.
    pub(super) head_norms: Option<(Vec<f32>, Vec<f32>)>,
    pub(super) post_attention_norm: Option<Vec<f32>>,
    pub(super) feed_forward_norm: Vec<f32>,
    pub(super) gate: Linear,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) post_feed_forward_norm: Option<Vec<f32>>,
}

/// All weights.
#[derive(Debug)]
pub(super) struct Weights {
    embedding: Linear,
    pub(super) layers: Vec<Layer>,
    pub(super) norm: Vec<f32>,
    pub(super) head: Linear,
    /// What the frequencies of rotation are divided by, for models stretched beyond their first context.
    pub(super) frequency_factors: Option<Vec<f32>>,
}

impl Weights {
    /// Reads the weights of a model of this shape.
    pub(super) fn read(file: &[u8], header: &Header, shape: &Shape) -> Result<Self, GgufError> {
        let source = Source { file, header };
        let sides = [shape.vocabulary, shape.hidden];
        let embedding = source.linear("token_embd", sides)?;
        let head = if header.tensor("output.weight").is_some() {
            source.linear("output", sides)?
        } else {
            embedding.clone()
        };
        let layers = (0..shape.layers).map(|layer| source.layer(layer, shape));
        Ok(Self {
            layers: layers.collect::<Result<_, _>>()?,
            embedding,
            norm: source.vector("output_norm.weight", shape.hidden)?,
            head,
            frequency_factors: source.optional_vector("rope_freqs.weight", shape.head_size / 2)?,
        })
    }

    /// The first hidden states of tokens, whose ids must be below the vocabulary's size.
    pub(super) fn embed(&self, tokens: &[u32]) -> Result<Vec<f32>, GgufError> {
        self.embedding.weight.rows(tokens)
    }
}

/// Where tensors come from.
struct Source<'f> {
    file: &'f [u8],
    header: &'f Header,
}

impl Source<'_> {
    fn layer(&self, layer: usize, shape: &Shape) -> Result<Layer, GgufError> {
        let name = |part: &str| format!("blk.{layer}.{part}");
        let linear = |part: &str, outputs, inputs| self.linear(&name(part), [outputs, inputs]);
        let vector = |part: &str, length| self.vector(&name(part), length);
        let (hidden, query) = (shape.hidden, shape.heads * shape.head_size);
        let has_head_norms = matches!(shape.family, Family::Qwen3 | Family::Gemma3);
        let post_norm = |part: &str| {
            let is_there = shape.family == Family::Gemma3;
            is_there.then(|| vector(part, hidden)).transpose()
        };
        Ok(Layer {
            attention_norm: vector("attn_norm.weight", hidden)?,
            query: linear("attn_q", query, hidden)?,
            key: linear("attn_k", shape.kv_size(), hidden)?,
            value: linear("attn_v", shape.kv_size(), hidden)?,
            output: linear("attn_output", hidden, query)?,
            head_norms: if has_head_norms {
                Some((
                    vector("attn_q_norm.weight", shape.head_size)?,
                    vector("attn_k_norm.weight", shape.head_size)?,
                ))
            } else {
                None
            },
            post_attention_norm: post_norm("post_attention_norm.weight")?,
            feed_forward_norm: vector("ffn_norm.weight", hidden)?,
            gate: linear("ffn_gate", shape.feed_forward, hidden)?,
            up: linear("ffn_up", shape.feed_forward, hidden)?,
            down: linear("ffn_down", hidden, shape.feed_forward)?,
            post_feed_forward_norm: post_norm("post_ffw_norm.weight")?,
        })
    }

    fn linear(&self, name: &str, sides: [usize; 2]) -> Result<Linear, GgufError> {
        let weight = self.matrix(&format!("{name}.weight"), &sides)?;
        Ok(Linear {
            bias: self.optional_vector(&format!("{name}.bias"), sides[0])?,
            inputs: sides[1],
            weight: Arc::new(weight),
        })
    }

    fn optional_vector(&self, name: &str, length: usize) -> Result<Option<Vec<f32>>, GgufError> {
        let is_there = self.header.tensor(name).is_some();
        is_there.then(|| self.vector(name, length)).transpose()
    }

    fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, GgufError> {
        let tensor = self.tensor(name, &[length])?;
        Ok(tensor.dequantize(&Device::Cpu)?.to_vec1::<f32>()?)
    }

    fn matrix(&self, name: &str, sides: &[usize; 2]) -> Result<Weight, GgufError> {
        let (kind, bytes) = self.bytes(name, sides)?;
        Ok(match BlockMatrix::pack(kind, bytes, sides[1]) {
            Some(matrix) => Weight::Blocks(matrix),
            None => Weight::Candle(QMatMul::from_qtensor(self.tensor(name, sides)?)?),
        })
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<QTensor, GgufError> {
        let (kind, bytes) = self.bytes(name, shape)?;
        Ok(qtensor_from_ggml(kind, bytes, shape.to_vec(), &Device::Cpu)?)
    }

    /// The type and the bytes of a tensor, which must have this shape.
    fn bytes(&self, name: &str, shape: &[usize]) -> Result<(GgmlDType, &[u8]), GgufError> {
        let info = self
            .header
            .tensor(name)
            .ok_or_else(|| tensor_error(name, "it is missing"))?;
        if info.shape != shape {
            let reason = format!("its shape is {:?}, expected {shape:?}", info.shape);
            return Err(tensor_error(name, reason));
        }
        let kind = element_type(info.kind).ok_or_else(|| {
            GgufError::Unsupported(format!("tensor `{name}` of element type {}", info.kind))
        })?;
        let elements: usize = shape.iter().product();
        if !shape[shape.len() - 1].is_multiple_of(kind.block_size()) {
            return Err(tensor_error(
                name,
                format!("its rows are no whole blocks of {kind:?}"),
            ));
        }
        let length = elements / kind.block_size() * kind.type_size();
        let range = self
            .header
            .tensor_range(info, length, self.file.len())
            .ok_or_else(|| tensor_error(name, "the file ends before it does"))?;
        Ok((kind, &self.file[range]))
    }
}

/// The format's numbers of element types.
fn element_type(number: u32) -> Option<GgmlDType> {
    Some(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}
