//! What a team is told.

use super::beginning::{origin, origin_from, staged};
use super::wish::{wish, wish_from};
use super::{Epoch, Lacking, Read, Reading, agent, agent_from, need, seat_from, turn, turn_from};
use phalanx_convert::{default_cause, seat_parts};
use phalanx_engine::{Fault, SeatState, Suspension, TapedInput, TapedInstall};
use phalanx_game::{DefaultCause, Event, Notice, ProtocolError};
use phalanx_proto::v1;
use phalanx_proto::v1::taped_event::Event as Told;
use phalanx_proto::v1::taped_input::Input;
use phalanx_proto::v1::taped_notice::Notice as ToldNotice;

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
        TapedInput::Install(TapedInstall { ticket, staged: it, pinned }) => {
            let (ticket, pinned, staged) = (*ticket, *pinned, Some(staged(it)));
            Input::Install(v1::TapedInstall { ticket, staged, pinned })
        }
        TapedInput::StrategyRefused { origin: who, faults } => {
            let faults = faults.iter().map(phalanx_convert::strategy::fault).collect();
            Input::Refusal(v1::TapedRefusal { origin: Some(origin(who)), faults })
        }
        TapedInput::Wish { ticket, by, wish: it } => {
            let (ticket, by, wish) = (*ticket, by.clone(), Some(wish(it)));
            Input::Wish(v1::TapedWish { ticket, by, wish })
        }
        TapedInput::Restarted { reason, suspended } => Input::Restart(v1::TapedRestart {
            reason: reason.clone(),
            suspended: suspended.iter().map(suspension).collect(),
        }),
        TapedInput::Drain => Input::Drain(v1::TapedDrain {}),
    };
    v1::TapedInput { input: Some(input) }
}

pub(super) fn input_from(reading: &Reading<'_>, told: v1::TapedInput) -> Read<TapedInput> {
    Ok(match need(told.input, "input")? {
        Input::Seat(told) => {
            TapedInput::Seat { seat: seat_from(told.seat)?, state: state_from(told)? }
        }
        Input::Event(told) => TapedInput::Event {
            seat: seat_from(told.seat)?,
            event: event_from(reading.epoch, need(told.event, "event")?)?,
        },
        Input::Late(told) => {
            TapedInput::Late { agent: agent_from(told.agent)?, turn: turn_from(told.turn) }
        }
        Input::Install(v1::TapedInstall { ticket, staged, pinned }) => {
            let staged = reading.staged(need(staged, "strategy")?)?;
            TapedInput::Install(TapedInstall { ticket, staged, pinned })
        }
        Input::Refusal(told) => TapedInput::StrategyRefused {
            origin: origin_from(need(told.origin, "origin")?)?,
            faults: told.faults.into_iter().map(fault_from).collect(),
        },
        Input::Wish(v1::TapedWish { ticket, by, wish }) => {
            TapedInput::Wish { ticket, by, wish: wish_from(need(wish, "wish")?)? }
        }
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

fn suspension_from(told: v1::TapedSuspension) -> Read<Suspension> {
    let v1::TapedSuspension { role, agent, generation, reason } = told;
    Ok(Suspension { role, agent: agent.map(agent_from).transpose()?, generation, reason })
}

fn state_from(told: v1::TapedSeat) -> Read<SeatState> {
    let state = told.state();
    let v1::TapedSeat { reason, failures, .. } = told;
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

fn fault_from(told: v1::Fault) -> Fault {
    Fault {
        fatal: told.severity() == v1::FaultSeverity::Error,
        file: told.file,
        line: (told.line > 0).then_some(told.line),
        column: (told.column > 0).then_some(told.column),
        message: told.message,
        help: told.help,
        excerpt: told.excerpt,
    }
}

fn event(epoch: Epoch, event: &Event<(), ()>) -> Told {
    match event {
        Event::Seated { agents } => {
            let agents = agents.iter().map(|it| agent(*it)).collect();
            Told::Seated(v1::TapedSeated { agents })
        }
        Event::Refused { reason } => Told::Refused(reason.clone()),
        Event::RoundStarted { agent: whose, round, briefing } => {
            let (agent, briefed) = (agent(*whose), briefing.is_some());
            Told::RoundStarted(v1::TapedRoundStarted { agent, round: *round, briefed })
        }
        Event::Percept { turn: at, agent: whose, .. } => {
            Told::Perceived(v1::TapedPerceived { turn: turn(*at), agent: agent(*whose) })
        }
        Event::Asked { turn: at, agent: whose, due, .. } => {
            let (turn, agent, due_nanos) = (turn(*at), agent(*whose), epoch.nanos(*due));
            Told::Asked(v1::TapedAsked { turn, agent, due_nanos })
        }
        Event::Defaulted { turn: at, agent: whose, cause } => {
            let (turn, agent) = (turn(*at), agent(*whose));
            let cause = default_cause(*cause).into();
            Told::Defaulted(v1::TapedDefaulted { turn, agent, cause })
        }
        Event::Notice(it) => Told::Notice(v1::TapedNotice { notice: Some(notice(it)) }),
        Event::RoundOver { agent: whose, round, score, ranking } => {
            let (agent, round, score) = (agent(*whose), *round, *score);
            Told::RoundOver(v1::TapedRoundOver { agent, round, score, ranking: *ranking })
        }
        Event::MatchOver => Told::MatchOver(v1::TapedMatchOver {}),
    }
}

fn event_from(epoch: Epoch, told: Told) -> Read<Event<(), ()>> {
    Ok(match told {
        Told::Seated(told) => {
            Event::Seated { agents: told.agents.into_iter().map(agent_from).collect::<Read<_>>()? }
        }
        Told::Refused(reason) => Event::Refused { reason },
        Told::RoundStarted(told) => Event::RoundStarted {
            agent: agent_from(told.agent)?,
            round: told.round,
            briefing: told.briefed.then_some(()),
        },
        Told::Perceived(told) => Event::Percept {
            turn: turn_from(told.turn),
            agent: agent_from(told.agent)?,
            percept: (),
        },
        Told::Asked(told) => Event::Asked {
            turn: turn_from(told.turn),
            agent: agent_from(told.agent)?,
            due: epoch.instant(told.due_nanos),
            percept: (),
        },
        Told::Defaulted(told) => {
            let cause = cause_from(told.cause())?;
            Event::Defaulted { turn: turn_from(told.turn), agent: agent_from(told.agent)?, cause }
        }
        Told::Notice(told) => Event::Notice(notice_from(need(told.notice, "notice")?)),
        Told::RoundOver(v1::TapedRoundOver { agent, round, score, ranking }) => {
            Event::RoundOver { agent: agent_from(agent)?, round, score, ranking }
        }
        Told::MatchOver(_) => Event::MatchOver,
    })
}

fn cause_from(cause: v1::DefaultCause) -> Read<DefaultCause> {
    Ok(match cause {
        v1::DefaultCause::Unspecified => return Err(Lacking("known cause")),
        v1::DefaultCause::NobodyDecided => DefaultCause::NobodyDecided,
        v1::DefaultCause::Superseded => DefaultCause::Superseded,
        v1::DefaultCause::Disconnected => DefaultCause::Disconnected,
    })
}

fn notice(notice: &Notice) -> ToldNotice {
    match notice {
        Notice::Malformed(ProtocolError { place, expected, got }) => {
            let [place, expected, got] = [place, expected, got].map(Clone::clone);
            ToldNotice::Malformed(v1::TapedMalformed { place, expected, got })
        }
        Notice::Unknown { kind } => ToldNotice::Unknown(kind.clone()),
        Notice::AnswerLost { turn } => ToldNotice::AnswerLost(phalanx_convert::turn(*turn)),
    }
}

fn notice_from(told: ToldNotice) -> Notice {
    match told {
        ToldNotice::Malformed(v1::TapedMalformed { place, expected, got }) => {
            Notice::Malformed(ProtocolError { place, expected, got })
        }
        ToldNotice::Unknown(kind) => Notice::Unknown { kind },
        ToldNotice::AnswerLost(turn) => Notice::AnswerLost { turn: turn_from(Some(turn)) },
    }
}
