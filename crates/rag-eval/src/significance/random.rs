//! A small generator of our own, so that the same seed gives the same figures in every version.

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 random bits per step from a counter.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, by multiplication; for the bounds here (numbers of questions) the bias is
    /// below 2^-40.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        // First outputs for seed 0 of the authors' C code.
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut random = Random::new(7);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[random.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
