//! A world with a small map that the tests lay out by hand.

use phalanx_game::{AgentId, Roster, RosterEntry, Turn, Value, World as _};
use phalanx_mars::percept::{
    Briefing, Inspected, OwnState, Percept, ProbedVertex, SeenEdge, SeenEntity, SeenVertex,
    SurveyedEdge, TeamStatus,
};
use phalanx_mars::world::World;

/// A percept of an agent with 20 of 30 energy that sees no other agent.
pub(crate) fn percept(step: u32, position: &str) -> Percept {
    let me = OwnState {
        energy: Some(20),
        max_energy: Some(30),
        max_energy_disabled: Some(20),
        health: Some(3),
        max_health: Some(4),
        strength: Some(0),
        vis_range: Some(1),
        zone_score: Some(0),
        position: position.into(),
        ..OwnState::default()
    };
    let team = TeamStatus { money: Some(6), score: Some(step.into()), ..TeamStatus::default() };
    Percept { step, me, team, ..Percept::default() }
}

/// Edges as in `a-b 3` with a weight or `a-b` without one.
pub(crate) fn edges(percept: &mut Percept, list: &[&str]) {
    for edge in list {
        let (ends, weight) = edge
            .split_once(' ')
            .map_or((*edge, None), |(ends, weight)| (ends, Some(weight.parse().unwrap())));
        let (node1, node2) = ends.split_once('-').unwrap();
        let (node1, node2) = (node1.into(), node2.into());
        match weight {
            None => percept.edges.push(SeenEdge { node1, node2 }),
            Some(_) => percept.surveyed.push(SurveyedEdge { node1, node2, weight }),
        }
    }
}

/// Values as in `a 3`.
pub(crate) fn values(percept: &mut Percept, list: &[&str]) {
    for probed in list {
        let (name, value) = probed.split_once(' ').unwrap();
        let value = Some(value.parse().unwrap());
        percept.probed.push(ProbedVertex { name: name.into(), value });
    }
}

/// Agents as in `b5 B a` (name, team, vertex), disabled ones with `!` behind it.
pub(crate) fn entities(percept: &mut Percept, list: &[&str]) {
    for entity in list {
        let disabled = entity.ends_with('!');
        let mut words = entity.trim_end_matches('!').split(' ');
        let mut word = || words.next().unwrap().into();
        let (name, team, node) = (word(), word(), word());
        percept.entities.push(SeenEntity { name, team, node, disabled });
    }
}

/// Owners as in `a B`; `none` for no owner.
pub(crate) fn owners(percept: &mut Percept, list: &[&str]) {
    for owned in list {
        let (name, team) = owned.split_once(' ').unwrap();
        percept.vertices.push(SeenVertex { name: name.into(), team: team.into() });
    }
}

/// What an inspection tells of an enemy saboteur with strength 5.
pub(crate) fn saboteur(name: &str, node: &str) -> Inspected {
    Inspected {
        name: name.into(),
        team: "B".into(),
        node: node.into(),
        role: "Saboteur".into(),
        energy: Some(9),
        max_energy: Some(20),
        health: Some(2),
        max_health: Some(3),
        strength: Some(5),
        vis_range: Some(1),
    }
}

/// The world of a team A with agents a1, a2 and so on, before anything is perceived.
pub(crate) fn world(agents: usize) -> World {
    let agents = (1..=agents).map(|number| RosterEntry::new(format!("a{number}"), "any"));
    World::new(&Roster { team: "A".into(), agents: agents.collect() })
}

/// Agent number `index` (from 0) perceives something in round 0.
pub(crate) fn observe(world: &mut World, index: u16, percept: Percept) {
    let turn = Turn::new(0, percept.step);
    world.begin(0, AgentId(index), None);
    world.observe(turn, AgentId(index), percept);
    world.settle(turn);
}

/// A start message for a role.
pub(crate) fn briefing(role: &str) -> Briefing {
    let (steps, vertices, edges) = (Some(750), Some(200), Some(530));
    Briefing { id: "0".into(), role: role.into(), steps, vertices, edges }
}

/// An answer to the first agent.
pub(crate) fn ask(world: &World, name: &str, args: &[Value]) -> Value {
    world.query(AgentId(0), name, args).unwrap()
}

/// A list of names.
pub(crate) fn names(list: &[&str]) -> Value {
    Value::List(list.iter().map(|name| Value::text((*name).to_owned())).collect())
}

/// The texts under a key of every table in a list.
pub(crate) fn column(list: &Value, key: &str) -> Vec<String> {
    let rows = list.as_list().unwrap().iter();
    rows.map(|row| row.get(key).and_then(Value::as_str).unwrap_or("-").to_owned()).collect()
}

/// The number under a key of a table.
pub(crate) fn int(table: &Value, key: &str) -> i64 {
    table.get(key).and_then(Value::as_int).unwrap_or_else(|| panic!("{key} in {table:?}"))
}

/// The text under a key of a table.
pub(crate) fn word<'a>(table: &'a Value, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("{key} in {table:?}"))
}
