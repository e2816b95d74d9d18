//! The dot product, one body compiled for each instruction set.
//!
//! Every build adds the same products in the same order, without fused multiply-add, so that a score
//! has the same bits on every machine and ties break alike. A scan waits for memory, not for
//! arithmetic, so this costs nothing measurable.

/// Sums kept side by side: four AVX registers, two AVX-512 ones.
const LANES: usize = 32;

/// The dot product of two vectors of one length.
#[inline]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    debug_assert_eq!(a.len(), b.len());
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the feature that the function is compiled for.
            return unsafe { dot_avx512(a, b) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { dot_avx2(a, b) };
        }
    }
    body(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn dot_avx512(a: &[f32], b: &[f32]) -> f32 {
    body(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(a: &[f32], b: &[f32]) -> f32 {
    body(a, b)
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "the body must be compiled with its caller's instruction set"
)]
fn body(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0f32; LANES];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    for (sum, (x, y)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += x * y;
    }
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        for (sum, other) in low.iter_mut().zip(high) {
            *sum += *other;
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_build_gives_the_same_bits_and_nearly_the_exact_sum(
            pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 0..200)
        ) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            prop_assert_eq!(dot(&a, &b).to_bits(), body(&a, &b).to_bits());
            let exact: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - exact).abs() < 1e-4);
        }
    }
}
