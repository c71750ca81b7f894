//! Plays choices to the end of the game.

use super::super::ending::spare;
use super::super::policy::detonation;
use super::super::position::Position;
use super::super::sent::sent;
use super::super::terrain::{Terrain, radius};
use super::plans::{Plan, Step};
use crate::rules::{
    AgentIndex, CellEntity, CellIndex, EntityKind, ForwardChance, GameBoard, GameState, Unit,
    UnitAction, UnitDirection, UnitIndex, UnitOrder, step,
};

/// Ticks after which a plan is given up whose next step does not come about.
const PATIENCE: u32 = 2;

/// What is left of an own blast for each tick that it comes later: until then there may be a way out.
const FADE: f64 = 0.97;

/// How a unit plays that has no plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Walks to neighbours that burn later.
    walks: bool,
    /// Puts bombs wherever they reach the other side.
    bombs: bool,
    /// Sets off its bombs, and puts bombs into its fire, where that hurts the other side only.
    fires: bool,
    /// Sets off its bombs also where they hurt no unit: later they could hurt its own side.
    clears: bool,
    /// Wants each cell beside it that a unit of the other side steps into, so that neither gets it.
    blocks: bool,
}

/// An enemy that walks, sets off bombs and puts them into its fire.
pub(super) const HARD: Rules = Rules { walks: true, fires: true, ..IDLE };

/// One that also puts bombs wherever they reach us.
pub(super) const BOMBS: Rules = Rules { bombs: true, ..HARD };

/// One that does nothing.
pub(super) const IDLE: Rules =
    Rules { walks: false, bombs: false, fires: false, clears: false, blocks: false };

/// One that only blocks our steps.
pub(super) const BLOCKS: Rules = Rules { blocks: true, ..IDLE };

/// Our units after their plans.
const OURS: Rules = Rules { clears: true, ..HARD };

/// How a game ended.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Ticks by which our side lasts longer.
    pub(super) margin: i32,
    /// Our lives less theirs, added up over all ticks.
    pub(super) life_ticks: i64,
    /// Lives of ours that were lost in blasts of our own; later ones count less.
    pub(super) own_blasts: f64,
    /// Simulated ticks.
    pub(super) ticks: u64,
    /// Our orders with the tick from now, from 1.
    pub(super) line: Vec<(u32, UnitOrder)>,
}

/// A plan that is being followed.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    next: usize,
    blocked: u32,
}

/// A game that is played to its end again and again.
#[derive(Debug)]
pub(super) struct Game<'a> {
    board: &'a GameBoard,
    terrain: &'a Terrain,
    us: AgentIndex,
    root: &'a GameState,
    state: GameState,
    /// All bombs of the state.
    bombs: Vec<(CellIndex, CellEntity)>,
    depth: u32,
}

impl<'a> Game<'a> {
    /// The game from a position on, for `depth` ticks at most.
    pub(super) fn new(root: &'a Position<'_>, depth: u32) -> Self {
        let Position { board, terrain, us, state, .. } = root;
        let mut game = Self {
            board,
            terrain,
            us: *us,
            root: state,
            state: state.clone(),
            bombs: Vec::new(),
            depth,
        };
        game.list_bombs();
        game
    }

    fn list_bombs(&mut self) {
        let bombs = self.state.hot().filter(|(_, it)| it.kind == EntityKind::Bomb);
        self.bombs.clear();
        self.bombs.extend(bombs.map(|(cell, bomb)| (cell, *bomb)));
    }

    /// What a unit does first in a plan, before anything is played.
    pub(super) fn first(&self, index: UnitIndex, plan: &Plan) -> Option<UnitAction> {
        self.order(index, Some((plan, &mut Progress::default())), OURS)
    }

    /// Plays plans of our units to the end.
    pub(super) fn play(&mut self, plans: &[(UnitIndex, &Plan)], foe: Rules) -> Outcome {
        self.state.copy_from(self.root);
        self.list_bombs();
        let mut outcome = Outcome::default();
        let mut progress = vec![Progress::default(); plans.len()];
        let mut before: Vec<(Unit, Option<CellEntity>)> = Vec::new();
        let mut fade = 1.0;
        for ahead in 1..=self.depth {
            let mut orders = self.orders(plans, &mut progress, foe);
            let own = orders.iter().filter(|order| order.agent == self.us);
            outcome.line.extend(own.map(|order| (ahead, *order)));
            before.clear();
            let units = self.state.units().iter();
            before.extend(units.map(|unit| (*unit, self.state.entity(unit.cell).copied())));
            step(self.board, &mut self.state, &mut ForwardChance::default(), &mut orders, &mut ());
            outcome.ticks += 1;
            outcome.own_blasts += fade * f64::from(self.own_blasts(&before));
            fade *= FADE;
            self.list_bombs();
            for unit in self.state.units().iter().filter(|unit| unit.alive()) {
                let lives = i64::from(unit.hp);
                outcome.life_ticks += if unit.agent == self.us { lives } else { -lives };
            }
            if self.state.complete() {
                break;
            }
        }
        outcome.margin = self.margin();
        outcome
    }

    /// What all units do in the next tick.
    fn orders(
        &self,
        plans: &[(UnitIndex, &Plan)],
        progress: &mut [Progress],
        foe: Rules,
    ) -> Vec<UnitOrder> {
        let (mut ours, mut theirs) = (Vec::with_capacity(6), Vec::new());
        for (index, unit) in (0..).zip(self.state.units()).filter(|(_, unit)| unit.alive()) {
            let plan = plans.iter().zip(&mut *progress).find(|((owner, _), _)| *owner == index);
            let plan = plan.map(|((_, plan), progress)| (*plan, progress));
            let us = unit.agent == self.us;
            let act = self.order(index, plan, if us { OURS } else { foe });
            let order = act.map(|act| UnitOrder { agent: unit.agent, unit: index, act });
            if us { ours.extend(order) } else { theirs.extend(order) }
        }
        sent(&self.state, &mut ours);
        if foe.blocks {
            theirs = self.blocks(&ours);
        }
        ours.extend(theirs);
        ours
    }

    /// Steps of the enemy into the cells that our units step into. A unit that is beside two of them
    /// keeps both units out, since it could take either.
    fn blocks(&self, ours: &[UnitOrder]) -> Vec<UnitOrder> {
        let mut blocks: Vec<UnitOrder> = Vec::new();
        for to in ours.iter().filter_map(|order| order.destination(&self.state)) {
            let units = (0..).zip(self.state.units());
            let foes = units.filter(|(_, unit)| {
                unit.alive() && unit.agent != self.us && !unit.frozen(self.state.tick)
            });
            blocks.extend(foes.filter_map(|(unit, foe)| {
                let step = self.terrain.step(foe.cell, to)?;
                Some(UnitOrder { agent: foe.agent, unit, act: UnitAction::Move(step) })
            }));
        }
        blocks
    }

    /// Ticks by which our side lasts longer if all stay where they are.
    fn margin(&self) -> i32 {
        let now = self.state.tick;
        let last = |ours: bool| {
            let units = self.state.units().iter();
            let units = units.filter(|unit| unit.alive() && (unit.agent == self.us) == ours);
            units.map(|unit| self.lasts(unit)).max().unwrap_or(now)
        };
        last(true).saturating_sub(last(false))
    }

    /// The tick in which a unit dies that stays where it is.
    fn lasts(&self, unit: &Unit) -> i32 {
        let now = self.state.tick;
        let burns =
            self.terrain.burns_yet(&self.state, unit.cell).clamp(now, now.saturating_add(60));
        let first = burns.max(unit.invulnerable.saturating_add(1)).max(now.saturating_add(1));
        first.saturating_add(spare(self.board, unit))
    }

    /// How many of our units lost a life to a blast of ours. Each is given as it was before, with the
    /// thing in its cell; where the ring of fire burnt, the life is the ring's.
    fn own_blasts(&self, before: &[(Unit, Option<CellEntity>)]) -> u32 {
        let hurt = self.state.units().iter().zip(before);
        let hurt = hurt.filter(|(unit, (old, _))| unit.hp < old.hp && old.alive());
        let own = hurt.filter(|(unit, (old, thing))| {
            let fire = thing.filter(|it| it.kind == EntityKind::Fire);
            // What burnt there hurts the unit first, also where another bomb replaces it then.
            let lasts = |fire: &CellEntity| fire.expires.is_some_and(|it| it > self.state.tick);
            let blazed = fire.is_some_and(|it| it.agent == Some(self.us) && lasts(&it));
            let burnt = fire.is_some_and(|it| it.permanent());
            let new = self.state.entity(old.cell).is_some_and(|fire| {
                fire.agent == Some(self.us) && fire.created == self.state.tick && !fire.permanent()
            });
            unit.agent == self.us && (blazed || !burnt && (new || self.went_off_near(old.cell)))
        });
        u32::try_from(own.count()).unwrap_or(u32::MAX)
    }

    /// Whether a bomb of ours that reached a cell has gone off in this tick. The ring of fire hides
    /// such a blast where both come in one tick.
    fn went_off_near(&self, cell: CellIndex) -> bool {
        let mut gone = self.bombs.iter().filter(|(at, bomb)| {
            bomb.agent == Some(self.us) && self.state.kind(*at) != Some(EntityKind::Bomb)
        });
        gone.any(|(at, bomb)| {
            let mut reached = false;
            let reach = radius(bomb.diameter.unwrap_or(1));
            self.terrain.blast(&self.state, *at, reach, |to| reached |= to == cell);
            reached
        })
    }

    /// What a unit does in the next tick.
    fn order(
        &self,
        index: UnitIndex,
        plan: Option<(&Plan, &mut Progress)>,
        rules: Rules,
    ) -> Option<UnitAction> {
        let unit = self.state.unit(index)?;
        if unit.frozen(self.state.tick) {
            return None;
        }
        if let Some((plan, progress)) = plan {
            if let Some(order) = self.planned(unit, plan, progress) {
                return order;
            }
            if plan.stays && progress.blocked <= PATIENCE {
                return self.answer(index, unit, Rules { walks: false, ..rules });
            }
        }
        self.answer(index, unit, rules)
    }

    /// The order of a plan; `None` at its end.
    fn planned(
        &self,
        unit: &Unit,
        plan: &Plan,
        progress: &mut Progress,
    ) -> Option<Option<UnitAction>> {
        loop {
            let next = *plan.steps.get(progress.next)?;
            if let Step::Go(cell) = next {
                if cell == unit.cell {
                    (progress.next, progress.blocked) = (progress.next + 1, 0);
                    continue;
                }
                progress.blocked += 1;
                let step = self.terrain.step(unit.cell, cell);
                if step.is_none() || progress.blocked > PATIENCE {
                    (progress.next, progress.blocked) = (usize::MAX, PATIENCE + 1);
                    return None;
                }
                return Some(step.map(UnitAction::Move));
            }
            progress.next += 1;
            return Some(match next {
                Step::Hold | Step::Go(_) => None,
                Step::Bomb => self.has_bomb(unit).then_some(UnitAction::Bomb),
                Step::Detonate(cell) => Some(detonation(self.board, cell)),
            });
        }
    }

    fn has_bomb(&self, unit: &Unit) -> bool {
        let allowed = usize::try_from(self.board.params.bombs_max).unwrap_or(0);
        unit.bombs > 0
            && self.bombs.iter().filter(|(_, bomb)| bomb.agent == Some(unit.agent)).count()
                < allowed
    }

    /// What a unit does by the rules: sets off a bomb or puts one into its fire, if that hurts the
    /// other side only, puts a bomb, or walks to a neighbour that burns later.
    fn answer(&self, index: UnitIndex, unit: &Unit, rules: Rules) -> Option<UnitAction> {
        let next = self.state.tick.saturating_add(1);
        let armed = |bomb: &CellEntity| next.saturating_sub(bomb.created) > self.board.params.armed;
        let own = self.bombs.iter().filter(|(_, it)| it.unit == Some(index) && armed(it));
        let mut own = own.filter(|_| rules.fires);
        let shot = own.find(|(cell, bomb)| {
            let (gain, loss) = self.hurts(unit, *cell, radius(bomb.diameter.unwrap_or(1)), None);
            !loss && (gain || rules.clears)
        });
        if let Some((cell, _)) = shot {
            return Some(detonation(self.board, *cell));
        }
        let burns = self.state.kind(unit.cell) == Some(EntityKind::Fire)
            || self.terrain.burns(unit.cell) == next;
        let reach = radius(unit.diameter);
        let armed = self.has_bomb(unit);
        if rules.fires
            && armed
            && burns
            && self.hurts(unit, unit.cell, reach, Some(index)) == (true, false)
        {
            return Some(UnitAction::Bomb);
        }
        if rules.bombs && armed && self.state.kind(unit.cell).is_none() {
            let mut reached = false;
            self.terrain.blast(&self.state, unit.cell, reach, |cell| {
                let mut units = self.state.units().iter().filter(|it| it.cell == cell);
                reached |= units.any(|it| it.alive() && it.agent != unit.agent);
            });
            if reached {
                return Some(UnitAction::Bomb);
            }
        }
        rules.walks.then(|| self.later(unit)).flatten().map(UnitAction::Move)
    }

    /// Whether a blast in the next tick hurts a unit of the other side, and whether one of its own;
    /// the unit `but` cannot be hurt.
    fn hurts(
        &self,
        unit: &Unit,
        from: CellIndex,
        reach: i32,
        but: Option<UnitIndex>,
    ) -> (bool, bool) {
        let (mut gain, mut loss) = (false, false);
        self.terrain.blast(&self.state, from, reach, |cell| {
            for index in self.state.units_at(cell).filter(|index| Some(*index) != but) {
                let Some(hit) = self.state.unit(index) else { continue };
                if hit.alive() && hit.invulnerable <= self.state.tick {
                    gain |= hit.agent != unit.agent;
                    loss |= hit.agent == unit.agent;
                }
            }
        });
        (gain, loss)
    }

    /// The step to the neighbour that burns later than all others and the unit's own cell.
    fn later(&self, unit: &Unit) -> Option<UnitDirection> {
        let open = |cell: CellIndex| {
            let kind = self.state.kind(cell);
            let blast = self
                .state
                .entity(cell)
                .is_some_and(|it| it.kind == EntityKind::Fire && !it.permanent());
            kind.is_none_or(EntityKind::walkable) && !blast && !self.state.occupied(cell)
        };
        let mut best = (self.terrain.burns_yet(&self.state, unit.cell), None);
        for (direction, cell) in self.terrain.near(unit.cell) {
            let burns = self.terrain.burns_yet(&self.state, cell);
            if burns > best.0 && open(cell) {
                best = (burns, Some(direction));
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::GameParams;
    use crate::search::drawn::{NOW, map};

    #[test]
    fn a_life_lost_in_an_own_blast_is_counted() {
        let (board, mut state) = map(&["...C...D."], GameParams::default());
        let fire = CellEntity {
            expires: Some(NOW + 8),
            unit: Some(0),
            agent: Some(0),
            ..CellEntity::new(EntityKind::Fire, NOW)
        };
        state.put(4, fire);
        let terrain = Terrain::new(&board);
        let root = Position::new(&board, &terrain, 0, &state);
        let own = |steps: Vec<Step>| {
            let plan = Plan { steps, stays: true };
            Game::new(&root, 10).play(&[(0, &plan)], IDLE).own_blasts
        };
        let own = [vec![Step::Go(4), Step::Go(3)], vec![Step::Hold]].map(own);
        assert_eq!(own, [FADE, 0.0], "in the second tick");
    }

    #[test]
    fn a_life_in_the_fire_of_an_own_blast_is_no_other_ones_because_an_enemy_puts_a_bomb_there() {
        // The enemy's bomb goes off in its fire in the tick in which our unit burns.
        let (board, mut state) = map(&["..CD."], GameParams::default());
        for (cell, agent) in [(2, 0), (3, 0)] {
            let fire = CellEntity {
                expires: Some(NOW + 8),
                agent: Some(agent),
                ..CellEntity::new(EntityKind::Fire, NOW)
            };
            state.put(cell, fire);
        }
        state.unit_mut(1).unwrap().invulnerable = NOW + 5;
        let terrain = Terrain::new(&board);
        let root = Position::new(&board, &terrain, 0, &state);
        let plan = Plan { steps: Vec::new(), stays: true };
        let outcome = Game::new(&root, 1).play(&[(0, &plan)], HARD);
        assert_eq!(outcome.own_blasts, 1.0);
    }
}
