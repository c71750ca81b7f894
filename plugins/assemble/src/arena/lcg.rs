//! The generator that the original draws everything from: a 48-bit linear congruential one.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// The generator; equal seeds give equal draws (spec, section 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lcg(u64);

impl Lcg {
    /// A generator that starts from `seed`.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self((seed.cast_unsigned() ^ MULTIPLIER) & MASK)
    }

    fn next(&mut self, bits: u32) -> u64 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        self.0 >> (48 - bits)
    }

    /// An integer of `0..n`; 0, without a draw, when `n` is not positive.
    pub fn below(&mut self, n: i32) -> i32 {
        let Ok(bound) = u64::try_from(n) else { return 0 };
        if bound == 0 {
            return 0;
        }
        let value = if bound.is_power_of_two() {
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
        i32::try_from(value).unwrap_or(i32::MAX)
    }

    /// An integer of the inclusive bounds.
    pub fn between(&mut self, bounds: [i32; 2]) -> i32 {
        let [low, high] = bounds;
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// A number of `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        let high = self.next(26);
        let low = self.next(27);
        // 53 bits fit a double exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact in a double")]
        let whole = ((high << 27) + low) as f64;
        whole / 9_007_199_254_740_992.0
    }

    /// Shuffles as the original's collections do: from the last element down.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for left in (2..=list.len()).rev() {
            let other = self.below(i32::try_from(left).unwrap_or(i32::MAX));
            list.swap(left - 1, usize::try_from(other).unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_original_generator() {
        // Well-known first values of seed 42: nextInt(10), and nextDouble.
        let mut lcg = Lcg::new(42);
        let drawn: Vec<i32> = (0..5).map(|_| lcg.below(10)).collect();
        assert_eq!(drawn, [0, 3, 8, 4, 0]);
        assert!((Lcg::new(42).unit() - 0.727_563_680_032_868_1).abs() < 1e-15);
    }

    #[test]
    fn bounds_are_inclusive_and_a_shuffle_keeps_everything() {
        let mut lcg = Lcg::new(1);
        for _ in 0..1000 {
            assert!((-3..=1).contains(&lcg.between([-3, 1])));
        }
        let mut list: Vec<u32> = (0..50).collect();
        lcg.shuffle(&mut list);
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
        assert_eq!(lcg.below(0), 0);
    }
}
