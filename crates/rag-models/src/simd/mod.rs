//! One vector of 16 numbers, on whatever the CPU offers.
//!
//! Kernels are written once against [`Simd`]. A vector has 16 lanes on every machine, and sums over lanes
//! are taken in one order, so f32 and int8 results are the same bytes with AVX-512 and with AVX2.
#![expect(
    clippy::inline_always,
    reason = "operations must be inlined into the functions that enable their instruction set"
)]

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod plain;

/// Lanes of a vector.
pub(crate) const LANES: usize = 16;

/// An instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Plain code, which the compiler vectorises for the target's baseline (NEON on ARM).
    Plain,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL) with VNNI.
    Avx512,
    /// The same with BF16.
    Avx512Bf16,
    /// The same with tiles for bytes and bf16, where the system lets the process use them.
    Amx,
}

impl InstructionSet {
    /// The best set of this CPU.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Self {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        match (avx2, avx512) {
            (true, true) if is_x86_feature_detected!("avx512bf16") => {
                if crate::bert::tiles::are_available() {
                    Self::Amx
                } else {
                    Self::Avx512Bf16
                }
            }
            (true, true) => Self::Avx512,
            (true, false) => Self::Avx2,
            _ => Self::Plain,
        }
    }

    /// The best set of this CPU.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Self {
        Self::Plain
    }

    /// All sets that this CPU has, the plain one first.
    pub fn available() -> Vec<Self> {
        let best = Self::detect();
        let all = [Self::Plain, Self::Avx2, Self::Avx512, Self::Avx512Bf16, Self::Amx];
        all.into_iter().filter(|&set| set <= best).collect()
    }
}

/// Operations on vectors of 16 numbers.
///
/// Every method is unsafe for the same reason: the instruction set must be there. Pointers must be valid
/// for 16 elements; they need not be aligned.
pub(crate) trait Simd: Copy {
    /// 16 floats.
    type F: Copy;
    /// 16 words of 32 bits.
    type I: Copy;

    unsafe fn splat(value: f32) -> Self::F;
    unsafe fn load(from: *const f32) -> Self::F;
    unsafe fn store(to: *mut f32, value: Self::F);
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F;
    /// a · b + c.
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// To the nearest integer.
    unsafe fn round(a: Self::F) -> Self::F;
    /// a · 2ⁿ for integral n of at least −126.
    unsafe fn scale_by_power(a: Self::F, n: Self::F) -> Self::F;
    unsafe fn sum(a: Self::F) -> f32;
    unsafe fn largest(a: Self::F) -> f32;

    unsafe fn zero_words() -> Self::I;
    unsafe fn splat_word(value: u32) -> Self::I;
    unsafe fn load_words(from: *const u32) -> Self::I;
    /// The lower and the upper half of each byte, as bytes.
    unsafe fn nibbles(a: Self::I) -> (Self::I, Self::I);
    unsafe fn to_float(a: Self::I) -> Self::F;
    unsafe fn from_bits(a: Self::I) -> Self::F;
    /// Per lane, adds the products of four unsigned bytes of `a` with four signed bytes of `b`.
    unsafe fn dot_bytes(sum: Self::I, a: Self::I, b: Self::I) -> Self::I;
    /// Per lane, adds the products of two bfloat16 of `a` with two of `b`.
    unsafe fn dot_bf16(sum: Self::F, a: Self::I, b: Self::I) -> Self::F;
    /// Writes 16 floats between 0 and 255 as bytes, rounded to the nearest.
    unsafe fn store_bytes(to: *mut u8, value: Self::F);
    /// Writes 16 floats as bfloat16, rounded to the nearest.
    unsafe fn store_bf16(to: *mut u16, value: Self::F);
}
