//! Events of steering, team life and alerts, one line each.

use super::word;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::{AlertKind, MemoryCarry, Steering};
use serde_json::{Value, json};

/// Who decides for an agent, as text.
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

/// The event as JSON; `None` for other kinds.
#[expect(clippy::wildcard_enum_match_arm, reason = "`events` has the match of all kinds")]
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
        _ => return None,
    })
}

/// Who decides for an agent, as JSON.
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

pub(super) fn alert_word(alert: AlertKind) -> String {
    word(alert.as_str_name(), "ALERT_KIND_")
}

fn carry_word(carry: MemoryCarry) -> String {
    word(carry.as_str_name(), "MEMORY_CARRY_")
}
