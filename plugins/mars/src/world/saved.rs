//! The belief as bytes, and whether what an agent meets after a restart belongs to it (spec section
//! 4: the referee repeats the start message, with the same id, and nothing else).
//!
//! The ids of simulations are message counters: the first simulation of any tournament has the same
//! one. So the first percept is held against the map too.

use super::chart::{DEGREE_MAX, KnownGraph, KnownVertex, VERTICES_MAX};
use super::{MateNames, World};
use crate::percept::{Briefing, Percept};
use phalanx_game::{AgentId, Met, RestoreError, excerpt, freeze, thaw};
use smol_str::SmolStr;

/// The layout of saved beliefs: another layout gets another number.
const VERSION: u16 = 1;

pub(super) fn save(world: &World) -> Vec<u8> {
    freeze(VERSION, world)
}

pub(super) fn restore(world: &mut World, saved: &[u8]) -> Result<(), RestoreError> {
    let mut read: World = thaw(VERSION, saved)?;
    if read.roster.all != world.roster.all {
        return Err(other_team(&read.roster, &world.roster));
    }
    let agents = read.briefings.keys().chain(read.mates.keys()).chain(read.percepts.keys());
    if !agents.into_iter().all(|agent| agent.index() < read.roster.all.len()) {
        return Err(damaged("it knows agents that the team does not have"));
    }
    if !read.chart.rebuild() {
        return Err(damaged("its map is none"));
    }
    let stand = |at| read.chart.spot(at).is_some();
    let mates = read.mates.values().all(|mate| mate.at.is_none_or(stand));
    if !mates || !read.people.is_sound(&read.chart) {
        return Err(damaged("an agent is where there is no vertex"));
    }
    read.roster = std::mem::take(&mut world.roster);
    *world = read;
    Ok(())
}

fn other_team(saved: &MateNames, own: &MateNames) -> RestoreError {
    let length = saved.all.len().max(own.all.len());
    let ids = (0..length).filter_map(|index| u16::try_from(index).ok()).map(AgentId);
    let mut names = ids.map(|agent| (saved.of(agent), own.of(agent)));
    let (old, new) = names.find(|(old, new)| old != new).unwrap_or_default();
    let [old, new] = [old, new].map(|name| excerpt(name.as_bytes()));
    RestoreError::new(format!("the saved belief is of another team: of {old:?} instead of {new:?}"))
}

fn damaged(what: &str) -> RestoreError {
    RestoreError::new(format!("the saved belief is damaged: {what}"))
}

pub(super) fn recognize(
    world: &World,
    agent: AgentId,
    met: Met<'_, Briefing, Percept>,
) -> Result<(), String> {
    match met {
        Met::Round(None) => Ok(()),
        Met::Round(Some(briefing)) => same_simulation(world, agent, briefing),
        Met::Turn(_, percept) => can_follow(world, percept),
    }
}

/// What a start message leaves out fits everything.
fn same_simulation(world: &World, agent: AgentId, met: &Briefing) -> Result<(), String> {
    let texts = |what: &str, known: &SmolStr, met: &SmolStr| {
        let other = !known.is_empty() && !met.is_empty() && known != met;
        let [known, met] = [known, met].map(|text| excerpt(text.as_bytes()));
        if other { Err(format!("the {what} is {met:?}, and was {known:?}")) } else { Ok(()) }
    };
    let numbers = |what: &str, known: Option<u32>, met: Option<u32>| match (known, met) {
        (Some(known), Some(met)) if known != met => {
            Err(format!("the simulation has {met} {what}, the saved one has {known}"))
        }
        _ => Ok(()),
    };
    if let Some(known) = world.briefings.get(&agent) {
        texts("simulation's id", &known.id, &met.id)?;
        texts("agent's role", &known.role, &met.role)?;
    }
    for known in world.briefings.values() {
        numbers("steps", known.steps, met.steps)?;
        numbers("vertices", known.vertices, met.vertices)?;
        numbers("edges", known.edges, met.edges)?;
    }
    Ok(())
}

/// Whether a percept can be of a later step: the time goes on, scores only grow, and the map stays
/// what it is.
fn can_follow(world: &World, met: &Percept) -> Result<(), String> {
    if !world.percepts.is_empty() && met.step < world.step {
        return Err(format!("step {} is past: step {} was seen before", met.step, world.step));
    }
    if let (Some(known), Some(met)) = (world.standing.score, met.team.score)
        && met < known
    {
        return Err(format!("the team's score is {met}, and was {known} before"));
    }
    other_value(&world.chart, met)
        .or_else(|| other_weight(&world.chart, met))
        .or_else(|| other_edge(&world.chart, met))
        .map_or(Ok(()), |reason| Err(format!("it is another map: {reason}")))
}

fn other_value(chart: &KnownGraph, met: &Percept) -> Option<String> {
    met.probed.iter().find_map(|vertex| {
        let (known, value) = (spot(chart, &vertex.name)?.value?, vertex.value?);
        let name = excerpt(vertex.name.as_bytes());
        (known != value).then(|| format!("{name} is worth {value}, and was worth {known}"))
    })
}

fn other_weight(chart: &KnownGraph, met: &Percept) -> Option<String> {
    met.surveyed.iter().find_map(|edge| {
        let to = chart.number(&edge.node2)?;
        let roads = &spot(chart, &edge.node1)?.roads;
        let known = roads.iter().find(|road| road.to == to)?.weight?;
        let weight = edge.weight?;
        let [one, other] = [&edge.node1, &edge.node2].map(|name| excerpt(name.as_bytes()));
        let text = || format!("the way from {one} to {other} costs {weight}, and cost {known}");
        (known != weight).then(text)
    })
}

/// A new edge at a vertex all of whose edges are known. Where something found no room before, nothing
/// can be known.
fn other_edge(chart: &KnownGraph, met: &Percept) -> Option<String> {
    if chart.len() >= VERTICES_MAX {
        return None;
    }
    let seen = met.edges.iter().map(|edge| [&edge.node1, &edge.node2]);
    let surveyed = met.surveyed.iter().map(|edge| [&edge.node1, &edge.node2]);
    let full = |name: &SmolStr| spot(chart, name).is_some_and(|at| at.roads.len() >= DEGREE_MAX);
    let new = |from: &SmolStr, to: &SmolStr| {
        let to = chart.number(to);
        let all = spot(chart, from).filter(|spot| spot.complete);
        all.is_some_and(|spot| !spot.roads.iter().any(|road| Some(road.to) == to))
    };
    let edges = seen.chain(surveyed).filter(|[one, other]| {
        one != other && ![one, other].iter().any(|end| end.is_empty() || full(end))
    });
    let [from, to] = edges.into_iter().find(|[one, other]| new(one, other) || new(other, one))?;
    let [from, to] = [from, to].map(|name| excerpt(name.as_bytes()));
    Some(format!("there is a way from {from} to {to}, and was none"))
}

fn spot<'a>(chart: &'a KnownGraph, name: &str) -> Option<&'a KnownVertex> {
    chart.spot(chart.number(name)?)
}
