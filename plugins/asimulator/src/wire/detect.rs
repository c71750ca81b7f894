//! Which revision and bit order an opening is written in (spec section 4.6).
//!
//! After the list of known tiles the simulator waits, so an opening is a burst followed by silence:
//! a candidate is possible only if it takes the burst exactly.

use super::opening::{decode_entry, decode_rules, decode_senses};
use super::{AnnouncedTile, BitOrder, Dialect, Revision};
use crate::rules::{Bounds, Cell};
use phalanx_game::sorted::{Order, SortedSet};

/// No opening is shorter: rules, percept, end of the list.
pub const DETECT_BYTES_MIN: usize = 27;

/// A possible reading of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// How it is written.
    pub dialect: Dialect,
    /// What speaks against it; less is better.
    pub oddities: u32,
}

/// The possible readings of a burst, the most plausible first; ties go to the order of `wanted`.
#[must_use]
pub fn detect(burst: &[u8], wanted: &[Dialect]) -> Vec<Detected> {
    let read = |dialect: &Dialect| {
        let oddities = oddities(burst, *dialect)?;
        Some(Detected { dialect: *dialect, oddities })
    };
    let mut all: Vec<Detected> = wanted.iter().filter_map(read).collect();
    all.order_by_key(|detected| detected.oddities);
    all
}

impl Dialect {
    /// The dialects that remain when revision or bit order are open, in the order of preference.
    #[must_use]
    pub fn candidates(self, revision_open: bool, bits_open: bool) -> Vec<Self> {
        let revisions =
            if revision_open { vec![Revision::R1, Revision::R2] } else { vec![self.revision] };
        let bits =
            if bits_open { vec![BitOrder::LsbFirst, BitOrder::MsbFirst] } else { vec![self.bits] };
        let with = |bits: BitOrder| {
            revisions.iter().map(move |revision| Self { revision: *revision, bits, ..self })
        };
        bits.into_iter().flat_map(with).collect()
    }
}

/// What speaks against a reading; `None` when it does not take the burst exactly.
fn oddities(burst: &[u8], dialect: Dialect) -> Option<u32> {
    let (rules, length) = decode_rules(burst, dialect)?;
    let (first, mut rest) = burst.get(length..)?.split_first()?;
    let (senses, unused) = decode_senses(*first, dialect);
    let mut odd = u32::from(unused)
        + u32::from(senses.bump)
        + u32::from(senses.neutralized)
        + u32::from(senses.end)
        + skewed(&rules.bounds);
    let mut seen = SortedSet::from([Cell::ZERO]);
    while let Some((first, behind)) = rest.split_first() {
        if *first == 0 {
            return behind.is_empty().then_some(odd);
        }
        let (entry, behind) = rest.split_first_chunk::<3>()?;
        let tile = decode_entry(*entry, dialect);
        rest = behind;
        odd += u32::from(!seen.insert(tile.at)) + u32::from(rules.bounds.excludes(tile.at));
        odd += meaningless(*first, tile.known, dialect);
    }
    None
}

/// Bounds that the start tile is not within.
fn skewed(bounds: &Bounds) -> u32 {
    let low = [bounds.lower_x, bounds.lower_y];
    let high = [bounds.upper_x, bounds.upper_y];
    let lows = low.into_iter().flatten().filter(|bound| *bound > 0).count();
    let highs = high.into_iter().flatten().filter(|bound| *bound < 0).count();
    u32::try_from(lows + highs).unwrap_or_default()
}

/// Bits that mean nothing for this kind of tile.
fn meaningless(byte: u8, known: AnnouncedTile, dialect: Dialect) -> u32 {
    let meant = match known {
        AnnouncedTile::Clear { .. } => 0x3F,
        AnnouncedTile::Guarded { .. } => 0x0F,
        AnnouncedTile::Wall => 0x03,
        AnnouncedTile::Danger { enemy: true } => 0x07,
        AnnouncedTile::Danger { enemy: false } => 0x83,
    };
    (dialect.flags(byte) & !meant).count_ones()
}
