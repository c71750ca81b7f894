//! The acts of seats.

use super::{Read, agent, agent_from, nanos, need, seat_from, span, turn, turn_from};
use phalanx_game::{MarginLimits, Seat, SeatId};
use phalanx_net::{Message, SeatAct};
use phalanx_proto::v1;
use phalanx_proto::v1::seat_step::Step;
use phalanx_proto::v1::wire_bytes::Content;
use phalanx_proto::v1::{SeatMoment, WireDirection};

/// A seat's act: bytes, or another step.
pub(crate) enum WireSeatAct {
    Wire(v1::WireBytes),
    Step(v1::SeatStep),
}

pub(crate) fn seat_act(seat: SeatId, act: &SeatAct) -> WireSeatAct {
    let step = |moment: SeatMoment| Step::Moment(moment.into());
    let step = match act {
        SeatAct::Received(bytes) => {
            let content = Content::Data(bytes.to_vec());
            return WireSeatAct::Wire(wire(seat, WireDirection::Received, content));
        }
        SeatAct::Sent(Message::Plain(bytes)) => {
            let content = Content::Data(bytes.to_vec());
            return WireSeatAct::Wire(wire(seat, WireDirection::Sent, content));
        }
        SeatAct::Sent(Message::Secret(length)) => {
            let content = Content::SecretBytes(*length as u64);
            return WireSeatAct::Wire(wire(seat, WireDirection::Sent, content));
        }
        SeatAct::Acted { turn: at, agent: whose } => {
            Step::Acted(v1::SeatActed { turn: turn(*at), agent: agent(*whose) })
        }
        SeatAct::Connected => step(SeatMoment::Connected),
        SeatAct::Disconnected => step(SeatMoment::Disconnected),
        SeatAct::Replaced => step(SeatMoment::Replaced),
        SeatAct::Parsed => step(SeatMoment::Parsed),
        SeatAct::Written => step(SeatMoment::Written),
        SeatAct::TimedOut => step(SeatMoment::TimedOut),
        SeatAct::Shutdown => step(SeatMoment::Shutdown),
    };
    WireSeatAct::Step(v1::SeatStep { seat: seat.0.into(), step: Some(step) })
}

fn wire(seat: SeatId, direction: WireDirection, content: Content) -> v1::WireBytes {
    v1::WireBytes { seat: seat.0.into(), direction: direction.into(), content: Some(content) }
}

pub(crate) fn wire_from(message: v1::WireBytes) -> Read<(SeatId, SeatAct)> {
    let seat = seat_from(message.seat)?;
    let received = message.direction() == WireDirection::Received;
    let act = match need(message.content, "bytes")? {
        Content::Data(bytes) if received => SeatAct::Received(bytes.into()),
        Content::Data(bytes) => SeatAct::Sent(Message::Plain(bytes.into())),
        Content::SecretBytes(length) => {
            SeatAct::Sent(Message::Secret(usize::try_from(length).unwrap_or(usize::MAX)))
        }
    };
    Ok((seat, act))
}

pub(crate) fn opened(seat: &Seat) -> v1::SeatStep {
    let agents = seat
        .agents
        .iter()
        .map(|(id, name)| v1::SeatAgent { agent: agent(*id), name: name.clone() });
    let opened = v1::SeatOpened {
        agents: agents.collect(),
        user: seat.user.clone(),
        turn_limit_nanos: nanos(seat.turn_limit),
        margin_min_nanos: nanos(seat.margin.min),
        margin_max_nanos: nanos(seat.margin.max),
    };
    v1::SeatStep { seat: seat.id.0.into(), step: Some(Step::Opened(opened)) }
}

fn opened_from(seat: SeatId, message: v1::SeatOpened) -> Read<Seat> {
    let agents = message.agents.into_iter().map(|it| Ok((agent_from(it.agent)?, it.name)));
    Ok(Seat {
        id: seat,
        agents: agents.collect::<Read<_>>()?,
        user: message.user,
        password: String::new(),
        turn_limit: span(message.turn_limit_nanos),
        margin: MarginLimits {
            min: span(message.margin_min_nanos),
            max: span(message.margin_max_nanos),
        },
    })
}

/// Decodes the seat, and its act or its start.
pub(crate) fn seat_step_from(message: v1::SeatStep) -> Read<(SeatId, Result<SeatAct, Seat>)> {
    let seat = seat_from(message.seat)?;
    let act = match need(message.step, "step")? {
        Step::Opened(message) => return Ok((seat, Err(opened_from(seat, message)?))),
        Step::Acted(acted) => {
            SeatAct::Acted { turn: turn_from(acted.turn), agent: agent_from(acted.agent)? }
        }
        Step::Moment(moment) => moment_from(moment)?,
    };
    Ok((seat, Ok(act)))
}

fn moment_from(moment: i32) -> Read<SeatAct> {
    let moment = SeatMoment::try_from(moment).ok();
    need(
        moment.and_then(|moment| match moment {
            SeatMoment::Unspecified => None,
            SeatMoment::Connected => Some(SeatAct::Connected),
            SeatMoment::Disconnected => Some(SeatAct::Disconnected),
            SeatMoment::Replaced => Some(SeatAct::Replaced),
            SeatMoment::Parsed => Some(SeatAct::Parsed),
            SeatMoment::Written => Some(SeatAct::Written),
            SeatMoment::TimedOut => Some(SeatAct::TimedOut),
            SeatMoment::Shutdown => Some(SeatAct::Shutdown),
        }),
        "known moment",
    )
}
