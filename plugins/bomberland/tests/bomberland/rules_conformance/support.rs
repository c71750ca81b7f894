//! Reading what was recorded.

use phalanx_bomberland::arena::ArenaConfig;
use phalanx_bomberland::rules::{GameBoard, TickEvent, UnitOrder};
use phalanx_bomberland::wire::{self, Full};
use phalanx_testkit::traces;
use serde::Deserialize as _;
use serde_json::Value;

/// The lines of a fixture, as JSON.
pub(crate) fn lines(name: &str) -> Option<Vec<String>> {
    let bytes = traces::bytes(&format!("bomberland/{name}"))?;
    let text = String::from_utf8(bytes).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// A configuration from the variables of a fixture.
pub(crate) fn config(env: &Value) -> ArenaConfig {
    let pairs = env.as_object().unwrap().iter().map(|(key, value)| {
        (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    });
    ArenaConfig::from_variables(pairs).unwrap_or_else(|error| panic!("{env}:\n{error}"))
}

/// The state under a key of a line, with the order of its units.
pub(crate) fn state(line: &str) -> Full {
    #[derive(serde::Deserialize)]
    struct Line {
        state: Full,
    }
    serde_json::from_str::<Line>(line).unwrap().state
}

/// The orders of a fixture's list; those for units that do not exist are left out, as the engine
/// drops them.
pub(crate) fn orders(board: &GameBoard, actions: &Value) -> Vec<UnitOrder> {
    let order = |listed: &Value| {
        let packet = wire::agent_packet(&listed["action"], false).unwrap();
        let agent = board.find_agent(listed["agent_id"].as_str().unwrap())?;
        Some(UnitOrder { agent, unit: board.find_unit(&packet.unit)?, act: packet.act })
    };
    actions.as_array().unwrap().iter().filter_map(order).collect()
}

/// Events as the wire tells them.
pub(crate) fn told(board: &GameBoard, events: &[TickEvent]) -> Vec<Value> {
    events
        .iter()
        .map(|event| serde_json::to_value(wire::encode_event(board, event)).unwrap())
        .collect()
}

/// Compares the events of a tick one by one; numbers compare as numbers.
pub(crate) fn assert_events(ours: &[Value], theirs: &Value, what: &str) {
    let theirs: Vec<Value> = Vec::deserialize(theirs).unwrap();
    for (index, (our, their)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(our, their, "{what}, event {index}");
    }
    assert_eq!(ours.len(), theirs.len(), "{what}: ours {ours:?}, theirs {theirs:?}");
}
