//! The encoder against candle's own model, and every instruction set against plain code, on tiny seeded
//! weights.

use std::collections::HashMap;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};

use super::*;

const HIDDEN: usize = 64;
const WIDE: usize = 112;
const LAYERS: usize = 2;
const VOCABULARY: usize = 50;
const POSITIONS: usize = 80;

/// A small deterministic generator: no test depends on its quality.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 40) as f32) / ((1u64 << 24) as f32) - 0.5
    }

    fn tensor(&mut self, shape: &[usize], scale: f32) -> Tensor {
        let count = shape.iter().product();
        let values: Vec<f32> = (0..count).map(|_| self.next() * scale).collect();
        Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
    }
}

fn tiny_tensors(seed: u64) -> HashMap<String, Tensor> {
    let mut random = Random(seed);
    let mut tensors = HashMap::new();
    let mut put = |name: &str, shape: &[usize], scale: f32, shift: f64| {
        let tensor = (random.tensor(shape, scale) + shift).unwrap();
        tensors.insert(name.to_owned(), tensor);
    };
    for (name, rows) in [("word", VOCABULARY), ("position", POSITIONS), ("token_type", 2)] {
        put(
            &format!("embeddings.{name}_embeddings.weight"),
            &[rows, HIDDEN],
            1.0,
            0.0,
        );
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        for (part, rows, columns) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", WIDE, HIDDEN),
            ("output.dense", HIDDEN, WIDE),
        ] {
            let name = format!("encoder.layer.{layer}.{part}");
            put(&format!("{name}.weight"), &[rows, columns], 0.5, 0.0);
            put(&format!("{name}.bias"), &[rows], 0.2, 0.0);
        }
        norms.push(format!("encoder.layer.{layer}.attention.output.LayerNorm"));
        norms.push(format!("encoder.layer.{layer}.output.LayerNorm"));
    }
    for name in norms {
        put(&format!("{name}.weight"), &[HIDDEN], 0.5, 1.0);
        put(&format!("{name}.bias"), &[HIDDEN], 0.2, 0.0);
    }
    tensors
}

/// Writes the tensors to a file and loads them as any model is loaded.
fn tiny_weights(seed: u64) -> BertWeights {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    candle_core::safetensors::save(&tiny_tensors(seed), &path).unwrap();
    let config = folder.path().join("config.json");
    fs_err::write(&config, r#"{"num_attention_heads": 2, "hidden_act": "gelu"}"#).unwrap();
    BertWeights::load(&path, Some(&config)).unwrap()
}

fn sequences() -> Vec<Sequence> {
    let mut random = Random(7);
    [1, 2, 5, 17, 33, 64, 80]
        .iter()
        .map(|&length| Sequence {
            ids: (0..length)
                .map(|_| ((random.next() + 0.5) * VOCABULARY as f32) as u32)
                .collect(),
            types: (0..length).map(|at| u32::from(at > length / 2)).collect(),
        })
        .collect()
}

fn encode(precision: Precision, instructions: InstructionSet, threads: usize) -> Vec<Vec<f32>> {
    let options = EncoderOptions {
        precision,
        threads,
        instructions,
    };
    let encoder = Encoder::new(&tiny_weights(1), Path::new("tiny"), options).unwrap();
    encoder.map(&sequences(), Tokens::All, |_, states| states.to_vec(), |_| {})
}

fn candle_states(sequence: &Sequence) -> Vec<f32> {
    let config = Config {
        vocab_size: VOCABULARY,
        hidden_size: HIDDEN,
        num_hidden_layers: LAYERS,
        num_attention_heads: 2,
        intermediate_size: WIDE,
        max_position_embeddings: POSITIONS,
        type_vocab_size: 2,
        ..Config::default()
    };
    let builder = VarBuilder::from_tensors(tiny_tensors(1), DType::F32, &Device::Cpu);
    let model = BertModel::load(builder, &config).unwrap();
    let row = |values: &[u32]| Tensor::new(values, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    let states = model
        .forward(&row(&sequence.ids), &row(&sequence.types), None)
        .unwrap();
    states.flatten_all().unwrap().to_vec1().unwrap()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn f32_agrees_with_candle_on_every_instruction_set() {
    for set in InstructionSet::available() {
        for (states, sequence) in encode(Precision::F32, set, 1).iter().zip(sequences()) {
            let difference = largest_difference(states, &candle_states(&sequence));
            assert!(
                difference < 2e-5,
                "{set:?}, {} tokens: {difference}",
                sequence.ids.len()
            );
        }
    }
}

#[test]
fn lower_precisions_stay_close_on_every_instruction_set() {
    let exact = encode(Precision::F32, InstructionSet::Plain, 1);
    for set in InstructionSet::available() {
        for (precision, limit) in [(Precision::Bf16, 0.05), (Precision::Int8, 0.15)] {
            for (states, exact) in encode(precision, set, 1).iter().zip(&exact) {
                let difference = largest_difference(states, exact);
                assert!(difference < limit, "{set:?} {precision:?}: {difference}");
            }
        }
    }
}

#[test]
fn vector_sets_agree_to_the_bit_in_f32_and_int8() {
    let vector_sets: Vec<_> = InstructionSet::available()
        .into_iter()
        .filter(|&set| set >= InstructionSet::Avx2)
        .collect();
    for precision in [Precision::F32, Precision::Int8] {
        let all: Vec<_> = vector_sets.iter().map(|&set| encode(precision, set, 1)).collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{precision:?}");
    }
}

#[test]
fn threads_and_batches_change_nothing() {
    let best = InstructionSet::detect();
    for precision in [Precision::F32, Precision::Bf16, Precision::Int8] {
        assert_eq!(encode(precision, best, 1), encode(precision, best, 4));
        let options = EncoderOptions {
            precision,
            ..EncoderOptions::default()
        };
        let encoder = Encoder::new(&tiny_weights(1), Path::new("tiny"), options).unwrap();
        for (sequence, states) in sequences().iter().zip(encode(precision, best, 1)) {
            let alone = encoder.map(
                std::slice::from_ref(sequence),
                Tokens::All,
                |_, own| own.to_vec(),
                |_| {},
            );
            assert_eq!(alone[0], states);
        }
    }
}

#[test]
fn first_tokens_alone_are_the_same_bytes() {
    for precision in [Precision::F32, Precision::Bf16, Precision::Int8] {
        let options = EncoderOptions {
            precision,
            ..EncoderOptions::default()
        };
        let encoder = Encoder::new(&tiny_weights(1), Path::new("tiny"), options).unwrap();
        let mut inputs = sequences();
        inputs.push(Sequence::default());
        let all = encoder.map(
            &inputs,
            Tokens::All,
            |_, states| states[..HIDDEN].to_vec(),
            |_| {},
        );
        let first = encoder.map(&inputs, Tokens::First, |_, states| states.to_vec(), |_| {});
        assert_eq!(all, first, "{precision:?}");
    }
}

#[test]
fn shapes_the_kernels_cannot_serve_are_refused() {
    let weights = tiny_weights(1);
    let mut config = *weights.config();
    for change in [
        (|config: &mut BertConfig| config.heads = 4) as fn(&mut BertConfig),
        |config| config.intermediate = 100,
        |config| config.layers = 0,
    ] {
        config.clone_from(weights.config());
        change(&mut config);
        assert!(check_shape(&config, Path::new("tiny")).is_err());
    }
}
