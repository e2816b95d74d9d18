//! A linear layer's weights, packed once at load into the order in which the product reads them.
//!
//! Columns are grouped into panels as wide as the product's tile. Within a panel, all columns' first words
//! come first, then all second words, and so on, so the innermost loop reads memory in one straight run.

use crate::identity::Precision;
use crate::simd::plain::{round_small, to_bf16};

/// One cache line, so that vectors of 64 bytes never straddle two.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [u32; 16]);

/// Words per line.
const LINE_WORDS: usize = 16;
/// Inputs that share a scale in int8. One scale per row leaves little resolution beside an outlier, and the
/// numbers after GELU have many: on MiniLM the smallest cosine to f32 over 100 abstracts is 0.9952 with one
/// scale per row, 0.9979 with one per 384 inputs, 0.9990 with one per 192, 0.9992 with one per 128.
const INT8_GROUP: usize = 192;

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
    /// Bias per column, padded to whole panels.
    pub(super) bias: Vec<f32>,
    /// Per group and (padded) column: the weights' scale, and the scale times the sum of the weights.
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
            scales: vec![1.0; padded * groups(precision, inputs)],
            totals: vec![0.0; padded * groups(precision, inputs)],
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

    /// Groups of inputs with scales of their own.
    pub(super) fn groups(&self) -> usize {
        groups(self.precision, self.inputs)
    }

    /// The words of group number `group` within a row.
    pub(super) fn group_words(&self, group: usize) -> std::ops::Range<usize> {
        let words = group_inputs(self.precision, self.inputs) / step(self.precision);
        group * words..((group + 1) * words).min(self.row_words())
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
                for (group, weights) in weights.chunks(INT8_GROUP).enumerate() {
                    self.put_bytes(column, base, group, weights);
                }
            }
        }
    }

    /// Packs one group of one column as signed bytes.
    fn put_bytes(&mut self, column: usize, base: usize, group: usize, weights: &[f32]) {
        let largest = weights
            .iter()
            .fold(0.0f32, |largest, weight| largest.max(weight.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let inverse = 1.0 / scale;
        let first = group * INT8_GROUP / step(Precision::Int8);
        let mut total = 0;
        for (index, four) in weights.chunks_exact(4).enumerate() {
            let bytes: [i8; 4] = std::array::from_fn(|lane| round_small(four[lane] * inverse) as i8);
            total += bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
            let word = u32::from_le_bytes(bytes.map(i8::cast_unsigned));
            self.set(base, first + index, word);
        }
        let at = group * self.bias.len() + column;
        self.scales[at] = scale;
        self.totals[at] = scale * total as f32;
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

/// Inputs that share a scale.
pub(super) fn group_inputs(precision: Precision, inputs: usize) -> usize {
    match precision {
        Precision::F32 | Precision::Bf16 => inputs,
        Precision::Int8 => INT8_GROUP.min(inputs),
    }
}

/// Groups of inputs of a row; the last one may be shorter.
pub(super) fn groups(precision: Precision, inputs: usize) -> usize {
    inputs.div_ceil(group_inputs(precision, inputs).max(1))
}
