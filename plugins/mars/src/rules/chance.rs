//! The generator that the original draws its maps from: a 48-bit linear congruential one
//! (spec, section 12). The referee's own chance uses it too, from a seed that is stirred first.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// The generator; equal seeds give equal draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lcg(u64);

impl Lcg {
    /// A generator that starts from `seed`, as the original does.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self((seed.cast_unsigned() ^ MULTIPLIER) & MASK)
    }

    /// A generator for which neighbouring seeds have nothing in common; `purpose` keeps apart what
    /// is drawn for different things from one seed.
    #[must_use]
    pub fn stirred(seed: i64, purpose: u64) -> Self {
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

    /// An integer of `0..bound`; 0, without a draw, when `bound` is 0. Bounds reach up to 2³¹ - 1.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = u64::from(bound);
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
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    /// Whether something happens that happens so many times out of a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Shuffles as the original's collections do: from the last element down.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for left in (2..=list.len()).rev() {
            let other = self.below(u32::try_from(left).unwrap_or(u32::MAX));
            list.swap(left - 1, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_original_generator() {
        // Well-known first values of seed 42.
        let mut lcg = Lcg::new(42);
        let drawn: Vec<u32> = (0..5).map(|_| lcg.below(10)).collect();
        assert_eq!(drawn, [0, 3, 8, 4, 0]);
        assert_eq!(Lcg::new(1).below(0), 0);
    }

    #[test]
    fn neighbouring_seeds_differ_once_stirred() {
        let first = |seed| Lcg::stirred(seed, 0).below(1000);
        let drawn: std::collections::BTreeSet<u32> = (0..100).map(first).collect();
        assert!(drawn.len() > 80, "{drawn:?}");
        assert_ne!(Lcg::stirred(1, 0), Lcg::stirred(1, 1));
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut list: Vec<u32> = (0..50).collect();
        Lcg::new(1).shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
