//! Deterministic damage: the same seed breaks the same bytes in the same way.

/// A small generator (splitmix64); good enough to choose where to bite.
#[derive(Clone, Debug)]
pub struct Mangler {
    state: u64,
}

impl Mangler {
    /// A mangler for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bound = bound as u64;
        usize::try_from((mixed ^ (mixed >> 31)).checked_rem(bound).unwrap_or(0)).unwrap_or(0)
    }

    /// Damages a message: flips, cuts, doubles, inserts or swaps something, one to four times.
    #[must_use]
    pub fn mangle(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(out.len());
            match self.below(5) {
                0 => {
                    let bit = 1_u8 << self.below(8);
                    out.get_mut(at).into_iter().for_each(|byte| *byte ^= bit);
                }
                1 => out.truncate(at),
                2 => {
                    let piece: Vec<u8> = out.iter().skip(at).take(16).copied().collect();
                    out.splice(at..at, piece);
                }
                3 => {
                    let byte = u8::try_from(self.below(256)).unwrap_or(0);
                    out.insert(at, byte);
                }
                _ => {
                    let other = self.below(out.len());
                    if at < out.len() && other < out.len() {
                        out.swap(at, other);
                    }
                }
            }
        }
        out
    }

    /// Cuts a stream into pieces of 1 to `longest` bytes.
    #[must_use]
    pub fn chunks<'a>(&mut self, mut bytes: &'a [u8], longest: usize) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let length = (1 + self.below(longest.max(1))).min(bytes.len());
            let (piece, rest) = bytes.split_at(length);
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }

    /// Bytes without any meaning.
    #[must_use]
    pub fn garbage(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| u8::try_from(self.below(256)).unwrap_or(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_does_the_same_damage() {
        let message = br#"{"type":"bye","content":{}}"#;
        assert_eq!(Mangler::new(7).mangle(message), Mangler::new(7).mangle(message));
        let damaged = (0..50).filter(|seed| Mangler::new(*seed).mangle(message) != message);
        assert!(damaged.count() > 40);
        assert_eq!(Mangler::new(1).mangle(b"").len().min(99), Mangler::new(1).mangle(b"").len());
    }

    #[test]
    fn chunks_together_are_the_stream() {
        let bytes = Mangler::new(3).garbage(1000);
        let pieces = Mangler::new(4).chunks(&bytes, 17);
        assert!(pieces.len() > 40 && pieces.iter().all(|piece| (1..=17).contains(&piece.len())));
        assert_eq!(pieces.concat(), bytes);
    }
}
