//! Events of a match, in a line each.

use super::{seat_word, word};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{DefaultCause, MatchEvent, NoticeKind};
use prost_types::Duration;
use serde_json::{Value, json};

/// For people.
pub(super) fn text(event: &MatchEvent) -> String {
    let turn = event.turn.unwrap_or_default();
    let who = if event.agent.is_empty() { "-" } else { event.agent.as_str() };
    let what = event.kind.as_ref().map_or_else(|| "something new".into(), describe);
    format!("{}:{:<4} {who:<12} {what}", turn.round, turn.step)
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::SeatChanged(seat) => {
            let state = seat_word(seat.state());
            let reason = if seat.reason.is_empty() { "" } else { ": " };
            format!("seat {} {state}{reason}{}", seat.seat, seat.reason)
        }
        Kind::RoundStarted(_) => "round started".into(),
        Kind::Decided(decided) => {
            let spent = micros(decided.spent);
            format!("{} ({}, {spent} µs)", decided.action, decided.role)
        }
        Kind::Fallback(fallback) => format!("FALLBACK ({}): {}", fallback.role, fallback.reason),
        Kind::ScriptError(error) => format!("SCRIPT ERROR in {}: {}", error.call, error.reason),
        Kind::Defaulted(defaulted) => format!("DEFAULTED: {}", cause_word(defaulted.cause())),
        Kind::Late(_) => "LATE: the turn was closed already".into(),
        Kind::Notice(notice) => format!("referee, {}: {}", kind_word(notice.kind()), notice.text),
        Kind::ScriptLog(log) => format!("{}: {}", log.level, log.text),
        Kind::TurnDone(done) => {
            let score = done.score.map_or_else(|| "-".into(), |score| score.to_string());
            format!(
                "asked {} decided {} fallback {} score {score} scripts {} µs",
                done.asked,
                done.decided,
                done.fallback,
                micros(done.spent),
            )
        }
        Kind::RoundOver(over) => format!("round over, score {}", over.score),
        Kind::MatchOver(_) => "match over".into(),
        Kind::EventsLost(lost) => format!("{} events are missing here", lost.count),
    }
}

/// For programs.
pub(super) fn json(event: &MatchEvent) -> Value {
    let turn = event.turn.unwrap_or_default();
    let (kind, details) = event.kind.as_ref().map_or(("unknown", json!({})), details);
    json!({
        "cursor": event.cursor, "round": turn.round, "step": turn.step, "agent": event.agent,
        "kind": kind, "details": details,
    })
}

fn details(kind: &Kind) -> (&'static str, Value) {
    match kind {
        Kind::SeatChanged(seat) => (
            "seat_changed",
            json!({
                "seat": seat.seat, "state": seat_word(seat.state()), "reason": seat.reason,
                "failures": seat.failures,
            }),
        ),
        Kind::RoundStarted(_) => ("round_started", json!({})),
        Kind::Decided(decided) => (
            "decided",
            json!({
                "action": decided.action, "role": decided.role, "generation": decided.generation,
                "spent_us": micros(decided.spent),
            }),
        ),
        Kind::Fallback(fallback) => (
            "fallback",
            json!({
                "reason": fallback.reason, "role": fallback.role,
                "generation": fallback.generation,
            }),
        ),
        Kind::ScriptError(error) => {
            ("script_error", json!({ "call": error.call, "reason": error.reason }))
        }
        Kind::Defaulted(defaulted) => {
            ("defaulted", json!({ "cause": cause_word(defaulted.cause()) }))
        }
        Kind::Late(_) => ("late", json!({})),
        Kind::Notice(notice) => {
            ("notice", json!({ "kind": kind_word(notice.kind()), "text": notice.text }))
        }
        Kind::ScriptLog(log) => ("script_log", json!({ "level": log.level, "text": log.text })),
        Kind::TurnDone(done) => (
            "turn_done",
            json!({
                "asked": done.asked, "decided": done.decided, "fallback": done.fallback,
                "score": done.score, "spent_us": micros(done.spent),
            }),
        ),
        Kind::RoundOver(over) => {
            ("round_over", json!({ "score": over.score, "ranking": over.ranking }))
        }
        Kind::MatchOver(_) => ("match_over", json!({})),
        Kind::EventsLost(lost) => ("events_lost", json!({ "count": lost.count })),
    }
}

fn cause_word(cause: DefaultCause) -> String {
    word(cause.as_str_name(), "DEFAULT_CAUSE_").replace('_', " ")
}

fn kind_word(kind: NoticeKind) -> String {
    word(kind.as_str_name(), "NOTICE_KIND_").replace('_', " ")
}

fn micros(spent: Option<Duration>) -> i64 {
    spent.map_or(0, |spent| spent.seconds * 1_000_000 + i64::from(spent.nanos) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{Fallback, SeatChanged, SeatState, Turn};

    fn event(kind: Kind) -> MatchEvent {
        MatchEvent {
            cursor: "7".into(),
            turn: Some(Turn { round: 0, step: 118 }),
            agent: "agentA7".into(),
            kind: Some(kind),
        }
    }

    #[test]
    fn a_fallback_names_file_and_line() {
        let reason = "worker.luau:42: attempt to index nil with 'x'".into();
        let shown =
            text(&event(Kind::Fallback(Fallback { reason, role: "worker".into(), generation: 1 })));
        assert_eq!(
            shown,
            "0:118  agentA7      FALLBACK (worker): worker.luau:42: attempt to index nil with 'x'"
        );
    }

    #[test]
    fn a_seat_tells_why_it_is_not_there() {
        let seat = SeatChanged {
            seat: 3,
            state: SeatState::Refused.into(),
            reason: "fail".into(),
            failures: 1,
        };
        assert!(text(&event(Kind::SeatChanged(seat))).ends_with("seat 3 refused: fail"));
    }
}
