//! The initial state of a team.

use super::value::{order, order_from, value, value_from};
use super::{Lacking, Read, Reading, agent, agent_from, nanos, need, seat_from, span};
use phalanx_engine::{
    AlertOptions, Carry, Generation, Params, Probation, Scope, Staged, Steering, StrategyOrigin,
    TeamOptions, TeamStart, TeamState,
};
use phalanx_game::{Roster, RosterEntry, Value};
use phalanx_proto::v1;
use phalanx_proto::v1::TapedOriginKind;
use phalanx_proto::v1::taped_scope::Part;
use phalanx_proto::v1::taped_steering::Mode;
use std::any::Any;
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) fn beginning(start: &TeamStart) -> v1::Beginning {
    let state = &start.state;
    let params = state.params().values();
    let params = params.iter().map(|(name, scope, value)| param(name, scope, Some(value)));
    v1::Beginning {
        roster: Some(roster(state.roster())),
        seats: start.seats.iter().map(|seat| seat.0.into()).collect(),
        options: Some(options(&start.options)),
        staged: Some(staged(&start.staged)),
        params: params.collect(),
        steering: state.steering().map(steering).collect(),
        board_revision: state.board_revision(),
        checkpoint: start.checkpoint.as_ref().map(|bytes| bytes.to_vec()),
    }
}

pub(crate) fn beginning_from(reading: &Reading<'_>, message: v1::Beginning) -> Read<TeamStart> {
    let set = |message: v1::TapedParam| {
        let (name, scope, value) = param_from(message)?;
        Ok((name, scope, need(value, "value")?))
    };
    let roster = Arc::new(roster_from(need(message.roster, "roster")?));
    let params = Params::of_values(message.params.into_iter().map(set).collect::<Read<Vec<_>>>()?);
    let steering = message.steering.into_iter().map(steering_from).collect::<Read<_>>()?;
    let state = TeamState::new(roster).operated(Arc::new(params), steering);
    Ok(TeamStart {
        seats: message.seats.into_iter().map(seat_from).collect::<Read<_>>()?,
        options: options_from(need(message.options, "options")?),
        staged: reading.staged(need(message.staged, "strategy")?)?,
        state: state.after(message.board_revision),
        checkpoint: message.checkpoint.map(Into::into),
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

fn roster_from(message: v1::TapedRoster) -> Roster {
    let entry = |message: v1::TapedAgent| RosterEntry {
        name: message.name,
        role: message.role,
        gone: message.gone,
    };
    Roster { team: message.team, agents: message.agents.into_iter().map(entry).collect() }
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

pub(super) fn options_from(message: v1::TapedOptions) -> TeamOptions {
    let alerts = message.alerts.unwrap_or_default();
    TeamOptions {
        straggler_share: message.straggler_share,
        straggler_max: span(message.straggler_max_nanos),
        decide_max: span(message.decide_max_nanos),
        plan_max: span(message.plan_max_nanos),
        seed: message.seed,
        probation: Probation {
            decisions: message.probation_decisions,
            errors: message.probation_errors,
        },
        rehearsal_turns: usize::try_from(message.rehearsal_turns).unwrap_or(usize::MAX),
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
    message: v1::TapedStaged,
    code: &dyn Fn(&Generation) -> Arc<dyn Any + Send + Sync>,
) -> Read<Staged> {
    let carry = carry_from(message.carry());
    let accepted = message.accept_time.unwrap_or_default();
    let generation = Generation {
        number: message.number,
        hash: message.hash,
        accepted: SystemTime::try_from(accepted).map_err(|_| Lacking("possible time"))?,
        origin: origin_from(need(message.origin, "origin")?)?,
    };
    let code = code(&generation);
    let (cost, note) = (span(message.cost_nanos), message.note);
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

pub(super) fn origin_from(message: v1::TapedOrigin) -> Read<StrategyOrigin> {
    Ok(match message.kind() {
        TapedOriginKind::Unspecified => return Err(Lacking("known origin")),
        TapedOriginKind::Start => StrategyOrigin::Start,
        TapedOriginKind::File => StrategyOrigin::File,
        TapedOriginKind::Hangup => StrategyOrigin::Hangup,
        TapedOriginKind::Api => StrategyOrigin::Api { user: message.user },
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

pub(super) fn param_from(message: v1::TapedParam) -> Read<(String, Scope, Option<Value>)> {
    let scope = match message.scope.and_then(|scope| scope.part) {
        None => Scope::Team,
        Some(Part::Role(role)) => Scope::Role(role),
        Some(Part::Agent(agent)) => Scope::Agent(agent_from(agent)?),
    };
    Ok((message.name, scope, message.value.map(value_from)))
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

fn steering_from(message: v1::TapedSteering) -> Read<Steering> {
    Ok(match message.mode {
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
