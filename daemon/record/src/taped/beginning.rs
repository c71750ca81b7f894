//! What a team was made of.

use super::value::{order, order_from, value, value_from};
use super::{Lacking, Read, Reading, agent, agent_from, nanos, need, seat_from, span};
use phalanx_engine::{
    AlertOptions, Beginning, Carry, Generation, Params, Probation, Scope, Staged, Steering,
    StrategyOrigin, TeamOptions,
};
use phalanx_game::{Roster, RosterEntry, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::TapedOriginKind;
use phalanx_proto::v1::taped_scope::Part;
use phalanx_proto::v1::taped_steering::Mode;
use std::any::Any;
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) fn beginning(told: &Beginning) -> v1::Beginning {
    let params = told.params.values();
    let params = params.iter().map(|(name, scope, value)| param(name, scope, Some(value)));
    v1::Beginning {
        roster: Some(roster(&told.roster)),
        seats: told.seats.iter().map(|seat| seat.0.into()).collect(),
        options: Some(options(&told.options)),
        staged: Some(staged(&told.staged)),
        params: params.collect(),
        steering: told.steering.iter().map(steering).collect(),
        board_revision: told.board_revision,
        checkpoint: told.checkpoint.as_ref().map(|bytes| bytes.to_vec()),
    }
}

pub(crate) fn beginning_from(reading: &Reading<'_>, told: v1::Beginning) -> Read<Beginning> {
    let set = |told: v1::TapedParam| {
        let (name, scope, value) = param_from(told)?;
        Ok((name, scope, need(value, "value")?))
    };
    Ok(Beginning {
        roster: Arc::new(roster_from(need(told.roster, "roster")?)),
        seats: told.seats.into_iter().map(seat_from).collect::<Read<_>>()?,
        options: options_from(need(told.options, "options")?),
        staged: reading.staged(need(told.staged, "strategy")?)?,
        params: Params::of_values(told.params.into_iter().map(set).collect::<Read<Vec<_>>>()?),
        steering: told.steering.into_iter().map(steering_from).collect::<Read<_>>()?,
        board_revision: told.board_revision,
        checkpoint: told.checkpoint.map(Into::into),
    })
}

fn roster(roster: &Roster) -> v1::TapedRoster {
    let agent = |entry: &RosterEntry| v1::TapedAgent {
        name: entry.name.clone(),
        role: entry.role.clone(),
        gone: entry.gone,
    };
    v1::TapedRoster { team: roster.team.clone(), agents: roster.agents.iter().map(agent).collect() }
}

fn roster_from(told: v1::TapedRoster) -> Roster {
    let entry =
        |told: v1::TapedAgent| RosterEntry { name: told.name, role: told.role, gone: told.gone };
    Roster { team: told.team, agents: told.agents.into_iter().map(entry).collect() }
}

pub(super) fn options(options: &TeamOptions) -> v1::TapedOptions {
    let alerts = options.alerts;
    v1::TapedOptions {
        straggler_share: options.straggler_share,
        straggler_max_nanos: nanos(options.straggler_max),
        decide_max_nanos: nanos(options.decide_max),
        plan_max_nanos: nanos(options.plan_max),
        seed: options.seed,
        probation_decisions: options.probation.decisions,
        probation_errors: options.probation.errors,
        rehearsal_turns: options.rehearsal_turns as u64,
        alerts: Some(v1::TapedAlertOptions {
            silent_turns: alerts.silent_turns,
            stuck_turns: alerts.stuck_turns,
            margin_share: alerts.margin_share,
            storm_errors: alerts.storm_errors,
            storm_turns: alerts.storm_turns,
        }),
    }
}

pub(super) fn options_from(told: v1::TapedOptions) -> TeamOptions {
    let alerts = told.alerts.unwrap_or_default();
    TeamOptions {
        straggler_share: told.straggler_share,
        straggler_max: span(told.straggler_max_nanos),
        decide_max: span(told.decide_max_nanos),
        plan_max: span(told.plan_max_nanos),
        seed: told.seed,
        probation: Probation { decisions: told.probation_decisions, errors: told.probation_errors },
        rehearsal_turns: usize::try_from(told.rehearsal_turns).unwrap_or(usize::MAX),
        alerts: AlertOptions {
            silent_turns: alerts.silent_turns,
            stuck_turns: alerts.stuck_turns,
            margin_share: alerts.margin_share,
            storm_errors: alerts.storm_errors,
            storm_turns: alerts.storm_turns,
        },
    }
}

pub(super) fn staged(staged: &Staged) -> v1::TapedStaged {
    let generation = &staged.generation;
    v1::TapedStaged {
        number: generation.number,
        hash: generation.hash.clone(),
        accept_time: Some(generation.accepted.into()),
        origin: Some(origin(&generation.origin)),
        cost_nanos: nanos(staged.cost),
        carry: carry(staged.carry).into(),
        note: staged.note.clone(),
    }
}

pub(super) fn staged_from(
    told: v1::TapedStaged,
    code: &dyn Fn(&Generation) -> Arc<dyn Any + Send + Sync>,
) -> Read<Staged> {
    let carry = carry_from(told.carry());
    let accepted = told.accept_time.unwrap_or_default();
    let generation = Generation {
        number: told.number,
        hash: told.hash,
        accepted: SystemTime::try_from(accepted).map_err(|_| Lacking("possible time"))?,
        origin: origin_from(need(told.origin, "origin")?)?,
    };
    let code = code(&generation);
    let (cost, note) = (span(told.cost_nanos), told.note);
    Ok(Staged { generation: Arc::new(generation), code, cost, carry, note })
}

pub(super) fn origin(origin: &StrategyOrigin) -> v1::TapedOrigin {
    let (kind, user) = match origin {
        StrategyOrigin::Start => (TapedOriginKind::Start, ""),
        StrategyOrigin::File => (TapedOriginKind::File, ""),
        StrategyOrigin::Hangup => (TapedOriginKind::Hangup, ""),
        StrategyOrigin::Api { user } => (TapedOriginKind::Api, user.as_str()),
    };
    v1::TapedOrigin { kind: kind.into(), user: user.to_owned() }
}

pub(super) fn origin_from(told: v1::TapedOrigin) -> Read<StrategyOrigin> {
    Ok(match told.kind() {
        TapedOriginKind::Unspecified => return Err(Lacking("known origin")),
        TapedOriginKind::Start => StrategyOrigin::Start,
        TapedOriginKind::File => StrategyOrigin::File,
        TapedOriginKind::Hangup => StrategyOrigin::Hangup,
        TapedOriginKind::Api => StrategyOrigin::Api { user: told.user },
    })
}

pub(super) fn carry(carry: Carry) -> v1::MemoryCarry {
    phalanx_convert::steering::carry(carry)
}

pub(super) fn carry_from(carry: v1::MemoryCarry) -> Carry {
    phalanx_convert::steering::carry_from(carry)
}

pub(super) fn param(name: &str, scope: &Scope, set: Option<&Value>) -> v1::TapedParam {
    let part = match scope {
        Scope::Team => None,
        Scope::Role(role) => Some(Part::Role(role.clone())),
        Scope::Agent(id) => Some(Part::Agent(agent(*id))),
    };
    let scope = Some(v1::TapedScope { part });
    v1::TapedParam { name: name.to_owned(), scope, value: set.map(value) }
}

pub(super) fn param_from(told: v1::TapedParam) -> Read<(String, Scope, Option<Value>)> {
    let scope = match told.scope.and_then(|scope| scope.part) {
        None => Scope::Team,
        Some(Part::Role(role)) => Scope::Role(role),
        Some(Part::Agent(agent)) => Scope::Agent(agent_from(agent)?),
    };
    Ok((told.name, scope, told.value.map(value_from)))
}

fn steering(steering: &Steering) -> v1::TapedSteering {
    let mode = match steering {
        Steering::Script => None,
        Steering::Paused { by } => Some(Mode::PausedBy(by.clone())),
        Steering::Pinned { order: what, turns_left, by } => {
            let (order, by) = (Some(order(what)), by.clone());
            Some(Mode::Pinned(v1::TapedPinned { order, turns_left: *turns_left, by }))
        }
        Steering::Piloted { by, lease, turns_left, order: next } => {
            Some(Mode::Piloted(v1::TapedPiloted {
                by: by.clone(),
                lease: *lease,
                turns_left: *turns_left,
                order: next.as_ref().map(order),
            }))
        }
    };
    v1::TapedSteering { mode }
}

fn steering_from(told: v1::TapedSteering) -> Read<Steering> {
    Ok(match told.mode {
        None => Steering::Script,
        Some(Mode::PausedBy(by)) => Steering::Paused { by },
        Some(Mode::Pinned(v1::TapedPinned { order, turns_left, by })) => {
            Steering::Pinned { order: order_from(order)?, turns_left, by }
        }
        Some(Mode::Piloted(v1::TapedPiloted { by, lease, turns_left, order })) => {
            let order = order.map(|order| order_from(Some(order))).transpose()?;
            Steering::Piloted { by, lease, turns_left, order }
        }
    })
}
