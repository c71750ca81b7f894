//! Plans of one unit: ways to cells that are worth it, bombs there, and bombs to set off.

use super::ending;
use super::heat::Fear;
use super::policy::OURS;
use super::position::Position;
use super::refused::{Refusal, Refused};
use super::terrain::radius;
use crate::rules::{CellIndex, Unit, UnitAction, UnitIndex};

/// What a plan does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlanStep {
    /// Walks to a neighbour.
    Go(CellIndex),
    /// Walks to a neighbour, though it may burn there.
    Dash(CellIndex),
    /// Puts a bomb.
    Bomb,
    /// Sets off a bomb of its own.
    Detonate(CellIndex),
    /// Stays for a tick.
    Wait,
    /// Stays, whatever comes.
    Stay,
}

/// A plan; at its end the unit plays by the rules.
pub(super) type Plan = Vec<PlanStep>;

/// Most plans of one unit that end at a cell of interest, and most that put a bomb there.
const WALKS: usize = 10;
const BOMBINGS: usize = 8;

/// Most steps to a cell where a plan puts a bomb.
const BOMB_STEPS: u32 = 7;

/// A cell that a unit can get to without any step into danger.
struct Reached {
    cell: CellIndex,
    /// Its place in the list from where the unit came.
    from: usize,
    steps: u32,
}

/// All plans of a unit that are worth a try, the first of which is to play by the rules; and orders that
/// it could carry out in the next tick, but with which no plan may begin.
pub(super) fn plans(
    position: &Position<'_>,
    index: UnitIndex,
    worth: &[f64],
    depth: u32,
) -> (Vec<Plan>, Vec<Refused>) {
    let (mut plans, mut refused) = (vec![Plan::new()], Vec::new());
    let Some(unit) = position.state.unit(index).filter(|unit| unit.alive()) else {
        return (plans, refused);
    };
    if position.ready(unit) > depth {
        return (plans, refused);
    }
    let dash = position.doomed(index, unit);
    let reached = reachable(position, unit, depth, dash);
    plans.push(vec![PlanStep::Wait]);
    for bomb in position.bombs() {
        let armed = bomb.unit == Some(index) && bomb.armed <= position.state.tick + 1;
        if armed && position.harmless_blast(index, bomb.cell) {
            plans.push(vec![PlanStep::Detonate(bomb.cell)]);
        } else if armed {
            let act = Some(position.detonation(bomb.cell));
            refused.push(Refused { act, why: Refusal::OwnUnits });
        }
    }
    let beside = reached.iter().enumerate().filter(|(_, at)| at.steps == 1).map(|(at, _)| at);
    let ends = beside.chain(interesting(position, &reached, worth));
    for end in ends {
        let way = way(&reached, end, dash);
        if !plans.contains(&way) {
            plans.push(way);
        }
    }
    if ending::near(position) {
        let last = position.last_cells().next();
        let last = reached.iter().position(|at| Some(at.cell) == last);
        for end in [Some(0), last.filter(|end| *end > 0)].into_iter().flatten() {
            let mut plan = way(&reached, end, dash);
            plan.push(PlanStep::Stay);
            plans.push(plan);
        }
    }
    bombings(position, (index, unit), &reached, dash, &mut plans);
    for (direction, to) in position.terrain.near(unit.cell) {
        if position.open(to) && !reached.iter().any(|at| at.steps == 1 && at.cell == to) {
            refused.push(Refused { act: Some(UnitAction::Move(direction)), why: Refusal::Danger });
        }
    }
    if position.heat(unit.agent).possible(unit.cell) & 0b110 != 0 {
        refused.push(Refused { act: None, why: Refusal::Danger });
    }
    leave_out(position, (index, unit), &mut plans, &mut refused);
    if position.burst_pays(index, unit) {
        plans.push(vec![PlanStep::Bomb]);
    }
    let tried: Vec<_> = plans.iter().map(|plan| first_order(position, index, plan)).collect();
    refused.retain(|it| position.ready(unit) <= 1 && !tried.contains(&it.act));
    (plans, refused)
}

/// Leaves out plans that begin with an order that one of the filters refuses.
fn leave_out(
    position: &Position<'_>,
    (index, unit): (UnitIndex, &Unit),
    plans: &mut Vec<Plan>,
    refused: &mut Vec<Refused>,
) {
    let mut drop = |act, why| {
        if !refused.iter().any(|known: &Refused| known.act == act) {
            refused.push(Refused { act, why });
        }
    };
    if !position.harmless_bomb(index) {
        plans.retain(|plan| plan.first() != Some(&PlanStep::Bomb));
        if position.can_bomb(unit) {
            drop(Some(UnitAction::Bomb), Refusal::NoExit);
        }
    }
    let mut firsts: Vec<_> = plans.iter().map(|plan| first_order(position, index, plan)).collect();
    for (why, filter) in FILTERS {
        let mut acts = Vec::new();
        for first in &firsts {
            if !acts.contains(first) {
                acts.push(*first);
            }
        }
        let Some(kept) = filter(position, (index, unit), &acts) else { continue };
        let mut at = firsts.iter();
        plans.retain(|_| at.next().is_some_and(|first| kept.contains(first)));
        firsts.retain(|first| kept.contains(first));
        acts.into_iter().filter(|act| !kept.contains(act)).for_each(|act| drop(act, why));
    }
}

/// Of some first orders of a unit those that are tried; `None` for all.
type Filter =
    fn(&Position<'_>, (UnitIndex, &Unit), &[Option<UnitAction>]) -> Option<Vec<Option<UnitAction>>>;

/// What leaves out orders, in turn, with the reason for explanations.
const FILTERS: [(Refusal, Filter); 3] = [
    (Refusal::NoExit, |position, (index, _), acts| position.exits(index, acts)),
    (Refusal::ArmedBomb, keep_out),
    (Refusal::Contested, give_way),
];

/// Leaves out steps into the reach of bombs that the unit's side can set off in the next tick without
/// harm, unless the unit has to leave its cell: enemies could keep it there until the fuse ends. Where
/// bombs run out, places are held beside armed ones.
fn keep_out(
    position: &Position<'_>,
    (_, unit): (UnitIndex, &Unit),
    acts: &[Option<UnitAction>],
) -> Option<Vec<Option<UnitAction>>> {
    let caught = || position.heat(unit.agent).of(unit.cell, Fear::Own) != 0;
    if !ending::plenty(unit) || position.hurries(unit.agent, unit.cell) || caught() {
        return None;
    }
    let armed = |cell| position.armed_at(unit.agent, cell);
    let enters = |act: &Option<UnitAction>| match act {
        Some(UnitAction::Move(to)) => position.terrain.toward(unit.cell, *to).is_some_and(armed),
        Some(UnitAction::Bomb | UnitAction::Detonate(..)) | None => false,
    };
    let kept: Vec<_> = acts.iter().copied().filter(|act| !enters(act)).collect();
    (!kept.is_empty()).then_some(kept)
}

/// Now and then leaves out steps into cells that an enemy can step into at the same time.
fn give_way(
    position: &Position<'_>,
    (index, unit): (UnitIndex, &Unit),
    acts: &[Option<UnitAction>],
) -> Option<Vec<Option<UnitAction>>> {
    if !position.gives_way(index) || position.hurries(unit.agent, unit.cell) {
        return None;
    }
    let free = acts.iter().copied().filter(|act| !position.contested(unit, *act));
    let kept: Vec<_> = free.collect();
    (!kept.is_empty()).then_some(kept)
}

/// What a unit does first in a plan.
pub(super) fn first_order(
    position: &Position<'_>,
    index: UnitIndex,
    plan: &[PlanStep],
) -> Option<UnitAction> {
    let planned = Progress::default().order(position, index, plan);
    planned.unwrap_or_else(|| position.reply(index, OURS))
}

/// The cells that are worth most, and all items, nearest first.
fn interesting(position: &Position<'_>, reached: &[Reached], worth: &[f64]) -> Vec<usize> {
    let value = |at: &Reached| {
        let item =
            if position.item(at.cell).is_some() { 1000.0 - f64::from(at.steps) } else { 0.0 };
        let island = if position.island(at.cell) { 2000.0 } else { 0.0 };
        island + item + worth.get(usize::from(at.cell)).copied().unwrap_or(0.0)
    };
    let far = reached.iter().enumerate().filter(|(_, at)| at.steps > 1);
    let mut ranked: Vec<(f64, usize)> = far.map(|(index, at)| (value(at), index)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(WALKS);
    ranked.into_iter().map(|(_, index)| index).collect()
}

/// Walks that end with a bomb: where it reaches most enemies and blocks, nearest first.
fn bombings(
    position: &Position<'_>,
    (index, unit): (UnitIndex, &Unit),
    reached: &[Reached],
    dash: bool,
    plans: &mut Vec<Plan>,
) {
    if unit.bombs <= 0 {
        return;
    }
    let near = reached.iter().enumerate().filter(|(_, at)| at.steps <= BOMB_STEPS);
    let mut ranked: Vec<(f64, usize)> = near
        .map(|(index, at)| (bomb_value(position, unit, at), index))
        .filter(|(value, index)| *value > 0.0 || *index == 0)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let kept = ranked.into_iter().filter(|(_, end)| {
        let at = reached.get(*end).filter(|at| at.steps > 0);
        at.is_none_or(|at| position.harmless_bomb_in(index, at.cell))
    });
    for (_, end) in kept.take(BOMBINGS) {
        let mut plan = way(reached, end, dash);
        plan.push(PlanStep::Bomb);
        plans.push(plan);
    }
}

/// A rough value of a bomb in a cell, to choose those that are played out.
fn bomb_value(position: &Position<'_>, unit: &Unit, at: &Reached) -> f64 {
    let mut value = 0.0;
    if position.state.entity(at.cell).is_some_and(|entity| !entity.kind.item()) {
        return 0.0;
    }
    position.terrain.blast(&position.state, at.cell, radius(unit.diameter), |cell| {
        for (_, foe) in position.living(unit.agent != position.us) {
            if foe.cell == cell {
                value += if position.ready(&foe) > 1 { 12.0 } else { 4.0 };
            }
        }
        if let Some(block) = position.state.entity(cell).and_then(|entity| entity.hp)
            && super::terrain::solid(&position.state, cell)
        {
            value += 1.0 / f64::from(block.max(1));
        }
    });
    value * 0.9_f64.powi(i32::try_from(at.steps).unwrap_or(i32::MAX))
}

/// The way to a reached cell.
fn way(reached: &[Reached], end: usize, dash: bool) -> Plan {
    let (mut plan, mut at) = (Plan::new(), end);
    while let Some(place) = reached.get(at).filter(|place| place.steps > 0) {
        plan.push(if dash { PlanStep::Dash(place.cell) } else { PlanStep::Go(place.cell) });
        at = place.from;
    }
    plan.reverse();
    plan
}

/// The cells that a unit can walk to within `depth` steps without a wait. A unit that burns anyway
/// may `dash` through the ring of fire.
fn reachable(position: &Position<'_>, unit: &Unit, depth: u32, dash: bool) -> Vec<Reached> {
    let mut reached = vec![Reached { cell: unit.cell, from: 0, steps: 0 }];
    let mut seen = vec![false; position.terrain.cells()];
    let mut visit = |cell: CellIndex| {
        let slot = seen.get_mut(usize::from(cell));
        slot.is_some_and(|slot| !std::mem::replace(slot, true))
    };
    visit(unit.cell);
    let heat = position.heat(unit.agent);
    let mut head = 0;
    while let Some(&Reached { cell, steps, .. }) = reached.get(head) {
        if steps < depth {
            for (_, to) in position.terrain.near(cell) {
                let bit = 4_u64 << steps;
                let burns = if dash {
                    heat.of(to, Fear::OwnKept) & bit != 0 || position.blazes(to)
                } else {
                    heat.possible(to) & bit != 0
                };
                let whole = unit.invulnerable
                    >= position
                        .state
                        .tick
                        .saturating_add(2 + i32::try_from(steps).unwrap_or(i32::MAX - 2));
                let burns = burns && !whole;
                if !burns && position.open(to) && visit(to) {
                    reached.push(Reached { cell: to, from: head, steps: steps + 1 });
                }
            }
        }
        head += 1;
    }
    reached
}

/// A plan that is being followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    next: usize,
    /// Ticks in a row in which a step did not come about.
    blocked: u32,
}

/// Ticks after which a plan is given up whose next step does not come about.
const PATIENCE: u32 = 2;

impl Progress {
    /// The order of the plan now: `None` when the plan is over or was given up.
    pub(super) fn order(
        &mut self,
        position: &Position<'_>,
        index: UnitIndex,
        plan: &[PlanStep],
    ) -> Option<Option<UnitAction>> {
        let unit = position.state.unit(index).filter(|unit| unit.alive())?;
        if position.ready(unit) > 1 {
            return Some(None);
        }
        loop {
            match *plan.get(self.next)? {
                PlanStep::Go(cell) | PlanStep::Dash(cell) if cell == unit.cell => {
                    (self.next, self.blocked) = (self.next + 1, 0);
                }
                PlanStep::Go(cell) => {
                    let hot = position.heat(unit.agent).possible(cell) & 0b100 != 0;
                    let whole = unit.invulnerable >= position.state.tick.saturating_add(2);
                    return self.walk(position, unit, cell, hot && !whole);
                }
                PlanStep::Dash(cell) => return self.walk(position, unit, cell, false),
                PlanStep::Bomb => {
                    self.next += 1;
                    let puts = position.can_bomb(unit) || position.burst_pays(index, unit);
                    return puts.then_some(Some(UnitAction::Bomb));
                }
                PlanStep::Detonate(cell) => {
                    self.next += 1;
                    return Some(Some(position.detonation(cell)));
                }
                PlanStep::Stay => return Some(None),
                PlanStep::Wait => {
                    self.next += 1;
                    let burns = position.heat(unit.agent).possible(unit.cell) & 0b110 != 0;
                    return (!burns).then_some(None);
                }
            }
        }
    }

    fn walk(
        &mut self,
        position: &Position<'_>,
        unit: &Unit,
        cell: CellIndex,
        hot: bool,
    ) -> Option<Option<UnitAction>> {
        let direction = position.terrain.step(unit.cell, cell);
        self.blocked += 1;
        if hot || direction.is_none() || self.blocked > PATIENCE {
            self.next = usize::MAX;
            return None;
        }
        Some(direction.map(UnitAction::Move))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, EntityKind, GameParams, GameState, UnitDirection};
    use crate::search::drawn::{NOW, armed, map};
    use crate::search::terrain::Terrain;

    #[test]
    fn a_unit_leaves_its_armed_bomb_through_the_ring_of_fire_before_the_ring_sets_it_off() {
        let params =
            GameParams { game_duration: NOW - 5, fire_interval: 1.0, ..GameParams::default() };
        let (board, mut state) = map(&["....", "CD..", "...."], params);
        for cell in (0..12).filter(|cell| ![4, 5].contains(cell)) {
            state.put(cell, CellEntity::new(EntityKind::Fire, NOW));
        }
        state.put(4, armed(0, 0, 3));
        let terrain = Terrain::new(&board);
        let position = Position::new(&board, &terrain, 0, &state);
        let (plans, _) = plans(&position, 0, &[0.0; 12], 14);
        assert!(plans.iter().any(|plan| matches!(plan.first(), Some(PlanStep::Dash(_)))));
    }

    #[test]
    fn a_bomb_of_its_side_is_set_off_before_a_unit_steps_into_its_reach() {
        let enters = |bombs, stunned, diameter| {
            let (board, mut state) = map(&["C.....D.#E"], GameParams::default());
            state.unit_mut(0).unwrap().bombs = bombs;
            state.put(2, armed(2, 0, diameter));
            state.unit_mut(2).unwrap().stunned = stunned;
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let (plans, _) = plans(&position, 0, &[0.0; 10], 14);
            let right = Some(UnitAction::Move(UnitDirection::Right));
            plans.iter().any(|plan| first_order(&position, 0, plan) == right)
        };
        assert!(!enters(900, 0.0, 3));
        assert!(enters(9, 0.0, 3), "bombs run out");
        assert!(enters(900, f64::from(NOW + 9), 3), "its owner is frozen");
        assert!(enters(900, 0.0, 5), "the unit is in its reach already");
    }

    #[test]
    fn what_is_excluded_comes_with_a_reason() {
        let why = |row: &str, act, change: &dyn Fn(&mut GameState)| {
            let (board, mut state) = map(&[row], GameParams::default());
            change(&mut state);
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let (plans, refused) = plans(&position, 0, &[0.0; 9], 14);
            let tried = plans.iter().any(|plan| first_order(&position, 0, plan) == act);
            let why = refused.iter().find(|it| it.act == act).map(|it| it.why);
            (tried, why)
        };
        let own_bomb = |cell| {
            move |state: &mut GameState| {
                state.put(cell, armed(0, 0, 3));
                state.unit_mut(0).unwrap().bombs = 900;
            }
        };
        let enemy_bomb = |cell| move |state: &mut GameState| state.put(cell, armed(1, 1, 3));
        let gives_way = |state: &mut GameState| state.tick = NOW + 2;
        let frozen = |state: &mut GameState| state.unit_mut(0).unwrap().stunned = f64::from(NOW);
        let right = Some(UnitAction::Move(UnitDirection::Right));
        let bomb = Some(UnitAction::Bomb);
        let shot = Some(UnitAction::Detonate(1.0, 0.0));
        let refused = |why| (false, Some(why));
        assert_eq!(why("C.......D", right, &|_| ()), (true, None));
        assert_eq!(why("C.......D", bomb, &|_| ()), (true, None));
        assert_eq!(why("C.......D", right, &enemy_bomb(2)), refused(Refusal::Danger));
        assert_eq!(why("..C.....D", None, &enemy_bomb(3)), refused(Refusal::Danger));
        assert_eq!(why("C#......D", bomb, &|_| ()), refused(Refusal::NoExit));
        assert_eq!(why("C.......D", right, &own_bomb(2)), refused(Refusal::ArmedBomb));
        assert_eq!(why("C.E.....D", shot, &own_bomb(1)), refused(Refusal::OwnUnits));
        assert_eq!(why("C.D......", right, &|_| ()), (true, None));
        assert_eq!(why("C.D......", right, &gives_way), refused(Refusal::Contested));
        assert_eq!(why("C#......D", bomb, &frozen), (false, None));
    }

    #[test]
    fn a_unit_waits_out_of_danger_and_stays_in_it() {
        for (row, waits) in [("C.D", Some(None)), ("CBD", None)] {
            let (board, state) = map(&[row], GameParams::default());
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let order = |step| Progress::default().order(&position, 0, &[step]);
            assert_eq!([PlanStep::Wait, PlanStep::Stay].map(order), [waits, Some(None)]);
        }
    }

    #[test]
    fn units_may_stay_whatever_comes_only_near_the_end_of_the_ring_of_fire() {
        let stays = |game_duration| {
            let params = GameParams { game_duration, ..GameParams::default() };
            let (board, state) = map(&["...", "C..", "..D"], params);
            let terrain = Terrain::new(&board);
            let position = Position::new(&board, &terrain, 0, &state);
            let (plans, _) = plans(&position, 0, &[0.0; 9], 14);
            let stays = plans.iter().filter(|plan| plan.last() == Some(&PlanStep::Stay));
            stays.map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!([stays(NOW + 20), stays(NOW + 200)], [vec![1, 2], vec![]]);
    }
}
