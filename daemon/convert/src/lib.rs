//! Converts the types of engine and games to the messages of the API.
//!
//! The problem: the control API shows a running team, and a recording shows a past one. Both use
//! the same messages, so both use these conversions.
//!
//! Absent on purpose: services, files, any state. None of these types contains secrets.
#![deny(missing_docs)]

pub mod board;
pub mod provenance;
pub mod steering;
pub mod strategy;
pub mod team;
pub mod value;
pub mod world;

use phalanx_engine::{
    Description, EventSeverity, EventTopic, JournalEntry, JournalEvent, SeatState,
};
use phalanx_game::{DefaultCause, Notice};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// An event of a team with its position in the log.
#[must_use]
pub fn event(team: &str, cursor: String, entry: &JournalEntry) -> v1::MatchEvent {
    let JournalEntry { turn: at, agent, generation, event } = entry;
    let Description { severity: matters, topic: about, text, details } = entry.describe();
    v1::MatchEvent {
        cursor,
        turn: Some(turn(*at)),
        agent: agent.clone().unwrap_or_default(),
        generation: *generation,
        kind: kind(team, *generation, event),
        severity: severity(matters).into(),
        topic: topic(about).into(),
        text,
        details,
    }
}

/// How much an event matters.
#[must_use]
pub fn severity(severity: EventSeverity) -> v1::EventSeverity {
    match severity {
        EventSeverity::Debug => v1::EventSeverity::Debug,
        EventSeverity::Info => v1::EventSeverity::Info,
        EventSeverity::Warning => v1::EventSeverity::Warning,
        EventSeverity::Error => v1::EventSeverity::Error,
    }
}

fn topic(topic: EventTopic) -> v1::EventTopic {
    match topic {
        EventTopic::Trouble => v1::EventTopic::Trouble,
        EventTopic::Script => v1::EventTopic::Script,
        EventTopic::Alert => v1::EventTopic::Alert,
        EventTopic::Steering => v1::EventTopic::Steering,
        EventTopic::Strategy => v1::EventTopic::Strategy,
        EventTopic::Seat => v1::EventTopic::Seat,
        EventTopic::Team => v1::EventTopic::Team,
        EventTopic::Match => v1::EventTopic::Match,
        EventTopic::Board => v1::EventTopic::Board,
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
            return provenance::kind(generation, event);
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

/// The state of a connection: the state, its reason, and the number of failures before it.
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
        DefaultCause::NoDecision => v1::DefaultCause::NobodyDecided,
        DefaultCause::Superseded => v1::DefaultCause::Superseded,
        DefaultCause::Disconnected => v1::DefaultCause::Disconnected,
    }
}

fn notice(notice: &Notice) -> v1::Notice {
    let (kind, text) = match notice {
        Notice::Malformed(error) => (v1::NoticeKind::Malformed, error.to_string()),
        Notice::Unknown { kind } => (v1::NoticeKind::Unknown, kind.clone()),
        Notice::AnswerLost { turn } => (v1::NoticeKind::AnswerLost, turn.to_string()),
        Notice::Fault { place, what } => (v1::NoticeKind::Fault, format!("{place}: {what}")),
    };
    v1::Notice { kind: kind.into(), text }
}

/// A turn.
#[must_use]
pub fn turn(turn: phalanx_game::Turn) -> v1::Turn {
    v1::Turn { round: turn.round, step: turn.step }
}

/// A duration; beyond 292 billion years it is zero.
#[must_use]
pub fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration::try_from(duration).unwrap_or_default()
}

/// A count as the API has it; a larger number becomes the largest one.
#[must_use]
pub fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
