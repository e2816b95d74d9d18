//! The vector operations with AVX2 and FMA: a vector is two registers of eight lanes.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_add_ps, _mm_add_ss,
    _mm_cvtss_f32, _mm_max_ps, _mm_max_ss, _mm_movehl_ps, _mm_packus_epi16, _mm_shuffle_ps, _mm_storeu_si128,
    _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256, _mm256_castps_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_div_ps,
    _mm256_extractf128_ps, _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_packus_epi32,
    _mm256_permute4x64_epi64, _mm256_round_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256,
    _mm256_slli_epi16, _mm256_slli_epi32, _mm256_srai_epi16, _mm256_srli_epi16, _mm256_srli_epi32,
    _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
};

use super::Simd;

/// AVX2 with FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2;

/// Adds the lanes of a register in halves.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
pub(super) unsafe fn sum_of_eight(a: __m256) -> f32 {
    // SAFETY: the caller has AVX2.
    unsafe {
        let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
}

/// The largest lane of a register.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
pub(super) unsafe fn largest_of_eight(a: __m256) -> f32 {
    // SAFETY: the caller has AVX2.
    unsafe {
        let four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
}

#[inline(always)]
unsafe fn power_of_two(n: __m256) -> __m256 {
    // SAFETY: the caller has AVX2. The exponent field of a float is n + 127.
    unsafe {
        let biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
    }
}

/// Even and odd bytes as 16-bit numbers: `madd` adds two products exactly, where the instruction for bytes
/// (`maddubs`) would saturate.
#[inline(always)]
unsafe fn dot_eight(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller has AVX2.
    unsafe {
        let even = _mm256_madd_epi16(
            _mm256_and_si256(a, _mm256_set1_epi32(0x00ff_00ff)),
            _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(b)),
        );
        let odd = _mm256_madd_epi16(_mm256_srli_epi16::<8>(a), _mm256_srai_epi16::<8>(b));
        _mm256_add_epi32(sum, _mm256_add_epi32(even, odd))
    }
}

#[inline(always)]
unsafe fn dot_eight_bf16(sum: __m256, a: __m256i, b: __m256i) -> __m256 {
    // SAFETY: the caller has AVX2 and FMA. A bfloat16 is the upper half of a float.
    unsafe {
        let low = |words| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(words));
        let mask = _mm256_set1_epi32(0xffff_0000_u32.cast_signed());
        let high = |words| _mm256_castsi256_ps(_mm256_and_si256(words, mask));
        _mm256_fmadd_ps(high(a), high(b), _mm256_fmadd_ps(low(a), low(b), sum))
    }
}

/// The upper halves of eight floats, rounded to the nearest, ties to even, in the lower halves of the lanes.
#[inline(always)]
unsafe fn rounded_halves(a: __m256) -> __m256i {
    // SAFETY: the caller has AVX2.
    unsafe {
        let bits = _mm256_castps_si256(a);
        let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
        let rounding = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
        _mm256_srli_epi32::<16>(_mm256_add_epi32(bits, rounding))
    }
}

// SAFETY (all methods): by the trait's contract the CPU has AVX2 and FMA, and pointers are valid for 16
// elements; all loads and stores are unaligned ones.
impl Simd for Avx2 {
    type F = (__m256, __m256);
    type I = (__m256i, __m256i);

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::F {
        unsafe { (_mm256_set1_ps(value), _mm256_set1_ps(value)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::F {
        unsafe { (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, value: Self::F) {
        unsafe {
            _mm256_storeu_ps(to, value.0);
            _mm256_storeu_ps(to.add(8), value.1);
        }
    }

    #[inline(always)]
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_div_ps(a.0, b.0), _mm256_div_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_max_ps(a.0, b.0), _mm256_max_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F {
        unsafe { (_mm256_min_ps(a.0, b.0), _mm256_min_ps(a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        unsafe { (_mm256_fmadd_ps(a.0, b.0, c.0), _mm256_fmadd_ps(a.1, b.1, c.1)) }
    }

    #[inline(always)]
    unsafe fn round(a: Self::F) -> Self::F {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        unsafe { (_mm256_round_ps::<NEAREST>(a.0), _mm256_round_ps::<NEAREST>(a.1)) }
    }

    #[inline(always)]
    unsafe fn scale_by_power(a: Self::F, n: Self::F) -> Self::F {
        unsafe {
            (
                _mm256_mul_ps(a.0, power_of_two(n.0)),
                _mm256_mul_ps(a.1, power_of_two(n.1)),
            )
        }
    }

    #[inline(always)]
    unsafe fn sum(a: Self::F) -> f32 {
        unsafe { sum_of_eight(_mm256_add_ps(a.0, a.1)) }
    }

    #[inline(always)]
    unsafe fn largest(a: Self::F) -> f32 {
        unsafe { largest_of_eight(_mm256_max_ps(a.0, a.1)) }
    }

    #[inline(always)]
    unsafe fn zero_words() -> Self::I {
        unsafe { (_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }

    #[inline(always)]
    unsafe fn splat_word(value: u32) -> Self::I {
        unsafe {
            let words = _mm256_set1_epi32(value.cast_signed());
            (words, words)
        }
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> Self::I {
        unsafe {
            (
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.add(8).cast()),
            )
        }
    }

    #[inline(always)]
    unsafe fn nibbles(a: Self::I) -> (Self::I, Self::I) {
        unsafe {
            let mask = _mm256_set1_epi32(0x0f0f_0f0f);
            let high = |words| _mm256_and_si256(_mm256_srli_epi32::<4>(words), mask);
            (
                (_mm256_and_si256(a.0, mask), _mm256_and_si256(a.1, mask)),
                (high(a.0), high(a.1)),
            )
        }
    }

    #[inline(always)]
    unsafe fn to_float(a: Self::I) -> Self::F {
        unsafe { (_mm256_cvtepi32_ps(a.0), _mm256_cvtepi32_ps(a.1)) }
    }

    #[inline(always)]
    unsafe fn from_bits(a: Self::I) -> Self::F {
        unsafe { (_mm256_castsi256_ps(a.0), _mm256_castsi256_ps(a.1)) }
    }

    #[inline(always)]
    unsafe fn dot_bytes(sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        unsafe { (dot_eight(sum.0, a.0, b.0), dot_eight(sum.1, a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn dot_bf16(sum: Self::F, a: Self::I, b: Self::I) -> Self::F {
        unsafe { (dot_eight_bf16(sum.0, a.0, b.0), dot_eight_bf16(sum.1, a.1, b.1)) }
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, value: Self::F) {
        unsafe {
            let words = _mm256_packus_epi32(_mm256_cvtps_epi32(value.0), _mm256_cvtps_epi32(value.1));
            // The packing works within halves of a register, so their quarters are put in order.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(words);
            let bytes: __m128i = _mm_packus_epi16(
                _mm256_castsi256_si128(words),
                _mm256_extracti128_si256::<1>(words),
            );
            _mm_storeu_si128(to.cast(), bytes);
        }
    }

    #[inline(always)]
    unsafe fn store_bf16(to: *mut u16, value: Self::F) {
        unsafe {
            let words = _mm256_packus_epi32(rounded_halves(value.0), rounded_halves(value.1));
            _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(words));
        }
    }
}
