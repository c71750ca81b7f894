//! Events of a match, for people and for programs.

use super::report::fault_json;
use super::values::{self, micros};
use super::{seat_word, steered, word};
use crate::paint::Paint;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{
    BoardLook, Decided, DefaultCause, Fallback, Generation, GenerationActivated,
    GenerationTakenBack, Grounds, MatchEvent, NoticeKind, ParamSet, Resumed, StrategyRefused,
};
use serde_json::{Value, json};

/// For people: with turn and agent.
pub(super) fn text(event: &MatchEvent, paint: Paint) -> String {
    let turn = event.turn.unwrap_or_default();
    let who = if event.agent.is_empty() { "-" } else { event.agent.as_str() };
    format!("{}:{:<4} {who:<12} {}", turn.round, turn.step, describe(event, paint))
}

/// What happened, for people: the event's own text.
pub fn describe(event: &MatchEvent, paint: Paint) -> String {
    if event.text.is_empty() {
        fields(event)
    } else {
        paint.event(event.severity(), &event.text, &event.details)
    }
}

/// Kind and fields of an event without text: it is of an older daemon or recording.
fn fields(event: &MatchEvent) -> String {
    let Some((kind, Value::Object(fields))) = event.kind.as_ref().map(details) else {
        return "an event of a newer daemon".to_owned();
    };
    let known = fields.iter().filter(|(_, value)| !value.is_null() && **value != json!(""));
    let shown = known.map(|(name, value)| match value.as_str() {
        Some(text) => format!(" {name}={text}"),
        None => format!(" {name}={value}"),
    });
    kind.replace('_', " ") + ":" + &shown.collect::<String>()
}

/// An event as JSON.
pub fn json(event: &MatchEvent) -> Value {
    let turn = event.turn.unwrap_or_default();
    let (kind, details) = event.kind.as_ref().map_or(("unknown", json!({})), details);
    json!({
        "cursor": event.cursor, "round": turn.round, "step": turn.step, "agent": event.agent,
        "generation": event.generation, "kind": kind, "details": details,
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
        Kind::Decided(decided) => ("decided", decided_json(decided)),
        Kind::Fallback(fallback) => ("fallback", fallback_json(fallback)),
        Kind::GenerationActivated(activated) => ("generation_activated", activation(activated)),
        Kind::StrategyRefused(refused) => ("strategy_refused", faults(refused)),
        Kind::GenerationTakenBack(back) => ("generation_taken_back", taken_back(back)),
        Kind::ParamSet(set) => ("param_set", param(set)),
        Kind::BoardSet(set) => (
            "board_set",
            json!({
                "key": set.key, "value": values::json(set.value.as_ref()), "turns": set.turns,
                "by": set.by,
            }),
        ),
        Kind::ScriptRan(ran) => {
            ("script_ran", json!({ "code": ran.code, "by": ran.by, "trouble": ran.trouble }))
        }
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
                "score": done.score, "spent_us": micros(done.spent), "ordered": done.ordered,
                "held": done.held,
            }),
        ),
        Kind::RoundOver(over) => {
            ("round_over", json!({ "score": over.score, "ranking": over.ranking }))
        }
        Kind::MatchOver(_) => ("match_over", json!({})),
        Kind::Resumed(resumed) => ("resumed", resumed_json(resumed)),
        Kind::CheckpointRefused(refused) => ("checkpoint_refused", reason_json(&refused.reason)),
        Kind::EventsLost(lost) => ("events_lost", json!({ "count": lost.count })),
        Kind::RoleSet(_)
        | Kind::Steered(_)
        | Kind::Ordered(_)
        | Kind::Held(_)
        | Kind::Left(_)
        | Kind::Retuned(_)
        | Kind::Returned(_)
        | Kind::AlertBegan(_)
        | Kind::AlertEnded(_)
        | Kind::AgentAdded(_)
        | Kind::AgentRemoved(_) => steered::json(kind).unwrap_or(("unknown", json!({}))),
    }
}

fn resumed_json(resumed: &Resumed) -> Value {
    let last = resumed.turn.unwrap_or_default();
    json!({ "round": last.round, "step": last.step, "missed": resumed.missed })
}

fn reason_json(reason: &str) -> Value {
    json!({ "reason": reason })
}

fn decided_json(decided: &Decided) -> Value {
    json!({
        "action": decided.action, "role": decided.role, "generation": decided.generation,
        "spent_us": micros(decided.spent), "reason": decided.reason,
        "reason_data": values::json(decided.reason_data.as_ref()),
        "place": place_of(decided.grounds.as_ref()), "board": board_json(decided.grounds.as_ref()),
    })
}

fn fallback_json(fallback: &Fallback) -> Value {
    json!({
        "reason": fallback.reason, "role": fallback.role, "generation": fallback.generation,
        "explained": fallback.explained, "spent_us": micros(fallback.spent),
        "place": place_of(fallback.grounds.as_ref()),
        "board": board_json(fallback.grounds.as_ref()),
    })
}

/// `worker.luau:7`; nothing where it is not known.
fn place_of(grounds: Option<&Grounds>) -> Option<String> {
    let known = grounds.filter(|grounds| !grounds.file.is_empty());
    known.map(|grounds| format!("{}:{}", grounds.file, grounds.line))
}

fn board_json(grounds: Option<&Grounds>) -> Value {
    let looks = grounds.map(|grounds| grounds.board.as_slice()).unwrap_or_default();
    let look = |look: &BoardLook| {
        let kind = word(look.kind().as_str_name(), "BOARD_LOOK_KIND_");
        let got = values::json(look.got.as_ref());
        json!({ "key": look.key, "kind": kind, "got": got, "cut": look.cut })
    };
    looks.iter().map(look).collect()
}

fn activation(activated: &GenerationActivated) -> Value {
    json!({
        "generation": generation_json(activated.activated.as_ref()), "pinned": activated.pinned,
        "note": activated.note,
    })
}

fn faults(refused: &StrategyRefused) -> Value {
    let faults: Vec<_> = refused.faults.iter().map(fault_json).collect();
    json!({ "origin": refused.origin, "faults": faults })
}

fn taken_back(back: &GenerationTakenBack) -> Value {
    json!({
        "failed": back.failed, "reason": back.reason,
        "generation": generation_json(back.activated.as_ref()),
    })
}

fn param(set: &ParamSet) -> Value {
    json!({
        "name": set.name, "scope": set.scope, "before": set.before, "value": set.value,
        "by": set.by,
    })
}

fn cause_word(cause: DefaultCause) -> String {
    word(cause.as_str_name(), "DEFAULT_CAUSE_").replace('_', " ")
}

fn kind_word(kind: NoticeKind) -> String {
    word(kind.as_str_name(), "NOTICE_KIND_").replace('_', " ")
}

fn generation_json(generation: Option<&Generation>) -> Value {
    let generation = generation.cloned().unwrap_or_default();
    json!({
        "number": generation.number, "hash": generation.hash, "origin": generation.origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_proto::v1::{EventSeverity, Turn};

    fn fallback() -> MatchEvent {
        let reason = "worker.luau:42: oh".into();
        let fallback = Fallback { reason, role: "worker".into(), ..Fallback::default() };
        MatchEvent {
            turn: Some(Turn { round: 0, step: 118 }),
            agent: "agentA7".into(),
            kind: Some(Kind::Fallback(fallback)),
            ..MatchEvent::default()
        }
    }

    #[test]
    fn an_event_is_displayed_with_the_daemons_own_text() {
        let event = MatchEvent {
            severity: EventSeverity::Warning.into(),
            text: "fallback (worker): worker.luau:42: oh".into(),
            details: vec!["explained before: hungry".into(), "one\ntwo".into()],
            ..fallback()
        };
        let shown = text(&event, Paint::none());
        let lines: Vec<_> = shown.lines().collect();
        let first = "0:118  agentA7      fallback (worker): worker.luau:42: oh";
        assert_eq!(lines, [first, "    explained before: hungry", "    one", "    two"]);
        assert!(describe(&event, Paint::always()).starts_with("\u{1b}[33mfallback"));
    }

    #[test]
    fn an_event_of_an_older_recording_is_displayed_by_its_fields() {
        let shown = describe(&fallback(), Paint::none());
        assert!(shown.starts_with("fallback: "), "{shown}");
        assert!(shown.contains(" reason=worker.luau:42: oh role=worker"), "{shown}");
        assert_eq!(describe(&MatchEvent::default(), Paint::none()), "an event of a newer daemon");
    }
}
