//! The product of one panel of a matrix in blocks with rounded rows, for each instruction set.
#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the functions that enable their instruction set"
)]

use super::blocks::{BLOCK, Codes, RoundedRows};
use crate::simd::plain::Plain;
use crate::simd::{InstructionSet, LANES, Simd};

/// Words in front of the codes of an entry: a scale and an offset for each lane.
pub(super) const ENTRY_SCALES: usize = 2 * LANES;

/// Words of a row's block.
const ROW_WORDS: usize = BLOCK / 4;

/// A panel's words, the rows (words, scales, sums), how many rows and blocks there are, and 16 outputs for each row.
type MultiplyFn = unsafe fn(*const u32, [*const u32; 3], usize, usize, *mut f32);

/// The product for one instruction set and kind of codes.
#[derive(Clone, Copy)]
pub(super) struct Multiply {
    codes: Codes,
    function: MultiplyFn,
}

impl Multiply {
    /// The fastest one of this machine.
    pub(super) fn best(codes: Codes) -> Self {
        Self::new(InstructionSet::detect(), codes)
    }

    /// The one for at most `set`.
    pub(super) fn new(set: InstructionSet, codes: Codes) -> Self {
        let pick = |[nibbles, bytes]: [MultiplyFn; 2]| Self {
            codes,
            function: match codes {
                Codes::Nibbles => nibbles,
                Codes::Bytes => bytes,
            },
        };
        #[cfg(target_arch = "x86_64")]
        match set.min(InstructionSet::detect()) {
            InstructionSet::Avx512 | InstructionSet::Avx512Bf16 | InstructionSet::Amx => {
                return pick(avx512::FUNCTIONS);
            }
            InstructionSet::Avx2 => return pick(avx2::FUNCTIONS),
            InstructionSet::Plain => {}
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = set;
        pick(plain::FUNCTIONS)
    }

    /// Multiplies all `rows` by the panel `words` into `out`, 16 numbers a row.
    pub(super) fn run(self, words: &[u32], rows: &RoundedRows, out: &mut [f32]) {
        let count = out.len() / LANES;
        let blocks = words.len() / self.codes.entry_words();
        assert_eq!(words.len(), blocks * self.codes.entry_words());
        assert_eq!(out.len(), count * LANES);
        assert_eq!(rows.words.len(), count * blocks * ROW_WORDS);
        assert_eq!(
            (rows.scales.len(), rows.sums.len()),
            (count * blocks, count * blocks)
        );
        let parts = [
            rows.words.as_ptr(),
            rows.scales.as_ptr().cast(),
            rows.sums.as_ptr().cast(),
        ];
        // SAFETY: `new` checked the instruction set; the lengths were checked above.
        unsafe { (self.function)(words.as_ptr(), parts, count, blocks, out.as_mut_ptr()) }
    }
}

/// Instantiates the product for one instruction set, with as many rows at a time as its registers hold.
///
/// SAFETY of what it makes: the functions may be called only where the features are there, and by the contract of
/// [`multiply`].
macro_rules! instantiate {
    ($module:ident, $simd:ty, $rows:literal, $(#[$features:meta])?) => {
        mod $module {
            use super::*;

            pub(super) const FUNCTIONS: [MultiplyFn; 2] = [nibbles, bytes];

            $(#[$features])?
            unsafe fn nibbles(words: *const u32, rows: [*const u32; 3], count: usize, blocks: usize, out: *mut f32) {
                unsafe { multiply::<$simd, true, $rows>(words, rows, count, blocks, out) }
            }

            $(#[$features])?
            unsafe fn bytes(words: *const u32, rows: [*const u32; 3], count: usize, blocks: usize, out: *mut f32) {
                unsafe { multiply::<$simd, false, $rows>(words, rows, count, blocks, out) }
            }
        }
    };
}

instantiate!(plain, Plain, 1,);

#[cfg(target_arch = "x86_64")]
instantiate!(avx2, crate::simd::avx2::Avx2, 2, #[target_feature(enable = "avx2,fma")]);

#[cfg(target_arch = "x86_64")]
instantiate!(
    avx512, crate::simd::avx512::Avx512, 8,
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
);

/// All rows, M at a time and the rest one by one.
///
/// # Safety
/// As [`Simd`]; the pointers must be valid for `blocks` entries, for `count` rows of `blocks` blocks, and for 16 outputs of
/// each row.
#[inline(always)]
unsafe fn multiply<S: Simd, const NIBBLES: bool, const M: usize>(
    words: *const u32,
    rows: [*const u32; 3],
    count: usize,
    blocks: usize,
    out: *mut f32,
) {
    let mut row = 0;
    // SAFETY: by this function's contract, here and below; `row` stays below `count`.
    unsafe {
        while row + M <= count {
            some_rows::<S, NIBBLES, M>(words, rows, row, blocks, out);
            row += M;
        }
        while row < count {
            some_rows::<S, NIBBLES, 1>(words, rows, row, blocks, out);
            row += 1;
        }
    }
}

/// M rows from row `first` on. The sums of a row do not depend on M.
///
/// # Safety
/// As [`multiply`]; the rows must be there.
#[inline(always)]
unsafe fn some_rows<S: Simd, const NIBBLES: bool, const M: usize>(
    words: *const u32,
    [row_words, row_scales, row_sums]: [*const u32; 3],
    first: usize,
    blocks: usize,
    out: *mut f32,
) {
    let codes = if NIBBLES { Codes::Nibbles } else { Codes::Bytes };
    let vectors = (codes.entry_words() - ENTRY_SCALES) / LANES;
    // SAFETY: by this function's contract.
    unsafe {
        let mut sums = [S::splat(0.0); M];
        for block in 0..blocks {
            let entry = words.add(block * codes.entry_words());
            let place = |row: usize| (first + row) * blocks + block;
            let input =
                |row: usize, word: usize| S::splat_word(*row_words.add(place(row) * ROW_WORDS + word));
            let mut dots = [S::zero_words(); M];
            for vector in 0..vectors {
                let loaded = S::load_words(entry.add(ENTRY_SCALES + vector * LANES));
                if NIBBLES {
                    let (low, high) = S::nibbles(loaded);
                    for (row, dot) in dots.iter_mut().enumerate() {
                        *dot = S::dot_bytes(*dot, low, input(row, vector));
                        *dot = S::dot_bytes(*dot, high, input(row, ROW_WORDS / 2 + vector));
                    }
                } else {
                    for (row, dot) in dots.iter_mut().enumerate() {
                        *dot = S::dot_bytes(*dot, loaded, input(row, vector));
                    }
                }
            }
            let scales = S::from_bits(S::load_words(entry));
            let offsets = S::from_bits(S::load_words(entry.add(LANES)));
            for (row, (sum, dot)) in sums.iter_mut().zip(dots).enumerate() {
                let scale = S::splat(f32::from_bits(*row_scales.add(place(row))));
                let total = S::splat(f32::from_bits(*row_sums.add(place(row))));
                *sum = S::fma(S::mul(S::to_float(dot), scales), scale, *sum);
                *sum = S::fma(offsets, total, *sum);
            }
        }
        for (row, sum) in sums.into_iter().enumerate() {
            S::store(out.add((first + row) * LANES), sum);
        }
    }
}
