//! The inputs of a team.

use super::command::{command, install_from, refusal_from, wish_from};
use super::{Epoch, Lacking, Read, Reading, agent, agent_from, need, seat_from, turn, turn_from};
use phalanx_convert::{default_cause, seat_parts};
use phalanx_engine::{Fault, SeatState, Suspension, TapedInput};
use phalanx_game::{DefaultCause, Event, Notice, ProtocolError};
use phalanx_proto::v1;
use phalanx_proto::v1::taped_event::Event as WireEvent;
use phalanx_proto::v1::taped_input::Input;
use phalanx_proto::v1::taped_notice::Notice as WireNotice;

pub(super) fn input(epoch: Epoch, it: &TapedInput) -> v1::TapedInput {
    let input = match it {
        TapedInput::Seat { seat, state } => {
            let (state, reason, failures) = seat_parts(state);
            let (seat, state) = (seat.0.into(), state.into());
            Input::Seat(v1::TapedSeat { seat, state, reason, failures })
        }
        TapedInput::Event { seat, event: it } => {
            let event = Some(event(epoch, it));
            Input::Event(v1::TapedEvent { seat: seat.0.into(), event })
        }
        TapedInput::Late { agent: whose, turn: at } => {
            Input::Late(v1::TapedLate { agent: agent(*whose), turn: turn(*at) })
        }
        TapedInput::Command(request) => command(request),
        TapedInput::Restarted { reason, suspended } => Input::Restart(v1::TapedRestart {
            reason: reason.clone(),
            suspended: suspended.iter().map(suspension).collect(),
        }),
        TapedInput::Drain => Input::Drain(v1::TapedDrain {}),
    };
    v1::TapedInput { input: Some(input) }
}

pub(super) fn input_from(reading: &Reading<'_>, message: v1::TapedInput) -> Read<TapedInput> {
    Ok(match need(message.input, "input")? {
        Input::Seat(message) => {
            TapedInput::Seat { seat: seat_from(message.seat)?, state: state_from(message)? }
        }
        Input::Event(message) => TapedInput::Event {
            seat: seat_from(message.seat)?,
            event: event_from(reading.epoch, need(message.event, "event")?)?,
        },
        Input::Late(message) => {
            TapedInput::Late { agent: agent_from(message.agent)?, turn: turn_from(message.turn) }
        }
        Input::Install(message) => TapedInput::Command(install_from(reading, message)?),
        Input::Refusal(message) => TapedInput::Command(refusal_from(message)?),
        Input::Wish(message) => TapedInput::Command(wish_from(message)?),
        Input::Restart(v1::TapedRestart { reason, suspended }) => {
            let suspended = suspended.into_iter().map(suspension_from).collect::<Read<_>>()?;
            TapedInput::Restarted { reason, suspended }
        }
        Input::Drain(_) => TapedInput::Drain,
    })
}

fn suspension(it: &Suspension) -> v1::TapedSuspension {
    v1::TapedSuspension {
        role: it.role.clone(),
        agent: it.agent.map(agent),
        generation: it.generation,
        reason: it.reason.clone(),
    }
}

fn suspension_from(message: v1::TapedSuspension) -> Read<Suspension> {
    let v1::TapedSuspension { role, agent, generation, reason } = message;
    Ok(Suspension { role, agent: agent.map(agent_from).transpose()?, generation, reason })
}

fn state_from(message: v1::TapedSeat) -> Read<SeatState> {
    let state = message.state();
    let v1::TapedSeat { reason, failures, .. } = message;
    Ok(match state {
        v1::SeatState::Unspecified => return Err(Lacking("known state")),
        v1::SeatState::Idle => SeatState::Idle,
        v1::SeatState::Connecting => SeatState::Connecting { failures, reason },
        v1::SeatState::Connected => SeatState::Connected,
        v1::SeatState::Seated => SeatState::Seated,
        v1::SeatState::Refused => SeatState::Refused { reason },
        v1::SeatState::Stopped => SeatState::Stopped,
        v1::SeatState::Closed => SeatState::Closed,
    })
}

pub(super) fn fault_from(message: v1::Fault) -> Fault {
    Fault {
        fatal: message.severity() == v1::FaultSeverity::Error,
        file: message.file,
        line: (message.line > 0).then_some(message.line),
        column: (message.column > 0).then_some(message.column),
        message: message.message,
        help: message.help,
        excerpt: message.excerpt,
    }
}

fn event(epoch: Epoch, event: &Event<(), ()>) -> WireEvent {
    match event {
        Event::Seated { agents } => {
            let agents = agents.iter().map(|it| agent(*it)).collect();
            WireEvent::Seated(v1::TapedSeated { agents })
        }
        Event::Refused { reason } => WireEvent::Refused(reason.clone()),
        Event::RoundStarted { agent: whose, round, briefing } => {
            let (agent, briefed) = (agent(*whose), briefing.is_some());
            WireEvent::RoundStarted(v1::TapedRoundStarted { agent, round: *round, briefed })
        }
        Event::Percept { turn: at, agent: whose, .. } => {
            WireEvent::Perceived(v1::TapedPerceived { turn: turn(*at), agent: agent(*whose) })
        }
        Event::Asked { turn: at, agent: whose, due, .. } => {
            let (turn, agent, due_nanos) = (turn(*at), agent(*whose), epoch.nanos(*due));
            WireEvent::Asked(v1::TapedAsked { turn, agent, due_nanos })
        }
        Event::Defaulted { turn: at, agent: whose, cause } => {
            let (turn, agent) = (turn(*at), agent(*whose));
            let cause = default_cause(*cause).into();
            WireEvent::Defaulted(v1::TapedDefaulted { turn, agent, cause })
        }
        Event::Notice(it) => WireEvent::Notice(v1::TapedNotice { notice: Some(notice(it)) }),
        Event::Out { agent: whose, round } => {
            WireEvent::Out(v1::TapedOut { agent: agent(*whose), round: *round })
        }
        Event::RoundOver { agent: whose, round, score, ranking } => {
            let (agent, round, score) = (agent(*whose), *round, *score);
            WireEvent::RoundOver(v1::TapedRoundOver { agent, round, score, ranking: *ranking })
        }
        Event::MatchOver => WireEvent::MatchOver(v1::TapedMatchOver {}),
    }
}

fn event_from(epoch: Epoch, message: WireEvent) -> Read<Event<(), ()>> {
    Ok(match message {
        WireEvent::Seated(message) => Event::Seated {
            agents: message.agents.into_iter().map(agent_from).collect::<Read<_>>()?,
        },
        WireEvent::Refused(reason) => Event::Refused { reason },
        WireEvent::RoundStarted(message) => Event::RoundStarted {
            agent: agent_from(message.agent)?,
            round: message.round,
            briefing: message.briefed.then_some(()),
        },
        WireEvent::Perceived(message) => Event::Percept {
            turn: turn_from(message.turn),
            agent: agent_from(message.agent)?,
            percept: (),
        },
        WireEvent::Asked(message) => Event::Asked {
            turn: turn_from(message.turn),
            agent: agent_from(message.agent)?,
            due: epoch.instant(message.due_nanos),
            percept: (),
        },
        WireEvent::Defaulted(message) => {
            let cause = cause_from(message.cause())?;
            Event::Defaulted {
                turn: turn_from(message.turn),
                agent: agent_from(message.agent)?,
                cause,
            }
        }
        WireEvent::Notice(message) => Event::Notice(notice_from(need(message.notice, "notice")?)),
        WireEvent::Out(v1::TapedOut { agent, round }) => {
            Event::Out { agent: agent_from(agent)?, round }
        }
        WireEvent::RoundOver(v1::TapedRoundOver { agent, round, score, ranking }) => {
            Event::RoundOver { agent: agent_from(agent)?, round, score, ranking }
        }
        WireEvent::MatchOver(_) => Event::MatchOver,
    })
}

fn cause_from(cause: v1::DefaultCause) -> Read<DefaultCause> {
    Ok(match cause {
        v1::DefaultCause::Unspecified => return Err(Lacking("known cause")),
        v1::DefaultCause::NobodyDecided => DefaultCause::NoDecision,
        v1::DefaultCause::Superseded => DefaultCause::Superseded,
        v1::DefaultCause::Disconnected => DefaultCause::Disconnected,
    })
}

fn notice(notice: &Notice) -> WireNotice {
    match notice {
        Notice::Malformed(ProtocolError { place, expected, got }) => {
            let [place, expected, got] = [place, expected, got].map(Clone::clone);
            WireNotice::Malformed(v1::TapedMalformed { place, expected, got })
        }
        Notice::Unknown { kind } => WireNotice::Unknown(kind.clone()),
        Notice::AnswerLost { turn } => WireNotice::AnswerLost(phalanx_convert::turn(*turn)),
        Notice::Fault { place, what } => {
            let [place, what] = [place, what].map(Clone::clone);
            WireNotice::Fault(v1::TapedFault { place, what })
        }
    }
}

fn notice_from(message: WireNotice) -> Notice {
    match message {
        WireNotice::Malformed(v1::TapedMalformed { place, expected, got }) => {
            Notice::Malformed(ProtocolError { place, expected, got })
        }
        WireNotice::Unknown(kind) => Notice::Unknown { kind },
        WireNotice::AnswerLost(turn) => Notice::AnswerLost { turn: turn_from(Some(turn)) },
        WireNotice::Fault(v1::TapedFault { place, what }) => Notice::Fault { place, what },
    }
}
