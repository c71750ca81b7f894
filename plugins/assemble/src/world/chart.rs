//! The map of one group of agents: what was seen where, and when.

use crate::percept::{MarkerKind, Percept, ThingKind};
use phalanx_game::sorted::SortedMap;
use phalanx_grid::{Cell, Extent, Plane};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the ground of a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum KnownTerrain {
    #[default]
    Plain,
    Goal,
    Obstacle,
}

/// Who stood on a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Occupant {
    #[default]
    Nobody,
    Own,
    Enemy,
}

/// Announced clears, and to which neighbours a loose block is linked, as bits.
pub(super) mod mark {
    pub(in crate::world) const CLEAR: u8 = 1;
    pub(in crate::world) const IMMEDIATE: u8 = 2;
    pub(in crate::world) const PERIMETER: u8 = 4;
    pub(in crate::world) const LINK_EAST: u8 = 8;
    pub(in crate::world) const LINK_SOUTH: u8 = 16;
    pub(in crate::world) const LINKS: u8 = LINK_EAST | LINK_SOUTH;
}

/// Index of a block type in [`Types`].
pub(super) type TypeId = u8;

/// Block types by number, so that a cell stays small.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Types {
    names: Vec<String>,
}

impl Types {
    /// More types than this share the last number; the game has five at most.
    const MAX: usize = 250;

    pub(super) fn intern(&mut self, name: &str) -> TypeId {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            if self.names.len() < Self::MAX {
                self.names.push(name.to_owned());
            }
            self.names.len() - 1
        });
        TypeId::try_from(index).unwrap_or(TypeId::MAX)
    }

    pub(super) fn name(&self, id: TypeId) -> &str {
        self.names.get(usize::from(id)).map_or("?", String::as_str)
    }

    pub(super) fn find(&self, name: &str) -> Option<TypeId> {
        let index = self.names.iter().position(|known| known == name)?;
        TypeId::try_from(index).ok()
    }
}

/// One cell as it was seen last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenCell {
    /// Step in which it was seen last, plus one; 0: never.
    stamp: u32,
    pub(super) ground: KnownTerrain,
    pub(super) dispenser: Option<TypeId>,
    pub(super) board: bool,
    pub(super) block: Option<TypeId>,
    /// The block hung on somebody.
    pub(super) held: bool,
    pub(super) guest: Occupant,
    /// Bits of [`mark`].
    pub(super) marks: u8,
}

impl SeenCell {
    /// The step in which it was seen last.
    pub(super) fn seen(&self) -> Option<u32> {
        self.stamp.checked_sub(1)
    }

    /// The announced clears alone.
    pub(super) fn announced(&self) -> u8 {
        self.marks & !mark::LINKS
    }

    fn is_loose(&self) -> bool {
        self.block.is_some() && !self.held
    }

    fn newer(&mut self, other: &Self) {
        if other.stamp > self.stamp {
            *self = *other;
        }
    }
}

/// At which of two neighbours their link is noted, and as what.
fn link_bit(one: Cell, other: Cell) -> Option<(Cell, u8)> {
    match other - one {
        Cell { x: 1, y: 0 } => Some((one, mark::LINK_EAST)),
        Cell { x: 0, y: 1 } => Some((one, mark::LINK_SOUTH)),
        Cell { x: -1, y: 0 } => Some((other, mark::LINK_EAST)),
        Cell { x: 0, y: -1 } => Some((other, mark::LINK_SOUTH)),
        _ => None,
    }
}

/// The map of one group, in the coordinates of its head frame.
#[derive(Clone, Debug)]
pub(super) struct GroupMap {
    plane: Plane<SeenCell>,
    pub(super) dispensers: SortedMap<Cell, TypeId>,
    pub(super) boards: BTreeSet<Cell>,
    pub(super) goals: BTreeSet<Cell>,
}

impl GroupMap {
    pub(super) fn new(extent: Extent) -> Self {
        Self {
            plane: Plane::new(Cell::ZERO, extent),
            dispensers: SortedMap::new(),
            boards: BTreeSet::new(),
            goals: BTreeSet::new(),
        }
    }

    pub(super) fn plane(&self) -> &Plane<SeenCell> {
        &self.plane
    }

    /// The map of a plane as it was.
    pub(super) fn of(plane: Plane<SeenCell>) -> Self {
        let mut chart = Self { plane, ..Self::new(Extent::default()) };
        chart.reindex();
        chart
    }

    /// All cells that were ever seen, row by row.
    pub(super) fn seen(&self) -> impl Iterator<Item = (Cell, &SeenCell)> {
        self.plane.iter().filter(|(_, spot)| spot.stamp > 0)
    }

    /// The cell as seen last; `None` when it never was.
    pub(super) fn spot(&self, cell: Cell) -> Option<&SeenCell> {
        self.plane.get(cell).filter(|spot| spot.stamp > 0)
    }

    /// Writes what an agent at `at` perceives.
    pub(super) fn paint(
        &mut self,
        at: Cell,
        percept: &Percept,
        (vision, team): (i32, &str),
        types: &mut Types,
    ) {
        let stamp = percept.step.saturating_add(1);
        for cell in at.diamond(vision) {
            if let Some(spot) = self.plane.get_mut(cell) {
                let marks = spot.marks & mark::LINKS;
                *spot = SeenCell { stamp, marks, ..SeenCell::default() };
            }
        }
        for (cells, ground) in
            [(&percept.goals, KnownTerrain::Goal), (&percept.obstacles, KnownTerrain::Obstacle)]
        {
            for cell in cells {
                self.change(at + *cell, stamp, |spot| spot.ground = ground);
            }
        }
        for thing in &percept.things {
            let cell = at + thing.cell;
            match &thing.kind {
                ThingKind::Entity(name) => {
                    let guest = if name == team { Occupant::Own } else { Occupant::Enemy };
                    self.change(cell, stamp, |spot| spot.guest = guest);
                }
                ThingKind::Block(name) => {
                    let kind = types.intern(name);
                    self.change(cell, stamp, |spot| spot.block = Some(kind));
                }
                ThingKind::Dispenser(name) => {
                    let kind = types.intern(name);
                    self.change(cell, stamp, |spot| spot.dispenser = Some(kind));
                }
                ThingKind::Taskboard => self.change(cell, stamp, |spot| spot.board = true),
                ThingKind::Marker(marker) => {
                    let bit = match marker {
                        MarkerKind::Clear => mark::CLEAR,
                        MarkerKind::ClearImmediate => mark::IMMEDIATE,
                        MarkerKind::ClearPerimeter => mark::PERIMETER,
                        MarkerKind::Unknown(_) => 0,
                    };
                    self.change(cell, stamp, |spot| spot.marks |= bit);
                }
                ThingKind::Unknown { .. } => {}
            }
        }
        for cell in &percept.attached {
            self.change(at + *cell, stamp, |spot| spot.held = true);
        }
        for cell in at.diamond(vision) {
            if let Some(spot) = self.plane.get_mut(cell).filter(|spot| !spot.is_loose()) {
                spot.marks = spot.announced();
            }
        }
        self.index(at, vision);
    }

    fn is_loose(&self, cell: Cell) -> bool {
        self.spot(cell).is_some_and(SeenCell::is_loose)
    }

    /// Links two neighbours that no agent carries.
    pub(super) fn link(&mut self, one: Cell, other: Cell) {
        if self.is_loose(one)
            && self.is_loose(other)
            && let Some((cell, bit)) = link_bit(one, other)
            && let Some(spot) = self.plane.get_mut(cell)
        {
            spot.marks |= bit;
        }
    }

    /// Whether two loose blocks are known to be linked directly.
    pub(super) fn linked(&self, one: Cell, other: Cell) -> bool {
        link_bit(one, other).is_some_and(|(cell, bit)| {
            let noted = self.spot(cell).is_some_and(|spot| spot.marks & bit != 0);
            noted && self.is_loose(one) && self.is_loose(other)
        })
    }

    /// Only cells in sight are changed: a referee that tells more is not believed.
    fn change(&mut self, cell: Cell, stamp: u32, change: impl FnOnce(&mut SeenCell)) {
        if self.plane.get(cell).is_some_and(|spot| spot.stamp == stamp)
            && let Some(spot) = self.plane.get_mut(cell)
        {
            change(spot);
        }
    }

    fn index(&mut self, at: Cell, vision: i32) {
        let extent = self.plane.region().extent();
        for cell in at.diamond(vision) {
            let Some(spot) = self.plane.get(cell).copied() else { continue };
            let cell = extent.wrap(cell);
            self.index_spot(cell, &spot);
        }
    }

    fn index_spot(&mut self, cell: Cell, spot: &SeenCell) {
        match spot.dispenser {
            Some(kind) => {
                self.dispensers.insert(cell, kind);
            }
            None => {
                self.dispensers.remove(&cell);
            }
        }
        if spot.board {
            self.boards.insert(cell);
        } else {
            self.boards.remove(&cell);
        }
        if spot.ground == KnownTerrain::Goal {
            self.goals.insert(cell);
        } else {
            self.goals.remove(&cell);
        }
    }

    fn reindex(&mut self) {
        (self.dispensers, self.boards, self.goals) = Default::default();
        let spots: Vec<(Cell, SeenCell)> = self.seen().map(|(cell, spot)| (cell, *spot)).collect();
        for (cell, spot) in spots {
            self.index_spot(cell, &spot);
        }
    }

    /// The torus is known better now.
    pub(super) fn fold(&mut self, extent: Extent) {
        self.plane = self.plane.redrawn(extent, Cell::ZERO, SeenCell::newer);
        self.reindex();
    }

    /// Takes over another group's map: its cells plus `offset` are this map's.
    pub(super) fn absorb(&mut self, other: &Self, offset: Cell) {
        for (cell, spot) in other.seen() {
            if let Some(kept) = self.plane.get_mut(cell + offset) {
                kept.newer(spot);
            }
        }
        self.reindex();
    }
}
