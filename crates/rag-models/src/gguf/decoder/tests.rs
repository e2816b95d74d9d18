//! Tiny seeded models of each family, against candle's own model of the family on the same file.

use std::io::Cursor;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Result, Tensor};
use candle_transformers::models::{quantized_gemma3, quantized_llama, quantized_qwen2, quantized_qwen3};

use super::super::header::Header;
use super::{Decoder, Memory, Shape};

const HIDDEN: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD_SIZE: usize = 32;
const FEED_FORWARD: usize = 96;
const VOCABULARY: usize = 40;
const LAYERS: usize = 2;

/// Numbers that look random and are the same everywhere.
fn numbers(name: &str, shape: &[usize], spread: f32, centre: f32) -> Tensor {
    let mut state = name
        .bytes()
        .fold(17u64, |hash, byte| hash.wrapping_mul(31) + u64::from(byte));
    let values: Vec<f32> = (0..shape.iter().product())
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            centre + spread * ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5)
        })
        .collect();
    Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
}

/// A model file. Head sizes are as families have them: Llama and Qwen 2 divide the hidden state.
struct Sample {
    family: &'static str,
    metadata: Vec<(String, Value)>,
    kind: GgmlDType,
    /// Whether the file has the numbers of that type as floats, so that products of them are exact.
    is_exact: bool,
}

impl Sample {
    fn new(family: &'static str, kind: GgmlDType) -> Self {
        let head_size = if Self::divides(family) {
            HIDDEN / HEADS
        } else {
            HEAD_SIZE
        };
        let number = |name: &str, value: usize| (format!("{family}.{name}"), Value::U32(value as u32));
        let mut metadata = vec![
            (
                "general.architecture".to_owned(),
                Value::String(family.to_owned()),
            ),
            // Without it candle computes the rotation of Qwen 3 in f16.
            ("general.dtype".to_owned(), Value::U32(0)),
            number("block_count", LAYERS),
            number("embedding_length", HIDDEN),
            number("feed_forward_length", FEED_FORWARD),
            number("attention.head_count", HEADS),
            number("attention.head_count_kv", KV_HEADS),
            number("context_length", 512),
            number("attention.key_length", head_size),
            number("attention.value_length", head_size),
            number("rope.dimension_count", head_size),
            (
                format!("{family}.attention.layer_norm_rms_epsilon"),
                Value::F32(1e-5),
            ),
            (format!("{family}.rope.freq_base"), Value::F32(1000.0)),
        ];
        if family == "gemma3" {
            metadata.push(number("attention.sliding_window", 256));
        }
        Self {
            family,
            metadata,
            kind,
            is_exact: false,
        }
    }

    /// The same numbers as floats.
    fn exact(family: &'static str, kind: GgmlDType) -> Self {
        Self {
            is_exact: true,
            ..Self::new(family, kind)
        }
    }

    fn divides(family: &str) -> bool {
        matches!(family, "llama" | "qwen2")
    }

    fn set(mut self, name: &str, value: Value) -> Self {
        let key = format!("{}.{name}", self.family);
        self.metadata.retain(|(known, _)| *known != key);
        self.metadata.push((key, value));
        self
    }

    fn tensors(&self) -> Vec<(String, QTensor)> {
        let head_size = if Self::divides(self.family) {
            HIDDEN / HEADS
        } else {
            HEAD_SIZE
        };
        let (query, kv) = (HEADS * head_size, KV_HEADS * head_size);
        let matrix = |name: String, rows: usize, columns: usize| {
            // candle's Gemma 3 has SiLU where the published model has GELU; near zero they are the same.
            let is_gate = self.family == "gemma3" && name.contains("ffn_gate");
            let values = numbers(&name, &[rows, columns], if is_gate { 0.002 } else { 0.6 }, 0.0);
            let stored = QTensor::quantize(&values, self.kind).unwrap();
            if self.is_exact {
                let numbers = stored.dequantize(&Device::Cpu).unwrap();
                return (name, QTensor::quantize(&numbers, GgmlDType::F32).unwrap());
            }
            (name, stored)
        };
        let vector = |name: String, length: usize| {
            let values = numbers(&name, &[length], 0.5, 1.0);
            (name, QTensor::quantize(&values, GgmlDType::F32).unwrap())
        };
        let mut tensors = vec![
            matrix("token_embd.weight".into(), VOCABULARY, HIDDEN),
            vector("output_norm.weight".into(), HIDDEN),
        ];
        for layer in 0..LAYERS {
            let name = |part: &str| format!("blk.{layer}.{part}");
            tensors.push(vector(name("attn_norm.weight"), HIDDEN));
            tensors.push(vector(name("ffn_norm.weight"), HIDDEN));
            tensors.push(matrix(name("attn_q.weight"), query, HIDDEN));
            tensors.push(matrix(name("attn_k.weight"), kv, HIDDEN));
            tensors.push(matrix(name("attn_v.weight"), kv, HIDDEN));
            tensors.push(matrix(name("attn_output.weight"), HIDDEN, query));
            tensors.push(matrix(name("ffn_gate.weight"), FEED_FORWARD, HIDDEN));
            tensors.push(matrix(name("ffn_up.weight"), FEED_FORWARD, HIDDEN));
            tensors.push(matrix(name("ffn_down.weight"), HIDDEN, FEED_FORWARD));
            if self.family == "qwen2" {
                tensors.push(vector(name("attn_q.bias"), query));
                tensors.push(vector(name("attn_k.bias"), kv));
                tensors.push(vector(name("attn_v.bias"), kv));
            }
            if !Self::divides(self.family) {
                tensors.push(vector(name("attn_q_norm.weight"), head_size));
                tensors.push(vector(name("attn_k_norm.weight"), head_size));
            }
            if self.family == "gemma3" {
                tensors.push(vector(name("post_attention_norm.weight"), HIDDEN));
                tensors.push(vector(name("post_ffw_norm.weight"), HIDDEN));
            }
        }
        tensors
    }

    fn file(&self) -> Vec<u8> {
        let metadata: Vec<(&str, &Value)> = self
            .metadata
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        let tensors = self.tensors();
        let tensors: Vec<(&str, &QTensor)> = tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
            .collect();
        let mut file = Cursor::new(Vec::new());
        gguf_file::write(&mut file, &metadata, &tensors).unwrap();
        file.into_inner()
    }
}

fn decoder(file: &[u8]) -> Decoder {
    let header = Header::read(file).unwrap();
    let shape = Shape::read(&header).unwrap();
    Decoder::read(file, &header, shape).unwrap()
}

type Forward = Box<dyn FnMut(&Tensor, usize) -> Result<Tensor>>;

/// candle's logits behind the first `prefix` tokens and behind each token after them.
fn candle_logits(family: &str, file: &[u8], tokens: &[u32], prefix: usize) -> Result<Vec<Vec<f32>>> {
    let mut reader = Cursor::new(file);
    let content = gguf_file::Content::read(&mut reader)?;
    let device = &Device::Cpu;
    let mut forward: Forward = match family {
        "llama" => {
            let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut reader, device)?;
            Box::new(move |ids, at| model.forward(ids, at))
        }
        "qwen2" => {
            let mut model = quantized_qwen2::ModelWeights::from_gguf(content, &mut reader, device)?;
            Box::new(move |ids, at| model.forward(ids, at))
        }
        "qwen3" => {
            let mut model = quantized_qwen3::ModelWeights::from_gguf(content, &mut reader, device)?;
            Box::new(move |ids, at| model.forward(ids, at))
        }
        _ => {
            let mut model = quantized_gemma3::ModelWeights::from_gguf(content, &mut reader, device)?;
            Box::new(move |ids, at| model.forward(ids, at))
        }
    };
    let mut run = |from: usize, to: usize| {
        let ids = Tensor::new(&tokens[from..to], device)?.unsqueeze(0)?;
        forward(&ids, from)?.flatten_all()?.to_vec1::<f32>()
    };
    let mut logits = vec![run(0, prefix)?];
    for at in prefix..tokens.len() {
        logits.push(run(at, at + 1)?);
    }
    Ok(logits)
}

/// Our logits in the same places.
fn own_logits(decoder: &Decoder, tokens: &[u32], prefix: usize) -> Vec<Vec<f32>> {
    let mut memory = Memory::default();
    let mut logits = vec![decoder.read_tokens(&mut memory, &tokens[..prefix]).unwrap()];
    for token in &tokens[prefix..] {
        logits.push(decoder.read_tokens(&mut memory, &[*token]).unwrap());
    }
    logits
}

/// The largest difference, relative to the spread of the logits.
fn difference(a: &[Vec<f32>], b: &[Vec<f32>]) -> f32 {
    let pairs = || a.iter().flatten().zip(b.iter().flatten());
    let largest = pairs().map(|(a, _)| a.abs()).fold(0.0, f32::max);
    pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / largest
}

const TOKENS: [u32; 12] = [1, 7, 39, 0, 12, 12, 5, 30, 22, 3, 17, 8];

#[test]
fn every_family_gives_the_logits_of_candles_model() {
    for family in ["llama", "qwen2", "qwen3", "gemma3"] {
        let file = Sample::new(family, GgmlDType::F32).file();
        let expected = candle_logits(family, &file, &TOKENS, 8).unwrap();
        let found = own_logits(&decoder(&file), &TOKENS, 8);
        let difference = difference(&expected, &found);
        assert!(difference < 1e-3, "{family}: {difference}");
    }
}

/// Both round activations, so that neither is exact, and what a rounding tips over grows from layer to layer.
#[test]
fn quantised_models_are_as_near_to_exact_logits_as_candles() {
    for kind in [GgmlDType::Q8_0, GgmlDType::Q4_1, GgmlDType::Q5_0] {
        let (mut own, mut candles) = (0.0, 0.0);
        for family in ["llama", "qwen2", "qwen3", "gemma3"] {
            let exact = Sample::exact(family, kind).file();
            let exact = candle_logits(family, &exact, &TOKENS, 8).unwrap();
            let file = Sample::new(family, kind).file();
            own += difference(&exact, &own_logits(&decoder(&file), &TOKENS, 8));
            candles += difference(&exact, &candle_logits(family, &file, &TOKENS, 8).unwrap());
        }
        assert!(own < 1.2 * candles + 4e-3, "{kind:?}: {own}, candle's {candles}");
        assert!(own < 0.2, "{kind:?}: {own}");
    }
}

#[test]
fn reading_in_parts_gives_what_reading_at_once_gives() {
    let tokens: Vec<u32> = (0..600).map(|at| (at * 7 % VOCABULARY) as u32).collect();
    for family in ["llama", "gemma3"] {
        let decoder = decoder(&Sample::new(family, GgmlDType::F32).file());
        let mut memory = Memory::default();
        let at_once = vec![decoder.read_tokens(&mut memory, &tokens).unwrap()];
        memory.clear();
        decoder.read_tokens(&mut memory, &tokens[..100]).unwrap();
        let in_parts = vec![decoder.read_tokens(&mut memory, &tokens[100..]).unwrap()];
        assert!(difference(&at_once, &in_parts) < 1e-4, "{family}");
    }
}

#[test]
fn layers_with_a_window_see_no_further() {
    let sample = || Sample::new("gemma3", GgmlDType::F32).set("attention.sliding_window", Value::U32(4));
    // With two layers of a window of four, the last token sees six tokens before it at most.
    let decoder = decoder(&sample().file());
    let logits = |first: u32| {
        let mut tokens = TOKENS;
        tokens[0] = first;
        own_logits(&decoder, &tokens, 5)
    };
    let (one, other) = (logits(1), logits(2));
    assert_eq!(one[7], other[7]);
    assert!(difference(&one[..1], &other[..1]) > 1e-3);
}

#[test]
fn stretched_positions_and_factors_change_the_rotation() {
    let plain = own_logits(&decoder(&Sample::new("llama", GgmlDType::F32).file()), &TOKENS, 8);
    let stretched = Sample::new("llama", GgmlDType::F32)
        .set("rope.scaling.type", Value::String("linear".into()))
        .set("rope.scaling.factor", Value::F32(4.0));
    let stretched = own_logits(&decoder(&stretched.file()), &TOKENS, 8);
    assert!(difference(&plain, &stretched) > 1e-3);
}

#[test]
fn what_is_not_served_or_contradicts_itself_is_said() {
    let error = |sample: Sample| {
        let file = sample.file();
        let header = Header::read(&file).unwrap();
        let read = Shape::read(&header).and_then(|shape| Decoder::read(&file, &header, shape));
        read.map_or_else(|error| error.to_string(), |_| "none".to_owned())
    };
    let sample = || Sample::new("llama", GgmlDType::F32);
    for (found, part) in [
        (
            error(Sample::new("mamba", GgmlDType::F32)),
            "served are llama, qwen2, qwen3 and gemma3",
        ),
        (
            error(sample().set("expert_count", Value::U32(8))),
            "llama.expert_count",
        ),
        (error(sample().set("expert_count", Value::U32(0))), "none"),
        (
            error(sample().set("block_count", Value::U32(3))),
            "blk.2.attn_norm.weight",
        ),
        (
            error(sample().set("block_count", Value::U32(1 << 30))),
            "beyond the limit of 512",
        ),
        (
            error(sample().set("embedding_length", Value::U32(128))),
            "token_embd.weight",
        ),
        (
            error(sample().set("feed_forward_length", Value::U32(64))),
            "shape",
        ),
        (
            error(sample().set("attention.head_count", Value::U32(0))),
            "llama.attention.head_count",
        ),
        (
            error(sample().set("attention.head_count_kv", Value::U32(3))),
            "over 3 key heads",
        ),
        (
            error(sample().set("context_length", Value::String("long".into()))),
            "llama.context_length",
        ),
        (
            error(sample().set("rope.scaling.type", Value::String("yarn".into()))),
            "rotary scaling `yarn`",
        ),
        (
            error(sample().set("attention.layer_norm_rms_epsilon", Value::F32(f32::NAN))),
            "epsilon",
        ),
    ] {
        assert!(found.contains(part), "{found}, expected {part}");
    }
}

#[test]
fn files_cut_short_or_changed_are_errors() {
    let file = Sample::new("llama", GgmlDType::Q8_0).file();
    let open = |file: &[u8]| {
        let header = Header::read(file)?;
        let shape = Shape::read(&header)?;
        Decoder::read(file, &header, shape).map(|_| ())
    };
    open(&file).unwrap();
    for length in (0..file.len() - 64).step_by(97) {
        assert!(open(&file[..length]).is_err(), "{length}");
    }
    let header_length = file
        .windows(10)
        .position(|window| window == [0; 10])
        .unwrap_or(2000);
    for at in 0..header_length.max(2000) {
        for value in [0, 0x7f, 0xff] {
            let mut changed = file.clone();
            changed[at] = value;
            // An error or a model, never a panic and never an allocation beyond the file's size.
            let _ = open(&changed);
        }
    }
}
