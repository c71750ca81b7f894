//! Worlds from seeds, bit by bit as the engine makes them (spec section 6.2).

use super::{
    AgentIndex, CellEntity, CellIndex, EntityKind, FreeList, GameBoard, GameParams, GameState,
    Mersenne, Setup, Streams, Unit, UnitName,
};
use std::fmt;

/// How often the engine tries before it gives up.
const ATTEMPTS: u32 = 3;

/// A world, ready to be played.
#[derive(Clone, Debug)]
pub struct GeneratedGame {
    /// What never changes.
    pub board: GameBoard,
    /// How it begins.
    pub state: GameState,
    /// Its streams of chance.
    pub streams: Streams,
}

/// No world can be made of this seed with this setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmakeable {
    pub world_seed: u64,
}

impl fmt::Display for Unmakeable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no world can be made of the seed {}: the engine refuses it too; take another one",
            self.world_seed
        )
    }
}

impl std::error::Error for Unmakeable {}

/// Makes a world.
///
/// # Errors
/// When the engine would give up on this seed.
pub fn generate(
    setup: &Setup,
    params: GameParams,
    world_seed: u64,
    prng_seed: u64,
) -> Result<GeneratedGame, Unmakeable> {
    let mut stream = Mersenne::new(low_bits(world_seed));
    for _ in 0..ATTEMPTS {
        let mut attempt = Attempt::new(setup, stream);
        let made = if setup.symmetrical { attempt.symmetrical() } else { attempt.plain() };
        if made.is_some() {
            return Ok(attempt.finish(params, prng_seed));
        }
        stream = attempt.stream;
    }
    Err(Unmakeable { world_seed })
}

fn low_bits(seed: u64) -> u32 {
    u32::try_from(seed & u64::from(u32::MAX)).unwrap_or_default()
}

/// Names in the order a, b, … z, aa, ab, …
fn name(number: usize) -> String {
    let (mut rest, mut letters) = (number + 1, Vec::new());
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// The cells that a pair's unit keeps free about it.
struct Reservation {
    cell: CellIndex,
    path: [CellIndex; 3],
}

/// One attempt to make a world.
struct Attempt<'a> {
    setup: &'a Setup,
    stream: Mersenne,
    free: FreeList,
    agents: Vec<String>,
    units: Vec<(UnitName, CellIndex)>,
    blocks: Vec<(CellIndex, EntityKind)>,
}

impl<'a> Attempt<'a> {
    fn new(setup: &'a Setup, mut stream: Mersenne) -> Self {
        let free = FreeList::new(setup.width * setup.height, &mut stream);
        let (agents, units, blocks) = (Vec::new(), Vec::new(), Vec::new());
        Self { setup, stream, free, agents, units, blocks }
    }

    /// A map whose right half is the left one's mirror image; `None` where a unit has no room.
    fn symmetrical(&mut self) -> Option<()> {
        self.agents = (0..2).map(name).collect();
        let mut reservations = Vec::new();
        for pair in 0..usize::from(self.setup.units_per_agent) {
            reservations.extend(self.pair(pair)?);
        }
        let setup = self.setup;
        for (kind, share) in [
            (EntityKind::Metal, setup.metal),
            (EntityKind::Wood, setup.wood),
            (EntityKind::Ore, setup.ore),
        ] {
            let count = self.count(share);
            for _ in 0..(count + count % 2) / 2 {
                let Some(cell) = self.pick() else { continue };
                let Some(twin) = self.mirror(cell) else { continue };
                self.free.take(cell);
                self.free.take(twin);
                self.blocks.extend([(cell, kind), (twin, kind)]);
            }
        }
        for reservation in reservations {
            self.release(&reservation);
        }
        Some(())
    }

    /// Two units that face each other, with room to breathe.
    fn pair(&mut self, pair: usize) -> Option<[Reservation; 2]> {
        let cell = self.pick()?;
        self.free.take(cell);
        let mut paths = self.paths(cell);
        self.stream.shuffle(&mut paths);
        let path = *paths.last()?;
        for cell in path {
            self.free.take(cell);
        }
        let reservation = Reservation { cell, path };
        let twin = self.twin(&reservation);
        let Some(twin) = twin else {
            self.release(&reservation);
            return None;
        };
        self.free.take(twin.cell);
        for cell in twin.path {
            self.free.take(cell);
        }
        for (agent, cell) in [(0, cell), (1, twin.cell)] {
            let unit = UnitName { name: name(2 + pair * 2 + usize::from(agent)), agent };
            self.units.push((unit, cell));
        }
        Some([reservation, twin])
    }

    /// The mirror image of a reservation, if all of it is there and free.
    fn twin(&self, of: &Reservation) -> Option<Reservation> {
        let open = |cell| self.mirror(cell).filter(|twin| !self.free.reserved(*twin));
        let [p, q, r] = of.path;
        Some(Reservation { cell: open(of.cell)?, path: [open(p)?, open(q)?, open(r)?] })
    }

    fn release(&mut self, reservation: &Reservation) {
        self.free.release(reservation.cell, &mut self.stream);
        for cell in reservation.path {
            self.free.release(cell, &mut self.stream);
        }
    }

    /// One unit for each agent and no room to breathe.
    fn plain(&mut self) -> Option<()> {
        for agent in 0..usize::from(self.setup.agents) {
            self.agents.push(name(agent * 2));
            let cell = *self.free.cells().last()?;
            self.free.take(cell);
            let agent_index = AgentIndex::try_from(agent).ok()?;
            let unit = UnitName { name: name(agent * 2 + 1), agent: agent_index };
            self.units.push((unit, cell));
        }
        let setup = self.setup;
        for (kind, share) in [
            (EntityKind::Metal, setup.metal),
            (EntityKind::Wood, setup.wood),
            (EntityKind::Ore, setup.ore),
        ] {
            for _ in 0..self.count(share) {
                let Some(&cell) = self.free.cells().last() else { continue };
                self.free.take(cell);
                self.blocks.push((cell, kind));
            }
        }
        Some(())
    }

    /// How many cells a share is, rounded half up.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the cells of a bounded map; the cast saturates"
    )]
    fn count(&self, share: f64) -> u16 {
        let cells = f64::from(self.setup.width) * f64::from(self.setup.height);
        (cells * share + 0.5).floor() as u16
    }

    fn pick(&self) -> Option<CellIndex> {
        let width = self.setup.width;
        if width.is_multiple_of(2) {
            return self.free.cells().last().copied();
        }
        self.free.cells().iter().copied().find(|cell| cell % width != width / 2)
    }

    fn mirror(&self, cell: CellIndex) -> Option<CellIndex> {
        let width = self.setup.width;
        let (x, row) = (cell % width, cell - cell % width);
        let twin = width - 1 - x;
        (twin != x).then_some(row + twin)
    }

    /// All walks of two steps over free cells.
    fn paths(&self, from: CellIndex) -> Vec<[CellIndex; 3]> {
        let mut paths = Vec::new();
        for near in self.neighbours(from) {
            paths.extend(self.neighbours(near).map(|far| [from, near, far]));
        }
        paths
    }

    /// Neighbours that are not reserved, in the order left, right, down, up.
    fn neighbours(&self, cell: CellIndex) -> impl Iterator<Item = CellIndex> {
        let (width, height) = (self.setup.width, self.setup.height);
        let (x, y) = (cell % width, cell / width);
        let all = [
            (x > 0).then(|| cell - 1),
            (x + 1 < width).then(|| cell + 1),
            (y > 0).then(|| cell - width),
            (y + 1 < height).then(|| cell + width),
        ];
        all.into_iter().flatten().filter(|cell| !self.free.reserved(*cell))
    }

    fn finish(self, params: GameParams, prng_seed: u64) -> GeneratedGame {
        let setup = self.setup;
        let unit = |(name, cell): &(UnitName, CellIndex)| Unit {
            cell: *cell,
            agent: name.agent,
            hp: setup.hp,
            bombs: setup.ammunition,
            diameter: setup.blast_diameter,
            invulnerable: 0,
            stunned: 0.0,
        };
        let units = self.units.iter().map(unit).collect();
        let mut state = GameState::new(setup.width, setup.height, 0, units);
        for (cell, kind) in self.blocks {
            let hp = match kind {
                EntityKind::Wood => Some(1),
                EntityKind::Ore => Some(3),
                EntityKind::Metal
                | EntityKind::Bomb
                | EntityKind::Fire
                | EntityKind::Ammo
                | EntityKind::BlastUp
                | EntityKind::FreezeUp
                | EntityKind::Treasure => None,
            };
            state.put(cell, CellEntity { hp, ..CellEntity::new(kind, 0) });
        }
        let names = self.units.into_iter().map(|(name, _)| name).collect();
        let board = GameBoard::new((setup.width, setup.height), params, self.agents, names);
        let streams = Streams::new(self.free, self.stream, low_bits(prng_seed));
        GeneratedGame { board, state, streams }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 52].map(name), ["a", "z", "aa", "ab", "ba"]);
    }

    #[test]
    fn unusable_seeds_are_refused() {
        let make = |seed| generate(&Setup::default(), GameParams::default(), seed, 0).is_ok();
        let refused: Vec<u64> = (0..350).filter(|seed| !make(*seed)).collect();
        assert_eq!(refused, [14, 79, 157, 342, 345]);
    }
}
