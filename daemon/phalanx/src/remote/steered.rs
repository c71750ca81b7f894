//! What operators did with agents and team, and alerts, in a line each.

use super::word;
use crate::paint::{Ink, Paint};
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::{AlertKind, Left, MemoryCarry, SteerCause, Steered, Steering};
use serde_json::{Value, json};

/// For people; `None` for events of another kind.
pub(super) fn text(kind: &Kind, paint: Paint) -> Option<String> {
    Some(match kind {
        Kind::RoleSet(set) => format!("role {} → {}, by {}", set.before, set.role, set.by),
        Kind::Steered(steered) => steered_text(steered),
        Kind::Ordered(sent) => {
            let how = if sent.pinned { "pinned" } else { "ordered" };
            format!("{}, {how} by {}", sent.action, sent.by)
        }
        Kind::Held(held) if held.piloted => {
            format!("no order of {} in time: the fallback", held.by)
        }
        Kind::Held(held) => format!("paused by {}: the fallback", held.by),
        Kind::Left(left) => left_text(left),
        Kind::Retuned(new) => format!("{}, by {}", new.changes, new.by),
        Kind::Returned(back) => format!("the team was started by {}, at {}", back.by, back.server),
        Kind::AlertBegan(began) => {
            let head = format!("ALERT {}", alert_word(began.alert()));
            format!("{}: {}", paint.ink(Ink::Red, &head), began.text)
        }
        Kind::AlertEnded(ended) => {
            format!("alert {} is over after {} turns", alert_word(ended.alert()), ended.turns)
        }
        Kind::AgentAdded(added) => {
            let again = if added.again { "added again" } else { "added" };
            format!("{again} as {} by {}", added.role, added.by)
        }
        Kind::AgentRemoved(removed) => format!("removed by {}", removed.by),
        Kind::SeatChanged(_)
        | Kind::RoundStarted(_)
        | Kind::Decided(_)
        | Kind::Fallback(_)
        | Kind::ScriptError(_)
        | Kind::Defaulted(_)
        | Kind::Late(_)
        | Kind::Notice(_)
        | Kind::ScriptLog(_)
        | Kind::TurnDone(_)
        | Kind::RoundOver(_)
        | Kind::MatchOver(_)
        | Kind::EventsLost(_)
        | Kind::GenerationActivated(_)
        | Kind::StrategyRefused(_)
        | Kind::GenerationTakenBack(_)
        | Kind::ParamSet(_)
        | Kind::ScriptRan(_)
        | Kind::BoardSet(_)
        | Kind::Resumed(_)
        | Kind::CheckpointRefused(_) => return None,
    })
}

pub(super) fn steered_text(steered: &Steered) -> String {
    let steering = steered.steering.clone().unwrap_or_default();
    match (&steering.mode, steered.cause()) {
        (None | Some(Mode::Script(_)), SteerCause::TurnsOver) => {
            "handed back to its script: the pinned order's turns are over".into()
        }
        (None | Some(Mode::Script(_)), SteerCause::LeaseOver) => {
            "handed back to its script: the pilot gave no order for too long".into()
        }
        (None | Some(Mode::Script(_)), SteerCause::Operator | SteerCause::Unspecified) => {
            format!("handed back to its script by {}", steered.by)
        }
        (Some(Mode::Paused(_) | Mode::Pinned(_) | Mode::Piloted(_)), _) => steering_text(&steering),
    }
}

/// Who decides for an agent.
pub(crate) fn steering_text(steering: &Steering) -> String {
    match &steering.mode {
        None | Some(Mode::Script(_)) => "its script decides".into(),
        Some(Mode::Paused(paused)) => format!("paused by {}", paused.by),
        Some(Mode::Pinned(pinned)) => {
            format!("pinned to {} for {} turns by {}", pinned.order, pinned.turns_left, pinned.by)
        }
        Some(Mode::Piloted(piloted)) if piloted.order.is_empty() => {
            format!("piloted by {}, {} turns left without an order", piloted.by, piloted.turns_left)
        }
        Some(Mode::Piloted(piloted)) => {
            format!("piloted by {}, next {}", piloted.by, piloted.order)
        }
    }
}

fn left_text(left: &Left) -> String {
    if left.server.is_empty() {
        return format!("the team was stopped by {}", left.by);
    }
    let keeps = |kept| if kept { "keeps" } else { "forgets" };
    let (world, memory) = (keeps(left.keep_world), keeps(left.keep_memory));
    format!("moved to {} by {}: {world} its world, {memory} its memories", left.server, left.by)
}

/// For programs; `None` for events of another kind.
pub(super) fn json(kind: &Kind) -> Option<(&'static str, Value)> {
    Some(match kind {
        Kind::RoleSet(set) => (
            "role_set",
            json!({
                "before": set.before, "role": set.role, "carry": carry_word(set.carry()),
                "by": set.by,
            }),
        ),
        Kind::Steered(steered) => (
            "steered",
            json!({
                "steering": steered.steering.as_ref().map(steering_json),
                "cause": word(steered.cause().as_str_name(), "STEER_CAUSE_"), "by": steered.by,
            }),
        ),
        Kind::Ordered(sent) => {
            ("ordered", json!({ "action": sent.action, "by": sent.by, "pinned": sent.pinned }))
        }
        Kind::Held(held) => ("held", json!({ "by": held.by, "piloted": held.piloted })),
        Kind::Left(left) => (
            "left",
            json!({
                "server": left.server, "keep_world": left.keep_world,
                "keep_memory": left.keep_memory, "by": left.by,
            }),
        ),
        Kind::Retuned(new) => ("retuned", json!({ "changes": new.changes, "by": new.by })),
        Kind::Returned(back) => ("returned", json!({ "server": back.server, "by": back.by })),
        Kind::AlertBegan(began) => {
            ("alert_began", json!({ "alert": alert_word(began.alert()), "text": began.text }))
        }
        Kind::AlertEnded(ended) => {
            ("alert_ended", json!({ "alert": alert_word(ended.alert()), "turns": ended.turns }))
        }
        Kind::AgentAdded(added) => {
            ("agent_added", json!({ "role": added.role, "by": added.by, "again": added.again }))
        }
        Kind::AgentRemoved(removed) => ("agent_removed", json!({ "by": removed.by })),
        Kind::SeatChanged(_)
        | Kind::RoundStarted(_)
        | Kind::Decided(_)
        | Kind::Fallback(_)
        | Kind::ScriptError(_)
        | Kind::Defaulted(_)
        | Kind::Late(_)
        | Kind::Notice(_)
        | Kind::ScriptLog(_)
        | Kind::TurnDone(_)
        | Kind::RoundOver(_)
        | Kind::MatchOver(_)
        | Kind::EventsLost(_)
        | Kind::GenerationActivated(_)
        | Kind::StrategyRefused(_)
        | Kind::GenerationTakenBack(_)
        | Kind::ParamSet(_)
        | Kind::ScriptRan(_)
        | Kind::BoardSet(_)
        | Kind::Resumed(_)
        | Kind::CheckpointRefused(_) => return None,
    })
}

/// Who decides for an agent.
pub(super) fn steering_json(steering: &Steering) -> Value {
    match &steering.mode {
        None | Some(Mode::Script(_)) => json!({ "mode": "script" }),
        Some(Mode::Paused(paused)) => json!({ "mode": "paused", "by": paused.by }),
        Some(Mode::Pinned(pinned)) => json!({
            "mode": "pinned", "by": pinned.by, "order": pinned.order,
            "turns_left": pinned.turns_left,
        }),
        Some(Mode::Piloted(piloted)) => json!({
            "mode": "piloted", "by": piloted.by, "order": piloted.order,
            "lease_turns": piloted.lease_turns, "turns_left": piloted.turns_left,
        }),
    }
}

pub(crate) fn alert_word(alert: AlertKind) -> String {
    word(alert.as_str_name(), "ALERT_KIND_")
}

fn carry_word(carry: MemoryCarry) -> String {
    word(carry.as_str_name(), "MEMORY_CARRY_")
}
