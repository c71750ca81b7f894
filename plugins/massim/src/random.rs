//! `java.util.Random`: the 48-bit linear congruential generator that the original servers draw
//! everything from. Equal seeds give equal draws.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// The generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaRandom(u64);

impl JavaRandom {
    /// A generator that starts from `seed`, as the original does.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self((seed.cast_unsigned() ^ MULTIPLIER) & MASK)
    }

    /// A generator for which neighbouring seeds have nothing in common. Draws for different
    /// purposes from one seed are independent when `purpose` differs.
    #[must_use]
    pub fn mixed(seed: i64, purpose: u64) -> Self {
        let golden = 0x9E37_79B9_7F4A_7C15u64;
        let mut mixed = seed.cast_unsigned().wrapping_add(golden.wrapping_mul(purpose + 1));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((mixed ^ (mixed >> 31)) & MASK)
    }

    fn next(&mut self, bits: u32) -> u64 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        self.0 >> (48 - bits)
    }

    /// An integer of `0..bound`, like `nextInt(bound)`. Returns 0, without a draw, when `bound` is
    /// not positive. Bounds reach up to 2³¹ - 1.
    pub fn below<N: TryInto<u64> + TryFrom<u64> + Default>(&mut self, bound: N) -> N {
        let bound = bound.try_into().unwrap_or(0);
        let value = if bound == 0 {
            0
        } else if bound.is_power_of_two() {
            (bound * self.next(31)) >> 31
        } else {
            loop {
                let drawn = self.next(31);
                let value = drawn % bound;
                // The original rejects what overflows its 32-bit sum.
                if drawn - value + (bound - 1) < 1 << 31 {
                    break value;
                }
            }
        };
        N::try_from(value).unwrap_or_default()
    }

    /// An integer of the inclusive bounds.
    pub fn between(&mut self, bounds: [i32; 2]) -> i32 {
        let [low, high] = bounds;
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// Whether an event with a probability of `percent` in 100 happens.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// A number of `[0, 1)`, like `nextDouble()`.
    pub fn unit(&mut self) -> f64 {
        let high = self.next(26);
        let low = self.next(27);
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact in a double")]
        let whole = ((high << 27) + low) as f64;
        whole / 9_007_199_254_740_992.0
    }

    /// Shuffles as `Collections.shuffle` does: from the last element down.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for left in (2..=list.len()).rev() {
            let other = self.below(left);
            list.swap(left - 1, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_original_generator() {
        // Well-known first values of seed 42: nextInt(10), and nextDouble.
        let mut random = JavaRandom::new(42);
        let drawn: Vec<i32> = (0..5).map(|_| random.below(10)).collect();
        assert_eq!(drawn, [0, 3, 8, 4, 0]);
        assert!((JavaRandom::new(42).unit() - 0.727_563_680_032_868_1).abs() < 1e-15);
        assert_eq!(JavaRandom::new(1).below(0u32), 0);
    }

    #[test]
    fn neighbouring_seeds_differ_once_mixed() {
        let first = |seed| JavaRandom::mixed(seed, 0).below(1000);
        let drawn: phalanx_game::sorted::SortedSet<u32> = (0..100).map(first).collect();
        assert!(drawn.len() > 80, "{drawn:?}");
        assert_ne!(JavaRandom::mixed(1, 0), JavaRandom::mixed(1, 1));
    }

    #[test]
    fn bounds_are_inclusive_and_a_shuffle_keeps_everything() {
        let mut random = JavaRandom::new(1);
        for _ in 0..1000 {
            assert!((-3..=1).contains(&random.between([-3, 1])));
        }
        let mut list: Vec<u32> = (0..50).collect();
        random.shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
        assert_eq!(random.below(-1), 0);
    }
}
