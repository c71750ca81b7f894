//! What clients may send (spec section 3): every listed property, and no other.

use super::raw::{Full, RawAction, RawNumber};
use crate::rules::{EntityKind, UnitAction, UnitDirection};
use serde::Deserialize;
use serde_json::{Map, Value};

/// An agent's packet.
#[derive(Clone, Debug, PartialEq)]
pub struct ActPacket {
    /// The unit's name.
    pub unit: String,
    pub act: UnitAction,
}

/// An admin's packet.
#[derive(Clone, Debug)]
pub enum AdminPacket {
    /// Compute a tick.
    Tick,
    /// A new world and game; an absent seed is the one configured at start.
    Reset {
        /// Of the map.
        world_seed: Option<u64>,
        /// Of the game.
        prng_seed: Option<u64>,
    },
    /// What would come of this.
    Evaluate(Box<Evaluation>),
}

/// A question to the forward model.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The number of the question.
    pub sequence_id: f64,
    /// From where.
    pub state: Full,
    /// Who tells what, in the order of arrival.
    pub actions: Vec<(String, ActPacket)>,
}

/// An object with exactly these keys, some of which may be left out.
fn object<'a>(
    value: &'a Value,
    required: &[&str],
    optional: &[&str],
) -> Option<&'a Map<String, Value>> {
    let object = value.as_object()?;
    let known = |key: &String| required.contains(&key.as_str()) || optional.contains(&key.as_str());
    let complete = required.iter().all(|key| object.contains_key(*key));
    (complete && object.keys().all(known)).then_some(object)
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}

/// Reads an agent's packet as the engine's schema does; `None` where it ignores it.
///
/// `lenient` also takes the older document's form of a detonation: a `move` with coordinates.
#[must_use]
pub fn agent_packet(value: &Value, lenient: bool) -> Option<ActPacket> {
    let (unit, act) = match value.get("type")?.as_str()? {
        "bomb" => (text(object(value, &["type", "unit_id"], &[])?, "unit_id")?, UnitAction::Bomb),
        "move" if lenient && value.get("move").is_none() => detonation(value)?,
        "move" => {
            let packet = object(value, &["type", "move", "unit_id"], &[])?;
            let direction = UnitDirection::parse(packet.get("move")?.as_str()?)?;
            (text(packet, "unit_id")?, UnitAction::Move(direction))
        }
        "detonate" => detonation(value)?,
        _ => return None,
    };
    Some(ActPacket { unit, act })
}

fn detonation(value: &Value) -> Option<(String, UnitAction)> {
    let packet = object(value, &["type", "coordinates", "unit_id"], &[])?;
    let [x, y] = packet.get("coordinates")?.as_array()?.as_slice() else { return None };
    Some((text(packet, "unit_id")?, UnitAction::Detonate(x.as_f64()?, y.as_f64()?)))
}

/// Reads an admin's packet as the engine's schema does; `None` where it ignores it.
#[must_use]
pub fn admin_packet(bytes: &[u8]) -> Option<AdminPacket> {
    #[derive(Deserialize)]
    struct Stated {
        state: Full,
    }

    let value: &Value = &serde_json::from_slice(bytes).ok()?;
    match value.get("type")?.as_str()? {
        "request_tick" => object(value, &["type"], &[]).map(|_| AdminPacket::Tick),
        "request_game_reset" => {
            let packet = object(value, &["type"], &["world_seed", "prng_seed"])?;
            let seed = |key: &str| match packet.get(key) {
                None => Some(None),
                Some(seed) => seed.as_f64().map(seed_of).map(Some),
            };
            Some(AdminPacket::Reset {
                world_seed: seed("world_seed")?,
                prng_seed: seed("prng_seed")?,
            })
        }
        "evaluate_next_state" => {
            let packet = object(value, &["type", "sequence_id", "state", "actions"], &[])?;
            let actions: Option<Vec<_>> =
                packet.get("actions")?.as_array()?.iter().map(listed_action).collect();
            if !strict_state(packet.get("state")?) {
                return None;
            }
            // Read from the bytes again: the order of the units counts.
            let Stated { state } = serde_json::from_slice(bytes).ok()?;
            Some(AdminPacket::Evaluate(Box::new(Evaluation {
                sequence_id: packet.get("sequence_id")?.as_f64()?,
                state,
                actions: actions?,
            })))
        }
        _ => None,
    }
}

/// The generator takes whole 32-bit numbers: what JavaScript makes of any number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "reduced modulo 2^32 before"
)]
fn seed_of(seed: f64) -> u64 {
    if seed.is_finite() { seed.trunc().rem_euclid(4_294_967_296.0) as u64 } else { 0 }
}

fn listed_action(value: &Value) -> Option<(String, ActPacket)> {
    let listed = object(value, &["agent_id", "action"], &[])?;
    Some((text(listed, "agent_id")?, agent_packet(listed.get("action")?, false)?))
}

const STATE: &[&str] = &["game_id", "agents", "unit_state", "entities", "world", "tick", "config"];
const CONFIG: &[&str] = &["tick_rate_hz", "game_duration_ticks", "fire_spawn_interval_ticks"];
const UNIT: &[&str] = &[
    "coordinates",
    "hp",
    "inventory",
    "blast_diameter",
    "unit_id",
    "agent_id",
    "invulnerable",
    "stunned",
];
const ENTITY: &[&str] = &["created", "x", "y", "type"];
const ENTITY_MORE: &[&str] = &["unit_id", "agent_id", "expires", "hp", "blast_diameter"];

/// Whether a state is as the engine's schema wants it: nothing more, nothing less.
fn strict_state(value: &Value) -> bool {
    let strict = || {
        let state = object(value, STATE, &[])?;
        object(state.get("world")?, &["width", "height"], &[])?;
        object(state.get("config")?, CONFIG, &[])?;
        for agent in state.get("agents")?.as_object()?.values() {
            object(agent, &["agent_id", "unit_ids"], &[])?;
        }
        for unit in state.get("unit_state")?.as_object()?.values() {
            let unit = object(unit, UNIT, &[])?;
            object(unit.get("inventory")?, &["bombs"], &[])?;
        }
        for entity in state.get("entities")?.as_array()? {
            let entity = object(entity, ENTITY, ENTITY_MORE)?;
            EntityKind::parse(entity.get("type")?.as_str()?)?;
            entity.values().all(|value| !value.is_null()).then_some(())?;
        }
        Some(())
    };
    strict().is_some()
}

/// The order of an echoed action; `None` where it is none.
pub(super) fn act_of(raw: &RawAction) -> Option<UnitAction> {
    Some(match raw.r#type.as_str() {
        "move" => UnitAction::Move(UnitDirection::parse(raw.direction.as_deref()?)?),
        "bomb" => UnitAction::Bomb,
        "detonate" => {
            let [x, y] = raw.coordinates?;
            UnitAction::Detonate(x.0, y.0)
        }
        _ => return None,
    })
}

/// An order as JSON.
#[must_use]
pub fn raw_act(unit: &str, act: UnitAction) -> RawAction {
    let (kind, direction, coordinates) = match act {
        UnitAction::Move(direction) => ("move", Some(direction.word().to_owned()), None),
        UnitAction::Bomb => ("bomb", None, None),
        UnitAction::Detonate(x, y) => ("detonate", None, Some([RawNumber(x), RawNumber(y)])),
    };
    RawAction { r#type: kind.to_owned(), direction, coordinates, unit_id: unit.to_owned() }
}

/// An agent's packet as bytes.
#[must_use]
pub fn encode_act(unit: &str, act: UnitAction) -> Vec<u8> {
    serde_json::to_vec(&raw_act(unit, act)).unwrap_or_default()
}
