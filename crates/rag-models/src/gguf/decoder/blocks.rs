//! Matrices quantised in blocks, and their products with rows of floats.
//!
//! The formats Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 say the same thing: 32 inputs of an output share a scale and an offset, and
//! a number is scale · code + offset with codes of 4 or 8 bits from 0 on. Such a matrix is packed once: 16 outputs make a
//! panel, and what belongs to one block of a panel stands together in the order in which the kernel reads it. A row of
//! inputs is rounded to 8 bits in the same blocks, as llama.cpp does, so that a product is one of bytes.

use candle_core::quantized::GgmlDType;
use rayon::prelude::*;

use super::block_kernels::{ENTRY_SCALES, Multiply};
use crate::simd::LANES;
use crate::weights::half_float::f16_to_f32;

/// Inputs that share a scale.
pub(super) const BLOCK: usize = 32;

/// Products of numbers below which a matrix is not worth a second thread.
const PARALLEL_FROM: usize = 400_000;

/// How many bits a code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codes {
    /// Four: inputs 0 to 15 of a block in the lower halves of bytes, 16 to 31 in the upper ones.
    Nibbles,
    /// Eight.
    Bytes,
}

impl Codes {
    /// 32-bit words of one block of a panel: scales, offsets, codes.
    pub(super) const fn entry_words(self) -> usize {
        let codes = match self {
            Self::Nibbles => BLOCK * LANES / 8,
            Self::Bytes => BLOCK * LANES / 4,
        };
        ENTRY_SCALES + codes
    }
}

/// A matrix in blocks, packed for the kernels.
#[derive(Debug)]
pub(super) struct BlockMatrix {
    codes: Codes,
    inputs: usize,
    outputs: usize,
    words: Vec<u32>,
}

/// One block of a row of the file: codes, scale and offset.
struct Block {
    codes: [u8; BLOCK],
    scale: f32,
    offset: f32,
}

/// Rows of inputs, rounded in blocks.
#[derive(Debug, Default)]
pub(super) struct RoundedRows {
    /// Four signed bytes a word.
    pub(super) words: Vec<u32>,
    /// What a byte of each block is worth.
    pub(super) scales: Vec<f32>,
    /// The sum of each block's numbers.
    pub(super) sums: Vec<f32>,
}

impl BlockMatrix {
    /// Packs a matrix of the format `kind`, whose rows of `inputs` numbers are those of one output each; `None` for a
    /// format that is not of this form, and for rows that are not whole blocks. Takes 6 bits a number for codes of 4
    /// bits, and 10 for all others.
    pub(super) fn pack(kind: GgmlDType, bytes: &[u8], inputs: usize) -> Option<Self> {
        let (codes, read): (Codes, fn(&[u8]) -> Block) = match kind {
            GgmlDType::Q4_0 => (Codes::Nibbles, read_q4_0),
            GgmlDType::Q4_1 => (Codes::Nibbles, read_q4_1),
            GgmlDType::Q5_0 => (Codes::Bytes, read_q5_0),
            GgmlDType::Q5_1 => (Codes::Bytes, read_q5_1),
            GgmlDType::Q8_0 => (Codes::Bytes, read_q8_0),
            _ => return None,
        };
        if inputs == 0 || !inputs.is_multiple_of(BLOCK) {
            return None;
        }
        let size = kind.type_size();
        let blocks = inputs / BLOCK;
        let outputs = bytes.len() / (blocks * size);
        let entry = codes.entry_words();
        let mut words = vec![0; outputs.div_ceil(LANES) * blocks * entry];
        let rows = bytes.chunks_exact(blocks * size);
        for (output, row) in rows.enumerate() {
            let panel = &mut words[output / LANES * blocks * entry..][..blocks * entry];
            for (block, words) in row.chunks_exact(size).zip(panel.chunks_exact_mut(entry)) {
                read(block).write(codes, output % LANES, words);
            }
        }
        Some(Self {
            codes,
            inputs,
            outputs,
            words,
        })
    }

    /// The numbers of one output; `None` when there is no such output.
    pub(super) fn row(&self, output: usize) -> Option<Vec<f32>> {
        if output >= self.outputs {
            return None;
        }
        let entry = self.codes.entry_words();
        let blocks = self.inputs / BLOCK;
        let (panel, lane) = (output / LANES, output % LANES);
        let entries = self.words[panel * blocks * entry..][..blocks * entry].chunks_exact(entry);
        let numbers = entries.flat_map(|entry| Block::read(self.codes, lane, entry).numbers());
        Some(numbers.collect())
    }

    /// Multiplies rows of inputs; gives rows of outputs.
    pub(super) fn apply(&self, rows: &RoundedRows) -> Vec<f32> {
        let count = rows.words.len() * 4 / self.inputs;
        let panels = self.outputs.div_ceil(LANES);
        let mut by_panel = vec![0.0; panels * count * LANES];
        let kernel = Multiply::best(self.codes);
        let panel_words = self.inputs / BLOCK * self.codes.entry_words();
        let compute = |first: usize, out: &mut [f32]| {
            for (panel, out) in out.chunks_exact_mut(count * LANES).enumerate() {
                let words = &self.words[(first + panel) * panel_words..][..panel_words];
                kernel.run(words, rows, out);
            }
        };
        let each = (PARALLEL_FROM / (count * self.inputs * LANES).max(1)).max(1);
        if panels < 2 * each {
            compute(0, &mut by_panel);
        } else {
            let parts = by_panel.par_chunks_mut(each * count * LANES);
            parts
                .enumerate()
                .for_each(|(part, out)| compute(part * each, out));
        }
        self.by_row(&by_panel, count)
    }

    /// Puts panels of outputs of all rows in order as rows.
    fn by_row(&self, by_panel: &[f32], count: usize) -> Vec<f32> {
        let mut output = Vec::with_capacity(count * self.outputs);
        for row in 0..count {
            for (panel, values) in by_panel.chunks_exact(count * LANES).enumerate() {
                let own = (self.outputs - panel * LANES).min(LANES);
                output.extend_from_slice(&values[row * LANES..][..own]);
            }
        }
        output
    }
}

impl Block {
    /// The block of one lane of a panel's entry.
    fn read(format: Codes, lane: usize, entry: &[u32]) -> Self {
        let mut codes = [0; BLOCK];
        let words = &entry[ENTRY_SCALES..];
        for (input, code) in codes.iter_mut().enumerate() {
            *code = match format {
                Codes::Bytes => (words[input / 4 * LANES + lane] >> (input % 4 * 8)) as u8,
                Codes::Nibbles => {
                    let within = input % (BLOCK / 2);
                    let byte = (words[within / 4 * LANES + lane] >> (within % 4 * 8)) as u8;
                    if input < BLOCK / 2 { byte & 15 } else { byte >> 4 }
                }
            };
        }
        Self {
            codes,
            scale: f32::from_bits(entry[lane]),
            offset: f32::from_bits(entry[LANES + lane]),
        }
    }

    /// Writes the block into a lane of a panel's entry, which is zero there.
    fn write(&self, format: Codes, lane: usize, entry: &mut [u32]) {
        entry[lane] = self.scale.to_bits();
        entry[LANES + lane] = self.offset.to_bits();
        let words = &mut entry[ENTRY_SCALES..];
        for (input, code) in self.codes.iter().enumerate() {
            let (place, half) = match format {
                Codes::Bytes => (input, 0),
                Codes::Nibbles => (input % (BLOCK / 2), input / (BLOCK / 2) * 4),
            };
            words[place / 4 * LANES + lane] |= u32::from(*code) << (place % 4 * 8 + half);
        }
    }

    fn numbers(self) -> impl Iterator<Item = f32> {
        let (scale, offset) = (self.scale, self.offset);
        self.codes
            .into_iter()
            .map(move |code| scale * f32::from(code) + offset)
    }
}

impl RoundedRows {
    /// Rounds rows of whole blocks: of each, the largest number becomes 127 or -127.
    pub(super) fn round(rows: &[f32]) -> Self {
        let mut rounded = Self::default();
        for block in rows.chunks_exact(BLOCK) {
            let largest = block
                .iter()
                .fold(0.0, |largest: f32, value| largest.max(value.abs()));
            // What is not finite must not become a zero: the decoder refuses logits that are not.
            let is_finite = block.iter().all(|value| value.is_finite());
            let scale = if is_finite { largest / 127.0 } else { f32::NAN };
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            let mut sum = 0;
            for four in block.chunks_exact(4) {
                let mut word = 0;
                for (place, value) in four.iter().enumerate() {
                    let code = crate::simd::plain::round_small(value * inverse) as i8;
                    sum += i32::from(code);
                    word |= u32::from(code.cast_unsigned()) << (8 * place);
                }
                rounded.words.push(word);
            }
            rounded.scales.push(scale);
            rounded.sums.push(scale * sum as f32);
        }
        rounded
    }
}

/// The 16-bit float at byte `at`.
fn half(bytes: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// The code of each input from halves of bytes.
fn nibbles(bytes: &[u8]) -> [u8; BLOCK] {
    std::array::from_fn(|input| match input {
        0..16 => bytes[input] & 15,
        _ => bytes[input - 16] >> 4,
    })
}

/// Nibbles with a fifth bit each.
fn fives(bits: &[u8], bytes: &[u8]) -> [u8; BLOCK] {
    let bits = u32::from_le_bytes([bits[0], bits[1], bits[2], bits[3]]);
    let mut codes = nibbles(bytes);
    for (input, code) in codes.iter_mut().enumerate() {
        *code |= ((bits >> input & 1) as u8) << 4;
    }
    codes
}

fn read_q4_0(bytes: &[u8]) -> Block {
    let scale = half(bytes, 0);
    Block {
        codes: nibbles(&bytes[2..]),
        scale,
        offset: -8.0 * scale,
    }
}

fn read_q4_1(bytes: &[u8]) -> Block {
    Block {
        codes: nibbles(&bytes[4..]),
        scale: half(bytes, 0),
        offset: half(bytes, 2),
    }
}

fn read_q5_0(bytes: &[u8]) -> Block {
    let scale = half(bytes, 0);
    Block {
        codes: fives(&bytes[2..], &bytes[6..]),
        scale,
        offset: -16.0 * scale,
    }
}

fn read_q5_1(bytes: &[u8]) -> Block {
    Block {
        codes: fives(&bytes[4..], &bytes[8..]),
        scale: half(bytes, 0),
        offset: half(bytes, 2),
    }
}

fn read_q8_0(bytes: &[u8]) -> Block {
    let scale = half(bytes, 0);
    Block {
        codes: std::array::from_fn(|input| bytes[2 + input] ^ 0x80),
        scale,
        offset: -128.0 * scale,
    }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::QTensor;
    use candle_core::{Device, Tensor};
    use rag_core::random::Random;

    use super::*;
    use crate::simd::InstructionSet;

    const KINDS: [GgmlDType; 5] = [
        GgmlDType::Q4_0,
        GgmlDType::Q4_1,
        GgmlDType::Q5_0,
        GgmlDType::Q5_1,
        GgmlDType::Q8_0,
    ];

    fn random(count: usize, seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.bell()).collect()
    }

    /// A matrix of the format, and its numbers as candle reads them.
    fn sample(kind: GgmlDType, outputs: usize, inputs: usize) -> (BlockMatrix, Vec<f32>) {
        let numbers = Tensor::from_vec(random(outputs * inputs, 3), (outputs, inputs), &Device::Cpu).unwrap();
        let weight = QTensor::quantize(&numbers, kind).unwrap();
        let read = weight.dequantize(&Device::Cpu).unwrap();
        let read = read.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let bytes = weight.data().unwrap();
        (BlockMatrix::pack(kind, &bytes, inputs).unwrap(), read)
    }

    #[test]
    fn every_format_is_read_as_candle_reads_it() {
        let (outputs, inputs) = (19, 96);
        for kind in KINDS {
            let (matrix, expected) = sample(kind, outputs, inputs);
            for (output, expected) in expected.chunks_exact(inputs).enumerate() {
                let own = matrix.row(output).unwrap();
                let same = own.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
                assert!(same, "{kind:?}, row {output}");
            }
        }
        let (matrix, _) = sample(GgmlDType::Q8_0, outputs, inputs);
        assert!(matrix.row(outputs).is_none());
        for (kind, inputs) in [(GgmlDType::F32, 32), (GgmlDType::Q8_0, 33), (GgmlDType::Q8_0, 0)] {
            assert!(BlockMatrix::pack(kind, &[0; 128], inputs).is_none());
        }
    }

    #[test]
    fn products_are_those_of_the_numbers_whatever_the_rows_beside() {
        let (outputs, inputs, count) = (83, 160, 21);
        let rows = random(count * inputs, 5);
        let rounded = RoundedRows::round(&rows);
        for kind in KINDS {
            let (matrix, numbers) = sample(kind, outputs, inputs);
            let product = matrix.apply(&rounded);
            assert_eq!(product.len(), count * outputs);
            for (row, products) in rows.chunks_exact(inputs).zip(product.chunks_exact(outputs)) {
                let alone = matrix.apply(&RoundedRows::round(row));
                assert_eq!(alone, products, "{kind:?}");
                for (output, product) in numbers.chunks_exact(inputs).zip(products) {
                    let exact: f32 = output.iter().zip(row).map(|(a, b)| a * b).sum();
                    assert!((exact - product).abs() < 0.25, "{kind:?}: {exact} {product}");
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_plain_code() {
        let (outputs, inputs, count) = (32, 96, 11);
        let rows = RoundedRows::round(&random(count * inputs, 7));
        for kind in KINDS {
            let (matrix, _) = sample(kind, outputs, inputs);
            let words = &matrix.words[..inputs / BLOCK * matrix.codes.entry_words()];
            let run = |set| {
                let mut out = vec![0.0; count * LANES];
                Multiply::new(set, matrix.codes).run(words, &rows, &mut out);
                out
            };
            let plain = run(InstructionSet::Plain);
            for set in InstructionSet::available() {
                let own = run(set);
                let near = own.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(near, "{kind:?} {set:?}");
            }
        }
    }

    #[test]
    fn rounding_keeps_zero_and_the_largest_number() {
        let mut row = vec![0.0; 2 * BLOCK];
        row[3] = -2.54;
        row[4] = 1.27;
        let rounded = RoundedRows::round(&row);
        assert_eq!(rounded.words[0].to_le_bytes()[3].cast_signed(), -127);
        assert_eq!(rounded.words[1] & 0xff, 64);
        assert_eq!((rounded.scales[1], rounded.sums[1]), (0.0, 0.0));
        assert!((rounded.sums[0] - (-1.26)).abs() < 1e-5, "{:?}", rounded.sums);
        for lost in [f32::NAN, f32::INFINITY] {
            row[40] = lost;
            let (matrix, _) = sample(GgmlDType::Q8_0, LANES, 2 * BLOCK);
            let product = matrix.apply(&RoundedRows::round(&row));
            assert!(product.iter().all(|value| value.is_nan()));
        }
    }
}
