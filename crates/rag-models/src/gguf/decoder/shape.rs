//! The shape of a decoder: what the metadata says of its layers, checked and bounded.

use super::super::error::GgufError;
use super::super::header::Header;

/// A family of architectures that differ in what [`Shape`] does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Family {
    Llama,
    Qwen2,
    Qwen3,
    Gemma3,
}

impl Family {
    fn of(name: &str) -> Result<Self, GgufError> {
        match name {
            "llama" => Ok(Self::Llama),
            "qwen2" => Ok(Self::Qwen2),
            "qwen3" => Ok(Self::Qwen3),
            "gemma3" => Ok(Self::Gemma3),
            other => Err(GgufError::UnknownFamily(other.to_owned())),
        }
    }
}

/// How positions turn queries and keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Rotation {
    /// Base of the frequencies.
    pub(in super::super) base: f32,
    /// What positions are divided by.
    pub(in super::super) stretch: f32,
}

/// Layers that see only the last tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Window {
    /// Tokens seen.
    pub(in super::super) tokens: usize,
    /// Every so many layers, the last of them sees everything.
    pub(in super::super) pattern: usize,
}

/// The numbers of a decoder.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Shape {
    pub(in super::super) family: Family,
    pub(in super::super) layers: usize,
    pub(in super::super) hidden: usize,
    pub(in super::super) heads: usize,
    pub(in super::super) kv_heads: usize,
    pub(in super::super) head_size: usize,
    pub(in super::super) feed_forward: usize,
    pub(in super::super) vocabulary: usize,
    /// Tokens the model was made for.
    pub(in super::super) context: usize,
    pub(in super::super) epsilon: f32,
    /// What products of queries and keys are multiplied by.
    pub(in super::super) attention_scale: f32,
    /// Rotation of layers that see everything.
    pub(in super::super) rotation: Rotation,
    /// Rotation of layers with a window.
    pub(in super::super) local_rotation: Rotation,
    pub(in super::super) window: Option<Window>,
}

impl Shape {
    /// Reads the shape of the model that the header describes.
    pub(in super::super) fn read(header: &Header) -> Result<Self, GgufError> {
        let architecture = header
            .text("general.architecture")
            .ok_or_else(|| GgufError::Missing("general.architecture".into()))?;
        let family = Family::of(architecture)?;
        let keys = Keys { header, architecture };
        keys.refuse_unserved()?;
        let (hidden, heads) = (
            keys.bounded("embedding_length", 1 << 16)?,
            keys.bounded("attention.head_count", 1 << 10)?,
        );
        let head_size = keys.or("attention.key_length", hidden / heads, 1 << 10)?;
        let kv_heads = keys.or("attention.head_count_kv", heads, heads)?;
        for (key, expected) in [
            ("attention.value_length", head_size),
            ("rope.dimension_count", head_size),
        ] {
            if keys.or(key, expected, 1 << 10)? != expected {
                return Err(GgufError::Unsupported(format!(
                    "another `{key}` than {head_size}"
                )));
            }
        }
        if !heads.is_multiple_of(kv_heads) || !head_size.is_multiple_of(2) {
            let reason = format!("{heads} heads of {head_size} numbers over {kv_heads} key heads");
            return Err(GgufError::Unsupported(reason));
        }
        let embedding = header.tensor("token_embd.weight").map(|info| &info.shape[..]);
        let Some(&[vocabulary @ 1..=1_048_576, _]) = embedding else {
            return Err(GgufError::Missing("token_embd.weight".into()));
        };
        let layers = keys.bounded("block_count", 512)?;
        let default_base = if family == Family::Gemma3 { 1e6 } else { 1e4 };
        Ok(Self {
            family,
            layers,
            hidden,
            heads,
            kv_heads,
            head_size,
            feed_forward: keys.bounded("feed_forward_length", 1 << 18)?,
            vocabulary,
            context: keys.bounded("context_length", 1 << 24)?,
            epsilon: keys.positive("attention.layer_norm_rms_epsilon", None)?,
            attention_scale: attention_scale(family, layers, hidden / heads, head_size),
            rotation: Rotation {
                base: keys.positive("rope.freq_base", Some(default_base))?,
                stretch: keys.stretch()?,
            },
            local_rotation: Rotation {
                base: keys.positive("rope.local_freq_base", Some(1e4))?,
                stretch: 1.0,
            },
            window: keys.window(family)?,
        })
    }

    /// The window of a layer, if it has one.
    pub(in super::super) fn window_of(&self, layer: usize) -> Option<usize> {
        let window = self.window?;
        (!(layer + 1).is_multiple_of(window.pattern)).then_some(window.tokens)
    }

    /// Numbers of a token's keys, as of its values.
    pub(in super::super) fn kv_size(&self) -> usize {
        self.kv_heads * self.head_size
    }
}

/// The largest Gemma 3, of 62 layers, scales by the width of a head of the hidden state; its metadata does not
/// say so.
fn attention_scale(family: Family, layers: usize, hidden_per_head: usize, head_size: usize) -> f32 {
    let is_largest = family == Family::Gemma3 && layers == 62;
    let size = if is_largest { hidden_per_head } else { head_size };
    1.0 / (size as f32).sqrt()
}

/// The entries of one architecture.
struct Keys<'h> {
    header: &'h Header,
    architecture: &'h str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    fn bounded(&self, name: &str, limit: usize) -> Result<usize, GgufError> {
        let key = self.key(name);
        let Some(value) = self.header.count(&key).filter(|&value| value > 0) else {
            return Err(GgufError::Missing(key));
        };
        if value > limit {
            return Err(GgufError::TooLarge {
                what: format!("`{key}` ({value})"),
                limit: limit as u64,
            });
        }
        Ok(value)
    }

    fn or(&self, name: &str, default: usize, limit: usize) -> Result<usize, GgufError> {
        if self.header.has(&self.key(name)) {
            return self.bounded(name, limit);
        }
        if default == 0 {
            return Err(GgufError::Missing(self.key(name)));
        }
        Ok(default)
    }

    fn positive(&self, name: &str, default: Option<f32>) -> Result<f32, GgufError> {
        let key = self.key(name);
        let value = if self.header.has(&key) {
            self.header.float(&key)
        } else {
            default
        };
        value.filter(|value| *value > 0.0).ok_or(GgufError::Missing(key))
    }

    /// What positions are divided by: linear scaling, the only kind that is the same at every length beside
    /// the factors of `rope_freqs.weight`.
    fn stretch(&self) -> Result<f32, GgufError> {
        match self.header.text(&self.key("rope.scaling.type")) {
            None | Some("none" | "") => Ok(1.0),
            Some("linear") => self.positive("rope.scaling.factor", Some(1.0)),
            Some(other) => Err(GgufError::Unsupported(format!("rotary scaling `{other}`"))),
        }
    }

    fn window(&self, family: Family) -> Result<Option<Window>, GgufError> {
        if family != Family::Gemma3 {
            return Ok(None);
        }
        Ok(Some(Window {
            tokens: self.bounded("attention.sliding_window", 1 << 24)?,
            pattern: self.or("attention.sliding_window_pattern", 6, 512)?,
        }))
    }

    fn refuse_unserved(&self) -> Result<(), GgufError> {
        for name in [
            "expert_count",
            "attn_logit_softcapping",
            "final_logit_softcapping",
        ] {
            let key = self.key(name);
            let is_off = self.header.count(&key) == Some(0) || self.header.float(&key) == Some(0.0);
            if self.header.has(&key) && !is_off {
                return Err(GgufError::Unsupported(format!("`{key}`")));
            }
        }
        Ok(())
    }
}
