//! The matrix product: rows of encoded activations times a packed matrix, with what follows it fused in.
//!
//! A tile of M rows times R vectors of columns stays in registers for the whole length of a row, so no sum
//! is ever split, and each output depends on its own row and column only: the result does not depend on
//! which rows happen to share a tile.

use super::matrix::PackedMatrix;
use super::product::{Product, RowScale};
use super::simd::{LANES, Simd};

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
/// As [`Simd`]; `a` must be valid for `rows.len()` encoded rows and `out` for as many output rows. The
/// matrix must be packed for `P` with panels of R vectors, its outputs a multiple of 16.
#[inline(always)]
pub(super) unsafe fn multiply<S: Simd, P: Product, const M: usize, const R: usize>(
    matrix: &PackedMatrix,
    a: *const u32,
    rows: &[RowScale],
    finish: Finish,
    out: *mut f32,
) {
    for panel in 0..matrix.panels() {
        let mut row = 0;
        // SAFETY: blocks lie within `rows`; the rest is this function's contract.
        unsafe {
            while row + M <= rows.len() {
                block::<S, P, M, R>(matrix, panel, a, rows, row, finish, out);
                row += M;
            }
            // What is left is fewer than eight rows.
            if row + 4 <= rows.len() {
                block::<S, P, 4, R>(matrix, panel, a, rows, row, finish, out);
                row += 4;
            }
            if row + 2 <= rows.len() {
                block::<S, P, 2, R>(matrix, panel, a, rows, row, finish, out);
                row += 2;
            }
            if row < rows.len() {
                block::<S, P, 1, R>(matrix, panel, a, rows, row, finish, out);
            }
        }
    }
}

/// One tile of the product, finished and written.
#[inline(always)]
unsafe fn block<S: Simd, P: Product, const M: usize, const R: usize>(
    matrix: &PackedMatrix,
    panel: usize,
    a: *const u32,
    rows: &[RowScale],
    first: usize,
    finish: Finish,
    out: *mut f32,
) {
    let words = matrix.row_words();
    let width = R * LANES;
    let vectors = (matrix.outputs - panel * width).div_ceil(LANES).min(R);
    // SAFETY: as `multiply`; bias, scales and totals are padded to whole panels.
    unsafe {
        let weights = matrix.panel(panel).as_ptr().cast::<u32>();
        let sums = tile::<S, P, M, R>(a.add(first * words), words, words, weights, width);
        for (row, sums) in sums.into_iter().enumerate() {
            let scale = rows[first + row];
            for (vector, sum) in sums.into_iter().enumerate().take(vectors) {
                let column = panel * width + vector * LANES;
                let value = P::finish::<S>(
                    sum,
                    scale,
                    matrix.scales.as_ptr().add(column),
                    matrix.totals.as_ptr().add(column),
                );
                let value = S::add(value, S::load(matrix.bias.as_ptr().add(column)));
                let target = out.add((first + row) * matrix.outputs + column);
                let value = match finish {
                    Finish::Store => value,
                    Finish::Gelu => P::gelu::<S>(value),
                    Finish::AddTo => S::add(value, S::load(target)),
                };
                S::store(target, value);
            }
        }
    }
}
