//! A BERT-family encoder for CPUs: packed sequences of any length, no padding, own kernels.
//!
//! Weights arrive as candle tensors and are packed once into the order in which the kernels read them. A
//! batch is the concatenation of its sequences' tokens; only attention looks at where one ends. Each
//! sequence's numbers depend on that sequence alone, so neither batch nor threads change a bit of them.
#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the functions that enable their instruction set"
)]

mod attention;
mod elementwise;
mod gemm;
mod kernels;
mod layer;
mod matrix;
mod product;
mod schedule;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(crate) mod tiles;

pub use crate::simd::InstructionSet;

pub(crate) use schedule::map_in_order;

use std::path::Path;

use kernels::Kernels;
use layer::{Layer, LayerScratch, Norm};

use crate::identity::Precision;
use crate::weights::{BertConfig, BertWeights, WeightsError};

/// One tokenised input, special tokens included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Token type per token; empty means all 0.
    pub types: Vec<u32>,
}

/// Which tokens' vectors are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// All.
    All,
    /// The first one of each sequence: spares most of the last layer.
    First,
}

/// How an encoder computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderOptions {
    /// Arithmetic of the matrix products.
    pub precision: Precision,
    /// Threads for batches; 0 means as many as the machine has.
    pub threads: usize,
    /// The best instruction set that may be used.
    pub instructions: InstructionSet,
}

impl Default for EncoderOptions {
    fn default() -> Self {
        Self {
            precision: Precision::default(),
            threads: 0,
            instructions: InstructionSet::detect(),
        }
    }
}

impl EncoderOptions {
    /// The number of threads meant.
    pub(crate) fn threads_or_all(self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// A BERT-family encoder.
#[derive(Debug)]
pub struct Encoder {
    config: BertConfig,
    kernels: Kernels,
    threads: usize,
    words: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Reusable memory of one thread.
#[derive(Debug, Default)]
struct Scratch {
    states: Vec<f32>,
    layer: LayerScratch,
}

impl Encoder {
    /// Packs the weights for this machine.
    pub fn new(weights: &BertWeights, path: &Path, options: EncoderOptions) -> Result<Self, WeightsError> {
        let config = *weights.config();
        check_shape(&config, path)?;
        let kernels = Kernels::new(options.instructions, options.precision);
        let threads = options.threads_or_all();
        let table = |name: &str, rows: usize| {
            weights.values(
                &format!("embeddings.{name}_embeddings.weight"),
                &[rows, config.hidden],
            )
        };
        Ok(Self {
            config,
            kernels,
            threads,
            words: table("word", config.vocabulary)?,
            positions: table("position", config.positions)?,
            types: table("token_type", config.types)?,
            norm: Norm::load(weights, "embeddings.LayerNorm")?,
            layers: schedule::map_in_order(config.layers, threads, |layer| {
                Layer::load(weights, layer, &kernels, options.precision)
            })
            .into_iter()
            .collect::<Result<_, _>>()?,
        })
    }

    /// The model's shape.
    pub fn config(&self) -> &BertConfig {
        &self.config
    }

    /// Encodes `sequences` and gives each one's wanted token vectors (`hidden` numbers per token) to `reduce`;
    /// its results come back in the order of the sequences. `done` is told the sequences of each finished
    /// batch. An empty sequence is read as one token of id 0.
    ///
    /// Ids, types and lengths beyond the model's tables are the caller's mistake and are clamped into them.
    pub fn map<T: Send>(
        &self,
        sequences: &[Sequence],
        tokens: Tokens,
        reduce: impl Fn(usize, &[f32]) -> T + Sync,
        done: impl Fn(usize) + Sync,
    ) -> Vec<T> {
        let lengths: Vec<usize> = sequences.iter().map(|sequence| sequence.ids.len()).collect();
        let batches = schedule::batches(&lengths, self.threads);
        let finished = schedule::map_in_order_with(
            batches.len(),
            self.threads,
            Scratch::default,
            |scratch: &mut Scratch, batch| {
                let results = self.run_batch(sequences, &batches[batch], tokens, &reduce, scratch);
                done(batches[batch].len());
                results
            },
        );
        let mut slots: Vec<Option<T>> = sequences.iter().map(|_| None).collect();
        for (batch, results) in batches.iter().zip(finished) {
            for (&sequence, result) in batch.iter().zip(results) {
                slots[sequence] = Some(result);
            }
        }
        // Batches cover every sequence once (a property test of `schedule`), so no slot is empty.
        slots.into_iter().flatten().collect()
    }

    fn run_batch<T>(
        &self,
        sequences: &[Sequence],
        batch: &[usize],
        tokens: Tokens,
        reduce: &(impl Fn(usize, &[f32]) -> T + Sync),
        scratch: &mut Scratch,
    ) -> Vec<T> {
        let hidden = self.config.hidden;
        let length = |&index: &usize| sequences[index].ids.len().max(1);
        let lengths: Vec<usize> = batch.iter().map(length).collect();
        scratch.states.clear();
        for &index in batch {
            self.embed(&sequences[index], &mut scratch.states);
        }
        self.norm.apply(&self.kernels, &mut scratch.states);
        for (number, layer) in self.layers.iter().enumerate() {
            let is_last = number + 1 == self.layers.len();
            let wanted = if is_last { tokens } else { Tokens::All };
            let Scratch { states, layer: own } = scratch;
            layer.apply(&self.kernels, &lengths, wanted, states, own);
        }
        let mut states = &scratch.states[..];
        let mut results = Vec::with_capacity(batch.len());
        for (&index, &length) in batch.iter().zip(&lengths) {
            let rows = match tokens {
                Tokens::All => length,
                Tokens::First => 1,
            };
            let (own, rest) = states.split_at(rows * hidden);
            results.push(reduce(index, own));
            states = rest;
        }
        results
    }

    /// Appends the sums of word, position and type vectors.
    fn embed(&self, sequence: &Sequence, states: &mut Vec<f32>) {
        let hidden = self.config.hidden;
        let row = |table: &'_ [f32], index: usize| {
            let start = index.min(table.len() / hidden - 1) * hidden;
            start..start + hidden
        };
        let ids = if sequence.ids.is_empty() {
            &[0][..]
        } else {
            &sequence.ids
        };
        for (position, &id) in ids.iter().enumerate() {
            let kind = sequence.types.get(position).copied().unwrap_or(0);
            let words = &self.words[row(&self.words, id as usize)];
            let places = &self.positions[row(&self.positions, position)];
            let kinds = &self.types[row(&self.types, kind as usize)];
            let sums = words.iter().zip(kinds).zip(places);
            states.extend(sums.map(|((word, kind), place)| word + kind + place));
        }
    }
}

fn check_shape(config: &BertConfig, path: &Path) -> Result<(), WeightsError> {
    let head = config.hidden / config.heads;
    let wrong = if !head.is_multiple_of(32) {
        format!("heads of {head} numbers; a multiple of 32 is needed")
    } else if !config.intermediate.is_multiple_of(16) {
        format!(
            "{} intermediate numbers; a multiple of 16 is needed",
            config.intermediate
        )
    } else if config.layers == 0 || config.vocabulary == 0 || config.positions == 0 || config.types == 0 {
        "an empty table or no layer".to_owned()
    } else {
        return Ok(());
    };
    Err(WeightsError::Malformed {
        path: path.to_owned(),
        format: "BERT-family weights",
        reason: format!("it has {wrong}"),
    })
}
