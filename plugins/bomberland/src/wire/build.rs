//! Between the JSON of states and events and the types of the rules.

use super::packet::{act_of, raw_act};
use super::raw::{
    Full, Inventory, Pairs, RawAction, RawAgent, RawConfig, RawEntity, RawNumber, RawSize, RawUnit,
};
use crate::rules::{
    AgentIndex, CellEntity, CellIndex, EntityKind, GameBoard, GameParams, GameState, SIDE_MAX,
    TickEvent, Unit, UnitName, UnitOrder,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// No number of a state is larger: what a tick adds must fit.
const NUMBER_MAX: f64 = 1.0e9;

/// A state in the types of the rules.
#[derive(Clone, Debug)]
pub struct BuiltState {
    /// What does not change.
    pub board: GameBoard,
    /// What does.
    pub state: GameState,
    /// What was left out or read as something else, and why; the engine dies of most of these.
    pub complaints: Vec<String>,
}

/// A whole number within bounds.
fn whole(num: RawNumber) -> Option<i32> {
    if num.0.fract() != 0.0 || num.0.abs() > NUMBER_MAX {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    Some(num.0 as i32)
}

fn expect_whole(num: RawNumber, what: &str) -> Result<i32, String> {
    whole(num).ok_or_else(|| format!("{what}: expected a whole number, got {}", num.0))
}

/// Reads a full state. `params` is what the state does not tell.
///
/// # Errors
/// When nothing can be played on it: no map, a unit outside of it, too many units.
pub fn build(full: &Full, params: &GameParams) -> Result<BuiltState, String> {
    let side = |num: RawNumber, what: &str| {
        let side = whole(num).and_then(|side| u16::try_from(side).ok());
        side.filter(|side| (1..=SIDE_MAX).contains(side))
            .ok_or_else(|| format!("{what}: expected 1 to {SIDE_MAX}, got {}", num.0))
    };
    let size = (side(full.world.width, "world.width")?, side(full.world.height, "world.height")?);
    let params = GameParams {
        game_duration: expect_whole(full.config.game_duration_ticks, "game_duration_ticks")?,
        fire_interval: full.config.fire_spawn_interval_ticks.0,
        ..*params
    };
    let (agents, units) = names(full)?;
    let board = GameBoard::new(size, params, agents, units);
    let bodies: Result<Vec<Unit>, String> =
        full.unit_state.0.iter().map(|(_, unit)| body(&board, unit)).collect();
    let tick = expect_whole(full.tick, "tick")?;
    let mut state = GameState::new(size.0, size.1, tick, bodies?);
    let mut complaints = Vec::new();
    for raw in &full.entities {
        match thing(&board, &state, raw, &mut complaints) {
            Ok((cell, entity)) => {
                if state.entity(cell).is_some() {
                    complaints.push(format!("two entities in cell {:?}", board.place(cell)));
                }
                state.put(cell, entity);
            }
            Err(complaint) => complaints.push(complaint),
        }
    }
    Ok(BuiltState { board, state, complaints })
}

fn names(full: &Full) -> Result<(Vec<String>, Vec<UnitName>), String> {
    let mut agents: Vec<String> = full.agents.0.iter().map(|(id, _)| id.clone()).collect();
    let mut units = Vec::new();
    for (id, unit) in &full.unit_state.0 {
        let known = agents.iter().position(|agent| *agent == unit.agent_id);
        let index = known.unwrap_or_else(|| {
            agents.push(unit.agent_id.clone());
            agents.len() - 1
        });
        let agent = AgentIndex::try_from(index).ok().filter(|index| *index < AgentIndex::MAX);
        let agent = agent.ok_or_else(|| "more than 255 agents".to_owned())?;
        units.push(UnitName { name: id.clone(), agent });
    }
    if units.len() > usize::from(u8::MAX) {
        return Err(format!("{} units are more than 255", units.len()));
    }
    Ok((agents, units))
}

fn body(board: &GameBoard, raw: &RawUnit) -> Result<Unit, String> {
    let of = |num: RawNumber, key: &str| expect_whole(num, &format!("unit {}: {key}", raw.unit_id));
    let [x, y] = raw.coordinates;
    let place = board.cell(of(x, "x")?, of(y, "y")?);
    let agent = board.find_agent(&raw.agent_id);
    Ok(Unit {
        cell: place.ok_or_else(|| format!("unit {} is outside the map", raw.unit_id))?,
        agent: agent.ok_or_else(|| format!("unit {} has no agent", raw.unit_id))?,
        hp: of(raw.hp, "hp")?,
        bombs: of(raw.inventory.bombs, "bombs")?,
        diameter: of(raw.blast_diameter, "blast_diameter")?,
        invulnerable: of(raw.invulnerable, "invulnerable")?,
        stunned: raw.stunned.0,
    })
}

fn thing(
    board: &GameBoard,
    state: &GameState,
    raw: &RawEntity,
    complaints: &mut Vec<String>,
) -> Result<(CellIndex, CellEntity), String> {
    let place = whole(raw.x).zip(whole(raw.y)).and_then(|(x, y)| board.cell(x, y));
    let cell = place
        .ok_or_else(|| format!("entity {} at ({}, {}) is outside", raw.r#type, raw.x.0, raw.y.0))?;
    let kind = EntityKind::parse(&raw.r#type).unwrap_or_else(|| {
        let kind = phalanx_game::excerpt(raw.r#type.as_bytes());
        complaints.push(format!("an entity of the unknown type {kind:?}"));
        EntityKind::Treasure
    });
    let of = |num: Option<RawNumber>, key: &str| {
        num.map(|num| expect_whole(num, &format!("entity {}: {key}", raw.r#type))).transpose()
    };
    let unit = raw.unit_id.as_deref().and_then(|name| board.find_unit(name));
    let owner = unit.and_then(|unit| Some(state.unit(unit)?.agent));
    let named = raw.agent_id.as_deref().and_then(|name| board.find_agent(name));
    let entity = CellEntity {
        kind,
        created: expect_whole(raw.created, "created")?,
        expires: of(raw.expires, "expires")?,
        hp: of(raw.hp, "hp")?,
        diameter: of(raw.blast_diameter, "blast_diameter")?,
        unit,
        agent: named.or(owner),
    };
    Ok((cell, entity))
}

/// An event as JSON. The unit's data come last in the source, so they are read by type.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RawEvent {
    Unit {
        data: RawAction,
    },
    UnitState {
        data: RawUnit,
    },
    EntitySpawned {
        data: RawEntity,
    },
    EntityExpired {
        data: [RawNumber; 2],
    },
    EntityState {
        updated_entity: RawEntity,
    },
    #[serde(other)]
    Unknown,
}

/// Reads an event; `None` for a kind that this program does not know.
///
/// # Errors
/// What is wrong with it.
pub fn decode_event(
    board: &GameBoard,
    state: &GameState,
    event: &Value,
    complaints: &mut Vec<String>,
) -> Result<Option<TickEvent>, String> {
    let raw = RawEvent::deserialize(event).map_err(|error| error.to_string())?;
    Ok(Some(match raw {
        RawEvent::Unit { data } => {
            let unit = board.find_unit(&data.unit_id);
            let unit = unit.ok_or_else(|| format!("no unit is called {:?}", data.unit_id))?;
            let agent = state.unit(unit).map(|unit| unit.agent).unwrap_or_default();
            let act = act_of(&data).ok_or_else(|| format!("no action is {:?}", data.r#type))?;
            TickEvent::Done(UnitOrder { agent, unit, act })
        }
        RawEvent::UnitState { data } => {
            let unit = board.find_unit(&data.unit_id);
            let unit = unit.ok_or_else(|| format!("no unit is called {:?}", data.unit_id))?;
            TickEvent::Unit(unit, body(board, &data)?)
        }
        RawEvent::EntitySpawned { data } => {
            let (cell, entity) = thing(board, state, &data, complaints)?;
            TickEvent::Spawned(cell, entity)
        }
        RawEvent::EntityState { updated_entity } => {
            let (cell, entity) = thing(board, state, &updated_entity, complaints)?;
            TickEvent::Changed(cell, entity)
        }
        RawEvent::EntityExpired { data: [x, y] } => {
            let place = whole(x).zip(whole(y)).and_then(|(x, y)| board.cell(x, y));
            TickEvent::Expired(place.ok_or_else(|| format!("({}, {}) is outside", x.0, y.0))?)
        }
        RawEvent::Unknown => return Ok(None),
    }))
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TellEvent<'a> {
    Unit { agent_id: &'a str, data: RawAction },
    UnitState { data: RawUnit },
    EntitySpawned { data: RawEntity },
    EntityExpired { data: [RawNumber; 2] },
    EntityState { coordinates: [RawNumber; 2], updated_entity: RawEntity },
}

/// An event as the engine tells it.
pub fn encode_event(board: &GameBoard, event: &TickEvent) -> impl Serialize {
    let at = |cell: CellIndex| {
        let (x, y) = board.place(cell);
        [RawNumber::from(x), RawNumber::from(y)]
    };
    match event {
        TickEvent::Done(order) => TellEvent::Unit {
            agent_id: board.agent(order.agent).unwrap_or_default(),
            data: raw_act(unit_name(board, order.unit), order.act),
        },
        TickEvent::Unit(index, unit) => {
            TellEvent::UnitState { data: raw_unit(board, unit_name(board, *index), unit) }
        }
        TickEvent::Spawned(cell, entity) => {
            TellEvent::EntitySpawned { data: raw_entity(board, *cell, entity) }
        }
        TickEvent::Expired(cell) => TellEvent::EntityExpired { data: at(*cell) },
        TickEvent::Changed(cell, entity) => TellEvent::EntityState {
            coordinates: at(*cell),
            updated_entity: raw_entity(board, *cell, entity),
        },
    }
}

fn unit_name(board: &GameBoard, unit: u8) -> &str {
    board.unit(unit).map_or("", |unit| unit.name.as_str())
}

fn raw_unit(board: &GameBoard, name: &str, unit: &Unit) -> RawUnit {
    let (x, y) = board.place(unit.cell);
    RawUnit {
        coordinates: [x.into(), y.into()],
        hp: unit.hp.into(),
        inventory: Inventory { bombs: unit.bombs.into() },
        blast_diameter: unit.diameter.into(),
        unit_id: name.to_owned(),
        agent_id: board.agent(unit.agent).unwrap_or_default().to_owned(),
        invulnerable: unit.invulnerable.into(),
        stunned: RawNumber(unit.stunned),
    }
}

fn raw_entity(board: &GameBoard, cell: CellIndex, entity: &CellEntity) -> RawEntity {
    let (x, y) = board.place(cell);
    let unit = entity.unit.and_then(|unit| board.unit(unit));
    RawEntity {
        created: entity.created.into(),
        x: x.into(),
        y: y.into(),
        r#type: entity.kind.code().to_owned(),
        unit_id: unit.map(|unit| unit.name.clone()),
        agent_id: entity.agent.and_then(|agent| board.agent(agent)).map(str::to_owned),
        expires: entity.expires.map(RawNumber::from),
        hp: entity.hp.map(RawNumber::from),
        blast_diameter: entity.diameter.map(RawNumber::from),
    }
}

/// A full state as the engine tells it, without a connection.
#[must_use]
pub fn encode_full(board: &GameBoard, state: &GameState, game_id: &str, tick_rate_hz: f64) -> Full {
    let units_of = |agent: usize| {
        let of = board.units().iter().filter(|unit| usize::from(unit.agent) == agent);
        of.map(|unit| unit.name.clone()).collect()
    };
    let agents = board.agents().iter().enumerate().map(|(index, name)| {
        (name.clone(), RawAgent { agent_id: name.clone(), unit_ids: units_of(index) })
    });
    let units = board.units().iter().zip(state.units());
    Full {
        game_id: game_id.to_owned(),
        agents: Pairs(agents.collect()),
        unit_state: Pairs(
            units
                .map(|(name, unit)| (name.name.clone(), raw_unit(board, &name.name, unit)))
                .collect(),
        ),
        entities: state.entities().map(|(cell, thing)| raw_entity(board, cell, thing)).collect(),
        world: RawSize { width: board.width().into(), height: board.height().into() },
        tick: state.tick.into(),
        config: RawConfig {
            tick_rate_hz: RawNumber(tick_rate_hz),
            game_duration_ticks: board.params.game_duration.into(),
            fire_spawn_interval_ticks: RawNumber(board.params.fire_interval),
        },
        connection: None,
    }
}
