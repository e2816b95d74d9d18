//! The shape of a BERT-family model, from `config.json` or from its tensors.

use std::path::Path;

use serde::Deserialize;

use super::{BertWeights, WeightsError};

/// Largest accepted `config.json`.
const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// More layers than any model of this family has.
const MAX_LAYERS: usize = 256;

/// The shape of a BERT-family encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BertConfig {
    /// Encoder layers.
    pub layers: usize,
    /// Numbers per token vector.
    pub hidden: usize,
    /// Attention heads per layer.
    pub heads: usize,
    /// Numbers per token between the two feed-forward products.
    pub intermediate: usize,
    /// Rows of the word embedding table.
    pub vocabulary: usize,
    /// Rows of the position embedding table: the longest input in tokens.
    pub positions: usize,
    /// Rows of the token type table.
    pub types: usize,
    /// The small number added to a variance before its root is taken.
    pub layer_norm_eps: f64,
}

/// The fields of `config.json` that tensors cannot tell.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ConfigFile {
    num_attention_heads: Option<usize>,
    layer_norm_eps: Option<f64>,
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
}

impl ConfigFile {
    /// The values of a format that carries them itself.
    pub(super) fn of(heads: usize, layer_norm_eps: f64) -> Self {
        Self {
            num_attention_heads: Some(heads),
            layer_norm_eps: Some(layer_norm_eps),
            ..Self::default()
        }
    }

    pub(super) fn read(path: &Path) -> Result<Self, WeightsError> {
        let malformed = |reason: String| WeightsError::Malformed {
            path: path.to_owned(),
            format: "config.json",
            reason,
        };
        if fs_err::metadata(path)?.len() > MAX_CONFIG_BYTES {
            return Err(malformed(format!("more than {MAX_CONFIG_BYTES} bytes")));
        }
        let text = fs_err::read(path)?;
        let config: Self = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
        let activation = config.hidden_act.as_deref().unwrap_or("gelu");
        if activation != "gelu" {
            return Err(malformed(format!(
                "activation `{activation}`, only gelu is supported"
            )));
        }
        let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
        if positions != "absolute" {
            return Err(malformed(format!(
                "position embeddings `{positions}`, only absolute ones are supported"
            )));
        }
        Ok(config)
    }
}

impl BertConfig {
    /// Reads the shape off the tensors, and the rest from `file` where there is one.
    pub(super) fn infer(weights: &BertWeights, file: &ConfigFile) -> Result<Self, WeightsError> {
        let (vocabulary, hidden) = weights.matrix_shape("embeddings.word_embeddings.weight")?;
        let (positions, _) = weights.matrix_shape("embeddings.position_embeddings.weight")?;
        let (types, _) = weights.matrix_shape("embeddings.token_type_embeddings.weight")?;
        let (intermediate, _) = weights.matrix_shape("encoder.layer.0.intermediate.dense.weight")?;
        let has_layer = |layer: &usize| weights.has(&format!("encoder.layer.{layer}.output.dense.weight"));
        let heads = file.num_attention_heads.unwrap_or_else(|| usual_heads(hidden));
        if heads == 0 || hidden % heads != 0 {
            return Err(weights.malformed(format!("{heads} heads do not divide {hidden} numbers")));
        }
        Ok(Self {
            layers: (0..MAX_LAYERS).take_while(has_layer).count(),
            hidden,
            heads,
            intermediate,
            vocabulary,
            positions,
            types,
            layer_norm_eps: file.layer_norm_eps.unwrap_or(1e-12),
        })
    }
}

/// Heads of a model without `config.json`: 64 numbers per head as in BERT, except for the small distilled
/// models of width 384 and 312, which have 12 heads.
fn usual_heads(hidden: usize) -> usize {
    match hidden {
        312 | 384 => 12,
        _ => (hidden / 64).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_those_of_the_published_models() {
        for (hidden, heads) in [
            (128, 2),
            (256, 4),
            (312, 12),
            (384, 12),
            (512, 8),
            (768, 12),
            (1024, 16),
        ] {
            assert_eq!(usual_heads(hidden), heads, "{hidden}");
        }
    }

    #[test]
    fn unsupported_architectures_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        for (text, part) in [
            (r#"{"hidden_act": "relu"}"#, "relu"),
            (r#"{"position_embedding_type": "relative_key"}"#, "relative_key"),
            ("{", "config.json"),
        ] {
            fs_err::write(&path, text).unwrap();
            let error = ConfigFile::read(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
