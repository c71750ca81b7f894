//! What changes from tick to tick. Small and flat: a clone is three copies of a few kilobytes.

use super::{AgentIndex, CellIndex, UnitIndex};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EntityKind {
    /// Indestructible.
    Metal,
    /// Destroyed by one blast.
    Wood,
    /// Destroyed by three blasts.
    Ore,
    /// Goes off.
    Bomb,
    /// A blast, or end fire when it never expires.
    Fire,
    /// One bomb more.
    Ammo,
    /// A wider blast.
    BlastUp,
    /// Freezes an opponent.
    FreezeUp,
    /// Only in the schema; also used for kinds that this program does not know.
    Treasure,
}

impl EntityKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Metal,
        Self::Wood,
        Self::Ore,
        Self::Bomb,
        Self::Fire,
        Self::Ammo,
        Self::BlastUp,
        Self::FreezeUp,
        Self::Treasure,
    ];

    /// The kind's letters on the wire.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Metal => "m",
            Self::Wood => "w",
            Self::Ore => "o",
            Self::Bomb => "b",
            Self::Fire => "x",
            Self::Ammo => "a",
            Self::BlastUp => "bp",
            Self::FreezeUp => "fp",
            Self::Treasure => "t",
        }
    }

    /// The kind of those letters.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Whether a unit may walk there.
    #[must_use]
    pub fn walkable(self) -> bool {
        !matches!(self, Self::Metal | Self::Wood | Self::Ore | Self::Bomb)
    }

    /// Whether it burns or goes off.
    fn hot(self) -> bool {
        matches!(self, Self::Bomb | Self::Fire)
    }

    /// Whether walking there collects it.
    #[must_use]
    pub fn item(self) -> bool {
        matches!(self, Self::Ammo | Self::BlastUp | Self::FreezeUp)
    }
}

/// The thing in a cell; absent numbers are `None`, as they are absent on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellEntity {
    /// What it is.
    pub kind: EntityKind,
    /// The tick in which it came.
    pub created: i32,
    /// The tick in which it goes.
    pub expires: Option<i32>,
    /// Hits that it still takes.
    pub hp: Option<i32>,
    /// Of a bomb.
    pub diameter: Option<i32>,
    /// Who put it there.
    pub unit: Option<UnitIndex>,
    /// Whose it is.
    pub agent: Option<AgentIndex>,
}

impl CellEntity {
    /// A thing without owner, end and hits.
    #[must_use]
    pub fn new(kind: EntityKind, created: i32) -> Self {
        Self { kind, created, expires: None, hp: None, diameter: None, unit: None, agent: None }
    }

    /// Fire that burns to the end of the game.
    #[must_use]
    pub fn permanent(&self) -> bool {
        self.kind == EntityKind::Fire && self.expires.is_none()
    }
}

/// One body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    pub cell: CellIndex,
    /// Whose it is.
    pub agent: AgentIndex,
    /// Lives; a corpse may lose more.
    pub hp: i32,
    /// Bombs that it carries.
    pub bombs: i32,
    /// Of its bombs.
    pub diameter: i32,
    /// Last tick in which it cannot be hurt.
    pub invulnerable: i32,
    /// Last tick in which its orders are refused.
    pub stunned: f64,
}

impl Unit {
    /// Whether it lives.
    #[must_use]
    pub fn alive(&self) -> bool {
        self.hp > 0
    }

    /// Whether it is frozen in a tick.
    #[must_use]
    pub fn frozen(&self, tick: i32) -> bool {
        self.stunned >= f64::from(tick)
    }
}

/// Mixes words by rotation and multiplication.
struct PositionHash(u64);

impl PositionHash {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn add(&mut self, number: i32) {
        self.mix(u64::from(number.cast_unsigned()));
    }
}

/// The changing part of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameState {
    /// The tick counter.
    pub tick: i32,
    width: u16,
    units: Vec<Unit>,
    cells: Vec<Option<CellEntity>>,
    /// What is in each cell; small, since searches read it all the time.
    kinds: Vec<Option<EntityKind>>,
    /// Occupied cells in the order of the engine's table.
    table: Vec<CellIndex>,
    /// Those of them with bombs and fire.
    hot: Vec<CellIndex>,
    /// Nothing expires before this tick.
    next_expiry: i32,
}

impl GameState {
    /// An empty map with those units.
    #[must_use]
    pub fn new(width: u16, height: u16, tick: i32, units: Vec<Unit>) -> Self {
        let cells = usize::from(width) * usize::from(height);
        Self {
            tick,
            width,
            units,
            cells: vec![None; cells],
            kinds: vec![None; cells],
            table: Vec::with_capacity(cells),
            hot: Vec::new(),
            next_expiry: i32::MAX,
        }
    }

    /// Becomes a copy of another state and keeps its own memory, which is much faster than a clone.
    pub fn copy_from(&mut self, other: &Self) {
        (self.tick, self.width, self.next_expiry) = (other.tick, other.width, other.next_expiry);
        self.units.clone_from(&other.units);
        self.cells.clone_from(&other.cells);
        self.kinds.clone_from(&other.kinds);
        self.table.clone_from(&other.table);
        self.hot.clone_from(&other.hot);
    }

    /// A number for what a tick depends on; equal states have equal numbers.
    #[must_use]
    pub fn position_hash(&self) -> u64 {
        let mut hash = PositionHash(0xcbf2_9ce4_8422_2325);
        hash.add(self.tick);
        for unit in &self.units {
            hash.add(i32::from(unit.cell));
            hash.add(unit.hp);
            hash.add(unit.diameter);
            hash.add(unit.bombs);
            hash.add(unit.invulnerable);
            hash.mix(unit.stunned.to_bits());
        }
        for (cell, entity) in self.entities().filter(|(_, entity)| entity.kind != EntityKind::Metal)
        {
            hash.add(i32::from(cell));
            hash.mix(entity.kind as u64);
            hash.add(entity.expires.unwrap_or(-1));
            hash.add(entity.hp.unwrap_or(-1));
            hash.add(entity.unit.map_or(-1, i32::from));
        }
        hash.0
    }

    /// Columns of the map.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// How many cells there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether the map has no cell at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All units in the order of the game.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// One unit.
    #[must_use]
    pub fn unit(&self, index: UnitIndex) -> Option<&Unit> {
        self.units.get(usize::from(index))
    }

    /// One unit, to change it.
    pub fn unit_mut(&mut self, index: UnitIndex) -> Option<&mut Unit> {
        self.units.get_mut(usize::from(index))
    }

    /// The units in a cell, in the order of the game.
    pub fn units_at(&self, cell: CellIndex) -> impl Iterator<Item = UnitIndex> {
        (0..).zip(&self.units).filter(move |(_, unit)| unit.cell == cell).map(|(index, _)| index)
    }

    /// Whether a unit, alive or dead, is in a cell.
    #[must_use]
    pub fn occupied(&self, cell: CellIndex) -> bool {
        self.units.iter().any(|unit| unit.cell == cell)
    }

    /// Whether the body of a dead unit is in a cell; it stays there to the end.
    #[must_use]
    pub fn body_in(&self, cell: CellIndex) -> bool {
        self.units.iter().any(|unit| unit.cell == cell && !unit.alive())
    }

    /// The thing in a cell.
    #[must_use]
    pub fn entity(&self, cell: CellIndex) -> Option<&CellEntity> {
        self.cells.get(usize::from(cell)).and_then(Option::as_ref)
    }

    /// What is in a cell.
    #[must_use]
    pub fn kind(&self, cell: CellIndex) -> Option<EntityKind> {
        self.kinds.get(usize::from(cell)).copied().flatten()
    }

    /// All things in the order of the engine's table.
    pub fn entities(&self) -> impl Iterator<Item = (CellIndex, &CellEntity)> {
        self.table.iter().filter_map(|cell| Some((*cell, self.entity(*cell)?)))
    }

    /// Bombs and fire in the order of the engine's table.
    pub fn hot(&self) -> impl Iterator<Item = (CellIndex, &CellEntity)> {
        self.hot.iter().filter_map(|cell| Some((*cell, self.entity(*cell)?)))
    }

    /// The things in cells with units, in the order of the engine's table. A search asks for them in
    /// each tick, when hundreds of cells burn.
    pub(super) fn under_units(&self) -> Vec<(CellIndex, EntityKind)> {
        let mut under: Vec<(CellIndex, EntityKind)> = Vec::new();
        for unit in &self.units {
            if let Some(kind) = self.kind(unit.cell)
                && under.iter().all(|(cell, _)| *cell != unit.cell)
            {
                under.push((unit.cell, kind));
            }
        }
        if under.len() > 1 {
            under.sort_by_cached_key(|(cell, _)| self.table.iter().position(|other| other == cell));
        }
        under
    }

    /// Puts a thing into a cell. A cell already in the table keeps its place there.
    pub fn put(&mut self, cell: CellIndex, entity: CellEntity) {
        let at = usize::from(cell);
        let (Some(slot), Some(kind)) = (self.cells.get_mut(at), self.kinds.get_mut(at)) else {
            return;
        };
        *kind = Some(entity.kind);
        match slot.replace(entity) {
            None => {
                self.table.push(cell);
                if entity.kind.hot() {
                    self.hot.push(cell);
                }
            }
            Some(old) if old.kind.hot() != entity.kind.hot() => self.list_hot(),
            Some(_) => {}
        }
        self.next_expiry = self.next_expiry.min(entity.expires.unwrap_or(i32::MAX));
    }

    fn list_hot(&mut self) {
        let hot = self.entities().filter(|(_, entity)| entity.kind.hot());
        self.hot = hot.map(|(cell, _)| cell).collect();
    }

    /// Empties a cell.
    pub fn remove(&mut self, cell: CellIndex) -> Option<CellEntity> {
        let at = usize::from(cell);
        let gone = self.cells.get_mut(at)?.take()?;
        *self.kinds.get_mut(at)? = None;
        if let Some(index) = self.table.iter().position(|other| *other == cell) {
            self.table.remove(index);
        }
        if gone.kind.hot() {
            self.hot.retain(|other| *other != cell);
        }
        Some(gone)
    }

    /// What is due at this tick, in the order of the table; a copy, as the engine takes one.
    pub(super) fn due(&mut self) -> Vec<(CellIndex, CellEntity)> {
        if self.tick < self.next_expiry {
            return Vec::new();
        }
        let (mut due, mut next) = (Vec::new(), i32::MAX);
        for (cell, entity) in self.entities() {
            match entity.expires {
                Some(expires) if expires <= self.tick => due.push((cell, *entity)),
                Some(expires) => next = next.min(expires),
                None => {}
            }
        }
        self.next_expiry = next;
        due
    }

    /// Bombs of an agent on the map.
    #[must_use]
    pub fn bombs_of(&self, agent: AgentIndex) -> usize {
        let bombs = self.hot().filter(|(_, entity)| entity.kind == EntityKind::Bomb);
        bombs.filter(|(_, bomb)| bomb.agent == Some(agent)).count()
    }

    /// Whether at most one agent has a living unit.
    #[must_use]
    pub fn complete(&self) -> bool {
        let mut living = self.units.iter().filter(|unit| unit.alive()).map(|unit| unit.agent);
        let first = living.next();
        living.all(|agent| Some(agent) == first)
    }

    /// The agent of the first living unit.
    #[must_use]
    pub fn leader(&self) -> Option<AgentIndex> {
        self.units.iter().find(|unit| unit.alive()).map(|unit| unit.agent)
    }
}
