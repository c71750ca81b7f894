//! Which cells burn when, for one side, in a state of the search. The same idea as
//! [`DangerForecast`](crate::world::DangerForecast), but computed from the state alone in about a
//! microsecond, since a search needs it in every tick.

use super::terrain::{Terrain, radius};
use crate::rules::{AgentIndex, CellIndex, EntityKind, GameBoard, GameState, UnitIndex};

/// How many ticks a heat map reaches.
pub(super) const REACH: i32 = 63;

/// A bomb on the map.
#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) cell: CellIndex,
    pub(super) unit: Option<UnitIndex>,
    pub(super) agent: Option<AgentIndex>,
    /// First tick in which its owner can set it off.
    pub(super) armed: i32,
    /// The tick in which its fuse ends.
    pub(super) expires: i32,
    pub(super) radius: i32,
    /// First tick from now in which it can go off, and in which it does if no unit acts.
    early: i32,
    sure: i32,
    /// First tick from now in which any unit can set it off, its own side's too.
    loose: i32,
    pub(super) reach: Vec<CellIndex>,
}

/// Everything that burns or can burn.
#[derive(Clone, Debug, Default)]
pub(super) struct Charges {
    pub(super) bombs: Vec<Charge>,
    fires: Vec<(CellIndex, i32)>,
}

impl Charges {
    /// Reads bombs and fires from a state.
    pub(super) fn read(&mut self, board: &GameBoard, terrain: &Terrain, state: &GameState) {
        self.bombs.clear();
        self.fires.clear();
        for (cell, entity) in state.entities() {
            if entity.kind == EntityKind::Fire {
                self.fires.push((cell, entity.expires.unwrap_or(i32::MAX)));
            } else if entity.kind == EntityKind::Bomb {
                let radius = radius(entity.diameter.unwrap_or(1));
                let mut reach = Vec::with_capacity(9);
                terrain.blast(state, cell, radius, |cell| reach.push(cell));
                self.bombs.push(Charge {
                    cell,
                    unit: entity.unit,
                    agent: entity.agent,
                    armed: entity.created.saturating_add(board.params.armed).saturating_add(1),
                    expires: entity.expires.unwrap_or(i32::MAX),
                    radius,
                    early: 0,
                    sure: 0,
                    loose: 0,
                    reach,
                });
            }
        }
    }

    /// Sets the times of all bombs as `agent` has to fear them.
    fn time(&mut self, state: &GameState, agent: AgentIndex) {
        for bomb in &mut self.bombs {
            bomb.sure = bomb.expires.saturating_sub(state.tick).max(1);
            (bomb.early, bomb.loose) = (bomb.sure, bomb.sure);
            let owner = bomb.unit.and_then(|unit| state.unit(unit));
            if let Some(owner) = owner.filter(|unit| unit.alive()) {
                #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
                let thawed = (owner.stunned as i32).saturating_add(2);
                let free = bomb.armed.max(thawed).saturating_sub(state.tick).max(1);
                bomb.loose = bomb.sure.min(free);
                if bomb.agent != Some(agent) {
                    bomb.early = bomb.loose;
                }
            }
        }
        for _ in 0..self.bombs.len() {
            if !self.chain() {
                break;
            }
        }
    }

    /// A bomb goes off with every bomb whose blast gets to it; whether that changed any time.
    fn chain(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.bombs.len() {
            let Some(cell) = self.bombs.get(index).map(|bomb| bomb.cell) else { continue };
            let lit = self.bombs.iter().filter(|bomb| bomb.reach.contains(&cell));
            let first = lit.fold([i32::MAX; 3], |[early, sure, loose], bomb| {
                [early.min(bomb.early), sure.min(bomb.sure), loose.min(bomb.loose)]
            });
            let Some(bomb) = self.bombs.get_mut(index) else { continue };
            // Its own reach contains its cell, so that no time gets later.
            changed |= first != [bomb.early, bomb.sure, bomb.loose];
            [bomb.early, bomb.sure, bomb.loose] = first;
        }
        changed
    }
}

/// Danger in time for one side: bit `n` of a cell is the `n`th tick from now.
#[derive(Clone, Debug, Default)]
pub(super) struct Heat {
    certain: Vec<u64>,
    /// Includes what is certain.
    possible: Vec<u64>,
    /// Includes what is possible.
    loose: Vec<u64>,
    /// Bombs of the own side alone.
    own: Vec<u64>,
}

/// What counts as danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fear {
    /// What burns if no unit acts.
    Certain,
    /// Also bombs that the other side can set off.
    Possible,
    /// Also bombs that the own side can set off.
    Loose,
    /// Nothing but bombs of the own side.
    Own,
}

impl Heat {
    /// What the units of `agent` have to fear.
    pub(super) fn read(
        &mut self,
        (board, terrain, state): (&GameBoard, &Terrain, &GameState),
        charges: &mut Charges,
        agent: AgentIndex,
    ) {
        self.certain.clear();
        self.certain.resize(terrain.cells(), 0);
        for (cell, expires) in &charges.fires {
            mark(&mut self.certain, *cell, 1, expires.saturating_sub(state.tick) - 1);
        }
        for (burns, cell) in terrain.burning(state.tick, state.tick.saturating_add(REACH)) {
            mark(&mut self.certain, cell, burns - state.tick, REACH);
        }
        charges.time(state, agent);
        let life = board.params.blast_duration - 1;
        for bomb in &charges.bombs {
            for cell in &bomb.reach {
                mark(&mut self.certain, *cell, bomb.sure, bomb.sure.saturating_add(life));
            }
        }
        self.possible.clone_from(&self.certain);
        for bomb in charges.bombs.iter().filter(|bomb| bomb.early < bomb.sure) {
            for cell in &bomb.reach {
                mark(&mut self.possible, *cell, bomb.early, bomb.sure.saturating_add(life));
            }
        }
        self.loose.clone_from(&self.possible);
        for bomb in charges.bombs.iter().filter(|bomb| bomb.loose < bomb.early) {
            for cell in &bomb.reach {
                mark(&mut self.loose, *cell, bomb.loose, bomb.sure.saturating_add(life));
            }
        }
        self.own.clear();
        self.own.resize(terrain.cells(), 0);
        for bomb in charges.bombs.iter().filter(|bomb| bomb.agent == Some(agent)) {
            for cell in &bomb.reach {
                mark(&mut self.own, *cell, bomb.loose, bomb.sure.saturating_add(life));
            }
        }
    }

    /// The ticks in which a cell is dangerous.
    pub(super) fn of(&self, cell: CellIndex, fear: Fear) -> u64 {
        let bits = match fear {
            Fear::Certain => &self.certain,
            Fear::Possible => &self.possible,
            Fear::Loose => &self.loose,
            Fear::Own => &self.own,
        };
        bits.get(usize::from(cell)).copied().unwrap_or(u64::MAX)
    }

    pub(super) fn possible(&self, cell: CellIndex) -> u64 {
        self.of(cell, Fear::Possible)
    }
}

fn mark(bits: &mut [u64], cell: CellIndex, from: i32, to: i32) {
    let to = to.min(REACH);
    if from > to || from < 0 {
        return;
    }
    let span = (u64::MAX << from) & (u64::MAX >> (REACH - to));
    if let Some(bits) = bits.get_mut(usize::from(cell)) {
        *bits |= span;
    }
}
