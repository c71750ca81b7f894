//! Teams and their agents as the API shows them, and what marks their changes.

pub(crate) use phalanx_convert::team::{AGENTS, TEAMS, resource_name};

use super::{count, steering, turn};
use crate::ServedTeam;
use phalanx_convert::team::{agent as shown_agent, counters};
use phalanx_engine::{AgentSnapshot, SeatState, Snapshot};
use phalanx_game::{AgentId, KeyDoc};
use phalanx_net::{TeamEnd, TeamHandle, ThreadHealth};
use phalanx_proto::v1;
use phalanx_proto::v1::steering::Mode;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

pub(crate) fn state(team: &ServedTeam) -> v1::TeamState {
    if team.handle.end().is_some() || team.handle.snapshots().borrow().over {
        return v1::TeamState::Over;
    }
    let seats: Vec<_> =
        team.handle.roster().present().map(|agent| team.handle.seat_state(agent)).collect();
    if !seats.is_empty() && seats.iter().all(|seat| *seat == SeatState::Closed) {
        v1::TeamState::Over
    } else if team.handle.is_stopped() {
        v1::TeamState::Stopped
    } else if seats.contains(&SeatState::Seated) {
        v1::TeamState::Playing
    } else {
        v1::TeamState::Waiting
    }
}

/// The team as of its last turn.
pub(crate) fn team(team: &ServedTeam, with_agents: bool) -> v1::Team {
    let snapshot = Arc::clone(&team.handle.snapshots().borrow());
    let agents = agents(team, &snapshot);
    let generation = generation(team, &snapshot);
    let seated = |agent: &&v1::Agent| agent.seat_state() == v1::SeatState::Seated;
    let (end, end_reason) = end(team.handle.end());
    v1::Team {
        name: resource_name(team.name()),
        game: team.handle.game().to_owned(),
        server: team.handle.endpoint().server(),
        state: state(team).into(),
        turn: (snapshot.tick > 0).then(|| turn(snapshot.turn)),
        tick: snapshot.tick,
        score: snapshot.score,
        round_scores: snapshot.rounds.clone(),
        generation,
        agent_count: count(agents.len()),
        seated_count: count(agents.iter().filter(seated).count()),
        counters: Some(counters(&snapshot.counters)),
        board_keys: count(snapshot.board_keys),
        metrics: snapshot.metrics.iter().map(|(key, value)| (key.clone(), *value)).collect(),
        etag: etag_of(team, generation, &agents),
        stopped: team.handle.is_stopped(),
        alerts: snapshot.alerts.iter().map(steering::alert).chain(failing_disk(team)).collect(),
        end: end.into(),
        end_reason,
        creator: team.creator.clone().unwrap_or_default(),
        thread: Some(thread(&team.handle)),
        agents: if with_agents { agents } else { Vec::new() },
        keys: if with_agents { keys(&team.handle) } else { Vec::new() },
    }
}

/// The disk is no part of the match: the team knows nothing of it.
fn failing_disk(team: &ServedTeam) -> impl Iterator<Item = v1::Alert> {
    team.handle.disk_troubles().into_iter().map(|text| v1::Alert {
        kind: v1::AlertKind::FailingDisk.into(),
        text,
        ..v1::Alert::default()
    })
}

fn keys(team: &TeamHandle) -> Vec<v1::OrderKey> {
    let key = |known: &KeyDoc| v1::OrderKey { key: known.key.into(), order: known.order.into() };
    team.keys().iter().map(key).collect()
}

fn thread(team: &TeamHandle) -> v1::TeamThread {
    let ThreadHealth { replaced, abandoned, stuck } = team.thread();
    v1::TeamThread {
        replaced_count: replaced,
        abandoned_count: abandoned,
        stuck,
        dropped_event_count: team.inbox_dropped(),
    }
}

/// One agent of the team; `None` when it has none of this id.
pub(crate) fn agent(team: &ServedTeam, agent: AgentId) -> Option<v1::Agent> {
    let snapshot = Arc::clone(&team.handle.snapshots().borrow());
    let name = team.handle.roster().name(agent).to_owned();
    agents(team, &snapshot).into_iter().find(|agent| agent.name == name)
}

/// Changes with whatever operators control.
pub(crate) fn etag(team: &ServedTeam) -> String {
    let snapshot = Arc::clone(&team.handle.snapshots().borrow());
    etag_of(team, generation(team, &snapshot), &agents(team, &snapshot))
}

/// What decides now. Before the team has published anything its keeper knows.
fn generation(team: &ServedTeam, snapshot: &Snapshot) -> u32 {
    let begins = || team.keeper.clone().map(|keeper| keeper.status().active.generation.number);
    if snapshot.generation > 0 { snapshot.generation } else { begins().unwrap_or_default() }
}

fn end(end: Option<TeamEnd>) -> (v1::TeamEnd, String) {
    match end {
        None => (v1::TeamEnd::Unspecified, String::new()),
        Some(TeamEnd::MatchOver) => (v1::TeamEnd::MatchOver, String::new()),
        Some(TeamEnd::Drained) => (v1::TeamEnd::Drained, String::new()),
        Some(TeamEnd::Crashed { reason }) => (v1::TeamEnd::Crashed, reason),
    }
}

/// All agents; for those of whom nothing was published yet the roster speaks.
fn agents(team: &ServedTeam, snapshot: &Snapshot) -> Vec<v1::Agent> {
    let roster = team.handle.roster();
    let shown = |agent: AgentId| {
        let entry = roster.agents.get(agent.index());
        let fresh = || AgentSnapshot {
            name: roster.name(agent).to_owned(),
            role: entry.map(|entry| entry.role.clone()).unwrap_or_default(),
            ..AgentSnapshot::default()
        };
        let known = snapshot.agents.get(agent.index()).cloned().unwrap_or_else(fresh);
        shown_agent(team.name(), known, &team.handle.seat_state(agent))
    };
    roster.present().map(shown).collect()
}

fn etag_of(team: &ServedTeam, generation: u32, agents: &[v1::Agent]) -> String {
    // Without a random key: the same state has the same etag, as long as the program is the same.
    let mut hasher = DefaultHasher::new();
    (
        team.handle.endpoint().server(),
        team.handle.is_stopped(),
        team.handle.end().is_some(),
        generation,
    )
        .hash(&mut hasher);
    for agent in agents {
        (&agent.name, &agent.role).hash(&mut hasher);
        let mode = agent.steering.as_ref().and_then(|steering| steering.mode.as_ref());
        // Neither what counts down with each turn nor the orders of a pilot.
        match mode {
            None | Some(Mode::Script(_)) => 0.hash(&mut hasher),
            Some(Mode::Paused(paused)) => (1, &paused.by).hash(&mut hasher),
            Some(Mode::Pinned(pinned)) => (2, &pinned.by, &pinned.order).hash(&mut hasher),
            Some(Mode::Piloted(piloted)) => {
                (3, &piloted.by, piloted.lease_turns).hash(&mut hasher);
            }
        }
    }
    format!("{:016x}", hasher.finish())
}
