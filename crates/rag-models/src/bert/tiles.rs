//! The matrix product on AMX: a tile holds 16 rows of 64 bytes, and one instruction multiplies two of them.
//!
//! A tile of activations is up to 16 rows of 16 words as they are encoded; a tile of weights is 16 words of 16 columns
//! as they are packed: both are loaded from where the other kernels read them. Integer sums are exact and equal theirs
//! to the bit; bf16 sums are taken in another order, the same for every row.

use std::arch::asm;
use std::sync::LazyLock;

use super::gemm::{self, Block, Finish};
use super::matrix::PackedMatrix;
use super::product::{Bf16, Int8, Product, RowScale};
use crate::simd::{LANES, Simd};

/// Rows of a tile.
const TILE_ROWS: usize = 16;

/// Words of a row of a tile.
const TILE_WORDS: usize = 16;

/// Columns per panel, in vectors: two tiles.
pub(super) const VECTORS: usize = 2;

/// Bytes from one word's columns to the next word's in a panel.
const PANEL_STRIDE: usize = VECTORS * LANES * size_of::<u32>();

/// Whether this CPU has tiles for bytes and bf16, and the system lets this process use them. Asked once.
pub(crate) fn are_available() -> bool {
    static AVAILABLE: LazyLock<bool> = LazyLock::new(|| is_known_to_cpu() && is_permitted());
    *AVAILABLE
}

fn is_known_to_cpu() -> bool {
    const TILES: u32 = 1 << 24;
    const BYTES: u32 = 1 << 25;
    const BF16: u32 = 1 << 22;
    const ALL: u32 = TILES | BYTES | BF16;
    if std::arch::x86_64::__get_cpuid_max(0).0 < 7 {
        return false;
    }
    std::arch::x86_64::__cpuid_count(7, 0).edx & ALL == ALL
}

/// Asks the system for the tiles' state, which it saves only for processes that asked.
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_ulong = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_ulong = 18;
    // SAFETY: the call reads its two numbers and changes what this process may use.
    let answer = unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) };
    answer == 0
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// An arithmetic that tiles have.
pub(super) trait TileProduct: Product {
    /// The sums of `T` times two tiles, 16 rows each, over `tiles` tiles of words, written to `sums`, 32 words a row.
    ///
    /// # Safety
    /// The tiles must be configured; `a` must be valid for 16 · T rows of 16 · `tiles` words that are `stride_a` bytes
    /// apart, `b` for as many words of a panel.
    unsafe fn sum_tiles<const T: usize>(
        a: *const u32,
        stride_a: usize,
        b: *const u32,
        tiles: usize,
        sums: &mut Sums,
    );

    /// 16 sums as the tiles leave them.
    unsafe fn from_words<S: Simd>(words: S::I) -> Self::Sum<S>;
}

/// The sums of up to two times two tiles.
#[repr(C, align(64))]
pub(super) struct Sums([[u32; VECTORS * LANES]; 2 * TILE_ROWS]);

/// Tiles 0 to 3 sum up, 4 and 5 are activations, 6 and 7 weights. Nothing but these functions touches tiles.
macro_rules! tile_product {
    ($product:ty, $instruction:literal, $words:ident => $from:expr) => {
        impl TileProduct for $product {
            #[inline(always)]
            unsafe fn sum_tiles<const T: usize>(
                a: *const u32,
                stride_a: usize,
                b: *const u32,
                tiles: usize,
                sums: &mut Sums,
            ) {
                // SAFETY: by the trait's contract; one tile of rows reads no second one.
                unsafe {
                    if T == 2 {
                        asm!(
                            "tilezero tmm0",
                            "tilezero tmm1",
                            "tilezero tmm2",
                            "tilezero tmm3",
                            "2:",
                            "tileloadd tmm4, [{a} + {stride_a}]",
                            "tileloadd tmm6, [{b} + {stride_b}]",
                            "tileloadd tmm7, [{b} + {stride_b} + 64]",
                            concat!($instruction, " tmm0, tmm4, tmm6"),
                            "tileloadd tmm5, [{lower} + {stride_a}]",
                            concat!($instruction, " tmm1, tmm4, tmm7"),
                            concat!($instruction, " tmm2, tmm5, tmm6"),
                            concat!($instruction, " tmm3, tmm5, tmm7"),
                            "add {a}, 64",
                            "add {lower}, 64",
                            "add {b}, {step_b}",
                            "dec {tiles}",
                            "jnz 2b",
                            "tilestored [{sums} + {stride_b}], tmm0",
                            "tilestored [{sums} + {stride_b} + 64], tmm1",
                            "tilestored [{below} + {stride_b}], tmm2",
                            "tilestored [{below} + {stride_b} + 64], tmm3",
                            a = inout(reg) a => _,
                            lower = inout(reg) a.byte_add(TILE_ROWS * stride_a) => _,
                            b = inout(reg) b => _,
                            tiles = inout(reg) tiles => _,
                            stride_a = in(reg) stride_a,
                            stride_b = in(reg) PANEL_STRIDE,
                            step_b = const TILE_WORDS * PANEL_STRIDE,
                            sums = in(reg) sums.0.as_mut_ptr(),
                            below = in(reg) sums.0[TILE_ROWS..].as_mut_ptr(),
                            options(nostack),
                        );
                    } else {
                        asm!(
                            "tilezero tmm0",
                            "tilezero tmm1",
                            "2:",
                            "tileloadd tmm4, [{a} + {stride_a}]",
                            "tileloadd tmm6, [{b} + {stride_b}]",
                            "tileloadd tmm7, [{b} + {stride_b} + 64]",
                            concat!($instruction, " tmm0, tmm4, tmm6"),
                            concat!($instruction, " tmm1, tmm4, tmm7"),
                            "add {a}, 64",
                            "add {b}, {step_b}",
                            "dec {tiles}",
                            "jnz 2b",
                            "tilestored [{sums} + {stride_b}], tmm0",
                            "tilestored [{sums} + {stride_b} + 64], tmm1",
                            a = inout(reg) a => _,
                            b = inout(reg) b => _,
                            tiles = inout(reg) tiles => _,
                            stride_a = in(reg) stride_a,
                            stride_b = in(reg) PANEL_STRIDE,
                            step_b = const TILE_WORDS * PANEL_STRIDE,
                            sums = in(reg) sums.0.as_mut_ptr(),
                            options(nostack),
                        );
                    }
                }
            }

            #[inline(always)]
            unsafe fn from_words<S: Simd>($words: S::I) -> Self::Sum<S> {
                $from
            }
        }
    };
}

tile_product!(Int8, "tdpbusd", words => words);
// SAFETY: as the trait's contract.
tile_product!(Bf16, "tdpbf16ps", words => unsafe { S::from_bits(words) });

/// As [`gemm::multiply`](super::gemm::multiply). A matrix whose rows are not whole tiles is multiplied there.
///
/// # Safety
/// As there, with panels of [`VECTORS`] vectors; tiles must be available.
#[inline(always)]
pub(super) unsafe fn multiply<S: Simd, P: TileProduct, const M: usize>(
    matrix: &PackedMatrix,
    a: *const u32,
    scales: &[RowScale],
    finish: Finish,
    out: *mut f32,
) {
    let is_whole = |group: usize| matrix.group_words(group).len().is_multiple_of(TILE_WORDS);
    if !(0..matrix.groups()).all(is_whole) {
        // SAFETY: by this function's contract.
        return unsafe { gemm::multiply::<S, P, M, VECTORS>(matrix, a, scales, finish, out) };
    }
    let rows = scales.len() / matrix.groups();
    let (pairs, rest) = (rows / (2 * TILE_ROWS), rows % (2 * TILE_ROWS));
    let (first, last) = (pairs * 2 * TILE_ROWS, rest % TILE_ROWS);
    let mut sums = Sums([[0; VECTORS * LANES]; 2 * TILE_ROWS]);
    let blocks = || {
        (0..matrix.panels()).map(|panel| Block {
            matrix,
            panel,
            a,
            scales,
            finish,
            out,
        })
    };
    // SAFETY: tiles are shaped before and released after they are used; blocks lie within the rows.
    unsafe {
        if rows >= TILE_ROWS {
            shape_tiles(TILE_ROWS);
            for block in blocks() {
                for pair in 0..pairs {
                    sum_and_write::<S, P, 2>(&block, pair * 2 * TILE_ROWS, 2 * TILE_ROWS, &mut sums);
                }
                if rest >= TILE_ROWS {
                    sum_and_write::<S, P, 1>(&block, first, TILE_ROWS, &mut sums);
                }
            }
        }
        if last > 0 {
            shape_tiles(last);
            for block in blocks() {
                sum_and_write::<S, P, 1>(&block, rows - last, last, &mut sums);
            }
        }
        asm!("tilerelease", options(nomem, nostack));
    }
}

/// # Safety
/// As [`multiply`]; tiles must be shaped for `rows` rows, or half as many where T is 2, and so many must be there from
/// `first` on.
#[inline(always)]
unsafe fn sum_and_write<S: Simd, P: TileProduct, const T: usize>(
    block: &Block<'_>,
    first: usize,
    rows: usize,
    sums: &mut Sums,
) {
    let matrix = block.matrix;
    let stride_a = matrix.row_words() * size_of::<u32>();
    for group in 0..matrix.groups() {
        let words = matrix.group_words(group);
        // SAFETY: by this function's contract.
        unsafe {
            let (a, b) = block.operands(first, group);
            P::sum_tiles::<T>(a, stride_a, b, words.len() / TILE_WORDS, sums);
            for (row, sums) in sums.0.iter().take(rows).enumerate() {
                let vector = |at: usize| P::from_words::<S>(S::load_words(sums[at * LANES..].as_ptr()));
                block.write::<S, P, 1, VECTORS>(first + row, group, [[vector(0), vector(1)]]);
            }
        }
    }
}

/// Shapes the tiles of sums and activations as `rows` rows of 64 bytes, those of weights as 16.
///
/// # Safety
/// Tiles must be available; `rows` is at most 16.
unsafe fn shape_tiles(rows: usize) {
    #[repr(C, align(64))]
    struct Shapes {
        palette: u8,
        start_row: u8,
        reserved: [u8; 14],
        bytes_per_row: [u16; 16],
        rows: [u8; 16],
    }
    let mut shapes = Shapes {
        palette: 1,
        start_row: 0,
        reserved: [0; 14],
        bytes_per_row: [0; 16],
        rows: [0; 16],
    };
    shapes.bytes_per_row[..8].fill((TILE_WORDS * size_of::<u32>()) as u16);
    shapes.rows[..6].fill(rows as u8);
    shapes.rows[6..8].fill(TILE_ROWS as u8);
    // SAFETY: the shapes are 64 bytes that the CPU reads.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const shapes, options(nostack, readonly)) };
}
