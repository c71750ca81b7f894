//! Matches against our own referee: what team A hears while both teams wander, step by step.

use crate::arena::host::{Host, action};
use phalanx_game::{AgentId, ConnectionId, Roster, RosterEntry, Turn, World as _};
use phalanx_mars::arena::ArenaOptions;
use phalanx_mars::percept::{Briefing, Percept};
use phalanx_mars::rules::State;
use phalanx_mars::wire::{Request, ServerBody, decode_server};
use phalanx_mars::world::World;
use phalanx_testkit::mangle::Mangler;
use std::ops::Range;
use std::time::Duration;

/// A match from team A's side.
pub(crate) struct Bout {
    /// Each agent's start message.
    pub(crate) briefings: Vec<Briefing>,
    /// What each agent perceived in each step.
    pub(crate) percepts: Vec<Vec<Percept>>,
    /// How it was in each step.
    pub(crate) truth: Vec<State>,
}

/// A match of as many agents a team. Team A is silent in the steps of the outage.
pub(crate) fn bout(seed: u64, agents: usize, steps: usize, outage: Range<u32>) -> Bout {
    let config = format!(
        "agents = {agents}\nsteps = {steps}\nseed = {seed}\n[map]\nnodes = 60\n[[simulations]]"
    );
    let mut host = Host::new(&config, ArenaOptions::default());
    let ids = host.login_all(agents);
    let mut chance = Mangler::new(seed);
    let mut bout = Bout { briefings: Vec::new(), percepts: Vec::new(), truth: Vec::new() };
    while bout.percepts.len() < steps {
        let mut requests = Vec::new();
        for id in &ids {
            requests.extend(heard(&mut host, *id, &mut bout.briefings));
        }
        assert_eq!(requests.len(), ids.len());
        bout.briefings.truncate(agents);
        bout.truth.push(host.arena.state().unwrap().clone());
        for (index, (id, request)) in ids.iter().zip(&requests).enumerate() {
            if index >= agents || !outage.contains(&request.percept.step) {
                let (kind, param) = wander(&request.percept, &mut chance);
                host.say(*id, &action(&request.id, kind, &param));
            }
        }
        bout.percepts.push(requests.into_iter().take(agents).map(|one| one.percept).collect());
        if outage.contains(&bout.truth.last().unwrap().step) {
            // The referee waits for the silent until its time is up.
            host.wait(Duration::from_millis(2500));
        }
    }
    bout
}

/// The request that a connection got; start messages on the way are kept.
fn heard(host: &mut Host, id: ConnectionId, briefings: &mut Vec<Briefing>) -> Option<Request> {
    let mut request = None;
    for frame in host.frames(id) {
        match decode_server(frame.as_bytes()).unwrap().body {
            ServerBody::SimStart(briefing) => briefings.push(briefing),
            ServerBody::RequestAction(asked) => request = Some(asked),
            ServerBody::AuthResponse { .. }
            | ServerBody::SimEnd { .. }
            | ServerBody::Bye
            | ServerBody::Unknown { .. } => {}
        }
    }
    request
}

fn wander(percept: &Percept, chance: &mut Mangler) -> (&'static str, String) {
    let me = &percept.me;
    let ends = percept.edges.iter().map(|edge| [&edge.node1, &edge.node2]);
    let ways: Vec<_> = ends
        .filter(|ends| ends.contains(&&me.position))
        .flatten()
        .filter(|end| **end != me.position)
        .collect();
    let people: Vec<_> = percept.entities.iter().map(|entity| &entity.name).collect();
    match chance.below(8) {
        _ if me.energy.unwrap_or(0) < 9 => ("recharge", String::new()),
        0 => ("survey", String::new()),
        1 => ("probe", String::new()),
        2 if !people.is_empty() => ("attack", people[chance.below(people.len())].to_string()),
        3 => ("inspect", String::new()),
        _ if !ways.is_empty() => ("goto", ways[chance.below(ways.len())].to_string()),
        _ => ("recharge", String::new()),
    }
}

impl Bout {
    /// Team A before anything is heard.
    pub(crate) fn fresh(&self) -> World {
        let names = (1..=self.briefings.len()).map(|number| format!("a{number}"));
        let agents = names.map(|name| RosterEntry::new(name, "any")).collect();
        World::new(&Roster { team: "A".into(), agents })
    }

    /// The team's agents.
    pub(crate) fn agents(&self) -> Vec<AgentId> {
        (0..self.briefings.len()).map(|index| AgentId(u16::try_from(index).unwrap())).collect()
    }

    /// All agents log in and get the start message again.
    pub(crate) fn join(&self, world: &mut World) {
        for (agent, briefing) in self.agents().into_iter().zip(&self.briefings) {
            world.begin(0, agent, Some(briefing));
        }
    }

    /// Everybody perceives a step.
    pub(crate) fn hear(&self, world: &mut World, step: usize) {
        let turn = Turn::new(0, u32::try_from(step).unwrap());
        for (agent, percept) in self.agents().into_iter().zip(&self.percepts[step]) {
            world.observe(turn, agent, percept.clone());
        }
        world.settle(turn);
    }
}
