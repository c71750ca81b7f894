//! From the engine's types to the API's.

pub(crate) mod strategy;
pub(crate) mod value;

use crate::{Feed, TeamView};
use phalanx_engine::{AgentSnapshot, JournalEntry, JournalEvent, Reason, SeatState};
use phalanx_game::{AgentId, DefaultCause, Notice, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// What stands before a team's name in its resource name.
pub(crate) const TEAMS: &str = "teams/";

pub(crate) fn resource_name(team: &str) -> String {
    format!("{TEAMS}{team}")
}

pub(crate) fn team_state(team: &dyn TeamView) -> v1::TeamState {
    if team.snapshots().borrow().over {
        return v1::TeamState::Over;
    }
    let seats: Vec<_> = team.roster().ids().map(|agent| team.seat(agent)).collect();
    if seats.contains(&SeatState::Seated) {
        v1::TeamState::Playing
    } else if !seats.is_empty() && seats.iter().all(|seat| *seat == SeatState::Closed) {
        v1::TeamState::Over
    } else {
        v1::TeamState::Waiting
    }
}

/// The team as of its last turn.
pub(crate) fn team(team: &dyn TeamView, with_agents: bool) -> v1::Team {
    let snapshot = std::sync::Arc::clone(&team.snapshots().borrow());
    let roster = team.roster();
    let seated = |agent: &AgentId| team.seat(*agent) == SeatState::Seated;
    let agents = roster.ids().map(|agent| {
        let known = snapshot.agents.get(agent.index());
        let entry = roster.agents.get(agent.index());
        let fresh = || AgentSnapshot {
            name: roster.name(agent).to_owned(),
            role: entry.map(|entry| entry.role.clone()).unwrap_or_default(),
            ..AgentSnapshot::default()
        };
        agent_of(known.cloned().unwrap_or_else(fresh), team.seat(agent))
    });
    let counters = snapshot.counters;
    v1::Team {
        name: resource_name(team.name()),
        game: team.game().to_owned(),
        server: team.server().to_owned(),
        state: team_state(team).into(),
        turn: (snapshot.tick > 0).then(|| turn(snapshot.turn)),
        tick: snapshot.tick,
        score: snapshot.score,
        round_scores: snapshot.rounds.clone(),
        generation: snapshot.generation,
        agent_count: count(roster.agents.len()),
        seated_count: count(roster.ids().filter(seated).count()),
        counters: Some(v1::Counters {
            asked: counters.asked,
            decided: counters.decided,
            fallback: counters.fallback,
            late: counters.late,
            script_errors: counters.script_errors,
            malformed: counters.malformed,
        }),
        agents: if with_agents { agents.collect() } else { Vec::new() },
        board_keys: count(snapshot.board_keys),
        metrics: snapshot.metrics.iter().map(|(key, value)| (key.clone(), *value)).collect(),
    }
}

fn agent_of(agent: AgentSnapshot, seat: SeatState) -> v1::Agent {
    let (state, reason, failures) = seat_parts(&seat);
    v1::Agent {
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
    }
}

/// An event of a team at its place in the log.
pub(crate) fn event(team: &str, cursor: String, item: &Feed) -> v1::MatchEvent {
    match item {
        Feed::Lost(count) => v1::MatchEvent {
            cursor,
            turn: None,
            agent: String::new(),
            generation: 0,
            kind: Some(Kind::EventsLost(v1::EventsLost { count: *count })),
        },
        Feed::Entry(entry) => {
            let JournalEntry { turn: at, agent, generation, event } = entry.as_ref();
            v1::MatchEvent {
                cursor,
                turn: Some(turn(*at)),
                agent: agent.clone().unwrap_or_default(),
                generation: *generation,
                kind: Some(kind(team, *generation, event)),
            }
        }
    }
}

fn kind(team: &str, generation: u32, event: &JournalEvent) -> Kind {
    match event {
        JournalEvent::Seat { seat, state } => {
            let (state, reason, failures) = seat_parts(state);
            let (seat, state) = (u32::from(seat.0), state.into());
            Kind::SeatChanged(v1::SeatChanged { seat, state, reason, failures })
        }
        JournalEvent::RoundStarted => Kind::RoundStarted(v1::RoundStarted {}),
        JournalEvent::Decided { action, role, reason, spent } => Kind::Decided(v1::Decided {
            action: action.clone(),
            role: role.clone(),
            generation,
            spent: Some(duration(*spent)),
            reason: reason_text(reason.as_ref()),
            reason_data: reason_data(reason.as_ref()),
        }),
        JournalEvent::Fallback { reason, role, explained } => Kind::Fallback(v1::Fallback {
            reason: reason.clone(),
            role: role.clone(),
            generation,
            explained: reason_text(explained.as_ref()),
        }),
        JournalEvent::Generation { generation, pinned, note } => {
            Kind::GenerationActivated(strategy::activated(team, generation, *pinned, note))
        }
        JournalEvent::StrategyRefused { origin, faults } => {
            Kind::StrategyRefused(strategy::refused(origin, faults))
        }
        JournalEvent::TakenBack { failed, generation, reason } => {
            Kind::GenerationTakenBack(strategy::taken_back(team, failed, generation, reason))
        }
        JournalEvent::ParamSet { name, scope, before, value, by } => {
            let [name, scope, before, value, by] =
                [name, scope, before, value, by].map(Clone::clone);
            Kind::ParamSet(v1::ParamSet { name, scope, before, value, by })
        }
        JournalEvent::Ran { code, by, trouble } => {
            let [code, by, trouble] = [code, by, trouble].map(Clone::clone);
            Kind::ScriptRan(v1::ScriptRan { code, by, trouble })
        }
        JournalEvent::ScriptError { call, reason } => {
            Kind::ScriptError(v1::ScriptError { call: (*call).to_owned(), reason: reason.clone() })
        }
        JournalEvent::Defaulted { cause } => {
            Kind::Defaulted(v1::Defaulted { cause: default_cause(*cause).into() })
        }
        JournalEvent::Late => Kind::Late(v1::Late {}),
        JournalEvent::Notice(what) => Kind::Notice(notice(what)),
        JournalEvent::RoleSet { .. }
        | JournalEvent::Steered { .. }
        | JournalEvent::Ordered { .. }
        | JournalEvent::Held { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::AlertBegan { .. }
        | JournalEvent::AlertEnded { .. } => Kind::ScriptLog(steered(event)),
        JournalEvent::Log { level, text } => {
            Kind::ScriptLog(v1::ScriptLog { level: (*level).to_owned(), text: text.clone() })
        }
        JournalEvent::TurnDone(done) => Kind::TurnDone(v1::TurnDone {
            asked: done.asked,
            decided: done.decided,
            fallback: done.fallback,
            score: done.score,
            spent: Some(duration(Duration::from_micros(done.script_us))),
        }),
        JournalEvent::RoundOver { score, ranking } => {
            Kind::RoundOver(v1::RoundOver { score: *score, ranking: *ranking })
        }
        JournalEvent::MatchOver => Kind::MatchOver(v1::MatchOver {}),
    }
}

/// What an operator did, or an alert, in words.
fn steered(event: &JournalEvent) -> v1::ScriptLog {
    let warns = matches!(event, JournalEvent::AlertBegan { .. });
    let level = if warns { "warn" } else { "info" }.to_owned();
    v1::ScriptLog { level, text: event.steered_in_words().unwrap_or_default() }
}

fn reason_text(reason: Option<&Reason>) -> String {
    reason.map(|reason| reason.text.clone()).unwrap_or_default()
}

fn reason_data(reason: Option<&Reason>) -> Option<prost_types::Value> {
    let data = &reason?.data;
    (*data != Value::Nil).then(|| value::to_api(data))
}

fn seat_parts(seat: &SeatState) -> (v1::SeatState, String, u32) {
    match seat {
        SeatState::Idle => (v1::SeatState::Idle, String::new(), 0),
        SeatState::Connecting { failures, reason } => {
            (v1::SeatState::Connecting, reason.clone(), *failures)
        }
        SeatState::Connected => (v1::SeatState::Connected, String::new(), 0),
        SeatState::Seated => (v1::SeatState::Seated, String::new(), 0),
        SeatState::Refused { reason } => (v1::SeatState::Refused, reason.clone(), 0),
        SeatState::Stopped => (v1::SeatState::Idle, "stopped by an operator".to_owned(), 0),
        SeatState::Closed => (v1::SeatState::Closed, String::new(), 0),
    }
}

fn default_cause(cause: DefaultCause) -> v1::DefaultCause {
    match cause {
        DefaultCause::NobodyDecided => v1::DefaultCause::NobodyDecided,
        DefaultCause::Superseded => v1::DefaultCause::Superseded,
        DefaultCause::Disconnected => v1::DefaultCause::Disconnected,
    }
}

fn notice(notice: &Notice) -> v1::Notice {
    let (kind, text) = match notice {
        Notice::Malformed(error) => (v1::NoticeKind::Malformed, error.to_string()),
        Notice::Unknown { kind } => (v1::NoticeKind::Unknown, kind.clone()),
        Notice::AnswerLost { turn } => (v1::NoticeKind::AnswerLost, turn.to_string()),
    };
    v1::Notice { kind: kind.into(), text }
}

fn turn(turn: phalanx_game::Turn) -> v1::Turn {
    v1::Turn { round: turn.round, step: turn.step }
}

fn duration(duration: Duration) -> prost_types::Duration {
    // Fails only beyond 292 billion years.
    prost_types::Duration::try_from(duration).unwrap_or_default()
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
