//! What scripts ask the world: one line a query, the answers below.

mod find;
mod ground;
mod safety;
mod team;
mod way;

use super::World;
use ground::Walker;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, QueryError, Value};
use phalanx_grid::{Cell, CostField, FrameId, PriceGrid};
use phalanx_massim::query::QueryArgs;
use std::sync::Arc;

/// Answers that are kept until the next step: what walking costs from an agent, and from a cell of
/// a group's map; and what all agents of a group need for their answers.
#[derive(Clone, Debug, Default)]
pub(super) struct WalkCache {
    walks: SortedMap<AgentId, Arc<CostField>>,
    sources: SortedMap<(FrameId, Cell), Arc<CostField>>,
    grounds: SortedMap<(FrameId, Walker), Arc<PriceGrid>>,
    frontiers: SortedMap<FrameId, Arc<[Cell]>>,
    by_age: SortedMap<FrameId, Arc<[(u32, Cell)]>>,
}

/// One question: who asks, and from where.
struct Ask<'a> {
    world: &'a World,
    agent: AgentId,
    at: Cell,
    args: QueryArgs<'a>,
}

pub(super) fn answer(
    world: &World,
    agent: AgentId,
    name: &str,
    args: &[Value],
) -> Result<Value, QueryError> {
    let Some((_, at)) = world.position(agent) else {
        // Before the first start message nothing is known: every answer is absent.
        return match crate::api::API.query(name) {
            Some(_) => Ok(Value::Nil),
            None => Err(unknown(name)),
        };
    };
    let ask = Ask { world, agent, at, args: QueryArgs::new(name, args) };
    match name {
        "here" => Ok(ask.here()),
        "group" => Ok(ask.group()),
        "rebase" => ask.rebase(),
        "size" => Ok(ask.size()),
        "sim" => Ok(ask.sim()),
        "cell" => ask.cell(),
        "find" => ask.find(),
        "nearest" => ask.nearest(),
        "free" => ask.free(),
        "danger" => ask.danger(),
        "hit_in" => ask.hit_in(),
        "body_hit_in" => Ok(ask.body_hit_in()),
        "shelter" => Ok(ask.shelter()),
        "offset" => ask.offset(),
        "distance" => ask.distance(),
        "distances" => ask.distances(),
        "closest" => ask.closest(),
        "between" => ask.between(),
        "path" => ask.path(),
        "path_any" => ask.path_any(),
        "explore" => ask.explore(),
        "dig" => ask.dig(),
        "can_move" => ask.can_move(),
        "can_rotate" => ask.can_rotate(),
        "sites" => ask.sites(),
        "agents" => Ok(ask.agents()),
        "mate" => ask.mate(),
        "attached" => Ok(ask.attached()),
        "linked" => ask.linked(),
        "tasks" => Ok(ask.tasks()),
        "task" => ask.task(),
        "fit" => ask.fit(),
        "assign" => ask.assign(),
        other => Err(unknown(other)),
    }
}

fn unknown(name: &str) -> QueryError {
    QueryError { query: name.to_owned(), reason: "there is no such query".to_owned() }
}
