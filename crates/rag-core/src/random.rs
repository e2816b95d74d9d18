//! Seeded random numbers, so that the same seed gives the same result in every version and on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 random bits per step from a counter. Not for secrets.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers for one purpose: other `numbers` give another sequence.
    pub fn of(numbers: &[u64]) -> Self {
        let mut random = Self(0);
        for number in numbers {
            random.0 = random.bits() ^ number;
        }
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound`, which must be above 0, by multiplication; for bounds up to 2^24 the bias is below 2^-40.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Nearly normal, of variance 1: the sum of four uniform numbers.
    pub fn bell(&mut self) -> f32 {
        let sum: f64 = (0..4).map(|_| self.unit()).sum();
        ((sum - 2.0) * 3f64.sqrt()) as f32
    }

    /// Puts `items` in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
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

    #[test]
    fn every_order_comes_about() {
        let mut random = Random::of(&[3, 1]);
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut items = [1, 2, 3];
            random.shuffle(&mut items);
            orders.insert(items);
        }
        assert_eq!(orders.len(), 6);
    }
}
