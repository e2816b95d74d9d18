//! The three arithmetics of a matrix product, as what differs between them: how a row of activations is
//! encoded into 32-bit words, what one word times one vector of weights is, and how a sum becomes a float.

use super::elementwise::{exact_gelu, short_gelu};
use crate::simd::{LANES, Simd};

/// How the words of a group of an encoded row relate to its floats (int8 only): value = scale · byte + offset.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowScale {
    pub(super) scale: f32,
    pub(super) offset: f32,
}

/// An arithmetic. Methods are unsafe as those of [`Simd`] are.
pub(super) trait Product {
    /// 16 running sums.
    type Sum<S: Simd>: Copy;

    unsafe fn zero<S: Simd>() -> Self::Sum<S>;
    unsafe fn step<S: Simd>(sum: Self::Sum<S>, word: S::I, weights: S::I) -> Self::Sum<S>;
    /// The sums as floats. `scales` and `totals` point to 16 columns' weight scale and scaled weight total.
    unsafe fn finish<S: Simd>(
        sum: Self::Sum<S>,
        row: RowScale,
        scales: *const f32,
        totals: *const f32,
    ) -> S::F;
    /// GELU as exact as the arithmetic deserves.
    unsafe fn gelu<S: Simd>(x: S::F) -> S::F;
    /// Encodes one group of `length` floats (a multiple of 16) into words.
    unsafe fn encode<S: Simd>(row: *const f32, length: usize, words: *mut u32) -> RowScale;
}

/// 32-bit floats: a word is one number.
pub(super) struct F32;

impl Product for F32 {
    type Sum<S: Simd> = S::F;

    #[inline(always)]
    unsafe fn zero<S: Simd>() -> S::F {
        // SAFETY: as the trait's contract, here and below.
        unsafe { S::splat(0.0) }
    }

    #[inline(always)]
    unsafe fn step<S: Simd>(sum: S::F, word: S::I, weights: S::I) -> S::F {
        unsafe { S::fma(S::from_bits(word), S::from_bits(weights), sum) }
    }

    #[inline(always)]
    unsafe fn finish<S: Simd>(sum: S::F, _: RowScale, _: *const f32, _: *const f32) -> S::F {
        sum
    }

    #[inline(always)]
    unsafe fn gelu<S: Simd>(x: S::F) -> S::F {
        unsafe { exact_gelu::<S>(x) }
    }

    #[inline(always)]
    unsafe fn encode<S: Simd>(row: *const f32, length: usize, words: *mut u32) -> RowScale {
        unsafe { std::ptr::copy_nonoverlapping(row.cast(), words, length) };
        RowScale::default()
    }
}

/// bfloat16 with sums in f32: a word is two numbers.
pub(super) struct Bf16;

impl Product for Bf16 {
    type Sum<S: Simd> = S::F;

    #[inline(always)]
    unsafe fn zero<S: Simd>() -> S::F {
        // SAFETY: as the trait's contract, here and below.
        unsafe { S::splat(0.0) }
    }

    #[inline(always)]
    unsafe fn step<S: Simd>(sum: S::F, word: S::I, weights: S::I) -> S::F {
        unsafe { S::dot_bf16(sum, word, weights) }
    }

    #[inline(always)]
    unsafe fn finish<S: Simd>(sum: S::F, _: RowScale, _: *const f32, _: *const f32) -> S::F {
        sum
    }

    #[inline(always)]
    unsafe fn gelu<S: Simd>(x: S::F) -> S::F {
        unsafe { short_gelu::<S>(x) }
    }

    #[inline(always)]
    unsafe fn encode<S: Simd>(row: *const f32, length: usize, words: *mut u32) -> RowScale {
        for at in (0..length).step_by(LANES) {
            unsafe { S::store_bf16(words.cast::<u16>().add(at), S::load(row.add(at))) };
        }
        RowScale::default()
    }
}

/// Unsigned bytes against signed bytes with exact integer sums: a word is four numbers.
///
/// A group is spread over 0..=255 between its smallest and its largest number. With value = scale · byte +
/// offset, a product is scale · Σ byte · weight + offset · Σ weight; the last sum is known beforehand.
pub(super) struct Int8;

impl Product for Int8 {
    type Sum<S: Simd> = S::I;

    #[inline(always)]
    unsafe fn zero<S: Simd>() -> S::I {
        // SAFETY: as the trait's contract, here and below.
        unsafe { S::zero_words() }
    }

    #[inline(always)]
    unsafe fn step<S: Simd>(sum: S::I, word: S::I, weights: S::I) -> S::I {
        unsafe { S::dot_bytes(sum, word, weights) }
    }

    #[inline(always)]
    unsafe fn finish<S: Simd>(sum: S::I, row: RowScale, scales: *const f32, totals: *const f32) -> S::F {
        unsafe {
            let scale = S::mul(S::splat(row.scale), S::load(scales));
            let shift = S::mul(S::splat(row.offset), S::load(totals));
            S::fma(S::to_float(sum), scale, shift)
        }
    }

    #[inline(always)]
    unsafe fn gelu<S: Simd>(x: S::F) -> S::F {
        unsafe { short_gelu::<S>(x) }
    }

    #[inline(always)]
    unsafe fn encode<S: Simd>(row: *const f32, length: usize, words: *mut u32) -> RowScale {
        unsafe {
            let mut low = S::load(row);
            let mut high = low;
            for at in (LANES..length).step_by(LANES) {
                let values = S::load(row.add(at));
                low = S::min(low, values);
                high = S::max(high, values);
            }
            let smallest = -S::largest(S::sub(S::splat(0.0), low));
            let range = S::largest(high) - smallest;
            let scale = if range > 0.0 { range / 255.0 } else { 1.0 };
            let (inverse, offset) = (S::splat(1.0 / scale), S::splat(smallest));
            for at in (0..length).step_by(LANES) {
                let values = S::mul(S::sub(S::load(row.add(at)), offset), inverse);
                S::store_bytes(words.cast::<u8>().add(at), S::min(values, S::splat(255.0)));
            }
            RowScale {
                scale,
                offset: smallest,
            }
        }
    }
}
