//! Saves the belief as bytes, and checks after a restart whether the current game continues it
//! (spec section 1: a client that reconnects gets the full state and the id of the game).
//!
//! Events of a scene's own tick are not saved, because no query reads them later.

use super::World;
use crate::percept::{Briefing, Percept, TickScene};
use crate::rules::{
    AgentIndex, CellEntity, CellIndex, EntityKind, GameBoard, GameParams, GameState, SIDE_MAX,
    Unit, UnitIndex, UnitName,
};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Met, RestoreError, excerpt, freeze, thaw};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The layout of saved beliefs: another layout gets another number.
const VERSION: u16 = 1;

/// No number of a state is larger, as on the wire: what a tick adds must fit.
const NUMBER_MAX: u32 = 1_000_000_000;

#[derive(Serialize, Deserialize)]
struct SavedWorld {
    names: Vec<String>,
    round: Option<u32>,
    briefings: SortedMap<AgentId, Briefing>,
    rules: Option<GameParams>,
    /// The different scenes that agents perceived last.
    scenes: Vec<SavedScene>,
    percepts: SortedMap<AgentId, SavedUnitPercept>,
}

#[derive(Serialize, Deserialize)]
struct SavedUnitPercept {
    /// Its index among the scenes.
    scene: usize,
    unit: Option<UnitIndex>,
    done: Option<bool>,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct SavedScene {
    width: u16,
    height: u16,
    params: GameParams,
    agents: Vec<String>,
    units: Vec<UnitName>,
    tick: i32,
    bodies: Vec<Unit>,
    /// In the order of the engine's table.
    things: Vec<(CellIndex, CellEntity)>,
    agent: AgentIndex,
    tick_rate_hz: f64,
}

pub(super) fn save(world: &World) -> Vec<u8> {
    let mut scenes: Vec<SavedScene> = Vec::new();
    let mut percepts = SortedMap::new();
    for (agent, percept) in &world.percepts {
        let scene = SavedScene::new(&percept.scene);
        let index = scenes.iter().position(|known| *known == scene).unwrap_or_else(|| {
            scenes.push(scene);
            scenes.len() - 1
        });
        let saved = SavedUnitPercept { scene: index, unit: percept.unit, done: percept.done };
        percepts.insert(*agent, saved);
    }
    let saved = SavedWorld {
        names: names(world),
        round: world.round,
        briefings: world.briefings.clone(),
        rules: world.rules,
        scenes,
        percepts,
    };
    freeze(VERSION, &saved)
}

pub(super) fn restore(world: &mut World, saved: &[u8]) -> Result<(), RestoreError> {
    let saved: SavedWorld = thaw(VERSION, saved)?;
    if saved.names != names(world) {
        let list = |names: &[String]| excerpt(names.join(", ").as_bytes());
        let (old, new) = (list(&saved.names), list(&names(world)));
        let text = format!("the saved belief is of the agents {old}, not of {new}");
        return Err(RestoreError::new(text));
    }
    if saved.rules.is_some_and(|rules| !sound_rules(&rules)) {
        return Err(damaged("rules that no game has"));
    }
    let scenes: Option<Vec<Arc<TickScene>>> =
        saved.scenes.into_iter().map(|scene| scene.build().map(Arc::new)).collect();
    let scenes = scenes.ok_or_else(|| damaged("a scene that no game has"))?;
    let percept = |(agent, saved): (AgentId, SavedUnitPercept)| {
        let scene = scenes.get(saved.scene)?;
        let body = saved.unit.is_none_or(|unit| scene.state.unit(unit).is_some());
        let known = agent.index() < world.roster.agents.len() && body;
        let scene = Arc::clone(scene);
        known.then_some((agent, Percept { scene, unit: saved.unit, done: saved.done }))
    };
    let percepts: Option<_> = saved.percepts.into_iter().map(percept).collect();
    let percepts = percepts.ok_or_else(|| damaged("an agent or a unit that there is not"))?;
    let agents = world.roster.agents.len();
    if saved.briefings.keys().any(|agent| agent.index() >= agents) {
        return Err(damaged("a saved start without a recipient"));
    }
    *world = World {
        round: saved.round,
        briefings: saved.briefings,
        rules: saved.rules,
        percepts,
        ..World::new(&world.roster)
    };
    Ok(())
}

fn names(world: &World) -> Vec<String> {
    world.roster.agents.iter().map(|agent| agent.name.clone()).collect()
}

fn damaged(what: &str) -> RestoreError {
    RestoreError::new(format!("the saved belief is damaged: it has {what}"))
}

/// Whether later sums of such numbers fit.
fn small(numbers: &[i32]) -> bool {
    numbers.iter().all(|number| number.unsigned_abs() <= NUMBER_MAX)
}

fn sound_rules(params: &GameParams) -> bool {
    let GameParams { ammo_weight, blast_weight, freeze_weight, .. } = *params;
    let shares = [
        ammo_weight,
        blast_weight,
        freeze_weight,
        params.spawn_probability,
        params.drop_probability,
        params.fire_interval,
        params.freeze_ticks,
    ];
    let numbers = [
        params.ammo_duration,
        params.blast_duration,
        params.powerup_duration,
        params.armed,
        params.fuse,
        params.game_duration,
        params.invulnerability,
        params.bombs_max,
    ];
    shares.iter().all(|share| share.is_finite()) && small(&numbers)
}

fn sound_body(unit: &Unit) -> bool {
    unit.stunned.is_finite() && small(&[unit.hp, unit.bombs, unit.diameter, unit.invulnerable])
}

fn sound_thing(entity: &CellEntity) -> bool {
    let numbers = [Some(entity.created), entity.expires, entity.hp, entity.diameter];
    numbers.iter().flatten().all(|number| small(&[*number]))
}

impl SavedScene {
    fn new(scene: &TickScene) -> Self {
        let TickScene { board, state, agent, tick_rate_hz, events: _ } = scene;
        Self {
            width: board.width(),
            height: board.height(),
            params: board.params,
            agents: board.agents().to_vec(),
            units: board.units().to_vec(),
            tick: state.tick,
            bodies: state.units().to_vec(),
            things: state.entities().map(|(cell, entity)| (cell, *entity)).collect(),
            agent: *agent,
            tick_rate_hz: *tick_rate_hz,
        }
    }

    /// The scene; `None` when there can be none like it.
    fn build(self) -> Option<TickScene> {
        let sides = [self.width, self.height].iter().all(|side| (1..=SIDE_MAX).contains(side));
        let numbers = small(&[self.tick]) && self.tick_rate_hz.is_finite();
        if !(sides && numbers && sound_rules(&self.params)) {
            return None;
        }
        let cells = self.width * self.height;
        let known = |agent: AgentIndex| usize::from(agent) < self.agents.len();
        let most = usize::from(u8::MAX);
        let listed = self.agents.len() <= most
            && self.units.len() <= most
            && self.units.len() == self.bodies.len()
            && self.units.iter().all(|unit| known(unit.agent));
        let body = |unit: &Unit| unit.cell < cells && known(unit.agent) && sound_body(unit);
        if !(listed && self.bodies.iter().all(body)) {
            return None;
        }
        let owners = |entity: &CellEntity| {
            let unit = entity.unit.is_none_or(|unit| usize::from(unit) < self.units.len());
            unit && entity.agent.is_none_or(known)
        };
        let mut state = GameState::new(self.width, self.height, self.tick, self.bodies);
        for (cell, entity) in &self.things {
            let free = *cell < cells && state.entity(*cell).is_none();
            if !(free && owners(entity) && sound_thing(entity)) {
                return None;
            }
            state.put(*cell, *entity);
        }
        let board = GameBoard::new((self.width, self.height), self.params, self.agents, self.units);
        let (agent, tick_rate_hz) = (self.agent, self.tick_rate_hz);
        Some(TickScene { board: Arc::new(board), state, events: Vec::new(), agent, tick_rate_hz })
    }
}

pub(super) fn recognize(
    world: &World,
    agent: AgentId,
    met: Met<'_, Briefing, Percept>,
) -> Result<(), String> {
    match met {
        Met::Round(None) => Ok(()),
        Met::Round(Some(briefing)) => match world.briefings.get(&agent) {
            Some(known) => same_game(known, briefing),
            None => Ok(()),
        },
        Met::Turn(_, percept) => {
            let Some(old) = world.scene() else { return Ok(()) };
            let known = world.percepts.get(&agent);
            if known.is_some_and(|known| known.unit != percept.unit) {
                return Err("the agent is another unit than before".to_owned());
            }
            same_board(old, &percept.scene)?;
            can_follow(old, &percept.scene)
        }
    }
}

fn same_game(known: &Briefing, met: &Briefing) -> Result<(), String> {
    if !known.game_id.is_empty() && !met.game_id.is_empty() && known.game_id != met.game_id {
        let [known, met] = [known, met].map(|briefing| excerpt(briefing.game_id.as_bytes()));
        return Err(format!("the game is {met}, and was {known}"));
    }
    if known.agent != met.agent {
        let [known, met] = [known, met].map(|briefing| excerpt(briefing.agent.as_bytes()));
        return Err(format!("we play as {met:?}, and were {known:?}"));
    }
    if known.unit != met.unit {
        let unit = |briefing: &Briefing| {
            briefing.unit.as_ref().map_or("none".to_owned(), |unit| excerpt(unit.as_bytes()))
        };
        return Err(format!("the agent's unit is {}, and was {}", unit(met), unit(known)));
    }
    Ok(())
}

fn same_board(old: &TickScene, new: &TickScene) -> Result<(), String> {
    let size = |scene: &TickScene| (scene.board.width(), scene.board.height());
    if size(old) != size(new) {
        let ((width, height), (x, y)) = (size(old), size(new));
        return Err(format!("the map is {x} by {y}, the saved one is {width} by {height}"));
    }
    let (known, met) = (&old.board, &new.board);
    if known.agents() != met.agents() || known.units() != met.units() || old.agent != new.agent {
        return Err("agents or units have other names".to_owned());
    }
    let rules = |board: &GameBoard| (board.params.game_duration, board.params.fire_interval);
    if rules(known) != rules(met) {
        let (duration, interval) = rules(met);
        return Err(format!("the fire begins in tick {duration}, every {interval} ticks a cell"));
    }
    Ok(())
}

/// Whether one state can follow another: time moves forward, no unit gains health or moves faster
/// than one cell per tick, and no block appears.
fn can_follow(old: &TickScene, new: &TickScene) -> Result<(), String> {
    let ticks = new.state.tick.saturating_sub(old.state.tick);
    if ticks < 0 {
        let (tick, known) = (new.state.tick, old.state.tick);
        return Err(format!("tick {tick} is past: tick {known} was seen before"));
    }
    let names = new.board.units().iter().map(|unit| excerpt(unit.name.as_bytes()));
    for ((was, is), name) in old.state.units().iter().zip(new.state.units()).zip(names) {
        if is.hp > was.hp {
            return Err(format!("unit {name} has {} lives, and had {}", is.hp, was.hp));
        }
        let [(x, y), (to_x, to_y)] = [was, is].map(|unit| new.board.place(unit.cell));
        if (to_x - x).abs() + (to_y - y).abs() > ticks {
            return Err(format!("unit {name} is at ({to_x}, {to_y}), too far from ({x}, {y})"));
        }
    }
    for cell in 0..new.board.cells() {
        let [was, is] = [old, new].map(|scene| scene.state.entity(cell));
        let (x, y) = new.board.place(cell);
        let block = |entity: &&CellEntity| {
            matches!(entity.kind, EntityKind::Metal | EntityKind::Wood | EntityKind::Ore)
        };
        let kind = |entity: Option<&CellEntity>| entity.map(|entity| entity.kind);
        if is.filter(block).is_some() && kind(is) != kind(was) {
            return Err(format!("there is a block at ({x}, {y}), and was none"));
        }
        // Only the ring of fire takes metal away.
        let cold = new.state.tick < new.board.params.game_duration;
        if cold && kind(was) == Some(EntityKind::Metal) && kind(is) != Some(EntityKind::Metal) {
            return Err(format!("there is no metal at ({x}, {y}), and was some"));
        }
    }
    Ok(())
}
