//! From the engine's types to the API's.

pub(crate) mod arena;
pub(crate) mod board;
pub(crate) mod grounds;
pub(crate) mod league;
pub(crate) mod steering;
pub(crate) mod strategy;
pub(crate) mod team;
pub(crate) mod value;
pub(crate) mod world;

use crate::Feed;
use phalanx_engine::{JournalEntry, JournalEvent, SeatState};
use phalanx_game::{DefaultCause, Notice};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// Nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;

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
                kind: kind(team, *generation, event),
            }
        }
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

fn seat_parts(seat: &SeatState) -> (v1::SeatState, String, u32) {
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

/// A time of a request; `None` where it is negative or its parts are out of their ranges. The
/// library's own way back fails loudly at the longest negative time.
pub(crate) fn time_asked(asked: prost_types::Duration) -> Option<Duration> {
    let seconds = u64::try_from(asked.seconds).ok()?;
    let nanos = u32::try_from(asked.nanos).ok().filter(|nanos| *nanos < NANOS)?;
    Some(Duration::new(seconds, nanos))
}

pub(crate) fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
