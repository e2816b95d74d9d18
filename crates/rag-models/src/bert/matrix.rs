//! A linear layer's weights, packed once at load into the order in which the product reads them.
//!
//! Columns are grouped into panels as wide as the product's tile. Within a panel, all columns' first words
//! come first, then all second words, and so on, so the innermost loop reads memory in one straight run.

use super::simd::plain::to_bf16;
use crate::identity::Precision;

/// One cache line, so that vectors of 64 bytes never straddle two.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [u32; 16]);

/// Words per line.
const LINE_WORDS: usize = 16;

/// Weights and bias of one linear layer.
#[derive(Debug)]
pub(super) struct PackedMatrix {
    pub(super) precision: Precision,
    /// Numbers per input row.
    pub(super) inputs: usize,
    /// Numbers per output row.
    pub(super) outputs: usize,
    /// Columns per panel.
    pub(super) width: usize,
    lines: Vec<Line>,
    /// Per column, padded to whole panels: bias, weight scale, and scale times the sum of the weights.
    pub(super) bias: Vec<f32>,
    pub(super) scales: Vec<f32>,
    pub(super) totals: Vec<f32>,
}

impl PackedMatrix {
    /// Packs `weights`, `outputs` rows of `inputs` numbers. `inputs` must be a multiple of 16.
    pub(super) fn new(
        weights: &[f32],
        bias: &[f32],
        inputs: usize,
        precision: Precision,
        width: usize,
    ) -> Self {
        let outputs = bias.len();
        assert_eq!(weights.len(), outputs * inputs, "one row of weights per output");
        assert!(
            inputs.is_multiple_of(LINE_WORDS) && width.is_multiple_of(LINE_WORDS),
            "rows and panels are whole vectors"
        );
        let padded = outputs.div_ceil(width) * width;
        let mut packed = Self {
            precision,
            inputs,
            outputs,
            width,
            lines: vec![Line([0; LINE_WORDS]); padded * inputs / step(precision) / LINE_WORDS],
            bias: bias.to_vec(),
            scales: vec![1.0; padded],
            totals: vec![0.0; padded],
        };
        packed.bias.resize(padded, 0.0);
        for (column, row) in weights.chunks_exact(inputs).enumerate() {
            packed.put(column, row);
        }
        packed
    }

    /// Words of one encoded input row.
    pub(super) fn row_words(&self) -> usize {
        self.inputs / step(self.precision)
    }

    /// Panels of columns.
    pub(super) fn panels(&self) -> usize {
        self.outputs.div_ceil(self.width)
    }

    /// The words of panel number `panel`.
    pub(super) fn panel(&self, panel: usize) -> &[Line] {
        let lines = self.row_words() * self.width / LINE_WORDS;
        &self.lines[panel * lines..(panel + 1) * lines]
    }

    fn put(&mut self, column: usize, weights: &[f32]) {
        let base = column / self.width * self.row_words() * self.width + column % self.width;
        match self.precision {
            Precision::F32 => {
                for (index, weight) in weights.iter().enumerate() {
                    self.set(base, index, weight.to_bits());
                }
            }
            Precision::Bf16 => {
                for (index, pair) in weights.chunks_exact(2).enumerate() {
                    let word = u32::from(to_bf16(pair[0])) | u32::from(to_bf16(pair[1])) << 16;
                    self.set(base, index, word);
                }
            }
            Precision::Int8 => {
                let largest = weights
                    .iter()
                    .fold(0.0f32, |largest, weight| largest.max(weight.abs()));
                let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
                let mut total = 0;
                for (index, four) in weights.chunks_exact(4).enumerate() {
                    let bytes: [i8; 4] =
                        std::array::from_fn(|lane| (four[lane] / scale).round_ties_even() as i8);
                    total += bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
                    let bytes = bytes.map(i8::cast_unsigned);
                    self.set(base, index, u32::from_le_bytes(bytes));
                }
                self.scales[column] = scale;
                self.totals[column] = scale * total as f32;
            }
        }
    }

    fn set(&mut self, base: usize, index: usize, word: u32) {
        let at = base + index * self.width;
        self.lines[at / LINE_WORDS].0[at % LINE_WORDS] = word;
    }
}

/// Inputs per 32-bit word.
pub(super) fn step(precision: Precision) -> usize {
    match precision {
        Precision::F32 => 1,
        Precision::Bf16 => 2,
        Precision::Int8 => 4,
    }
}
