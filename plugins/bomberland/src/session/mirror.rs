//! Our copy of the referee's game: the full state once, then every event in its order; and what
//! the events teach about rules that the referee does not tell.

use crate::percept::TickScene;
use crate::rules::{
    AgentIndex, CellEntity, CellIndex, EntityKind, GameBoard, GameParams, GameState, TickEvent,
    UnitIndex,
};
use crate::wire::{self, Full};
use serde_json::Value;
use std::sync::Arc;

/// A game as the referee tells it.
#[derive(Clone, Debug)]
pub(super) struct GameMirror {
    pub(super) board: Arc<GameBoard>,
    pub(super) state: GameState,
    pub(super) agent: AgentIndex,
    pub(super) game_id: String,
    pub(super) tick_rate_hz: f64,
    drops: DropRecord,
}

/// Blocks that were destroyed, and what they left.
#[derive(Clone, Debug, Default)]
struct DropRecord {
    destroyed: u32,
    items: u32,
    /// Cells of blocks that were destroyed in this tick.
    fresh: Vec<CellIndex>,
}

/// Bombs of a team from which on ammunition does not limit it.
const PLENTY: i32 = 100;

/// How many blocks the engine's default counts for in the estimate of the share of items.
const DROP_PRIOR: f64 = 4.0;

impl DropRecord {
    fn see(&mut self, event: &TickEvent) {
        match event {
            TickEvent::Changed(cell, entity)
                if matches!(entity.kind, EntityKind::Wood | EntityKind::Ore)
                    && entity.hp.is_some_and(|hp| hp <= 0) =>
            {
                self.destroyed = self.destroyed.saturating_add(1);
                self.fresh.push(*cell);
            }
            TickEvent::Spawned(cell, entity) if entity.kind.item() && self.fresh.contains(cell) => {
                self.items = self.items.saturating_add(1);
            }
            TickEvent::Changed(..)
            | TickEvent::Spawned(..)
            | TickEvent::Unit(..)
            | TickEvent::Done(_)
            | TickEvent::Expired(_) => {}
        }
    }

    /// The share of destroyed blocks that leave an item; close to `default` while few were seen.
    fn share(&self, default: f64) -> f64 {
        (f64::from(self.items) + DROP_PRIOR * default) / (f64::from(self.destroyed) + DROP_PRIOR)
    }
}

impl GameMirror {
    /// A mirror of a full state. `complaints` gets what had to be left out.
    pub(super) fn new(full: &Full, complaints: &mut Vec<String>) -> Result<Self, String> {
        let built = wire::build(full, &GameParams::default())?;
        complaints.extend(built.complaints);
        let agent = full.connection.as_ref().and_then(|connection| connection.agent_id.as_deref());
        let mut mirror = Self {
            agent: agent.and_then(|id| built.board.find_agent(id)).unwrap_or_default(),
            board: Arc::new(built.board),
            state: built.state,
            game_id: full.game_id.clone(),
            tick_rate_hz: full.config.tick_rate_hz.0,
            drops: DropRecord::default(),
        };
        mirror.allow_bombs();
        let known: Vec<CellEntity> = mirror.state.entities().map(|(_, entity)| *entity).collect();
        for entity in known {
            mirror.learn_entity(&entity);
        }
        Ok(mirror)
    }

    /// Where units carry few bombs, these are the limit, and a smaller number of bombs on the map at
    /// once is not assumed. A bomb too many is refused and costs a tick.
    fn allow_bombs(&mut self) {
        let carried = |agent: AgentIndex| {
            let units = self.state.units().iter().filter(|unit| unit.agent == agent);
            units.map(|unit| unit.bombs.max(0)).fold(0, i32::saturating_add)
        };
        let agents = self.state.units().iter().map(|unit| carried(unit.agent));
        let most = agents.max().unwrap_or(0);
        if most < PLENTY {
            let most = self.board.params.bombs_max.max(most);
            self.set(|params| &mut params.bombs_max, most);
        }
    }

    /// Applies a tick's events; what was understood of them comes back.
    pub(super) fn apply(
        &mut self,
        tick: i32,
        events: &[Value],
        complaints: &mut Vec<String>,
    ) -> Vec<TickEvent> {
        self.state.tick = tick;
        self.drops.fresh.clear();
        let destroyed = self.drops.destroyed;
        let mut applied = Vec::with_capacity(events.len());
        for event in events {
            match wire::decode_event(&self.board, &self.state, event, complaints) {
                Ok(Some(event)) => {
                    self.learn(&event);
                    event.apply(&mut self.state);
                    applied.push(event);
                }
                Ok(None) => complaints.push("an event of an unknown type".to_owned()),
                Err(complaint) => complaints.push(complaint),
            }
        }
        if self.drops.destroyed != destroyed {
            let share = self.drops.share(GameParams::default().drop_probability);
            Arc::make_mut(&mut self.board).params.drop_probability = share;
        }
        applied
    }

    pub(super) fn scene(&self, events: Vec<TickEvent>) -> TickScene {
        TickScene {
            board: Arc::clone(&self.board),
            state: self.state.clone(),
            events,
            agent: self.agent,
            tick_rate_hz: self.tick_rate_hz,
        }
    }

    /// Our units, in the order of the game.
    pub(super) fn own_units(&self) -> impl Iterator<Item = UnitIndex> {
        let own = self.agent;
        let units = (0..).zip(self.state.units());
        units.filter(move |(_, unit)| unit.agent == own).map(|(index, _)| index)
    }

    /// The board, to write down what was learnt; copied once if somebody still reads it.
    fn set(&mut self, get: impl Fn(&mut GameParams) -> &mut i32, value: i32) {
        let mut params = self.board.params;
        if *get(&mut params) != value {
            *get(&mut Arc::make_mut(&mut self.board).params) = value;
        }
    }

    fn learn(&mut self, event: &TickEvent) {
        self.drops.see(event);
        match event {
            TickEvent::Spawned(_, entity) => {
                self.learn_entity(entity);
                if entity.kind == EntityKind::Bomb
                    && let Some(agent) = entity.agent
                {
                    let placed = i32::try_from(self.state.bombs_of(agent) + 1).unwrap_or(i32::MAX);
                    let most = self.board.params.bombs_max.max(placed);
                    self.set(|params| &mut params.bombs_max, most);
                }
            }
            TickEvent::Unit(index, now) => {
                let Some(before) = self.state.unit(*index).copied() else { return };
                let tick = self.state.tick;
                if now.hp < before.hp && now.invulnerable >= tick {
                    self.set(|params| &mut params.invulnerability, now.invulnerable - tick);
                }
                let freeze = now.stunned - f64::from(tick);
                if now.stunned > before.stunned && freeze != self.board.params.freeze_ticks {
                    Arc::make_mut(&mut self.board).params.freeze_ticks = freeze;
                }
            }
            TickEvent::Done(_) | TickEvent::Expired(_) | TickEvent::Changed(..) => {}
        }
    }

    fn learn_entity(&mut self, entity: &CellEntity) {
        let Some(life) = entity.expires.and_then(|expires| expires.checked_sub(entity.created))
        else {
            return;
        };
        match entity.kind {
            EntityKind::Bomb => self.set(|params| &mut params.fuse, life),
            EntityKind::Fire => self.set(|params| &mut params.blast_duration, life),
            EntityKind::Ammo => self.set(|params| &mut params.ammo_duration, life),
            EntityKind::BlastUp | EntityKind::FreezeUp => {
                self.set(|params| &mut params.powerup_duration, life)
            }
            EntityKind::Metal | EntityKind::Wood | EntityKind::Ore | EntityKind::Treasure => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_drops_follows_what_blocks_leave() {
        let mut record = DropRecord::default();
        assert_eq!(record.share(0.5), 0.5);
        let broken = CellEntity { hp: Some(0), ..CellEntity::new(EntityKind::Wood, 0) };
        for cell in 0..12 {
            record.see(&TickEvent::Changed(cell, broken));
        }
        assert_eq!(record.share(0.5), 2.0 / 16.0);
        let item = CellEntity::new(EntityKind::Ammo, 5);
        record.see(&TickEvent::Spawned(3, item));
        record.see(&TickEvent::Spawned(40, item));
        assert_eq!(record.share(0.5), 3.0 / 16.0, "an item elsewhere is not from a block");
    }

    #[test]
    fn a_block_that_is_only_hit_has_not_left_anything() {
        let mut record = DropRecord::default();
        let hit = CellEntity { hp: Some(2), ..CellEntity::new(EntityKind::Ore, 0) };
        record.see(&TickEvent::Changed(7, hit));
        assert_eq!(record.share(0.5), 0.5);
    }
}
