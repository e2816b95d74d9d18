//! The matrix product: rows of encoded activations times a packed matrix, with what follows it fused in.
//!
//! A tile of M rows times R vectors of columns stays in registers for the whole length of a row, so no sum
//! is ever split, and each output depends on its own row and column only: the result does not depend on
//! which rows happen to share a tile.

use super::matrix::PackedMatrix;
use super::product::{Product, RowScale};
use crate::simd::{LANES, Simd};

/// What is done with a product before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// out = product + bias.
    Store,
    /// out = GELU(product + bias).
    Gelu,
    /// out = out + product + bias.
    AddTo,
}

/// M rows of words at `a` times R vectors of columns at `b`, whose rows are `stride_b` words apart.
///
/// # Safety
/// As [`Simd`]; `a` must be valid for M rows of `words`, `b` for `words` rows of R vectors.
#[inline(always)]
pub(super) unsafe fn tile<S: Simd, P: Product, const M: usize, const R: usize>(
    a: *const u32,
    stride_a: usize,
    words: usize,
    b: *const u32,
    stride_b: usize,
) -> [[P::Sum<S>; R]; M] {
    // SAFETY: by this function's contract.
    unsafe {
        let mut sums = [[P::zero::<S>(); R]; M];
        for word in 0..words {
            let mut columns = [S::zero_words(); R];
            for (vector, column) in columns.iter_mut().enumerate() {
                *column = S::load_words(b.add(word * stride_b + vector * LANES));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let value = S::splat_word(*a.add(row * stride_a + word));
                for (sum, &column) in sums.iter_mut().zip(&columns) {
                    *sum = P::step::<S>(*sum, value, column);
                }
            }
        }
        sums
    }
}

/// Multiplies all rows of `a` by `matrix` into `out` (row-major, `matrix.outputs` numbers per row).
///
/// # Safety
/// As [`Simd`]; `scales` has one entry per group and row; `a` must be valid for as many encoded rows and `out`
/// for as many output rows. The matrix must be packed for `P` with panels of R vectors, its outputs a
/// multiple of 16.
#[inline(always)]
pub(super) unsafe fn multiply<S: Simd, P: Product, const M: usize, const R: usize>(
    matrix: &PackedMatrix,
    a: *const u32,
    scales: &[RowScale],
    finish: Finish,
    out: *mut f32,
) {
    let rows = scales.len() / matrix.groups();
    for panel in 0..matrix.panels() {
        let block = Block {
            matrix,
            panel,
            a,
            scales,
            finish,
            out,
        };
        // SAFETY: by this function's contract.
        unsafe { block.compute_rows::<S, P, M, R>(0, rows) };
    }
}

/// One panel of a product.
pub(super) struct Block<'b> {
    pub(super) matrix: &'b PackedMatrix,
    pub(super) panel: usize,
    pub(super) a: *const u32,
    pub(super) scales: &'b [RowScale],
    pub(super) finish: Finish,
    pub(super) out: *mut f32,
}

impl Block<'_> {
    /// Where the words of one group begin: of row `row`, and of the panel's columns.
    ///
    /// # Safety
    /// The row must be there.
    #[inline(always)]
    pub(super) unsafe fn operands(&self, row: usize, group: usize) -> (*const u32, *const u32) {
        let start = self.matrix.group_words(group).start;
        let weights = self.matrix.panel(self.panel).as_ptr().cast::<u32>();
        // SAFETY: by this function's contract; groups lie within rows and panels.
        unsafe {
            let a = self.a.add(row * self.matrix.row_words() + start);
            (a, weights.add(start * self.matrix.width))
        }
    }

    /// The rows from `first` to `rows`, in tiles of M and fewer.
    ///
    /// # Safety
    /// As [`multiply`]; the rows must be there.
    #[inline(always)]
    pub(super) unsafe fn compute_rows<S: Simd, P: Product, const M: usize, const R: usize>(
        &self,
        first: usize,
        rows: usize,
    ) {
        let mut row = first;
        // SAFETY: blocks lie within the rows; the rest is this function's contract.
        unsafe {
            while row + M <= rows {
                self.compute::<S, P, M, R>(row);
                row += M;
            }
            // What is left is fewer than eight rows.
            if row + 4 <= rows {
                self.compute::<S, P, 4, R>(row);
                row += 4;
            }
            if row + 2 <= rows {
                self.compute::<S, P, 2, R>(row);
                row += 2;
            }
            if row < rows {
                self.compute::<S, P, 1, R>(row);
            }
        }
    }

    /// One tile of the product from row `first` on, finished and written. Groups of inputs with scales of
    /// their own are added up in the output.
    ///
    /// # Safety
    /// As [`multiply`]; M rows must be there.
    #[inline(always)]
    unsafe fn compute<S: Simd, P: Product, const M: usize, const R: usize>(&self, first: usize) {
        let words = self.matrix.row_words();
        for group in 0..self.matrix.groups() {
            let length = self.matrix.group_words(group).len();
            // SAFETY: by this function's contract.
            unsafe {
                let (a, weights) = self.operands(first, group);
                let sums = tile::<S, P, M, R>(a, words, length, weights, R * LANES);
                self.write::<S, P, M, R>(first, group, sums);
            }
        }
    }

    /// Scales the sums of one group, adds what is there already, and finishes after the last group.
    ///
    /// # Safety
    /// As [`Block::compute`]; bias, scales and totals of the matrix are padded to whole panels.
    #[inline(always)]
    pub(super) unsafe fn write<S: Simd, P: Product, const M: usize, const R: usize>(
        &self,
        first: usize,
        group: usize,
        sums: [[P::Sum<S>; R]; M],
    ) {
        let matrix = self.matrix;
        let start = self.panel * R * LANES;
        let vectors = (matrix.outputs - start).div_ceil(LANES).min(R);
        let adds = group > 0 || self.finish == Finish::AddTo;
        let is_last = group + 1 == matrix.groups();
        let padded = matrix.bias.len();
        for (row, sums) in sums.into_iter().enumerate() {
            let scale = self.scales[(first + row) * matrix.groups() + group];
            for (vector, sum) in sums.into_iter().enumerate().take(vectors) {
                let column = start + vector * LANES;
                // SAFETY: by this function's contract.
                unsafe {
                    let scales = matrix.scales.as_ptr().add(group * padded + column);
                    let totals = matrix.totals.as_ptr().add(group * padded + column);
                    let mut value = P::finish::<S>(sum, scale, scales, totals);
                    let target = self.out.add((first + row) * matrix.outputs + column);
                    if group == 0 {
                        value = S::add(value, S::load(matrix.bias.as_ptr().add(column)));
                    }
                    if adds {
                        value = S::add(value, S::load(target));
                    }
                    if is_last && self.finish == Finish::Gelu {
                        value = P::gelu::<S>(value);
                    }
                    S::store(target, value);
                }
            }
        }
    }
}
