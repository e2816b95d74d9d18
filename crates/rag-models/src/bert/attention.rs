//! Attention within one sequence: every head's scores, softmax and weighted values, without padding.
//!
//! Scores come in units of log₂ e (the factor is folded into the query weights at load), so softmax needs
//! only powers of two. Probabilities stay unnormalised until the weighted values are written.

use super::elementwise::exp2;
use super::gemm::tile;
use super::matrix::Line;
use super::product::F32;
use crate::simd::{LANES, Simd};

/// Stands for minus infinity without making NaN.
const VERY_SMALL: f32 = -1e30;

/// The sizes of one attention.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionShape {
    /// Tokens of the sequence.
    pub(super) length: usize,
    /// Its first tokens that attend: all of them, or 1 when only the first token's vector is wanted.
    pub(super) queries: usize,
    /// Heads.
    pub(super) heads: usize,
    /// Numbers per head, a multiple of 32.
    pub(super) head: usize,
}

/// Reusable memory of one thread.
#[derive(Debug, Default)]
pub(super) struct AttentionScratch {
    keys: Vec<Line>,
    scores: Vec<Line>,
}

/// Attends within one sequence: `qkv` has rows of queries, keys and values of all heads; `out` gets rows of
/// weighted values of all heads.
///
/// M is the rows of a tile, R the vectors of a tile of scores, V those of a tile of values.
///
/// # Safety
/// As [`Simd`]; `qkv` and `out` must be valid for `length` rows of 3 · heads · head and heads · head numbers.
#[inline(always)]
pub(super) unsafe fn attend<S: Simd, const M: usize, const R: usize, const V: usize>(
    shape: AttentionShape,
    qkv: *const f32,
    out: *mut f32,
    scratch: &mut AttentionScratch,
) {
    let width = R * LANES;
    let padded = shape.length.next_multiple_of(LANES);
    let zero = Line([0; LANES]);
    scratch
        .keys
        .resize(shape.length.next_multiple_of(width) * shape.head / LANES, zero);
    scratch.scores.resize(M.max(4) * padded / LANES, zero);
    let hidden = shape.heads * shape.head;
    for head in 0..shape.heads {
        // SAFETY: by this function's contract; the scratch was sized for padded rows above.
        unsafe {
            let queries = qkv.add(head * shape.head);
            let keys: *mut f32 = scratch.keys.as_mut_ptr().cast();
            turn_keys(shape, queries.add(hidden), 3 * hidden, keys, width);
            let work = HeadWork {
                shape,
                queries,
                values: queries.add(2 * hidden),
                keys,
                scores: scratch.scores.as_mut_ptr().cast(),
                padded,
                out: out.add(head * shape.head),
            };
            let mut row = 0;
            while row + M <= shape.queries {
                work.rows::<S, M, R, V>(row);
                row += M;
            }
            if row + 4 <= shape.queries {
                work.rows::<S, 4, R, V>(row);
                row += 4;
            }
            if row + 2 <= shape.queries {
                work.rows::<S, 2, R, V>(row);
                row += 2;
            }
            if row < shape.queries {
                work.rows::<S, 1, R, V>(row);
            }
        }
    }
}

/// Writes the keys of one head as panels of `width` columns, one column per token; tokens missing to a whole
/// vector are 0.
///
/// # Safety
/// As [`attend`]; `keys` must be valid for whole panels.
#[inline(always)]
unsafe fn turn_keys(shape: AttentionShape, from: *const f32, stride: usize, keys: *mut f32, width: usize) {
    for token in 0..shape.length.next_multiple_of(LANES) {
        // SAFETY: `token` lies within the panels, and within the sequence where it is read.
        unsafe {
            let column = keys.add(token / width * width * shape.head + token % width);
            for index in 0..shape.head {
                let value = if token < shape.length {
                    *from.add(token * stride + index)
                } else {
                    0.0
                };
                *column.add(index * width) = value;
            }
        }
    }
}

/// One head of one sequence.
struct HeadWork {
    shape: AttentionShape,
    queries: *const f32,
    values: *const f32,
    keys: *const f32,
    scores: *mut f32,
    padded: usize,
    out: *mut f32,
}

impl HeadWork {
    /// Attends for N tokens from `first` on.
    ///
    /// # Safety
    /// As [`attend`]; the tokens must exist, and N rows of scores must fit.
    #[inline(always)]
    unsafe fn rows<S: Simd, const N: usize, const R: usize, const V: usize>(&self, first: usize) {
        let AttentionShape {
            length, heads, head, ..
        } = self.shape;
        let stride = 3 * heads * head;
        let width = R * LANES;
        // SAFETY: by this function's contract.
        unsafe {
            let whole = self.padded / width;
            for panel in 0..whole {
                let keys = self.keys.add(panel * width * head);
                self.scores_of::<S, N, R>(first, keys, width, panel * width);
            }
            for column in (whole * width..self.padded).step_by(LANES) {
                let keys = self.keys.add(whole * width * head + column % width);
                self.scores_of::<S, N, 1>(first, keys, width, column);
            }
            let mut factors = [0.0; N];
            for (row, factor) in factors.iter_mut().enumerate() {
                *factor = self.soften::<S>(self.scores.add(row * self.padded));
            }
            for column in (0..head).step_by(V * LANES) {
                let values = self.values.add(column).cast::<u32>();
                let scores = self.scores.cast::<u32>();
                let sums = tile::<S, F32, N, V>(scores, self.padded, length, values, stride);
                for (row, sums) in sums.into_iter().enumerate() {
                    let target = self.out.add((first + row) * heads * head + column);
                    for (vector, sum) in sums.into_iter().enumerate() {
                        S::store(target.add(vector * LANES), S::mul(sum, S::splat(factors[row])));
                    }
                }
            }
        }
    }

    /// Scores of N tokens from `first` on against R vectors of keys, written from `column` on.
    #[inline(always)]
    unsafe fn scores_of<S: Simd, const N: usize, const R: usize>(
        &self,
        first: usize,
        keys: *const f32,
        width: usize,
        column: usize,
    ) {
        let AttentionShape { heads, head, .. } = self.shape;
        let stride = 3 * heads * head;
        // SAFETY: as `rows`; the vectors lie within the panels of keys and the rows of scores.
        unsafe {
            let queries = self.queries.add(first * stride).cast::<u32>();
            let sums = tile::<S, F32, N, R>(queries, stride, head, keys.cast(), width);
            for (row, sums) in sums.into_iter().enumerate() {
                for (vector, sum) in sums.into_iter().enumerate() {
                    S::store(self.scores.add(row * self.padded + column + vector * LANES), sum);
                }
            }
        }
    }

    /// Turns a row of scores into unnormalised probabilities and returns what makes their sum 1.
    #[inline(always)]
    unsafe fn soften<S: Simd>(&self, scores: *mut f32) -> f32 {
        // SAFETY: the row has `padded` numbers.
        unsafe {
            for token in self.shape.length..self.padded {
                *scores.add(token) = VERY_SMALL;
            }
            let mut largest = S::splat(VERY_SMALL);
            for at in (0..self.padded).step_by(LANES) {
                largest = S::max(largest, S::load(scores.add(at)));
            }
            let largest = S::splat(S::largest(largest));
            let mut total = S::splat(0.0);
            for at in (0..self.padded).step_by(LANES) {
                let value = exp2::<S>(S::sub(S::load(scores.add(at)), largest));
                total = S::add(total, value);
                S::store(scores.add(at), value);
            }
            // Tokens beyond the end count 2^-126 each, which vanishes beside the largest score's 1.
            1.0 / S::sum(total)
        }
    }
}
