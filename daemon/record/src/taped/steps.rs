//! The steps of a team's thread.

use super::input::{input, input_from};
use super::{Epoch, Read, Reading, agent, agent_from, nanos, need, span};
use phalanx_engine::{
    BrainError, BrainErrorKind, CallKind, TapedCall, TeamAct, TeamStep, TimeRead,
};
use phalanx_proto::v1;
use phalanx_proto::v1::team_step::Act;
use phalanx_proto::v1::{TapedCallKind, TapedFailureKind, TeamMoment};

pub(crate) fn steps(epoch: Epoch, steps: &[TeamStep]) -> v1::TeamSteps {
    let mut before = 0;
    let step = |step: &TeamStep| {
        let at = epoch.nanos(step.at);
        let after_nanos = at.wrapping_sub(before);
        before = at;
        let act = match &step.act {
            TeamAct::Handled(it) => Act::Handled(input(epoch, it)),
            TeamAct::TimedOut => Act::Moment(TeamMoment::TimedOut.into()),
            TeamAct::Polled => Act::Moment(TeamMoment::Polled.into()),
            TeamAct::Called(it) => Act::Called(call(it)),
        };
        v1::TeamStep { after_nanos, act: Some(act) }
    };
    v1::TeamSteps { steps: steps.iter().map(step).collect() }
}

pub(crate) fn steps_from(reading: &Reading<'_>, message: v1::TeamSteps) -> Read<Vec<TeamStep>> {
    let mut at = 0_i64;
    let step = |message: v1::TeamStep| {
        at = at.wrapping_add(message.after_nanos);
        let act = match need(message.act, "act")? {
            Act::Handled(message) => TeamAct::Handled(input_from(reading, message)?),
            Act::Called(message) => TeamAct::Called(call_from(message)?),
            Act::Moment(moment) => moment_from(moment)?,
        };
        Ok(TeamStep { at: reading.epoch.instant(at), act })
    };
    message.steps.into_iter().map(step).collect()
}

fn moment_from(moment: i32) -> Read<TeamAct> {
    let moment = TeamMoment::try_from(moment).ok().and_then(|moment| match moment {
        TeamMoment::Unspecified => None,
        TeamMoment::TimedOut => Some(TeamAct::TimedOut),
        TeamMoment::Polled => Some(TeamAct::Polled),
    });
    need(moment, "known moment")
}

fn call(call: &TapedCall) -> v1::TapedCall {
    let kind = match call.call {
        CallKind::Start => TapedCallKind::Start,
        CallKind::Plan => TapedCallKind::Plan,
        CallKind::Decide => TapedCallKind::Decide,
        CallKind::Finish => TapedCallKind::Finish,
        CallKind::Install => TapedCallKind::Install,
        CallKind::HandOver => TapedCallKind::HandOver,
        CallKind::Run => TapedCallKind::Run,
    };
    let read =
        |read: &TimeRead| v1::TapedTimeRead { left_nanos: nanos(read.left), times: read.times };
    v1::TapedCall {
        kind: kind.into(),
        agent: call.agent.map(agent),
        spent_nanos: nanos(call.spent),
        budget_nanos: nanos(call.budget),
        reads: call.reads.iter().map(read).collect(),
        stopped: call.stopped.as_ref().map(failure),
        stopped_after: call.stopped_after,
    }
}

fn call_from(message: v1::TapedCall) -> Read<TapedCall> {
    let call = match message.kind() {
        TapedCallKind::Unspecified => None,
        TapedCallKind::Start => Some(CallKind::Start),
        TapedCallKind::Plan => Some(CallKind::Plan),
        TapedCallKind::Decide => Some(CallKind::Decide),
        TapedCallKind::Finish => Some(CallKind::Finish),
        TapedCallKind::Install => Some(CallKind::Install),
        TapedCallKind::HandOver => Some(CallKind::HandOver),
        TapedCallKind::Run => Some(CallKind::Run),
    };
    let read =
        |read: v1::TapedTimeRead| TimeRead { left: span(read.left_nanos), times: read.times };
    Ok(TapedCall {
        call: need(call, "known call")?,
        agent: message.agent.map(agent_from).transpose()?,
        spent: span(message.spent_nanos),
        budget: span(message.budget_nanos),
        reads: message.reads.into_iter().map(read).collect(),
        stopped: message.stopped.map(failure_from).transpose()?,
        stopped_after: message.stopped_after,
    })
}

fn failure(error: &BrainError) -> v1::TapedFailure {
    let kind = match error.kind {
        BrainErrorKind::Script => TapedFailureKind::Script,
        BrainErrorKind::Budget => TapedFailureKind::Budget,
        BrainErrorKind::Memory => TapedFailureKind::Memory,
        BrainErrorKind::Answer => TapedFailureKind::Answer,
        BrainErrorKind::NoRole => TapedFailureKind::NoRole,
    };
    let (file, line) = error.place.clone().unwrap_or_default();
    let (role, message) = (error.role.clone(), error.message.clone());
    v1::TapedFailure { kind: kind.into(), file, line, role, message }
}

fn failure_from(message: v1::TapedFailure) -> Read<BrainError> {
    let kind = match message.kind() {
        TapedFailureKind::Unspecified => None,
        TapedFailureKind::Script => Some(BrainErrorKind::Script),
        TapedFailureKind::Budget => Some(BrainErrorKind::Budget),
        TapedFailureKind::Memory => Some(BrainErrorKind::Memory),
        TapedFailureKind::Answer => Some(BrainErrorKind::Answer),
        TapedFailureKind::NoRole => Some(BrainErrorKind::NoRole),
    };
    let v1::TapedFailure { file, line, role, message, .. } = message;
    let place = (line > 0 || !file.is_empty()).then_some((file, line));
    Ok(BrainError { kind: need(kind, "known failure")?, place, role, message })
}
