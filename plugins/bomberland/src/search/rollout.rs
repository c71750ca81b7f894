//! A joint choice of plans, played out by the referee's rules against the enemy's replies.

use super::centre::Centre;
use super::heat::Fear;
use super::plan::{PlanStep, Progress};
use super::policy::{Manner, Pull};
use super::position::Position;
use super::reach::Reach;
use super::sent::sent;
use super::weights::SearchWeights;
use crate::rules::{
    CellIndex, EntityKind, EventSink, ForwardChance, GameParams, TickEvent, Unit, UnitAction,
    UnitIndex, UnitOrder, step,
};

/// What the units of both sides do beside plans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replies<'a> {
    pub(super) ours: Manner<'a>,
    pub(super) theirs: Manner<'a>,
    pub(super) contest: Contest,
}

/// What the enemy's units do about cells that ours want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contest {
    /// They go where they would go anyway.
    Ignore,
    /// They wait where they would keep ours out of a cell that both want.
    Yield,
    /// They also want each cell beside them into which a unit of ours steps out of danger, if no
    /// danger is in sight there.
    /// One that is beside two such cells keeps both units out, since it could take either.
    Block,
}

/// The next eight ticks.
const SOON: u64 = 0x1fe;

/// By how many steps the first side has to be there before the other to count as first for sure.
const LEAD: i32 = 2;

/// How likely a destroyed block leaves an item, as a share of what the engine's rules have.
pub(super) fn drops(params: &GameParams) -> f64 {
    params.drop_probability / GameParams::default().drop_probability
}

/// Hits on blocks in one tick: each cell, and the share of the block that the hit takes.
#[derive(Debug, Default)]
struct BlockHits(Vec<(CellIndex, f64)>);

impl EventSink for BlockHits {
    fn push(&mut self, event: TickEvent) {
        if let TickEvent::Changed(cell, entity) = event
            && matches!(entity.kind, EntityKind::Wood | EntityKind::Ore)
        {
            let left = f64::from(entity.hp.unwrap_or(0).clamp(0, 8));
            self.0.push((cell, 1.0 / (left + 1.0)));
        }
    }

    fn mark(&self) -> usize {
        0
    }

    fn insert(&mut self, _mark: usize, _event: TickEvent) {}
}

/// One way in which the game can go on.
#[derive(Debug)]
pub(super) struct Rollout<'a, 'b> {
    pub(super) position: &'b mut Position<'a>,
    pub(super) weights: &'b SearchWeights,
    pub(super) centre: &'b Centre,
    pub(super) replies: Replies<'b>,
    /// Which unit is frozen where one is.
    pub(super) luck: ForwardChance,
    /// Units with plans.
    pub(super) plans: Vec<(UnitIndex, &'b [PlanStep])>,
}

/// What came of a rollout before its end is valued.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) value: f64,
    /// What is left of a value that comes at the end.
    pub(super) decay: f64,
    /// Simulated ticks.
    pub(super) ticks: u64,
    /// Whether a unit was frozen: another one could have been.
    pub(super) froze: bool,
    /// Whether a unit of ours and an enemy wanted the same cell: the enemy could have waited.
    pub(super) contested: bool,
    /// Whether an enemy could have kept a unit of ours in danger: it could have wanted the same cell.
    pub(super) blockable: bool,
    /// The orders of our units with the tick from now, from 1.
    pub(super) line: Vec<(u32, UnitOrder)>,
}

impl Rollout<'_, '_> {
    /// Plays `depth` ticks from the state that the position is in.
    pub(super) fn play(&mut self, depth: u32) -> Played {
        let mut played = Played { decay: 1.0, ..Played::default() };
        let mut progress = vec![Progress::default(); self.plans.len()];
        let mut before: Vec<Unit> = Vec::new();
        for ahead in 1..=depth {
            let mut orders = self.orders(&mut progress);
            self.contest(&mut orders, &mut played);
            let us = self.position.us;
            let own = orders.iter().filter(|order| order.agent == us);
            played.line.extend(own.map(|order| (ahead, *order)));
            before.clear();
            before.extend_from_slice(self.position.state.units());
            played.value -= played.decay * self.risk();
            let board = self.position.board;
            let mut hits = BlockHits::default();
            step(board, &mut self.position.state, &mut self.luck, &mut orders, &mut hits);
            played.ticks += 1;
            let frozen = self.position.state.units().iter().zip(&before);
            played.froze |= frozen.into_iter().any(|(unit, old)| unit.stunned > old.stunned);
            let over = self.position.state.complete();
            let outcome = if over { self.outcome() } else { 0.0 };
            played.value += played.decay * (self.gain(&before) + self.worth(&hits) + outcome);
            played.decay *= self.weights.decay;
            if over {
                break;
            }
            self.position.refresh();
        }
        played
    }

    /// What all units do in the next tick.
    fn orders(&self, progress: &mut [Progress]) -> Vec<UnitOrder> {
        let position = &*self.position;
        let (mut orders, mut theirs) = (Vec::with_capacity(6), Vec::new());
        for (index, unit) in position.units().filter(|(_, unit)| unit.alive()) {
            let planned = self.plans.iter().position(|(owner, _)| *owner == index);
            let planned = planned.and_then(|at| {
                let (_, plan) = self.plans.get(at)?;
                progress.get_mut(at)?.order(position, index, plan)
            });
            let ours = unit.agent == position.us;
            let manner = if ours { self.replies.ours } else { self.replies.theirs };
            let act: Option<UnitAction> = planned.unwrap_or_else(|| position.reply(index, manner));
            let order = act.map(|act| UnitOrder { agent: unit.agent, unit: index, act });
            if ours { orders.extend(order) } else { theirs.extend(order) }
        }
        sent(&position.state, &mut orders);
        orders.extend(theirs);
        orders
    }

    /// Has the enemy's units do what they do about cells that ours want.
    fn contest(&self, orders: &mut Vec<UnitOrder>, played: &mut Played) {
        let us = self.position.us;
        let step = |order: &UnitOrder| {
            let UnitAction::Move(direction) = order.act else { return None };
            let unit = self.position.state.unit(order.unit)?;
            Some((unit.cell, self.position.terrain.toward(unit.cell, direction)?))
        };
        let ours = orders.iter().filter(|order| order.agent == us);
        let ours: Vec<_> = ours.filter_map(step).collect();
        let contests = |order: &UnitOrder| {
            let wanted = step(order).filter(|_| order.agent != us).map(|(_, to)| to);
            wanted.is_some_and(|wanted| ours.iter().any(|(_, to)| *to == wanted))
        };
        played.contested |= orders.iter().any(contests);
        let hurries = ours.iter().filter(|(from, _)| self.position.hurries(us, *from));
        let blocks: Vec<UnitOrder> =
            hurries.filter_map(|(_, to)| self.block(*to, orders)).collect();
        played.blockable |= !blocks.is_empty();
        match self.replies.contest {
            Contest::Ignore => {}
            Contest::Yield => orders.retain(|order| !contests(order)),
            Contest::Block => {
                orders.retain(|order| blocks.iter().all(|block| block.unit != order.unit));
                orders.extend(blocks);
            }
        }
    }

    /// The step of an enemy that keeps our unit out of a cell; `None` if none can do so, or one that
    /// could has another order than a step, or takes that step anyway.
    fn block(&self, cell: CellIndex, orders: &[UnitOrder]) -> Option<UnitOrder> {
        let position = &*self.position;
        if !position.open(cell) {
            return None;
        }
        let mut rivals = position.steps_into(false, cell);
        let (unit, foe, direction) =
            rivals.find(|(_, foe, _)| position.calm(foe.agent, cell, 2, Fear::Loose))?;
        let block = UnitOrder { agent: foe.agent, unit, act: UnitAction::Move(direction) };
        let own = orders.iter().find(|order| order.unit == unit);
        let walks = own.is_none_or(|own| matches!(own.act, UnitAction::Move(_)));
        (walks && own != Some(&block)).then_some(block)
    }

    /// What it costs that our units are where bombs can go off: an armed bomb of the enemy in the
    /// next tick, or one of ours soon.
    fn risk(&self) -> f64 {
        let (position, weights) = (&*self.position, self.weights);
        let heat = position.heat(position.us);
        let cost = |unit: &Unit| {
            let hit =
                heat.possible(unit.cell) & 0b10 != 0 && unit.invulnerable <= position.state.tick;
            let beside = heat.of(unit.cell, Fear::Loose) & SOON != 0;
            (if hit { weights.risk } else { 0.0 }) + (if beside { weights.beside } else { 0.0 })
        };
        position.living(true).map(|(_, unit)| cost(&unit)).sum()
    }

    /// What hits on blocks are worth for us: their items, for the side that is there first, and
    /// the ways that they open.
    fn worth(&self, BlockHits(hits): &BlockHits) -> f64 {
        if hits.is_empty() {
            return 0.0;
        }
        let (position, weights) = (&*self.position, self.weights);
        let (mut ours, mut theirs) = (Reach::default(), Reach::default());
        ours.read(position, true);
        theirs.read(position, false);
        let block = weights.block * drops(&position.board.params);
        let worth = |(cell, share): &(CellIndex, f64)| {
            let lead = i32::from(theirs.steps(*cell)) - i32::from(ours.steps(*cell));
            let lead = f64::from(lead.clamp(-LEAD, LEAD)) / f64::from(LEAD);
            let first = 1.0 + weights.block_first * (lead - 1.0);
            block * share * first + weights.way * self.centre.way(*cell)
        };
        hits.iter().map(worth).sum()
    }

    /// What it is worth that the game is over.
    fn outcome(&self) -> f64 {
        match self.position.state.leader() {
            Some(agent) if agent == self.position.us => self.weights.win,
            Some(_) => -self.weights.win,
            None => 0.0,
        }
    }

    /// Whether a blast of our own burns where a unit was, or burnt before the ring of fire came.
    fn in_own_blast(&self, unit: &Unit) -> bool {
        let entity = self.position.state.entity(unit.cell);
        entity.is_some_and(|it| it.kind == EntityKind::Fire && it.agent == Some(unit.agent))
            || self.position.went_off(unit.cell, &self.position.state)
    }

    /// What a tick changed for the units.
    fn gain(&self, before: &[Unit]) -> f64 {
        let (position, weights) = (&*self.position, self.weights);
        let mut gain = 0.0;
        for (unit, old) in position.state.units().iter().zip(before) {
            if !old.alive() {
                continue;
            }
            let ours = unit.agent == position.us;
            let mut loss = f64::from(old.hp - unit.hp) * weights.lives;
            if !unit.alive() {
                loss += weights.last_life;
            }
            if unit.stunned > old.stunned {
                loss += weights.freeze;
            }
            loss *= if ours { weights.own_share } else { 1.0 };
            if ours && unit.hp < old.hp && self.in_own_blast(old) {
                loss += weights.own_bomb;
            }
            loss -= f64::from(unit.diameter - old.diameter) / 2.0 * weights.blast;
            if unit.bombs != old.bombs {
                loss -= (stock(unit.bombs) - stock(old.bombs)) * weights.ammo;
            }
            gain += if ours { -loss } else { loss };
        }
        gain
    }
}

/// What a unit's bombs count: the first more than the second, and of thousands none.
fn stock(bombs: i32) -> f64 {
    2.0 * f64::from(bombs.max(0)).ln_1p()
}

/// Pulls of both sides, computed once for each search.
#[derive(Debug, Default)]
pub(super) struct Pulls {
    pub(super) ours: Pull,
    pub(super) theirs: Pull,
    pub(super) centre: Centre,
    /// How much it counts who lasts longer in the ring of fire.
    pub(super) ending: f64,
}

impl Pulls {
    /// What each cell is worth for a unit of ours that is there at the end.
    pub(super) fn worth(&self, weights: &SearchWeights) -> Pull {
        let far = weights.centre * self.centre.urgency;
        let cells = (0..).zip(&self.ours);
        cells.map(|(cell, pull)| pull - far * self.centre.steps(cell)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CellEntity;
    use crate::search::drawn::map;
    use crate::search::policy::OURS;
    use crate::search::terrain::Terrain;

    #[test]
    fn the_last_bomb_counts_most_and_one_of_thousands_nothing() {
        let cost = |bombs: i32| stock(bombs) - stock(bombs - 1);
        assert!(cost(1) > cost(2) && cost(2) > cost(9));
        assert!(cost(9_999) < 0.001);
    }

    #[test]
    fn blocks_count_as_often_as_they_leave_an_item() {
        let rules = |drop_probability| GameParams { drop_probability, ..GameParams::default() };
        assert_eq!([0.0, 0.25, 0.5].map(|share| drops(&rules(share))), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn a_block_counts_for_the_side_that_is_there_first() {
        let worth = |row: &str, block_first| {
            let [with, without] = [10.0, 0.0].map(|block| {
                let (board, mut state) = map(&[row], GameParams::default());
                let wood = CellEntity { hp: Some(1), ..CellEntity::new(EntityKind::Wood, 0) };
                state.put(3, wood);
                let terrain = Terrain::new(&board);
                let mut rollout = Rollout {
                    position: &mut Position::new(&board, &terrain, 0, &state),
                    weights: &SearchWeights {
                        block,
                        block_first,
                        decay: 1.0,
                        ..SearchWeights::default()
                    },
                    centre: &Centre::default(),
                    replies: Replies { ours: OURS, theirs: OURS, contest: Contest::Ignore },
                    luck: ForwardChance::default(),
                    plans: vec![(0, &[PlanStep::Stay])],
                };
                rollout.play(3).value
            });
            with - without
        };
        let rows = ["C...B...D", "C...B.D..", "D...B...C"];
        let worths = |block_first| rows.map(|row| worth(row, block_first));
        assert_eq!(worths(0.0), [10.0, 10.0, 10.0]);
        assert_eq!(worths(0.5), [10.0, 5.0, 0.0]);
        assert_eq!(worths(1.0), [10.0, 0.0, -10.0]);
    }

    #[test]
    fn an_enemy_keeps_our_unit_out_of_a_cell_that_it_wants_or_in_danger_could_want() {
        let ends = |rows: &[&str], pull: [f64; 3]| {
            let (board, state) = map(rows, GameParams::default());
            let terrain = Terrain::new(&board);
            [Contest::Ignore, Contest::Yield, Contest::Block].map(|contest| {
                let mut position = Position::new(&board, &terrain, 0, &state);
                let theirs = Manner { pull: Some(&pull), ..OURS };
                let mut rollout = Rollout {
                    position: &mut position,
                    weights: &SearchWeights::default(),
                    centre: &Centre::default(),
                    replies: Replies { ours: OURS, theirs, contest },
                    luck: ForwardChance::default(),
                    plans: vec![(0, &[PlanStep::Go(1)])],
                };
                let played = rollout.play(1);
                (played.contested, played.blockable, position.state.unit(0).unwrap().cell)
            })
        };
        let (safe, danger) = (["...", "C.D"], ["B##", "C.D"]);
        let (wants, stays) = ([1.0, 2.0, 1.0], [1.0, 1.0, 2.0]);
        assert_eq!(ends(&safe, wants), [(true, false, 0), (true, false, 1), (true, false, 0)]);
        assert_eq!(ends(&safe, stays), [(false, false, 1); 3]);
        assert_eq!(ends(&danger, stays), [(false, true, 1), (false, true, 1), (false, true, 0)]);
    }

    #[test]
    fn of_two_mates_who_want_the_same_cell_the_first_one_gets_it() {
        let (board, state) = map(&["C.E....D"], GameParams::default());
        let terrain = Terrain::new(&board);
        let mut position = Position::new(&board, &terrain, 0, &state);
        let mut rollout = Rollout {
            position: &mut position,
            weights: &SearchWeights::default(),
            centre: &Centre::default(),
            replies: Replies { ours: OURS, theirs: OURS, contest: Contest::Ignore },
            luck: ForwardChance::default(),
            plans: vec![(0, &[PlanStep::Go(1)]), (2, &[PlanStep::Go(1)])],
        };
        rollout.play(1);
        let cells = [0, 2].map(|unit| position.state.unit(unit).map(|unit| unit.cell));
        assert_eq!(cells, [Some(1), Some(2)]);
    }
}
