//! IEEE half precision to single.

/// The value of a 16-bit float given by its bits.
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits) & 0x3ff;
    match exponent {
        // Zero and subnormal numbers: the fraction in units of 2^-24.
        0 => f32::from_bits(sign | (fraction as f32 * (-24f32).exp2()).to_bits()),
        // Infinity and NaN.
        31 => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0400, 6.103_515_6e-5),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(f16_to_f32(bits), value, "{bits:04x}");
        }
        assert!(f16_to_f32(0x7e00).is_nan());
    }
}
