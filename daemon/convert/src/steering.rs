//! Steering of agents, alerts, and actions of operators, in the API's form.

use phalanx_engine::{Alert, AlertKind, Carry, JournalEvent, SteerCause, Steering, write_order};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::steering::Mode;

/// Who decides for an agent.
#[must_use]
pub fn steering(steering: &Steering) -> v1::Steering {
    let mode = match steering {
        Steering::Script => Mode::Script(v1::ScriptSteering {}),
        Steering::Paused { by } => Mode::Paused(v1::PausedSteering { by: by.clone() }),
        Steering::Pinned { order, turns_left, by } => Mode::Pinned(v1::PinnedSteering {
            order: write_order(order),
            turns_left: *turns_left,
            by: by.clone(),
        }),
        Steering::Piloted { by, lease, turns_left, order } => Mode::Piloted(v1::PilotedSteering {
            by: by.clone(),
            lease_turns: *lease,
            turns_left: *turns_left,
            order: order.as_ref().map(write_order).unwrap_or_default(),
        }),
    };
    v1::Steering { mode: Some(mode) }
}

/// An alert that has begun and not ended.
#[must_use]
pub fn alert(alert: &Alert) -> v1::Alert {
    v1::Alert {
        kind: alert_kind(alert.kind).into(),
        agent: alert.agent.clone().unwrap_or_default(),
        text: alert.text.clone(),
        since: Some(crate::turn(alert.since)),
        since_tick: alert.tick,
    }
}

fn alert_kind(kind: AlertKind) -> v1::AlertKind {
    match kind {
        AlertKind::SilentAgent => v1::AlertKind::SilentAgent,
        AlertKind::StuckAgent => v1::AlertKind::StuckAgent,
        AlertKind::ShrinkingMargin => v1::AlertKind::ShrinkingMargin,
        AlertKind::ErrorStorm => v1::AlertKind::ErrorStorm,
        AlertKind::SuspendedScript => v1::AlertKind::SuspendedScript,
    }
}

/// How a request wants memories to be handled.
#[must_use]
pub fn carry_from(carry: v1::MemoryCarry) -> Carry {
    match carry {
        v1::MemoryCarry::Unspecified | v1::MemoryCarry::Strict => Carry::Strict,
        v1::MemoryCarry::Loose => Carry::Loose,
        v1::MemoryCarry::Forget => Carry::Forget,
    }
}

/// How memories are handled.
#[must_use]
pub fn carry(carry: Carry) -> v1::MemoryCarry {
    match carry {
        Carry::Strict => v1::MemoryCarry::Strict,
        Carry::Loose => v1::MemoryCarry::Loose,
        Carry::Forget => v1::MemoryCarry::Forget,
    }
}

fn cause(cause: &SteerCause) -> (v1::SteerCause, String) {
    match cause {
        SteerCause::Operator { by } => (v1::SteerCause::Operator, by.clone()),
        SteerCause::TurnsOver => (v1::SteerCause::TurnsOver, String::new()),
        SteerCause::LeaseOver => (v1::SteerCause::LeaseOver, String::new()),
    }
}

/// Actions of operators on agents and team, and alerts; `None` for any other event.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "`event` has the match of all kinds")]
pub fn kind(event: &JournalEvent) -> Option<Kind> {
    Some(match event {
        JournalEvent::RoleSet { before, role, carry: memory, by } => Kind::RoleSet(v1::RoleSet {
            before: before.clone(),
            role: role.clone(),
            carry: carry(*memory).into(),
            by: by.clone(),
        }),
        JournalEvent::Steered { steering: now, cause: why } => {
            let (cause, by) = cause(why);
            Kind::Steered(v1::Steered { steering: Some(steering(now)), cause: cause.into(), by })
        }
        JournalEvent::Ordered { action, by, pinned } => {
            Kind::Ordered(v1::Ordered { action: action.clone(), by: by.clone(), pinned: *pinned })
        }
        JournalEvent::Held { by, piloted } => {
            Kind::Held(v1::Held { by: by.clone(), piloted: *piloted })
        }
        JournalEvent::AgentAdded { role, again, by } => {
            Kind::AgentAdded(v1::AgentAdded { role: role.clone(), by: by.clone(), again: *again })
        }
        JournalEvent::AgentRemoved { by } => {
            Kind::AgentRemoved(v1::AgentRemoved { by: by.clone() })
        }
        JournalEvent::Left { to, keep, by } => Kind::Left(v1::Left {
            server: to.clone().unwrap_or_default(),
            keep_world: keep.world,
            keep_memory: keep.memory,
            by: by.clone(),
        }),
        JournalEvent::Retuned { changes, by } => {
            Kind::Retuned(v1::Retuned { changes: changes.clone(), by: by.clone() })
        }
        JournalEvent::Returned { to, by } => {
            Kind::Returned(v1::Returned { server: to.clone(), by: by.clone() })
        }
        JournalEvent::AlertBegan { alert, text } => Kind::AlertBegan(v1::AlertBegan {
            alert: alert_kind(*alert).into(),
            text: text.clone(),
        }),
        JournalEvent::AlertEnded { alert, turns } => {
            Kind::AlertEnded(v1::AlertEnded { alert: alert_kind(*alert).into(), turns: *turns })
        }
        _ => return None,
    })
}
