//! The vector operations with AVX-512: a vector is one register.

use std::arch::x86_64::{
    __m512, __m512bh, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_storeu_si128, _mm256_add_ps,
    _mm256_max_ps, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512,
    _mm512_castps_si512, _mm512_castps512_ps256, _mm512_castsi512_ps, _mm512_cvtepi32_epi16,
    _mm512_cvtepi32_ps, _mm512_cvtps_epi32, _mm512_cvtusepi32_epi8, _mm512_div_ps, _mm512_dpbf16_ps,
    _mm512_dpbusd_epi32, _mm512_extractf32x8_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_max_ps, _mm512_min_ps, _mm512_mul_ps, _mm512_roundscale_ps, _mm512_scalef_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_si512, _mm512_srli_epi32, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::Simd;
use super::avx2::{largest_of_eight, sum_of_eight};

/// AVX-512 with VNNI; with BF16 where [`Simd::dot_bf16`] is used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512;

// SAFETY (all methods): by the trait's contract the CPU has AVX-512 F, BW, DQ, VL and VNNI (and BF16 for
// `dot_bf16`), and pointers are valid for 16 elements; all loads and stores are unaligned ones.
impl Simd for Avx512 {
    type F = __m512;
    type I = __m512i;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::F {
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::F {
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, value: Self::F) {
        unsafe { _mm512_storeu_ps(to, value) }
    }

    #[inline(always)]
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_div_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_min_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    unsafe fn round(a: Self::F) -> Self::F {
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    unsafe fn scale_by_power(a: Self::F, n: Self::F) -> Self::F {
        unsafe { _mm512_scalef_ps(a, n) }
    }

    #[inline(always)]
    unsafe fn sum(a: Self::F) -> f32 {
        unsafe {
            sum_of_eight(_mm256_add_ps(
                _mm512_castps512_ps256(a),
                _mm512_extractf32x8_ps::<1>(a),
            ))
        }
    }

    #[inline(always)]
    unsafe fn largest(a: Self::F) -> f32 {
        unsafe {
            largest_of_eight(_mm256_max_ps(
                _mm512_castps512_ps256(a),
                _mm512_extractf32x8_ps::<1>(a),
            ))
        }
    }

    #[inline(always)]
    unsafe fn zero_words() -> Self::I {
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn splat_word(value: u32) -> Self::I {
        unsafe { _mm512_set1_epi32(value.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn load_words(from: *const u32) -> Self::I {
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn nibbles(a: Self::I) -> (Self::I, Self::I) {
        unsafe {
            let mask = _mm512_set1_epi32(0x0f0f_0f0f);
            let high = _mm512_srli_epi32::<4>(a);
            (_mm512_and_si512(a, mask), _mm512_and_si512(high, mask))
        }
    }

    #[inline(always)]
    unsafe fn to_float(a: Self::I) -> Self::F {
        unsafe { _mm512_cvtepi32_ps(a) }
    }

    #[inline(always)]
    unsafe fn from_bits(a: Self::I) -> Self::F {
        unsafe { _mm512_castsi512_ps(a) }
    }

    #[inline(always)]
    unsafe fn dot_bytes(sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        unsafe { _mm512_dpbusd_epi32(sum, a, b) }
    }

    #[inline(always)]
    unsafe fn dot_bf16(sum: Self::F, a: Self::I, b: Self::I) -> Self::F {
        // Both types are 512 bits without invalid patterns.
        let pairs = |words: __m512i| unsafe { std::mem::transmute::<__m512i, __m512bh>(words) };
        unsafe { _mm512_dpbf16_ps(sum, pairs(a), pairs(b)) }
    }

    #[inline(always)]
    unsafe fn store_bytes(to: *mut u8, value: Self::F) {
        unsafe { _mm_storeu_si128(to.cast(), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(value))) }
    }

    #[inline(always)]
    unsafe fn store_bf16(to: *mut u16, value: Self::F) {
        unsafe {
            let bits = _mm512_castps_si512(value);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let rounding = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
            let halves = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, rounding));
            _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(halves));
        }
    }
}
