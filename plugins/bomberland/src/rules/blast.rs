//! Explosions, damage, items, and everything that is put into a cell (spec sections 7.3 and 7.4).

use super::{
    CellEntity, CellIndex, EntityKind, EventSink, GameBoard, GameState, TickChance, TickEvent,
    UnitDirection, UnitIndex,
};

/// A tick that is being computed.
pub(super) struct TickInProgress<'a, C, S> {
    pub(super) board: &'a GameBoard,
    pub(super) state: &'a mut GameState,
    pub(super) chance: &'a mut C,
    pub(super) sink: &'a mut S,
}

impl<C: TickChance, S: EventSink> TickInProgress<'_, C, S> {
    /// Puts a thing into a cell, whatever is there.
    pub(super) fn place(&mut self, cell: CellIndex, entity: CellEntity) {
        self.state.put(cell, entity);
        self.chance.take(cell);
        self.sink.push(TickEvent::Spawned(cell, entity));
    }

    /// Puts a bomb or a blast into a cell. The engine takes the cell out of its list of free cells
    /// twice then, which counts where the list has a cell twice.
    pub(super) fn place_anew(&mut self, cell: CellIndex, entity: CellEntity) {
        self.chance.take(cell);
        self.place(cell, entity);
    }

    /// Empties a cell; nothing where it is empty.
    pub(super) fn empty(&mut self, cell: CellIndex) -> Option<CellEntity> {
        let gone = self.state.remove(cell)?;
        self.chance.release(cell);
        self.sink.push(TickEvent::Expired(cell));
        Some(gone)
    }

    /// Tells how a unit is now.
    pub(super) fn tell(&mut self, index: UnitIndex) {
        if let Some(&unit) = self.state.unit(index) {
            self.sink.push(TickEvent::Unit(index, unit));
        }
    }

    /// A unit loses a life, unless it lost one just before.
    pub(super) fn hurt(&mut self, index: UnitIndex) {
        let tick = self.state.tick;
        let Some(unit) = self.state.unit_mut(index) else { return };
        if unit.invulnerable < tick {
            unit.hp = unit.hp.saturating_sub(1);
            unit.invulnerable = tick + self.board.params.invulnerability;
            self.tell(index);
        }
    }

    /// A bomb goes off whose cell was emptied before.
    pub(super) fn explode(&mut self, cell: CellIndex, bomb: &CellEntity) {
        let radius = (bomb.diameter.unwrap_or(1) - 1) / 2;
        self.scorch(cell, bomb.unit);
        let (x, y) = self.board.place(cell);
        for direction in UnitDirection::ALL {
            let (dx, dy) = direction.vector();
            for distance in 1..=radius {
                let target = self.board.cell(x + dx * distance, y + dy * distance);
                let Some(target) = target else { break };
                if !self.scorch(target, bomb.unit) {
                    break;
                }
            }
        }
    }

    /// A blast reaches a cell; whether it goes on behind it.
    fn scorch(&mut self, cell: CellIndex, unit: Option<UnitIndex>) -> bool {
        for index in 0..self.state.units().len() {
            let Ok(index) = UnitIndex::try_from(index) else { break };
            if self.state.unit(index).is_some_and(|unit| unit.cell == cell) {
                self.hurt(index);
            }
        }
        let tick = self.state.tick;
        let mut blast = CellEntity {
            expires: Some(tick + self.board.params.blast_duration),
            unit,
            agent: unit.and_then(|unit| Some(self.state.unit(unit)?.agent)),
            ..CellEntity::new(EntityKind::Fire, tick)
        };
        match self.state.entity(cell).copied() {
            None => self.place_anew(cell, blast),
            Some(fire) if fire.kind == EntityKind::Fire => {
                self.empty(cell);
                if fire.permanent() {
                    blast.expires = None;
                }
                self.place(cell, blast);
            }
            Some(thing) => {
                self.damage(cell, thing);
                return false;
            }
        }
        true
    }

    /// A thing that stops a blast takes a hit.
    fn damage(&mut self, cell: CellIndex, mut thing: CellEntity) {
        let Some(hp) = thing.hp else { return };
        thing.hp = Some(hp.saturating_sub(1));
        self.state.put(cell, thing);
        self.sink.push(TickEvent::Changed(cell, thing));
        if hp > 1 {
            return;
        }
        self.empty(cell);
        match thing.kind {
            EntityKind::Bomb => self.explode(cell, &thing),
            EntityKind::Wood | EntityKind::Ore => {
                if self.chance.draw() < self.board.params.drop_probability {
                    self.item(cell);
                }
            }
            EntityKind::Metal
            | EntityKind::Fire
            | EntityKind::Ammo
            | EntityKind::BlastUp
            | EntityKind::FreezeUp
            | EntityKind::Treasure => {}
        }
    }

    /// An item of a random kind appears.
    pub(super) fn item(&mut self, cell: CellIndex) {
        let params = &self.board.params;
        let drawn = self.chance.draw();
        let (kind, life) = if drawn < params.ammo_weight {
            (EntityKind::Ammo, params.ammo_duration)
        } else if drawn < params.ammo_weight + params.blast_weight {
            (EntityKind::BlastUp, params.powerup_duration)
        } else {
            (EntityKind::FreezeUp, params.powerup_duration)
        };
        let tick = self.state.tick;
        let item =
            CellEntity { expires: Some(tick + life), hp: Some(1), ..CellEntity::new(kind, tick) };
        self.place(cell, item);
    }
}
