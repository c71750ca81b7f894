//! Seeded randomness: the same seed, the same match.

use super::Id;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Letters and digits of the names of things.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Characters in the name of a thing.
const NAME_LENGTH: usize = 6;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct GameRng(ChaCha8Rng);

impl GameRng {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number in [0, 1).
    pub fn draw(&mut self) -> f64 {
        let bits = u32::try_from(self.0.next_u64() >> 32).unwrap_or_default();
        let low = u32::try_from(self.0.next_u64() >> 43).unwrap_or_default();
        (f64::from(bits) * 2_097_152.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number from a range.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.draw()
    }

    /// A number below a bound; 0 when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        // The bias of the remainder is below one in 2^50 for all our bounds.
        let drawn = self.0.next_u64().checked_rem(bound).unwrap_or_default();
        usize::try_from(drawn).unwrap_or_default()
    }

    /// Puts a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for length in (2..=list.len()).rev() {
            let other = self.below(length);
            list.swap(length - 1, other);
        }
    }

    /// A new name for a thing: six letters and digits.
    pub fn name(&mut self) -> Id {
        let letter =
            |_| LETTERS.get(self.below(LETTERS.len())).map_or('0', |byte| char::from(*byte));
        (0..NAME_LENGTH).map(letter).collect::<String>().into()
    }

    /// A text in the form of a random UUID.
    pub fn uuid(&mut self) -> String {
        let mut digits = |count: usize| -> String {
            let digit =
                |_| u32::try_from(self.below(16)).ok().and_then(|d| char::from_digit(d, 16));
            (0..count).filter_map(digit).collect()
        };
        let (a, b, c, d, e) = (digits(8), digits(4), digits(3), digits(3), digits(12));
        format!("{a}-{b}-4{c}-a{d}-{e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_streams() {
        let drawn = |seed| {
            let mut chance = GameRng::new(seed);
            (chance.name(), chance.below(1000), chance.draw().to_bits(), chance.uuid())
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(drawn(3).3.len(), 36);
    }

    #[test]
    fn draws_fill_their_range() {
        let mut chance = GameRng::new(5);
        let draws: Vec<f64> = (0..1000).map(|_| chance.between(2.0, 4.0)).collect();
        assert!(draws.iter().all(|draw| (2.0..4.0).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < 2.1) && draws.iter().any(|draw| *draw > 3.9));
    }
}
