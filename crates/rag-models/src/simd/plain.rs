//! The vector operations in plain code: for any CPU, and as the twin that tests compare with.

use super::{LANES, Simd};

/// Plain code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

#[inline(always)]
fn map(a: [f32; LANES], operation: impl Fn(f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|lane| operation(a[lane]))
}

#[inline(always)]
fn zip(a: [f32; LANES], b: [f32; LANES], operation: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|lane| operation(a[lane], b[lane]))
}

/// Folds the lanes in halves, in the order that the other instruction sets use.
#[inline(always)]
fn fold(mut a: [f32; LANES], operation: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            a[lane] = operation(a[lane], a[lane + width]);
        }
        width /= 2;
    }
    a[0]
}

/// The upper 16 bits of a float, rounded to the nearest, ties to even.
#[inline(always)]
pub(crate) fn to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let odd = (bits >> 16) & 1;
    (bits.wrapping_add(0x7fff + odd) >> 16) as u16
}

/// The nearest integer, ties to even, for |value| < 2²²: adding 1.5 · 2²³ leaves no bits for a fraction. The
/// library's function is a call per number where the baseline has no rounding instruction.
#[inline(always)]
pub(crate) fn round_small(value: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT) - SHIFT
}

// SAFETY (all methods): plain code needs no instruction set; pointers are valid by the trait's contract.
impl Simd for Plain {
    type F = [f32; LANES];
    type I = [u32; LANES];

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::F {
        [value; LANES]
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::F {
        unsafe { from.cast::<Self::F>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, value: Self::F) {
        unsafe { to.cast::<Self::F>().write_unaligned(value) }
    }

    #[inline(always)]
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a - b)
    }

    #[inline(always)]
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a * b)
    }

    #[inline(always)]
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a / b)
    }

    #[inline(always)]
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| if a < b { a } else { b })
    }

    // Without a fused instruction in the baseline, `mul_add` would be a library call per number.
    #[inline(always)]
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        std::array::from_fn(|lane| a[lane] * b[lane] + c[lane])
    }

    #[inline(always)]
    unsafe fn round(a: Self::F) -> Self::F {
        map(a, round_small)
    }

    #[inline(always)]
    unsafe fn scale_by_power(a: Self::F, n: Self::F) -> Self::F {
        zip(a, n, |a, n| a * f32::from_bits(((n as i32 + 127) as u32) << 23))
    }

    #[inline(always)]
    unsafe fn sum(a: Self::F) -> f32 {
        fold(a, |a, b| a + b)
    }

    #[inline(always)]
    unsafe fn largest(a: Self::F) -> f32 {
        fold(a, f32::max)
    }

    #[inline(always)]
    unsafe fn zero_words() -> Self::I {
        [0; LANES]
    }

    #[inline(always)]
    unsafe fn splat_word(value: u32) -> Self::I {
        [value; LANES]
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> Self::I {
        unsafe { from.cast::<Self::I>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn nibbles(a: Self::I) -> (Self::I, Self::I) {
        (
            a.map(|word| word & 0x0f0f_0f0f),
            a.map(|word| (word >> 4) & 0x0f0f_0f0f),
        )
    }

    #[inline(always)]
    unsafe fn to_float(a: Self::I) -> Self::F {
        a.map(|word| word.cast_signed() as f32)
    }

    #[inline(always)]
    unsafe fn from_bits(a: Self::I) -> Self::F {
        a.map(f32::from_bits)
    }

    #[inline(always)]
    unsafe fn dot_bytes(sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        // By shifts rather than by bytes: this the compiler turns into vectors.
        std::array::from_fn(|lane| {
            let (a, b) = (a[lane], b[lane].cast_signed());
            let mut total = sum[lane].cast_signed();
            for shift in [0, 8, 16, 24] {
                total += ((a >> shift) & 0xff).cast_signed() * ((b << (24 - shift)) >> 24);
            }
            total.cast_unsigned()
        })
    }

    #[inline(always)]
    unsafe fn dot_bf16(sum: Self::F, a: Self::I, b: Self::I) -> Self::F {
        std::array::from_fn(|lane| {
            let low = f32::from_bits(a[lane] << 16) * f32::from_bits(b[lane] << 16);
            let high = f32::from_bits(a[lane] & 0xffff_0000) * f32::from_bits(b[lane] & 0xffff_0000);
            sum[lane] + low + high
        })
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, value: Self::F) {
        let bytes = value.map(|value| round_small(value) as u8);
        unsafe { to.cast::<[u8; LANES]>().write_unaligned(bytes) }
    }

    #[inline(always)]
    unsafe fn store_bf16(to: *mut u16, value: Self::F) {
        unsafe { to.cast::<[u16; LANES]>().write_unaligned(value.map(to_bf16)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_the_library() {
        for step in -2_000..2_000 {
            let value = step as f32 / 8.0;
            assert_eq!(round_small(value), value.round_ties_even(), "{value}");
        }
    }

    #[test]
    fn bfloat16_rounds_to_the_nearest_and_ties_to_even() {
        for (value, bits) in [
            (1.0, 0x3f80),
            (1.003_906_3, 0x3f80),
            (1.011_718_8, 0x3f82),
            (-2.0, 0xc000),
        ] {
            assert_eq!(to_bf16(value), bits, "{value}");
        }
    }
}
