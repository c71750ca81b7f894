//! What scripts ask the world: one line a query, the answers below.

mod map;
mod team;
mod zone;

use super::World;
use super::chart::VertexId;
use super::ways::{Price, VertexDistances};
use super::zones::ZoneStage;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, QueryError, Value};
use phalanx_massim::query::QueryArgs;
use std::sync::Arc;

/// Answers that are kept until the next percept.
#[derive(Clone, Debug, Default)]
pub(super) struct MapQueryCache {
    fields: SortedMap<(VertexId, Price), Arc<VertexDistances>>,
    /// The map without anybody on it.
    stage: Option<ZoneStage>,
}

/// One question and who asks it.
struct Ask<'a> {
    world: &'a World,
    agent: AgentId,
    args: QueryArgs<'a>,
}

pub(super) fn answer(
    world: &World,
    agent: AgentId,
    name: &str,
    args: &[Value],
) -> Result<Value, QueryError> {
    let ask = Ask { world, agent, args: QueryArgs::new(name, args) };
    match name {
        "here" => Ok(ask.here()),
        "sim" => Ok(ask.sim()),
        "vertex" => ask.vertex(),
        "neighbours" => ask.neighbours(),
        "find" => ask.find(),
        "nearest" => ask.nearest(),
        "path" => ask.path(),
        "distance" => ask.distance(),
        "closest" => ask.closest(),
        "cuts" => ask.cuts(),
        "team" => Ok(ask.team()),
        "agents" => Ok(ask.agents()),
        "mate" => ask.mate(),
        "enemies" => ask.enemies(),
        "enemy" => ask.enemy(),
        "threat" => ask.threat(),
        "assign" => ask.assign(),
        "deploy" => ask.deploy(),
        "zones" => ask.zones(),
        "moves" => ask.moves(),
        "holding" => Ok(ask.holding()),
        "prey" => Ok(ask.prey()),
        "best_zone" => ask.best_zone(),
        other => {
            Err(QueryError { query: other.to_owned(), reason: "there is no such query".to_owned() })
        }
    }
}

impl<'a> Ask<'a> {
    /// Where the asking agent is.
    fn at(&self) -> Option<VertexId> {
        self.world.mates.get(&self.agent)?.at
    }

    /// The ways from a vertex, kept until the next percept.
    fn field(&self, from: VertexId, price: Price) -> Arc<VertexDistances> {
        let fresh = || Arc::new(VertexDistances::new(&self.world.chart, from, price, &[]));
        match self.world.cache.try_borrow_mut() {
            Ok(mut cache) => Arc::clone(cache.fields.entry((from, price)).or_insert_with(fresh)),
            Err(_) => fresh(),
        }
    }

    /// The map without anybody on it.
    fn stage(&self) -> ZoneStage {
        let fresh = || ZoneStage::new(&self.world.chart, self.world.chart.links());
        match self.world.cache.try_borrow_mut() {
            Ok(mut cache) => cache.stage.get_or_insert_with(fresh).clone(),
            Err(_) => fresh(),
        }
    }

    /// What counts as little for an agent: `steps`, `energy`, or `time`, recharging included.
    fn price(&self, by: Option<&str>, agent: AgentId) -> Option<Price> {
        match by.unwrap_or("time") {
            "steps" => Some(Price::STEPS),
            "energy" => Some(Price::ENERGY),
            "time" => Some(Price::time(self.regain(agent))),
            _ => None,
        }
    }

    /// What an agent regains when it recharges (spec section 6.4), halves rounded up.
    fn regain(&self, agent: AgentId) -> i32 {
        /// Energy of an agent of which nothing is known.
        const ENERGY: i32 = 20;
        let Some(own) = self.world.mates.get(&agent).map(|mate| &mate.own) else { return ENERGY };
        let (most, percent) = if own.disabled() {
            (own.max_energy_disabled.or(own.max_energy), 30)
        } else {
            (own.max_energy, 50)
        };
        (most.unwrap_or(ENERGY).clamp(0, 10_000) * percent + 50) / 100
    }

    fn name(&self, vertex: VertexId) -> Value {
        Value::text(self.world.chart.name(vertex).to_string())
    }

    fn names(&self, vertices: &[VertexId]) -> Value {
        Value::List(vertices.iter().map(|vertex| self.name(*vertex)).collect())
    }

    /// The vertex named in an argument; `None` for one that no agent has seen.
    fn vertex_at(&self, index: usize) -> Result<Option<VertexId>, QueryError> {
        let name = self.args.text(index, "the name of a vertex")?;
        Ok(self.world.chart.number(name))
    }

    /// The vertex named in an argument, or the agent's own when it is left out.
    fn vertex_or_here(&self, index: usize) -> Result<Option<VertexId>, QueryError> {
        if self.args.get(index).is_none() { Ok(self.at()) } else { self.vertex_at(index) }
    }

    /// Known vertices of a list of names; those that no agent has seen are left out.
    fn known(&self, names: &[&str]) -> Vec<VertexId> {
        names.iter().filter_map(|name| self.world.chart.number(name)).collect()
    }
}

/// A count as scripts see it.
fn count(count: usize) -> Value {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}
