//! What happens to single numbers and rows: the exponential, GELU, layer normalisation.

use crate::simd::{LANES, Simd};

/// 2ˣ with a relative error below 2 · 10⁻⁷. Below −126 the result is 2⁻¹²⁶, as good as zero.
///
/// # Safety
/// As [`Simd`], here and below.
#[inline(always)]
pub(super) unsafe fn exp2<S: Simd>(x: S::F) -> S::F {
    // Taylor series of 2ᶠ for |f| ≤ 1/2: (ln 2)ⁿ / n!.
    const SERIES: [f32; 7] = [
        1.0,
        std::f32::consts::LN_2,
        0.240_226_5,
        0.055_504_11,
        0.009_618_13,
        0.001_333_355_8,
        0.000_154_035_3,
    ];
    // SAFETY: by this function's contract.
    unsafe {
        let x = S::max(x, S::splat(-126.0));
        let whole = S::round(x);
        let fraction = S::sub(x, whole);
        let mut value = S::splat(SERIES[6]);
        for &coefficient in SERIES[..6].iter().rev() {
            value = S::fma(value, fraction, S::splat(coefficient));
        }
        S::scale_by_power(value, whole)
    }
}

/// GELU by the error function, exact to 2 · 10⁻⁷ · |x|: Abramowitz and Stegun, formula 7.1.26.
///
/// With q(x) = 1 − erf(x/√2) for x ≥ 0, GELU(x) = max(x, 0) − |x|/2 · q(|x|).
#[inline(always)]
pub(super) unsafe fn exact_gelu<S: Simd>(x: S::F) -> S::F {
    const P: f32 = 0.327_591_1 * std::f32::consts::FRAC_1_SQRT_2;
    const SERIES: [f32; 5] = [0.254_829_6, -0.284_496_74, 1.421_413_7, -1.453_152, 1.061_405_4];
    // SAFETY: by this function's contract.
    unsafe {
        let zero = S::splat(0.0);
        let size = S::max(x, S::sub(zero, x));
        let one = S::splat(1.0);
        let t = S::div(one, S::fma(size, S::splat(P), one));
        let mut series = S::splat(SERIES[4]);
        for &coefficient in SERIES[..4].iter().rev() {
            series = S::fma(series, t, S::splat(coefficient));
        }
        let exponent = S::mul(S::mul(size, size), S::splat(-0.5 * std::f32::consts::LOG2_E));
        let q = S::mul(S::mul(series, t), exp2::<S>(exponent));
        S::fma(S::mul(size, S::splat(-0.5)), q, S::max(x, zero))
    }
}

/// GELU to 1.3 · 10⁻⁴, less than the rounding that follows it in bf16 and int8, without division.
///
/// GELU(x) = max(x, 0) − g(|x|) with g(t) = t · Φ(−t), here a polynomial of degree 8 without constant term,
/// fitted to the smallest largest error on [0, 4], where it ends at 0.
#[inline(always)]
pub(super) unsafe fn short_gelu<S: Simd>(x: S::F) -> S::F {
    const SERIES: [f32; 8] = [
        0.496_678_26,
        -0.370_625_3,
        -0.081_388_95,
        0.176_186_04,
        -0.076_151_215,
        0.015_239_623,
        -0.001_439_519_2,
        0.000_048_690_723,
    ];
    // SAFETY: by this function's contract.
    unsafe {
        let zero = S::splat(0.0);
        let size = S::min(S::max(x, S::sub(zero, x)), S::splat(4.0));
        let mut series = S::splat(SERIES[7]);
        for &coefficient in SERIES[..7].iter().rev() {
            series = S::fma(series, size, S::splat(coefficient));
        }
        S::sub(S::max(x, zero), S::mul(series, size))
    }
}

/// Normalises one row in place: mean 0, variance 1, then scale and shift.
///
/// `row`, `weight` and `bias` must be valid for `length` numbers, a multiple of 16.
#[inline(always)]
pub(super) unsafe fn layer_norm<S: Simd>(
    row: *mut f32,
    length: usize,
    weight: *const f32,
    bias: *const f32,
    epsilon: f32,
) {
    // SAFETY: by this function's contract.
    unsafe {
        let mut total = S::splat(0.0);
        for at in (0..length).step_by(LANES) {
            total = S::add(total, S::load(row.add(at)));
        }
        let mean = S::splat(S::sum(total) / length as f32);
        let mut squares = S::splat(0.0);
        for at in (0..length).step_by(LANES) {
            let distance = S::sub(S::load(row.add(at)), mean);
            squares = S::fma(distance, distance, squares);
        }
        let factor = S::splat(1.0 / (S::sum(squares) / length as f32 + epsilon).sqrt());
        for at in (0..length).step_by(LANES) {
            let value = S::mul(S::sub(S::load(row.add(at)), mean), factor);
            let value = S::fma(value, S::load(weight.add(at)), S::load(bias.add(at)));
            S::store(row.add(at), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::plain::Plain;

    /// erf by its Taylor series in double precision, for |x| ≤ 4.
    fn erf(x: f64) -> f64 {
        let (mut term, mut total) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            total += term / f64::from(2 * n + 1);
        }
        total * std::f64::consts::FRAC_2_SQRT_PI
    }

    fn points() -> impl Iterator<Item = f32> {
        (-400..=400).map(|step| step as f32 / 80.0)
    }

    #[test]
    fn both_forms_of_gelu_keep_their_promise() {
        for x in points() {
            let exact = f64::from(x) * 0.5 * (1.0 + erf(f64::from(x) / std::f64::consts::SQRT_2));
            // SAFETY: plain code needs no instruction set.
            let (long, short) = unsafe { (exact_gelu::<Plain>([x; LANES]), short_gelu::<Plain>([x; LANES])) };
            assert!((f64::from(long[0]) - exact).abs() < 2e-6, "{x}: {}", long[0]);
            assert!((f64::from(short[3]) - exact).abs() < 1.4e-4, "{x}: {}", short[3]);
        }
    }

    #[test]
    fn powers_of_two_are_right_to_seven_digits() {
        for x in points().map(|x| x * 20.0) {
            // SAFETY: plain code needs no instruction set.
            let found = unsafe { exp2::<Plain>([x; LANES]) }[0];
            assert!((found / x.exp2() - 1.0).abs() < 3e-7, "{x}: {found}");
        }
        // SAFETY: as above.
        let tiny = unsafe { exp2::<Plain>([-1e30; LANES]) }[0];
        assert!(tiny > 0.0 && tiny < 2e-38);
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one() {
        let mut row: Vec<f32> = (0..64).map(|value| (value * value % 37) as f32).collect();
        let (weight, bias) = ([1.0; 64], [0.0; 64]);
        // SAFETY: plain code needs no instruction set; all slices have 64 numbers.
        unsafe { layer_norm::<Plain>(row.as_mut_ptr(), 64, weight.as_ptr(), bias.as_ptr(), 0.0) };
        let mean = row.iter().sum::<f32>() / 64.0;
        let variance = row.iter().map(|value| value * value).sum::<f32>() / 64.0;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-4);
    }
}
