//! What scripts ask the world.

use super::World;
use phalanx_game::{AgentId, QueryError, Value};

/// Answers that are kept until the next step.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {}

pub(super) fn answer(
    world: &World,
    agent: AgentId,
    name: &str,
    _args: &[Value],
) -> Result<Value, QueryError> {
    match name {
        "tasks" => {
            Ok(world.percept(agent).and_then(|percept| percept.field("tasks")).unwrap_or_default())
        }
        other => {
            let reason = "there is no such query".to_owned();
            Err(QueryError { query: other.to_owned(), reason })
        }
    }
}
