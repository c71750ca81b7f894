//! What the simulator says: rules, percepts, known tiles, score (spec sections 4 and 5).

use super::{Dialect, FrontReader, Revision};
use crate::rules::{
    Ammunition, AnnouncedCounts, Bounds, Cell, Costs, Heading, OpeningRules, Senses,
};
use serde::{Deserialize, Serialize};

/// Most tiles that an opening can list: the map's and its border's (section 4.5).
pub const TILES_MAX: usize = 129 * 129;

/// What the opening tells about a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnnouncedTile {
    /// Clear and without an enemy, with what one would perceive there.
    Clear {
        /// A home is there.
        home: bool,
        /// An item lies there.
        item: bool,
        /// Hostility is perceived there.
        hostility: bool,
        /// Fear is perceived there.
        fear: bool,
    },
    /// Clear, with an enemy.
    Guarded {
        /// A home is there.
        home: bool,
        /// An item lies there.
        item: bool,
    },
    Wall,
    /// A fatal danger.
    Danger {
        /// An enemy is there, too.
        enemy: bool,
    },
}

/// A tile of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTile {
    /// Where; both coordinates fit a signed byte.
    pub at: Cell,
    /// What.
    pub known: AnnouncedTile,
}

/// How the arena announces a danger without an enemy, whose bits are those of the list's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainDanger {
    /// With the unused bit 8.
    #[default]
    Mark,
    /// Not at all.
    Omit,
}

/// Rules that this revision cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "turn_left_cost {left} and turn_right_cost {right} differ, but revision r2 has one cost for both turns"
)]
pub struct Unsendable {
    left: u16,
    right: u16,
}

fn flag(set: bool, bit: u8) -> u8 {
    if set { 1 << (bit - 1) } else { 0 }
}

fn has(byte: u8, bit: u8) -> bool {
    byte & (1 << (bit - 1)) != 0
}

/// Reads the rules; how many bytes they take. `None`: more bytes are needed.
#[must_use]
pub fn decode_rules(bytes: &[u8], dialect: Dialect) -> Option<(OpeningRules, usize)> {
    let mut reader = FrontReader { rest: bytes, dialect };
    let (first, second) = (dialect.flags(reader.u8()?), dialect.flags(reader.u8()?));
    let range = reader.u8()?;
    let advance = reader.u16()?;
    let left = reader.u16()?;
    let right = match dialect.revision {
        Revision::R1 => reader.u16()?,
        Revision::R2 => left,
    };
    let costs = Costs { advance, left, right, grab: reader.u16()?, neutralize: reader.u16()? };
    let (item_reward, neutralize_reward) = (reader.u16()?, reader.u16()?);
    let home_reward = reader.u16()?;
    let (initial_cost, initial_score) = (reader.u32()?, reader.i32()?);
    let bounds = read_bounds(&mut reader, first)?;
    let mut count = |bit| if has(first, bit) { reader.u16().map(Some) } else { Some(None) };
    let counts = AnnouncedCounts {
        homes: count(5)?,
        items: count(6)?,
        enemies: count(7)?,
        dangers: count(8)?,
    };
    let ammunition = if has(second, 3) {
        Some(Ammunition { capacity: reader.u16()?, initial: reader.u16()? })
    } else {
        None
    };
    let cost_limit = if has(second, 4) { Some(reader.u32()?) } else { None };
    let score_limit = if has(second, 5) { Some(reader.i32()?) } else { None };
    let rules = OpeningRules {
        bounds,
        counts,
        heading: Heading::from_bits(second),
        range,
        costs,
        item_reward,
        neutralize_reward,
        home_reward,
        initial_cost,
        initial_score,
        ammunition,
        cost_limit,
        score_limit,
        recharge: has(second, 6),
        becomes_item: has(second, 7),
        stops_at_first: has(second, 8),
    };
    Some((rules, bytes.len() - reader.rest.len()))
}

fn read_bounds(reader: &mut FrontReader<'_>, flags: u8) -> Option<Bounds> {
    let dialect = reader.dialect;
    let mut bound = |bit| if has(flags, bit) { reader.i8().map(Some) } else { Some(None) };
    let (lower_x, upper_x, lower_y, upper_y) = (bound(1)?, bound(2)?, bound(3)?, bound(4)?);
    // With y to the south the lower bound is the northern one.
    Some(match dialect.y_axis {
        super::YAxis::North => Bounds { lower_x, upper_x, lower_y, upper_y },
        super::YAxis::South => Bounds {
            lower_x,
            upper_x,
            lower_y: upper_y.map(|y| dialect.y(y)),
            upper_y: lower_y.map(|y| dialect.y(y)),
        },
    })
}

/// Writes the rules.
///
/// # Errors
/// When the revision has no field for different costs of turns.
pub fn encode_rules(rules: &OpeningRules, dialect: Dialect) -> Result<Vec<u8>, Unsendable> {
    let Costs { advance, left, right, grab, neutralize } = rules.costs;
    if dialect.revision == Revision::R2 && left != right {
        return Err(Unsendable { left, right });
    }
    let bounds = match dialect.y_axis {
        super::YAxis::North => rules.bounds,
        super::YAxis::South => Bounds {
            lower_y: rules.bounds.upper_y.map(|y| dialect.y(y)),
            upper_y: rules.bounds.lower_y.map(|y| dialect.y(y)),
            ..rules.bounds
        },
    };
    let bounds = [bounds.lower_x, bounds.upper_x, bounds.lower_y, bounds.upper_y];
    let counts = &rules.counts;
    let counts = [counts.homes, counts.items, counts.enemies, counts.dangers];
    let known = bounds.iter().map(Option::is_some).chain(counts.iter().map(Option::is_some));
    let first = (1..).zip(known).fold(0, |byte, (bit, set)| byte | flag(set, bit));
    let second = rules.heading.bits()
        | flag(rules.ammunition.is_some(), 3)
        | flag(rules.cost_limit.is_some(), 4)
        | flag(rules.score_limit.is_some(), 5)
        | flag(rules.recharge, 6)
        | flag(rules.becomes_item, 7)
        | flag(rules.stops_at_first, 8);
    let mut out = vec![dialect.flags(first), dialect.flags(second), rules.range];
    let turns: &[u16] = match dialect.revision {
        Revision::R1 => &[left, right],
        Revision::R2 => &[left],
    };
    let rewards = [rules.item_reward, rules.neutralize_reward, rules.home_reward];
    for value in [&[advance], turns, &[grab, neutralize], &rewards].concat() {
        dialect.put_u16(&mut out, value);
    }
    dialect.put_u32(&mut out, rules.initial_cost);
    dialect.put_u32(&mut out, rules.initial_score.cast_unsigned());
    out.extend(bounds.into_iter().flatten().map(i8::cast_unsigned));
    counts.into_iter().flatten().for_each(|count| dialect.put_u16(&mut out, count));
    if let Some(ammunition) = rules.ammunition {
        dialect.put_u16(&mut out, ammunition.capacity);
        dialect.put_u16(&mut out, ammunition.initial);
    }
    rules.cost_limit.into_iter().for_each(|limit| dialect.put_u32(&mut out, limit));
    let score_limit = rules.score_limit.map(i32::cast_unsigned);
    score_limit.into_iter().for_each(|limit| dialect.put_u32(&mut out, limit));
    Ok(out)
}

/// Reads a percept; whether the unused bit is set.
#[must_use]
pub fn decode_senses(byte: u8, dialect: Dialect) -> (Senses, bool) {
    let byte = dialect.flags(byte);
    let senses = Senses {
        home: has(byte, 1),
        item: has(byte, 2),
        hostility: has(byte, 3),
        bump: has(byte, 4),
        fear: has(byte, 5),
        neutralized: has(byte, 6),
        end: has(byte, 8),
    };
    (senses, has(byte, 7))
}

/// Writes a percept.
#[must_use]
pub fn encode_senses(senses: Senses, dialect: Dialect) -> u8 {
    let byte = flag(senses.home, 1)
        | flag(senses.item, 2)
        | flag(senses.hostility, 3)
        | flag(senses.bump, 4)
        | flag(senses.fear, 5)
        | flag(senses.neutralized, 6)
        | flag(senses.end, 8);
    dialect.flags(byte)
}

/// Reads the first byte of a tile, which is not zero: that is the list's end.
#[must_use]
pub fn decode_tile(byte: u8, dialect: Dialect) -> AnnouncedTile {
    let byte = dialect.flags(byte);
    match byte & 3 {
        3 => AnnouncedTile::Clear {
            home: has(byte, 3),
            item: has(byte, 4),
            hostility: has(byte, 5),
            fear: has(byte, 6),
        },
        1 => AnnouncedTile::Guarded { home: has(byte, 3), item: has(byte, 4) },
        2 => AnnouncedTile::Wall,
        _ => AnnouncedTile::Danger { enemy: has(byte, 3) },
    }
}

/// Writes the first byte of a tile; never zero.
#[must_use]
pub fn encode_tile(known: AnnouncedTile, dialect: Dialect) -> u8 {
    dialect.flags(match known {
        AnnouncedTile::Clear { home, item, hostility, fear } => {
            3 | flag(home, 3) | flag(item, 4) | flag(hostility, 5) | flag(fear, 6)
        }
        AnnouncedTile::Guarded { home, item } => 1 | flag(home, 3) | flag(item, 4),
        AnnouncedTile::Wall => 2,
        AnnouncedTile::Danger { enemy: true } => flag(true, 3),
        AnnouncedTile::Danger { enemy: false } => flag(true, 8),
    })
}

/// Reads a place of two bytes.
pub(super) fn decode_place([x, y]: [u8; 2], dialect: Dialect) -> Cell {
    Cell::new(x.cast_signed().into(), dialect.y(y.cast_signed()).into())
}

/// Writes a place; `None` when it does not fit two signed bytes.
pub(super) fn encode_place(at: Cell, dialect: Dialect) -> Option<[u8; 2]> {
    let (x, y) = (i8::try_from(at.x).ok()?, i8::try_from(at.y).ok()?);
    Some([x.cast_unsigned(), dialect.y(y).cast_unsigned()])
}

/// Reads a tile with its place.
#[must_use]
pub fn decode_entry([first, x, y]: [u8; 3], dialect: Dialect) -> KnownTile {
    KnownTile { at: decode_place([x, y], dialect), known: decode_tile(first, dialect) }
}

/// Writes first percept and known tiles, up to the list's end; tiles that fit no signed byte are
/// left out.
#[must_use]
pub fn encode_opening(
    first: Senses,
    tiles: &[KnownTile],
    plain: PlainDanger,
    dialect: Dialect,
) -> Vec<u8> {
    let mut out = vec![encode_senses(first, dialect)];
    for tile in tiles {
        let hidden =
            tile.known == AnnouncedTile::Danger { enemy: false } && plain == PlainDanger::Omit;
        if let (false, Some(place)) = (hidden, encode_place(tile.at, dialect)) {
            out.push(encode_tile(tile.known, dialect));
            out.extend(place);
        }
    }
    out.push(0);
    out
}

/// Reads the final score.
#[must_use]
pub fn decode_score(bytes: [u8; 4], dialect: Dialect) -> i32 {
    dialect.u32(bytes).cast_signed()
}

/// Writes the final score.
#[must_use]
pub fn encode_score(score: i32, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::with_capacity(4);
    dialect.put_u32(&mut out, score.cast_unsigned());
    out
}
