//! From the types of engine and games to the messages of the API.
//!
//! The problem: the control API shows a living team, a recording shows one that played. Both say it in
//! the same messages, so both get them here.
//!
//! Absent on purpose: services, files, any state. Secrets are in none of these types.
#![deny(missing_docs)]

pub mod board;
pub mod grounds;
pub mod steering;
pub mod strategy;
pub mod team;
pub mod value;
pub mod world;

use phalanx_engine::{JournalEntry, JournalEvent, SeatState};
use phalanx_game::{DefaultCause, Notice};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// An event of a team at its place in the log.
#[must_use]
pub fn event(team: &str, cursor: String, entry: &JournalEntry) -> v1::MatchEvent {
    let JournalEntry { turn: at, agent, generation, event } = entry;
    v1::MatchEvent {
        cursor,
        turn: Some(turn(*at)),
        agent: agent.clone().unwrap_or_default(),
        generation: *generation,
        kind: kind(team, *generation, event),
    }
}

fn kind(team: &str, generation: u32, event: &JournalEvent) -> Option<Kind> {
    Some(match event {
        JournalEvent::Seat { seat, state } => {
            let (state, reason, failures) = seat_parts(state);
            let (seat, state) = (u32::from(seat.0), state.into());
            Kind::SeatChanged(v1::SeatChanged { seat, state, reason, failures })
        }
        JournalEvent::RoundStarted => Kind::RoundStarted(v1::RoundStarted {}),
        JournalEvent::Decided { .. } | JournalEvent::Fallback { .. } => {
            return grounds::kind(generation, event);
        }
        JournalEvent::Generation { generation, pinned, note } => {
            Kind::GenerationActivated(strategy::activated(team, generation, *pinned, note))
        }
        JournalEvent::StrategyRefused { origin, faults } => {
            Kind::StrategyRefused(strategy::refused(origin, faults))
        }
        JournalEvent::TakenBack { failed, generation, reason } => {
            Kind::GenerationTakenBack(strategy::taken_back(team, failed, generation, reason))
        }
        JournalEvent::BoardSet { key, value, turns, by } => {
            let (key, value) = (key.clone(), Some(value::to_api(value)));
            Kind::BoardSet(v1::BoardSet { key, value, turns: *turns, by: by.clone() })
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
        | JournalEvent::Retuned { .. }
        | JournalEvent::AgentAdded { .. }
        | JournalEvent::AgentRemoved { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::AlertBegan { .. }
        | JournalEvent::AlertEnded { .. } => return steering::kind(event),
        JournalEvent::Log { level, text } => {
            Kind::ScriptLog(v1::ScriptLog { level: (*level).to_owned(), text: text.clone() })
        }
        JournalEvent::TurnDone(done) => Kind::TurnDone(turn_done(done)),
        JournalEvent::RoundOver { score, ranking } => {
            Kind::RoundOver(v1::RoundOver { score: *score, ranking: *ranking })
        }
        JournalEvent::Resumed { turn, missed } => Kind::Resumed(resumed(*turn, *missed)),
        JournalEvent::CheckpointRefused { reason } => Kind::CheckpointRefused(refused(reason)),
        JournalEvent::MatchOver => Kind::MatchOver(v1::MatchOver {}),
    })
}

fn resumed(last: phalanx_game::Turn, missed: u32) -> v1::Resumed {
    v1::Resumed { turn: Some(turn(last)), missed }
}

fn refused(reason: &str) -> v1::CheckpointRefused {
    v1::CheckpointRefused { reason: reason.to_owned() }
}

fn turn_done(done: &phalanx_engine::TurnDone) -> v1::TurnDone {
    v1::TurnDone {
        asked: done.asked,
        decided: done.decided,
        fallback: done.fallback,
        score: done.score,
        spent: Some(duration(Duration::from_micros(done.script_us))),
        ordered: done.ordered,
        held: done.held,
    }
}

/// What a connection is doing: in one word, why, and after how many failures.
#[must_use]
pub fn seat_parts(seat: &SeatState) -> (v1::SeatState, String, u32) {
    match seat {
        SeatState::Idle => (v1::SeatState::Idle, String::new(), 0),
        SeatState::Connecting { failures, reason } => {
            (v1::SeatState::Connecting, reason.clone(), *failures)
        }
        SeatState::Connected => (v1::SeatState::Connected, String::new(), 0),
        SeatState::Seated => (v1::SeatState::Seated, String::new(), 0),
        SeatState::Refused { reason } => (v1::SeatState::Refused, reason.clone(), 0),
        SeatState::Stopped => (v1::SeatState::Stopped, String::new(), 0),
        SeatState::Closed => (v1::SeatState::Closed, String::new(), 0),
    }
}

/// Why the team's own answer was not sent.
#[must_use]
pub fn default_cause(cause: DefaultCause) -> v1::DefaultCause {
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

/// A turn.
#[must_use]
pub fn turn(turn: phalanx_game::Turn) -> v1::Turn {
    v1::Turn { round: turn.round, step: turn.step }
}

/// A length of time; beyond 292 billion years none.
#[must_use]
pub fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration::try_from(duration).unwrap_or_default()
}

/// How many; more than fit are told as the most.
#[must_use]
pub fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
