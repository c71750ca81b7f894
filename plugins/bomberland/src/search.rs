//! Search over the plans of a team: what should our units do, given what the enemy answers?
//!
//! Each unit gets a list of plans: ways to cells that are worth it, bombs there, bombs to set off.
//! A joint choice is played out by the referee's rules for some ticks, while units without a plan
//! and the enemy play by greedy rules; the result is valued with a table of weights. Coordinate
//! descent improves the choice, one unit at a time. The budget is a number of simulated ticks, so
//! that the same state and options always give the same result.
//!
//! - `terrain` and `heat`: neighbours, the ring of fire, danger in time. `position`: a state with
//!   ways out of danger and the shut-in test.
//! - `corner`: whether a unit can corner another one.
//! - `last`: the last ticks of the ring of fire, which are played to the end of the game.
//! - `exits`, `chase` and `trap`: orders that leave a way out of the reach of own bombs. `burst`:
//!   bombs that go off at once. `sent`: which orders the session sends.
//! - `refused`: why an order is not tried.
//! - `centre`: ways to the cells that burn last. `plan`: plans of one unit. `policy`: the greedy rules. `rollout`: plays a choice.
//! - `value` and `weights`: what the end is worth.

mod burst;
mod centre;
mod chase;
mod corner;
#[cfg(test)]
mod drawn;
mod ending;
mod exits;
mod harmless;
mod heat;
mod last;
mod plan;
mod policy;
mod position;
mod reach;
mod refused;
mod rollout;
mod sent;
mod terrain;
mod together;
mod trap;
mod value;
mod weights;

pub use refused::{Refusal, Refused};
pub use weights::SearchWeights;

use crate::percept::TickScene;
use crate::rules::{CellIndex, EntityKind, ForwardChance, UnitAction, UnitIndex, UnitOrder};
use centre::Centre;
use corner::Hunts;
use phalanx_grid::{Descent, descend};
use plan::{Plan, first_order, plans};
use policy::{Manner, OURS, pull};
use position::Position;
use rollout::{Contest, Played, Pulls, Replies, Rollout, drops};
use std::collections::BTreeMap;
use terrain::{Terrain, radius, solid};
use trap::Traps;
use value::Valuation;

/// What is left of a pull after one step.
const FADE: f64 = 0.93;

/// Cells that pull the enemy when the ring of fire closes.
const REFUGES: usize = 9;

/// Steps that a hit on a block costs.
const DIG_STEPS: u32 = 7;

/// What a search is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// Ticks that may be simulated; the first choice is always played out.
    pub nodes: u64,
    /// How many ticks a plan is played out.
    pub ticks: u32,
    /// What counts how much.
    pub weights: SearchWeights,
    /// Cells that pull our units, with a value each.
    pub goals: Vec<(CellIndex, f64)>,
    /// Ticks before the last cell burns from which on choices are played to the end of the game, and
    /// only which side lasts longer counts; 0 for never.
    pub last_ticks: u32,
    /// Ticks that may be simulated then.
    pub last_nodes: u64,
}

/// One order of a unit and the best value that was found with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The order; `None` is to wait.
    pub act: Option<UnitAction>,
    pub value: f64,
}

/// What the search chose for one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitChoice {
    pub unit: UnitIndex,
    /// Its order in the next tick; `None` is to wait.
    pub act: Option<UnitAction>,
    /// Its orders, the best first.
    pub alternatives: Vec<Alternative>,
    /// Orders that it could carry out, but that were excluded.
    pub refused: Vec<Refused>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The value of the best line.
    pub value: f64,
    /// Our living units in the order of the game.
    pub units: Vec<UnitChoice>,
    /// Our orders in the best line with the tick from now, from 1.
    pub line: Vec<(u32, UnitOrder)>,
    /// Simulated ticks.
    pub nodes: u64,
    /// Joint choices that were played out.
    pub evaluations: u64,
    /// Complete passes over all units.
    pub rounds: u32,
}

/// Searches for the best orders of our living units.
#[must_use]
pub fn search(scene: &TickScene, options: &SearchOptions) -> SearchResult {
    let terrain = Terrain::new(&scene.board);
    let root = Position::new(&scene.board, &terrain, scene.agent, &scene.state);
    if let Some(ticks) = last::ticks(&root, options.last_ticks) {
        return last::search(&root, options, ticks);
    }
    let options =
        &SearchOptions { weights: ending::weights(&root, &options.weights), ..options.clone() };
    let weights = &options.weights;
    let centre = Centre::new(&root, DIG_STEPS);
    let ending = ending::weight(&root, centre.urgency);
    let refuge = weights.refuge * ending;
    let pulls = Pulls {
        ours: pull(&root, &our_sources(&root, options), FADE, Some(DIG_STEPS)),
        theirs: pull(&root, &their_sources(&root, refuge), FADE, None),
        ending,
        centre,
    };
    let worth = pulls.worth(weights);
    let (mut units, mut refused) = (Vec::new(), Vec::new());
    for (index, _) in root.living(true) {
        let (plans, others) = plans(&root, index, &worth, options.ticks);
        units.push((index, plans));
        refused.push(others);
    }
    let firsts = units.iter().map(|(index, plans)| {
        plans.iter().map(|plan| first_order(&root, *index, plan)).collect::<Vec<_>>()
    });
    let firsts: Vec<Vec<Option<UnitAction>>> = firsts.collect();
    let mut hunts = Hunts::new(&root);
    let worths = units.iter().zip(&firsts);
    let worths = worths.map(|((index, _), acts)| hunt_worths(&mut hunts, weights, *index, acts));
    let hunts: Vec<Vec<f64>> = worths.collect();
    let living = |ours| root.living(ours).fold(0, |count, _| count + 1);
    let mut search = Search {
        mates: living(true).max(living(false)).max(1),
        wary: ending::wary(&root, ending),
        firsts: &firsts,
        hunts: &hunts,
        traps: Traps::new(&root),
        scene,
        options,
        position: root.clone(),
        pulls: &pulls,
        units: &units,
        valuation: Valuation::default(),
        known: BTreeMap::new(),
    };
    let counts: Vec<usize> = units.iter().map(|(_, plans)| plans.len()).collect();
    let found = descend(&counts, &[], options.nodes, |choice| {
        let (value, ticks, _) = search.play(choice);
        (value, ticks)
    });
    let (_, _, line) = search.play(&found.choice);
    let units = units.iter().map(|(index, _)| *index).zip(refused);
    result(units, &firsts, &found, line)
}

/// What a descent found for units, each with the orders that were excluded, with the first order of each
/// plan by unit, and our orders in the best line.
fn result(
    units: impl Iterator<Item = (UnitIndex, Vec<Refused>)>,
    firsts: &[Vec<Option<UnitAction>>],
    found: &Descent,
    line: Vec<(u32, UnitOrder)>,
) -> SearchResult {
    let choices = units.zip(firsts).zip(&found.choice).zip(&found.values);
    let choices = choices.map(|((((unit, refused), firsts), chosen), values)| UnitChoice {
        unit,
        act: firsts.get(*chosen).copied().flatten(),
        alternatives: alternatives(firsts.iter().copied().zip(values)),
        refused,
    });
    SearchResult {
        value: found.value,
        units: choices.collect(),
        line,
        nodes: found.spent,
        evaluations: found.evaluations,
        rounds: found.rounds,
    }
}

/// Each first order once, with its best value.
fn alternatives<'a>(
    plans: impl Iterator<Item = (Option<UnitAction>, &'a Option<f64>)>,
) -> Vec<Alternative> {
    let mut list: Vec<Alternative> = Vec::new();
    for (act, value) in plans {
        let Some(value) = *value else { continue };
        match list.iter_mut().find(|known| known.act == act) {
            Some(known) => known.value = known.value.max(value),
            None => list.push(Alternative { act, value }),
        }
    }
    list.sort_by(|a, b| b.value.total_cmp(&a.value));
    list
}

struct Search<'a, 'b> {
    /// Living units of the side that has more of them.
    mates: u32,
    /// Whether choices are played against several kinds of enemies.
    wary: bool,
    /// The first order of each plan, by unit.
    firsts: &'b [Vec<Option<UnitAction>>],
    /// What the first order of each plan is worth for the hunt, by unit.
    hunts: &'b [Vec<f64>],
    traps: Traps<'b, 'a>,
    scene: &'a TickScene,
    options: &'b SearchOptions,
    position: Position<'a>,
    pulls: &'b Pulls,
    units: &'b [(UnitIndex, Vec<Plan>)],
    valuation: Valuation,
    /// Values of final positions by their hash: different plans often end alike.
    known: BTreeMap<u64, f64>,
}

impl Search<'_, '_> {
    /// The value of a joint choice, the simulated ticks, and our orders. A wary search takes the
    /// worst that the enemy can do: attack, only walk, give way where both sides want the same cell,
    /// or block the way of a unit in danger.
    fn play(&mut self, choice: &[usize]) -> (f64, u64, Vec<(u32, UnitOrder)>) {
        let (pulls, wary) = (self.pulls, self.wary);
        let pull = Some(pulls.theirs.as_slice());
        let walk = Manner { attacks: false, digs: false, bursts: true, pull };
        let walks = Replies { ours: OURS, theirs: walk, contest: Contest::Ignore };
        let attacks = Replies { theirs: Manner { attacks: true, ..walk }, ..walks };
        let (mut value, mut ticks, played) = self.play_all(choice, attacks);
        let contest = |contest| Replies { contest, ..attacks };
        let yields = played.contested.then(|| contest(Contest::Yield));
        let blocks = played.blockable.then(|| contest(Contest::Block));
        let others = [Some(walks), yields, blocks].into_iter().flatten().filter(|_| wary);
        for replies in others {
            let (other, spent, _) = self.play_all(choice, replies);
            value = value.min(other);
            ticks += spent;
        }
        let trapped = self.traps.of(self.units, self.firsts, choice);
        let hunts = self.hunts.iter().zip(choice);
        let hunt: f64 = hunts.filter_map(|(worth, at)| worth.get(*at)).sum();
        (value - trapped * self.options.weights.own_bomb + hunt, ticks, played.line)
    }

    /// The value of a joint choice against some replies, and the simulated ticks. Where a unit is
    /// frozen, it is the mean over all units that this can be.
    fn play_all(&mut self, choice: &[usize], replies: Replies<'_>) -> (f64, u64, Played) {
        let (mut value, played) = self.play_out(choice, self.draw(0), replies);
        let mut ticks = played.ticks;
        if played.froze {
            for unit in 1..self.mates {
                let (other, played) = self.play_out(choice, self.draw(unit), replies);
                value += other;
                ticks += played.ticks;
            }
            value /= f64::from(self.mates);
        }
        (value, ticks, played)
    }

    /// The draw by which that unit of a side is frozen.
    fn draw(&self, unit: u32) -> f64 {
        (f64::from(unit) + 0.5) / f64::from(self.mates)
    }

    /// The value of what is played out against some replies with that draw of the frozen unit.
    fn play_out(&mut self, choice: &[usize], victim: f64, replies: Replies<'_>) -> (f64, Played) {
        self.position.reset(&self.scene.state);
        let chosen = self.units.iter().zip(choice);
        let plans =
            chosen.filter_map(|((index, plans), at)| Some((*index, plans.get(*at)?.as_slice())));
        let mut rollout = Rollout {
            position: &mut self.position,
            weights: &self.options.weights,
            centre: &self.pulls.centre,
            replies,
            luck: ForwardChance::freezing(victim),
            plans: plans.collect(),
        };
        let played = rollout.play(self.options.ticks);
        let hash = self.position.state.position_hash();
        let (valuation, position, pulls) = (&mut self.valuation, &self.position, self.pulls);
        let weights = &self.options.weights;
        let end =
            *self.known.entry(hash).or_insert_with(|| valuation.value(position, weights, pulls));
        (played.value + played.decay * end, played)
    }
}

/// What each order of a unit is worth because it corners enemies or lets an enemy corner the unit.
fn hunt_worths(
    hunts: &mut Hunts<'_, '_>,
    weights: &SearchWeights,
    index: UnitIndex,
    acts: &[Option<UnitAction>],
) -> Vec<f64> {
    let mut known: Vec<(Option<UnitAction>, f64)> = Vec::new();
    let worths = acts.iter().map(|act| {
        if let Some((_, worth)) = known.iter().find(|(other, _)| other == act) {
            return *worth;
        }
        let corners = weights.corners * hunts.corners(index, *act);
        let worth = corners - weights.cornered * hunts.cornered(index, *act);
        known.push((*act, worth));
        worth
    });
    worths.collect()
}

/// What pulls our units besides items.
fn our_sources(root: &Position<'_>, options: &SearchOptions) -> Vec<(CellIndex, f64)> {
    let weights = &options.weights;
    let goals = options.goals.iter().map(|(cell, value)| (*cell, value * weights.goal));
    let mut sources: Vec<(CellIndex, f64)> = goals.collect();
    let dig = weights.dig * drops(&root.board.params);
    let cells = 0..CellIndex::try_from(root.terrain.cells()).unwrap_or(CellIndex::MAX);
    for cell in cells {
        if solid(&root.state, cell) {
            continue;
        }
        let blocks = root.terrain.near(cell).filter(|(_, near)| {
            let entity = root.state.entity(*near);
            entity.is_some_and(|entity| entity.hp.is_some()) && solid(&root.state, *near)
        });
        let blocks = blocks.count();
        if blocks > 0 {
            let many = f64::from(u32::try_from(blocks).unwrap_or(4));
            sources.push((cell, dig * (0.7 + 0.1 * many)));
        }
    }
    for (_, foe) in root.living(false) {
        let reach = root.living(true).map(|(_, unit)| radius(unit.diameter)).max().unwrap_or(1);
        let frozen = root.ready(&foe) > 2;
        let value = if frozen { weights.frozen } else { weights.hunt };
        root.terrain.blast(&root.state, foe.cell, reach, |cell| {
            if cell != foe.cell && !solid(&root.state, cell) {
                sources.push((cell, value));
            }
        });
    }
    sources
}

/// What pulls the enemy's units: items, our units, frozen ones most of all.
fn their_sources(root: &Position<'_>, refuge: f64) -> Vec<(CellIndex, f64)> {
    let items = root.state.entities().filter(|(_, entity)| entity.kind.item());
    let mut sources: Vec<(CellIndex, f64)> = items
        .map(|(cell, item)| (cell, if item.kind == EntityKind::FreezeUp { 3.0 } else { 2.0 }))
        .collect();
    for (_, unit) in root.living(true) {
        sources.push((unit.cell, if root.ready(&unit) > 6 { 6.0 } else { 1.0 }));
    }
    if refuge > 0.0 {
        let mut worth = refuge;
        for cell in root.last_cells().take(REFUGES) {
            sources.push((cell, worth));
            worth *= FADE;
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CellEntity, GameParams, UnitDirection};
    use drawn::map;
    use std::sync::Arc;

    fn scene(rows: &[&str], params: GameParams) -> TickScene {
        let (board, state) = map(rows, params);
        let board = Arc::new(board);
        TickScene { board, state, events: Vec::new(), agent: 0, tick_rate_hz: 10.0 }
    }

    /// What the choice to play by the rules is worth while the enemy takes a freeze powerup.
    fn value(row: &str) -> f64 {
        let scene = scene(&[row], GameParams::default());
        let weights = SearchWeights::default();
        search(&scene, &SearchOptions { ticks: 3, weights, ..SearchOptions::default() }).value
    }

    #[test]
    fn each_unit_can_be_the_one_that_is_frozen() {
        let (one, other) = (value("C...........E...!D"), value("E...........C...!D"));
        assert!((one - other).abs() < 1e-9, "{one} and {other}");
    }

    /// What our first unit does near the end of the ring of fire, in the cell that burns last, with
    /// a goal of a script below it.
    fn act_at_the_end(rows: &[&str]) -> Option<UnitAction> {
        let params = GameParams { game_duration: drawn::NOW + 50, ..GameParams::default() };
        let scene = scene(rows, params);
        let weights = SearchWeights::default();
        let goals = vec![(2, 400.0)];
        let options =
            SearchOptions { nodes: 3000, ticks: 14, weights, goals, ..SearchOptions::default() };
        search(&scene, &options).units[0].act
    }

    #[test]
    fn a_unit_in_danger_takes_the_way_that_no_enemy_can_close() {
        let mut scene = scene(&["#!#..", "#D#..", "#.#..", "#C..."], GameParams::default());
        for unit in 0..2 {
            scene.state.unit_mut(unit).unwrap().bombs = 3;
        }
        let expires = Some(drawn::NOW + 2);
        let bomb = CellEntity { unit: None, agent: None, expires, ..drawn::armed(0, 0, 3) };
        scene.state.put(0, bomb);
        let weights = SearchWeights::default();
        let options = SearchOptions {
            nodes: 3000,
            ticks: 8,
            weights,
            goals: vec![(6, 100.0)],
            ..SearchOptions::default()
        };
        let act = search(&scene, &options).units[0].act;
        assert_eq!(act, Some(UnitAction::Move(UnitDirection::Right)));
    }

    #[test]
    fn near_the_end_a_unit_leaves_the_cell_that_burns_last_only_if_no_enemy_is_near() {
        let far = act_at_the_end(&["D#...", "##.##", "#.C.#", "##.##", "....."]);
        let near = act_at_the_end(&["..D..", "##.##", "#.C.#", "##.##", "....."]);
        assert_eq!([far, near], [Some(UnitAction::Move(UnitDirection::Down)), None]);
    }
}
