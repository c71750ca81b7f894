//! What a team in the middle of a match hands to a trial.

use crate::stage::roster;
use phalanx_engine::{Board, Memory, Params, Plain, PlainKey, Scene, View};
use phalanx_game::{AgentId, Oracle, QueryError, Turn, Value};
use std::sync::Arc;

/// A world in which every agent has energy and a position.
#[derive(Debug)]
struct Field;

impl Oracle for Field {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        (name == "energy").then(|| Value::Int(300 - i64::from(agent.0)))
    }

    fn query(&self, agent: AgentId, name: &str, _: &[Value]) -> Result<Value, QueryError> {
        Ok(if name == "here" { Value::cell(i32::from(agent.0), 2) } else { Value::Nil })
    }
}

fn scene(step: u32) -> Arc<Scene> {
    Arc::new(Scene {
        turn: Turn::new(0, step),
        tick: u64::from(step) + 1,
        present: (0..3).map(AgentId).collect(),
        roles: roster().agents.into_iter().map(|entry| entry.role).collect(),
        oracle: Arc::new(Field),
    })
}

/// Two turns, and a worker that remembers a goal.
pub(crate) fn view() -> View {
    let goal = (PlainKey::Text(b"goal".to_vec()), Plain::Num(7.0));
    let memory = Memory {
        agent: AgentId(0),
        role: "worker".into(),
        version: 0,
        data: Ok(Plain::Table(vec![goal])),
    };
    View {
        roster: Arc::new(roster()),
        seed: 1,
        scenes: vec![scene(4), scene(5)],
        board: Board::default(),
        params: Params::default(),
        roles: roster().agents.into_iter().map(|entry| entry.role).collect(),
        memories: vec![memory],
        generation: 3,
    }
}
