//! Random streams and the list of free cells (spec sections 6.1 and 6.2).

use super::CellIndex;
use std::fmt;

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// MT19937, seeded with one 32-bit number.
#[derive(Clone)]
pub struct Mersenne {
    words: Box<[u32; WORDS]>,
    next: usize,
}

impl fmt::Debug for Mersenne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mersenne").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Mersenne {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        let mut words = Box::new([0; WORDS]);
        let mut last = seed;
        for (index, word) in (0_u32..).zip(words.iter_mut()) {
            if index > 0 {
                last = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index);
            }
            *word = last;
        }
        Self { words, next: WORDS }
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= WORDS {
            self.refill();
        }
        let mut word = self.word(self.next);
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// The next number in [0, 1).
    pub fn draw(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }

    fn word(&self, index: usize) -> u32 {
        self.words.get(index % WORDS).copied().unwrap_or_default()
    }

    fn refill(&mut self) {
        for index in 0..WORDS {
            let mixed = (self.word(index) & 0x8000_0000) | (self.word(index + 1) & 0x7fff_ffff);
            let twist = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
            let fresh = self.word(index + SHIFT) ^ (mixed >> 1) ^ twist;
            if let Some(word) = self.words.get_mut(index) {
                *word = fresh;
            }
        }
        self.next = 0;
    }

    /// A number below `count`; 0 when there is none.
    pub fn below(&mut self, count: usize) -> usize {
        scaled(self.draw(), count)
    }

    /// Shuffles as the engine does: from the last place down, each with a lower one.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for length in (1..=list.len()).rev() {
            let other = self.below(length);
            list.swap(length - 1, other);
        }
    }
}

/// `floor(draw · count)`, and never `count` itself.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a draw is in [0, 1) and lists are short"
)]
pub(super) fn scaled(draw: f64, count: usize) -> usize {
    ((draw * count as f64) as usize).min(count.saturating_sub(1))
}

/// What chance must offer to a tick.
pub trait TickChance {
    /// A draw of the game's stream, in [0, 1).
    fn draw(&mut self) -> f64;
    /// A draw for the unit that is frozen, among the living ones of its side.
    fn victim(&mut self) -> f64 {
        self.draw()
    }
    /// Something was put into a cell.
    fn take(&mut self, cell: CellIndex);
    /// A cell was emptied.
    fn release(&mut self, cell: CellIndex);
    /// The first free cell that passes, in the order of the list of free cells.
    fn first_free(&self, passes: impl Fn(CellIndex) -> bool) -> Option<CellIndex>;
}

/// The ordered list of free cells, and what was ever taken from it.
#[derive(Clone, Debug, Default)]
pub struct FreeList {
    free: Vec<CellIndex>,
    reserved: Vec<bool>,
}

impl FreeList {
    /// All cells of a map, shuffled.
    #[must_use]
    pub fn new(cells: u16, stream: &mut Mersenne) -> Self {
        let mut free: Vec<CellIndex> = (0..cells).collect();
        stream.shuffle(&mut free);
        Self { free, reserved: vec![false; usize::from(cells)] }
    }

    /// The cells in their order; duplicates can arise, as in the engine.
    #[must_use]
    pub fn cells(&self) -> &[CellIndex] {
        &self.free
    }

    /// Whether a cell is reserved.
    #[must_use]
    pub fn reserved(&self, cell: CellIndex) -> bool {
        self.reserved.get(usize::from(cell)).copied().unwrap_or(false)
    }

    /// Takes the first occurrence of a cell and reserves it; nothing where it is not free.
    pub fn take(&mut self, cell: CellIndex) {
        if let Some(index) = self.free.iter().position(|free| *free == cell) {
            self.free.remove(index);
            self.reserve(cell, true);
        }
    }

    /// Puts a cell back at a random place.
    pub fn release(&mut self, cell: CellIndex, stream: &mut Mersenne) {
        let index = stream.below(self.free.len());
        self.free.insert(index, cell);
        self.reserve(cell, false);
    }

    fn reserve(&mut self, cell: CellIndex, reserved: bool) {
        if let Some(flag) = self.reserved.get_mut(usize::from(cell)) {
            *flag = reserved;
        }
    }
}

/// The referee's chance: the world's stream places cells, the game's stream throws dice.
#[derive(Clone, Debug)]
pub struct Streams {
    free: FreeList,
    world: Mersenne,
    /// `None`: one stream for both purposes, as the engine's forward model has it.
    game: Option<Mersenne>,
}

impl Streams {
    /// A game's streams after its world was made.
    #[must_use]
    pub fn new(free: FreeList, world: Mersenne, prng_seed: u32) -> Self {
        Self { free, world, game: Some(Mersenne::new(prng_seed)) }
    }

    /// One stream for everything, beginning with the shuffle of the free cells.
    #[must_use]
    pub fn shared(cells: u16, seed: u32) -> Self {
        let mut world = Mersenne::new(seed);
        let free = FreeList::new(cells, &mut world);
        Self { free, world, game: None }
    }
}

impl TickChance for Streams {
    fn draw(&mut self) -> f64 {
        self.game.as_mut().unwrap_or(&mut self.world).draw()
    }

    fn take(&mut self, cell: CellIndex) {
        self.free.take(cell);
    }

    fn release(&mut self, cell: CellIndex) {
        self.free.release(cell, &mut self.world);
    }

    fn first_free(&self, passes: impl Fn(CellIndex) -> bool) -> Option<CellIndex> {
        self.free.cells().iter().copied().find(|cell| passes(*cell))
    }
}

/// Randomness in a forward model. The referee's dice are unknown, so the model either skips
/// everything that is not certain or rolls its own dice. Random items in free cells never appear.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForwardChance {
    state: Option<u64>,
    victim: Option<f64>,
}

impl ForwardChance {
    /// The largest draw that there is: only certain things happen.
    const NEVER: f64 = 1.0 - 1.0 / 4_294_967_296.0;

    /// Dice of one's own.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { state: Some(seed), victim: None }
    }

    /// Only certain things happen, and this draw, from 0 to 1, says which unit of a side is frozen.
    #[must_use]
    pub fn freezing(victim: f64) -> Self {
        Self { state: None, victim: Some(victim) }
    }
}

impl TickChance for ForwardChance {
    fn draw(&mut self) -> f64 {
        let Some(state) = &mut self.state else { return Self::NEVER };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        f64::from(bits) / 4_294_967_296.0
    }

    fn victim(&mut self) -> f64 {
        self.victim.unwrap_or_else(|| self.draw())
    }

    fn take(&mut self, _cell: CellIndex) {}

    fn release(&mut self, _cell: CellIndex) {}

    fn first_free(&self, _passes: impl Fn(CellIndex) -> bool) -> Option<CellIndex> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_begin_as_published() {
        for (seed, first) in [
            (1234, [822_569_775, 2_137_449_171, 2_671_936_806]),
            (0, [2_357_136_044, 2_546_248_239, 3_071_714_933]),
        ] {
            let mut stream = Mersenne::new(seed);
            assert_eq!(first.map(|_| stream.next_u32()), first);
        }
    }

    #[test]
    fn without_dice_only_certain_things_happen() {
        let mut luck = ForwardChance::default();
        assert!(luck.draw() < 1.0 && luck.draw() > 0.999_999);
        let mut dice = ForwardChance::seeded(1);
        let draws: Vec<f64> = (0..100).map(|_| dice.draw()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < 0.2) && draws.iter().any(|draw| *draw > 0.8));
    }
}
