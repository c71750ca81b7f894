//! Seeded randomness: the same seed, the same worlds.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct WorldRng(ChaCha8Rng);

impl WorldRng {
    /// The stream for one of many worlds that share a seed; streams do not overlap.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(number);
        Self(generator)
    }

    /// A number in [0, 1).
    pub fn draw(&mut self) -> f64 {
        let bits = self.0.next_u64() >> 11;
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
        let drawn = bits as f64 / 9_007_199_254_740_992.0;
        drawn
    }

    /// Whether something of that probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.draw() < probability
    }

    /// A number below a bound; 0 when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        // The bias of the remainder is below one in 2^48 for all our bounds.
        let drawn = self.0.next_u64().checked_rem(bound).unwrap_or_default();
        usize::try_from(drawn).unwrap_or_default()
    }

    /// Takes one of a list, uniformly.
    pub fn take<T>(&mut self, list: &mut Vec<T>) -> Option<T> {
        let index = self.below(list.len());
        (index < list.len()).then(|| list.swap_remove(index))
    }
}
