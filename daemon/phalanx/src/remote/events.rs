//! Events of a match, in a line each; a refused strategy has a line for each of its faults.

use super::report::{fault_json, place};
use super::values::{self, micros};
use super::{seat_word, steered, word};
use crate::paint::{Ink, Paint};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::{
    BoardLook, BoardSet, Decided, DefaultCause, Fallback, Fault, FaultSeverity, Generation,
    GenerationActivated, GenerationTakenBack, Grounds, MatchEvent, NoticeKind, ParamSet, Resumed,
    StrategyRefused, TurnDone,
};
use serde_json::{Value, json};

/// For people.
pub(super) fn text(event: &MatchEvent, paint: Paint) -> String {
    let turn = event.turn.unwrap_or_default();
    let who = if event.agent.is_empty() { "-" } else { event.agent.as_str() };
    let what = event
        .kind
        .as_ref()
        .map_or_else(|| "something new".into(), |kind| describe(kind, event.generation, paint));
    format!("{}:{:<4} {who:<12} {what}", turn.round, turn.step)
}

/// What happened, for people.
pub(crate) fn describe(kind: &Kind, generation: u32, paint: Paint) -> String {
    match kind {
        Kind::SeatChanged(seat) => {
            let state = seat_word(seat.state());
            let reason = if seat.reason.is_empty() { "" } else { ": " };
            format!("seat {} {state}{reason}{}", seat.seat, seat.reason)
        }
        Kind::RoundStarted(_) => "round started".into(),
        Kind::Decided(decided) => decision(decided),
        Kind::Fallback(fallback) => {
            let explained = match fallback.explained.as_str() {
                "" => String::new(),
                explained => format!(" (it had explained: {explained})"),
            };
            format!("FALLBACK ({}): {}{explained}", fallback.role, fallback.reason)
        }
        Kind::GenerationActivated(activated) => {
            let pinned = if activated.pinned { ", pinned" } else { "" };
            let what = by_whom(activated.activated.as_ref(), &activated.note);
            paint.ink(Ink::Green, &format!("{what} decides from here on{pinned}"))
        }
        Kind::StrategyRefused(refused) => refusal(refused, generation, paint),
        Kind::GenerationTakenBack(back) => {
            let again = back.activated.as_ref().map_or(0, |generation| generation.number);
            let what = format!("GENERATION {} TAKEN BACK: {}", back.failed, back.reason);
            format!("{}; generation {again} decides again", paint.ink(Ink::Red, &what))
        }
        Kind::ParamSet(set) => parameter(set),
        Kind::BoardSet(set) => board(set),
        Kind::ScriptRan(ran) => {
            let trouble = if ran.trouble.is_empty() { "" } else { ": " };
            format!("{} ran in the living VM: {}{trouble}{}", ran.by, ran.code, ran.trouble)
        }
        Kind::ScriptError(error) => format!("SCRIPT ERROR in {}: {}", error.call, error.reason),
        Kind::Defaulted(defaulted) => format!("DEFAULTED: {}", cause_word(defaulted.cause())),
        Kind::Late(_) => "LATE: the turn was closed already".into(),
        Kind::Notice(notice) => format!("referee, {}: {}", kind_word(notice.kind()), notice.text),
        Kind::ScriptLog(log) => format!("{}: {}", log.level, log.text),
        Kind::TurnDone(done) => turn_done(done, generation),
        Kind::RoundOver(over) => format!("round over, score {}", over.score),
        Kind::MatchOver(_) => "match over".into(),
        Kind::Resumed(resumed) => {
            let last = resumed.turn.unwrap_or_default();
            let (round, step, missed) = (last.round, last.step, resumed.missed);
            format!("RESUMED with what was known in {round}:{step}; {missed} turns were missed")
        }
        Kind::CheckpointRefused(refused) => {
            let what = paint.ink(Ink::Yellow, "BEGINS ANEW");
            format!("{what}, what was known is not taken over: {}", refused.reason)
        }
        Kind::EventsLost(lost) => format!("{} events are missing here", lost.count),
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
        | Kind::AgentRemoved(_) => steered::text(kind, paint).unwrap_or_default(),
    }
}

fn decision(decided: &Decided) -> String {
    let spent = micros(decided.spent);
    let because = match (decided.reason.as_str(), &decided.reason_data) {
        ("", _) => String::new(),
        (reason, None) => format!(": {reason}"),
        (reason, data) => format!(": {reason} {}", values::json(data.as_ref())),
    };
    format!("{} ({}, {spent} µs){because}", decided.action, decided.role)
}

fn turn_done(done: &TurnDone, generation: u32) -> String {
    let score = done.score.map_or_else(|| "-".into(), |score| score.to_string());
    format!(
        "asked {} decided {} fallback {} score {score} scripts {} µs generation {generation}",
        done.asked,
        done.decided,
        done.fallback,
        micros(done.spent),
    )
}

/// Who let it decide now, where somebody did; else who brought it.
fn by_whom(generation: Option<&Generation>, note: &str) -> String {
    let generation = generation.cloned().unwrap_or_default();
    let who = if note.is_empty() { &generation.origin } else { note };
    format!("generation {} ({who})", generation.number)
}

fn refusal(refused: &StrategyRefused, generation: u32, paint: Paint) -> String {
    // Nothing is wrong with it: what plays is pinned.
    let warning = |fault: &Fault| fault.severity() == FaultSeverity::Warning;
    if !refused.faults.is_empty() && refused.faults.iter().all(warning) {
        let head = paint.ink(Ink::Yellow, &format!("STRATEGY WAITS ({})", refused.origin));
        let each = refused.faults.iter().map(|fault| format!("{}; {}", fault.message, fault.help));
        return format!("{head}: {}", each.collect::<Vec<_>>().join("; "));
    }
    let head = format!("STRATEGY REFUSED ({})", refused.origin);
    let mut text = format!("{}; generation {generation} plays on", paint.ink(Ink::Red, &head));
    for fault in &refused.faults {
        let place = paint.ink(Ink::Bold, &place(fault));
        let warning = if fault.severity() == FaultSeverity::Warning { "warning: " } else { "" };
        text.push_str(&format!("\n    {place}: {warning}{}", fault.message));
        if !fault.help.is_empty() {
            text.push_str(&format!(" ({})", fault.help));
        }
    }
    text
}

fn parameter(set: &ParamSet) -> String {
    let before = if set.before.is_empty() { "not set" } else { &set.before };
    match set.value.as_str() {
        "" => format!("{} taken back for {} (was {before}), by {}", set.name, set.scope, set.by),
        value => {
            format!("{} = {value} for {} (was {before}), by {}", set.name, set.scope, set.by)
        }
    }
}

fn board(set: &BoardSet) -> String {
    let value = values::json(set.value.as_ref());
    if value.is_null() {
        return format!("{} deleted from the board, by {}", set.key, set.by);
    }
    let turns = set.turns.map(|turns| format!(" for {turns} turns")).unwrap_or_default();
    format!("{} = {value} on the board{turns}, by {}", set.key, set.by)
}

/// For programs.
pub(crate) fn json(event: &MatchEvent) -> Value {
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
    use phalanx_proto::v1::{SeatChanged, SeatState, Turn};

    fn event(kind: Kind) -> MatchEvent {
        MatchEvent {
            cursor: "7".into(),
            turn: Some(Turn { round: 0, step: 118 }),
            agent: "agentA7".into(),
            kind: Some(kind),
            generation: 2,
        }
    }

    fn shown(kind: Kind) -> String {
        text(&event(kind), Paint::none())
    }

    #[test]
    fn a_fallback_names_file_and_line() {
        let reason = "worker.luau:42: attempt to index nil with 'x'".into();
        let role = "worker".into();
        let fallback = Fallback { reason, role, generation: 1, ..Fallback::default() };
        assert_eq!(
            shown(Kind::Fallback(fallback)),
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
        assert!(shown(Kind::SeatChanged(seat)).ends_with("seat 3 refused: fail"));
    }

    #[test]
    fn a_refused_strategy_has_a_line_for_each_fault() {
        let fault = |severity: FaultSeverity, line, message: &str| Fault {
            severity: severity.into(),
            file: "worker.luau".into(),
            line,
            message: message.into(),
            ..Fault::default()
        };
        let faults = vec![
            fault(FaultSeverity::Error, 3, "no such action"),
            fault(FaultSeverity::Warning, 9, "`x` is not used"),
        ];
        let refused = StrategyRefused { origin: "file".into(), faults };
        let shown = shown(Kind::StrategyRefused(refused));
        assert!(shown.contains("STRATEGY REFUSED (file); generation 2 plays on\n"), "{shown}");
        assert!(shown.contains("\n    worker.luau:3: no such action\n"), "{shown}");
        assert!(shown.ends_with("\n    worker.luau:9: warning: `x` is not used"), "{shown}");
    }

    #[test]
    fn a_decision_tells_its_reason() {
        let decided = Decided {
            action: "move(n)".into(),
            role: "worker".into(),
            reason: "hungry".into(),
            ..Decided::default()
        };
        assert!(shown(Kind::Decided(decided)).ends_with("move(n) (worker, 0 µs): hungry"));
    }
}
