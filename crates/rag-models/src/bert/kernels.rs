//! The kernels compiled for each instruction set, and their choice at run time.
//!
//! A [`Kernels`] value is a table of function pointers for one instruction set and precision. Its methods
//! check all lengths, so that the rest of the encoder is safe code.

use super::attention::{self, AttentionScratch, AttentionShape};
use super::elementwise;
use super::gemm::{self, Finish};
use super::matrix::{PackedMatrix, group_inputs, step};
use super::product::{Bf16, F32, Int8, Product, RowScale};
use crate::identity::Precision;
use crate::simd::plain::Plain;
use crate::simd::{InstructionSet, LANES};

type MultiplyFn = unsafe fn(&PackedMatrix, *const u32, &[RowScale], Finish, *mut f32);
type EncodeFn = unsafe fn(*const f32, usize, *mut u32) -> RowScale;
type AttendFn = unsafe fn(AttentionShape, *const f32, *mut f32, &mut AttentionScratch);
type NormFn = unsafe fn(*mut f32, usize, *const f32, *const f32, f32);

/// The kernels of one instruction set and precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernels {
    /// Columns per panel of packed weights.
    pub(super) width: usize,
    precision: Precision,
    multiply: MultiplyFn,
    encode: EncodeFn,
    attend: AttendFn,
    layer_norm: NormFn,
}

/// Instantiates the generic kernels for one instruction set as functions that are compiled for it.
///
/// SAFETY of what it makes: each function may be called only where the features are there, which
/// [`Kernels::new`] sees to, and by the contract of the kernel it wraps.
macro_rules! instantiate {
    ($module:ident, $simd:ty, $(#[$features:meta])?, multiply: $m:literal x $r:literal,
     bytes: $mb:literal x $rb:literal, values: $v:literal) => {
        mod $module {
            use super::*;

            $(#[$features])?
            unsafe fn multiply<P: Product>(
                matrix: &PackedMatrix, a: *const u32, rows: &[RowScale], finish: Finish, out: *mut f32,
            ) {
                unsafe { gemm::multiply::<$simd, P, $m, $r>(matrix, a, rows, finish, out) }
            }

            $(#[$features])?
            unsafe fn multiply_bytes(
                matrix: &PackedMatrix, a: *const u32, rows: &[RowScale], finish: Finish, out: *mut f32,
            ) {
                unsafe { gemm::multiply::<$simd, Int8, $mb, $rb>(matrix, a, rows, finish, out) }
            }

            $(#[$features])?
            unsafe fn encode<P: Product>(row: *const f32, length: usize, words: *mut u32) -> RowScale {
                unsafe { P::encode::<$simd>(row, length, words) }
            }

            $(#[$features])?
            unsafe fn attend(
                shape: AttentionShape, qkv: *const f32, out: *mut f32, scratch: &mut AttentionScratch,
            ) {
                unsafe { attention::attend::<$simd, $m, $r, $v>(shape, qkv, out, scratch) }
            }

            $(#[$features])?
            unsafe fn layer_norm(
                row: *mut f32, length: usize, weight: *const f32, bias: *const f32, epsilon: f32,
            ) {
                unsafe { elementwise::layer_norm::<$simd>(row, length, weight, bias, epsilon) }
            }

            pub(super) fn kernels(precision: Precision) -> Kernels {
                let (multiply, encode, vectors): (MultiplyFn, EncodeFn, usize) = match precision {
                    Precision::F32 => (multiply::<F32>, encode::<F32>, $r),
                    Precision::Bf16 => (multiply::<Bf16>, encode::<Bf16>, $r),
                    Precision::Int8 => (multiply_bytes, encode::<Int8>, $rb),
                };
                Kernels { width: vectors * LANES, precision, multiply, encode, attend, layer_norm }
            }
        }
    };
}

instantiate!(plain, Plain, , multiply: 4 x 1, bytes: 4 x 1, values: 1);

#[cfg(target_arch = "x86_64")]
instantiate!(
    avx2, crate::simd::avx2::Avx2, #[target_feature(enable = "avx2,fma")],
    multiply: 6 x 1, bytes: 4 x 1, values: 1
);

#[cfg(target_arch = "x86_64")]
instantiate!(
    avx512, crate::simd::avx512::Avx512,
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")],
    multiply: 6 x 4, bytes: 8 x 3, values: 2
);

#[cfg(target_arch = "x86_64")]
instantiate!(
    avx512_bf16, crate::simd::avx512::Avx512,
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16")],
    multiply: 6 x 4, bytes: 8 x 3, values: 2
);

#[cfg(target_arch = "x86_64")]
mod amx {
    use super::{
        Bf16, Finish, Int8, Kernels, LANES, MultiplyFn, PackedMatrix, Precision, RowScale, avx512_bf16,
    };
    use crate::bert::tiles::{self, TileProduct};
    use crate::simd::avx512::Avx512;

    /// SAFETY of a call: as those that [`instantiate`] makes, and tiles must be available.
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16")]
    unsafe fn multiply<P: TileProduct>(
        matrix: &PackedMatrix,
        a: *const u32,
        rows: &[RowScale],
        finish: Finish,
        out: *mut f32,
    ) {
        // SAFETY: by this function's contract.
        unsafe { tiles::multiply::<Avx512, P, 8>(matrix, a, rows, finish, out) }
    }

    /// Those of AVX-512 but for the product.
    pub(super) fn kernels(precision: Precision) -> Kernels {
        let others = avx512_bf16::kernels(precision);
        let multiply: MultiplyFn = match precision {
            Precision::F32 => return others,
            Precision::Bf16 => multiply::<Bf16>,
            Precision::Int8 => multiply::<Int8>,
        };
        Kernels {
            width: tiles::VECTORS * LANES,
            multiply,
            ..others
        }
    }
}

impl Kernels {
    /// The kernels for `precision` with at most `set`; a set without what the precision needs gives way to
    /// the next one below.
    pub(super) fn new(set: InstructionSet, precision: Precision) -> Self {
        #[cfg(target_arch = "x86_64")]
        match (set.min(InstructionSet::detect()), precision) {
            (InstructionSet::Amx, _) => return amx::kernels(precision),
            (InstructionSet::Avx512Bf16, _) => return avx512_bf16::kernels(precision),
            (InstructionSet::Avx512, Precision::F32 | Precision::Int8) => return avx512::kernels(precision),
            (InstructionSet::Avx512 | InstructionSet::Avx2, _) => return avx2::kernels(precision),
            (InstructionSet::Plain, _) => {}
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = set;
        plain::kernels(precision)
    }

    /// Encodes rows of floats for [`Kernels::multiply`]: `rows` of `width` numbers each.
    pub(super) fn encode_rows(&self, rows: &[f32], width: usize, encoded: &mut EncodedRows) {
        assert!(
            width.is_multiple_of(LANES) && rows.len().is_multiple_of(width),
            "rows are whole vectors"
        );
        let step = step(self.precision);
        let group = group_inputs(self.precision, width);
        encoded.words.resize(rows.len() / step, 0);
        encoded.scales.clear();
        let words = encoded.words.chunks_exact_mut(width / step);
        for (row, words) in rows.chunks_exact(width).zip(words) {
            for (row, words) in row.chunks(group).zip(words.chunks_mut(group / step)) {
                // SAFETY: `new` checked the instruction set; both slices are a whole group.
                let scale = unsafe { (self.encode)(row.as_ptr(), row.len(), words.as_mut_ptr()) };
                encoded.scales.push(scale);
            }
        }
    }

    /// Multiplies encoded rows by a matrix packed for these kernels, into `out`.
    pub(super) fn multiply(
        &self,
        matrix: &PackedMatrix,
        rows: &EncodedRows,
        finish: Finish,
        out: &mut [f32],
    ) {
        assert!(
            matrix.precision == self.precision && matrix.width == self.width,
            "the matrix was packed for these kernels"
        );
        assert!(
            matrix.outputs.is_multiple_of(LANES),
            "output rows are whole vectors"
        );
        let count = rows.words.len() / matrix.row_words();
        assert_eq!(rows.words.len(), count * matrix.row_words());
        assert_eq!(rows.scales.len(), count * matrix.groups());
        assert_eq!(out.len(), count * matrix.outputs);
        // SAFETY: `new` checked the instruction set; the lengths were checked above.
        unsafe {
            (self.multiply)(
                matrix,
                rows.words.as_ptr(),
                &rows.scales,
                finish,
                out.as_mut_ptr(),
            );
        }
    }

    /// Attends within one sequence; see [`attention::attend`].
    pub(super) fn attend(
        &self,
        shape: AttentionShape,
        qkv: &[f32],
        out: &mut [f32],
        scratch: &mut AttentionScratch,
    ) {
        let hidden = shape.heads * shape.head;
        assert!(shape.head.is_multiple_of(2 * LANES), "heads are pairs of vectors");
        assert!(
            shape.queries <= shape.length,
            "only tokens of the sequence attend"
        );
        assert_eq!(qkv.len(), shape.length * 3 * hidden);
        assert_eq!(out.len(), shape.length * hidden);
        // SAFETY: `new` checked the instruction set; the lengths were checked above.
        unsafe { (self.attend)(shape, qkv.as_ptr(), out.as_mut_ptr(), scratch) }
    }

    /// Normalises every row of `rows` in place.
    pub(super) fn layer_norm(&self, rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
        let width = weight.len();
        assert!(
            width.is_multiple_of(LANES) && bias.len() == width,
            "rows are whole vectors"
        );
        for row in rows.chunks_exact_mut(width) {
            // SAFETY: `new` checked the instruction set; row, weight and bias have `width` numbers.
            unsafe {
                (self.layer_norm)(row.as_mut_ptr(), width, weight.as_ptr(), bias.as_ptr(), epsilon);
            }
        }
    }
}

/// Rows of activations as the words a product reads, with the scale of each group of each row.
#[derive(Debug, Default)]
pub(super) struct EncodedRows {
    words: Vec<u32>,
    scales: Vec<RowScale>,
}
