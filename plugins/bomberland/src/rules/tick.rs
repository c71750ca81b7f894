//! The phases of a tick, in the engine's order (spec section 7.2).

use super::blast::TickInProgress;
use super::chance::scaled;
use super::{
    CellEntity, CellIndex, EntityKind, EventSink, GameBoard, GameState, TickChance, TickEvent,
    Unit, UnitAction, UnitIndex, UnitOrder,
};

/// Computes one tick. `orders` are accepted ones (see [`OrderQueue`](super::OrderQueue)) in the order of
/// their arrival; they are sorted here.
pub fn step<C: TickChance, S: EventSink>(
    board: &GameBoard,
    state: &mut GameState,
    chance: &mut C,
    orders: &mut [UnitOrder],
    sink: &mut S,
) {
    state.tick = state.tick.saturating_add(1);
    let mut turn = TickInProgress { board, state, chance, sink };
    turn.end_fire();
    turn.expire();
    turn.contact();
    turn.random_item();
    orders.sort_by_key(UnitOrder::phase);
    let moves = orders.partition_point(|order| !matches!(order.act, UnitAction::Move(_)));
    let (works, moves) = orders.split_at(moves);
    turn.works(works);
    turn.moves(moves);
}

impl<C: TickChance, S: EventSink> TickInProgress<'_, C, S> {
    /// The next cell of the ring of fire, when one is due.
    fn end_fire(&mut self) {
        let params = &self.board.params;
        let past = f64::from(self.state.tick) - f64::from(params.game_duration);
        if past < 0.0 || past % params.fire_interval != 0.0 {
            return;
        }
        let count = past / params.fire_interval;
        if count >= f64::from(self.board.cells()) {
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number of cells, checked above"
        )]
        let Some(cell) = self.board.fire(count as usize) else { return };
        if let Some(gone) = self.empty(cell)
            && gone.kind == EntityKind::Bomb
        {
            self.explode(cell, &gone);
        }
        self.place(cell, CellEntity::new(EntityKind::Fire, self.state.tick));
    }

    /// Everything whose time has come goes; bombs go off. The list is made before the first goes,
    /// so that a bomb which another one set off goes off a second time.
    fn expire(&mut self) {
        for (cell, entity) in self.state.due() {
            self.empty(cell);
            if entity.kind == EntityKind::Bomb {
                self.explode(cell, &entity);
            }
        }
    }

    /// Units burn in fire and collect items; the dead ones too.
    fn contact(&mut self) {
        for (cell, kind) in self.state.under_units() {
            let units: Vec<UnitIndex> = self.state.units_at(cell).collect();
            for unit in units {
                self.touch(cell, kind, unit);
            }
        }
    }

    fn touch(&mut self, cell: CellIndex, kind: EntityKind, index: UnitIndex) {
        let Some(unit) = self.state.unit_mut(index) else { return };
        match kind {
            EntityKind::Fire => return self.hurt(index),
            EntityKind::Ammo => unit.bombs = unit.bombs.saturating_add(1),
            EntityKind::BlastUp => unit.diameter = unit.diameter.saturating_add(2),
            EntityKind::FreezeUp => {
                self.freeze(index);
                self.empty(cell);
                return;
            }
            EntityKind::Metal
            | EntityKind::Wood
            | EntityKind::Ore
            | EntityKind::Bomb
            | EntityKind::Treasure => return,
        }
        self.tell(index);
        self.empty(cell);
    }

    /// Stuns a random living opponent, if there is one.
    fn freeze(&mut self, collector: UnitIndex) {
        let agent = self.state.unit(collector).map(|unit| unit.agent);
        let Some(foe) = agent.and_then(|agent| self.board.foe(agent)) else { return };
        let victims: Vec<UnitIndex> = (0..)
            .zip(self.state.units())
            .filter(|(_, unit)| unit.agent == foe && unit.alive())
            .map(|(index, _)| index)
            .collect();
        if victims.is_empty() {
            return;
        }
        let drawn = scaled(self.chance.victim(), victims.len());
        let until = f64::from(self.state.tick) + self.board.params.freeze_ticks;
        let Some(&victim) = victims.get(drawn) else { return };
        if let Some(unit) = self.state.unit_mut(victim) {
            unit.stunned = until;
        }
        self.tell(victim);
    }

    /// Now and then an item appears in a free cell. The draw is made in any case.
    fn random_item(&mut self) {
        if self.chance.draw() >= self.board.params.spawn_probability {
            return;
        }
        let state = &*self.state;
        if let Some(cell) = self.chance.first_free(|cell| !state.occupied(cell)) {
            self.chance.take(cell);
            self.item(cell);
        }
    }

    /// Bombs, then detonations. Accepted orders are reported before the events that they cause.
    fn works(&mut self, orders: &[UnitOrder]) {
        let mark = self.sink.mark();
        let mut told = mark;
        for order in orders {
            let done = match order.act {
                UnitAction::Bomb => self.bomb(order.unit),
                UnitAction::Detonate(x, y) => self.detonate(order.unit, x, y),
                UnitAction::Move(_) => false,
            };
            if done {
                self.sink.insert(told, TickEvent::Done(*order));
                told += 1;
            }
        }
    }

    fn bomb(&mut self, index: UnitIndex) -> bool {
        let Some(&unit) = self.state.unit(index) else { return false };
        let placed = self.state.bombs_of(unit.agent);
        let allowed = usize::try_from(self.board.params.bombs_max).unwrap_or(0);
        if unit.bombs <= 0 || placed >= allowed {
            return false;
        }
        match self.state.entity(unit.cell).copied() {
            None => {
                self.put_bomb(index);
            }
            Some(fire) if fire.kind == EntityKind::Fire => self.bomb_in_fire(index, &fire),
            Some(_) => return false,
        }
        true
    }

    /// A bomb that is put into fire goes off at once.
    fn bomb_in_fire(&mut self, index: UnitIndex, fire: &CellEntity) {
        let Some(&Unit { cell, .. }) = self.state.unit(index) else { return };
        self.empty(cell);
        let Some(bomb) = self.put_bomb(index) else { return };
        self.empty(cell);
        self.explode(cell, &bomb);
        self.empty(cell);
        let mut again = CellEntity::new(EntityKind::Fire, self.state.tick);
        if !fire.permanent() {
            (again.unit, again.agent) = (fire.unit, fire.agent);
            again.expires = Some(self.state.tick + self.board.params.blast_duration);
        }
        self.place_anew(cell, again);
    }

    fn put_bomb(&mut self, index: UnitIndex) -> Option<CellEntity> {
        let tick = self.state.tick;
        let unit = self.state.unit_mut(index)?;
        unit.bombs -= 1;
        let unit = *unit;
        let bomb = CellEntity {
            expires: Some(tick + self.board.params.fuse),
            hp: Some(1),
            diameter: Some(unit.diameter),
            unit: Some(index),
            agent: Some(unit.agent),
            ..CellEntity::new(EntityKind::Bomb, tick)
        };
        self.place_anew(unit.cell, bomb);
        self.tell(index);
        Some(bomb)
    }

    /// Sets off one's own bomb. Aiming at anything else, or at nothing, succeeds without effect.
    fn detonate(&mut self, unit: UnitIndex, x: f64, y: f64) -> bool {
        let number = x + y * f64::from(self.board.width());
        let cell = (number.fract() == 0.0 && (0.0..f64::from(CellIndex::MAX)).contains(&number))
            .then(|| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number in the range of cells, checked above"
                )]
                let cell = number as CellIndex;
                cell
            });
        let Some(cell) = cell else { return true };
        let Some(&bomb) = self.state.entity(cell) else { return true };
        if bomb.kind != EntityKind::Bomb || bomb.unit != Some(unit) {
            return true;
        }
        if self.state.tick.saturating_sub(bomb.created) <= self.board.params.armed {
            return false;
        }
        self.empty(cell);
        self.explode(cell, &bomb);
        true
    }

    /// Moves in the order of arrival; where several aim at one cell's number, none of them moves.
    fn moves(&mut self, orders: &[UnitOrder]) {
        let aims: Vec<Option<i32>> = orders.iter().map(|order| order.aim(self.state)).collect();
        for (index, order) in orders.iter().enumerate() {
            let aim = aims.get(index).copied().flatten();
            let shared = (0..).zip(orders.iter().zip(&aims)).any(|(other, (rival, rivals))| {
                other != index && *rivals == aim && rival.unit != order.unit
            });
            if !shared && self.go(order) {
                self.sink.push(TickEvent::Done(*order));
            }
        }
    }

    fn go(&mut self, order: &UnitOrder) -> bool {
        let Some(target) = order.destination(self.state) else { return false };
        let blocked = self.state.kind(target).is_some_and(|kind| !kind.walkable());
        if blocked || self.state.occupied(target) {
            return false;
        }
        let Some(unit) = self.state.unit_mut(order.unit) else { return false };
        unit.cell = target;
        true
    }
}
