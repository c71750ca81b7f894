//! Teams and their agents, with what they publish.

use crate::{count, seat_parts, steering, turn};
use phalanx_engine::{AgentSnapshot, Counters, SeatState, Snapshot};
use phalanx_proto::v1;

/// The prefix of a team's resource name.
pub const TEAMS: &str = "teams/";
/// Separates a team's resource name from the agent's name in an agent's resource name.
pub const AGENTS: &str = "/agents/";

/// The resource name of a team.
#[must_use]
pub fn resource_name(team: &str) -> String {
    format!("{TEAMS}{team}")
}

/// A team's snapshot, without what only its daemon knows.
#[must_use]
pub fn published(team: &str, game: &str, server: &str, snapshot: &Snapshot) -> v1::Team {
    let present = || snapshot.agents.iter().filter(|agent| !agent.gone);
    let seated = present().filter(|agent| agent.seat == SeatState::Seated).count();
    let state = match (snapshot.over, seated) {
        (true, _) => v1::TeamState::Over,
        (false, 0) => v1::TeamState::Waiting,
        (false, _) => v1::TeamState::Playing,
    };
    v1::Team {
        name: resource_name(team),
        game: game.to_owned(),
        server: server.to_owned(),
        state: state.into(),
        turn: (snapshot.tick > 0).then(|| turn(snapshot.turn)),
        tick: snapshot.tick,
        score: snapshot.score,
        round_scores: snapshot.rounds.clone(),
        generation: snapshot.generation,
        agent_count: count(present().count()),
        seated_count: count(seated),
        counters: Some(counters(&snapshot.counters)),
        agents: present().map(|it| agent(team, it.clone(), &it.seat)).collect(),
        board_keys: count(snapshot.board_keys),
        metrics: snapshot.metrics.iter().map(|(key, value)| (key.clone(), *value)).collect(),
        alerts: snapshot.alerts.iter().map(steering::alert).collect(),
        ..v1::Team::default()
    }
}

/// How often something happened.
#[must_use]
pub fn counters(counters: &Counters) -> v1::Counters {
    v1::Counters {
        asked: counters.asked,
        decided: counters.decided,
        fallback: counters.fallback,
        late: counters.late,
        script_errors: counters.script_errors,
        malformed: counters.malformed,
        ordered: counters.ordered,
        held: counters.held,
    }
}

/// An agent of a team, with the state of its seat.
#[must_use]
pub fn agent(team: &str, agent: AgentSnapshot, seat: &SeatState) -> v1::Agent {
    let (state, reason, failures) = seat_parts(seat);
    v1::Agent {
        resource_name: format!("{TEAMS}{team}{AGENTS}{}", agent.name),
        name: agent.name,
        role: agent.role,
        seat_state: state.into(),
        seat_reason: reason,
        seat_failures: failures,
        summary: agent.summary,
        last_action: agent.last_action,
        last_result: agent.last_result,
        trouble: agent.trouble,
        reason: agent.reason,
        steering: Some(steering::steering(&agent.steering)),
        last_asked: agent.last_asked.map(turn),
    }
}
