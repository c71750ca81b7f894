//! Decodes messages.

use super::chunk::Raw;
use crate::channel::Channel;
use crate::taped::{Lacking, Reading, beginning_from, seat_step_from, steps_from, wire_from};
use phalanx_net::Taped;
use phalanx_proto::v1;
use phalanx_proto::v1::team_life::Event;
use prost::Message;
use std::time::Instant;

/// A recorded entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The time, relative to the instant that the reader chose as the begin.
    pub at: Instant,
    /// The same in nanoseconds after the recording's begin.
    pub nanos: i64,
    /// The content.
    pub what: Recorded,
}

/// The content of an entry. What replay needs is returned exactly, the rest in the form of the
/// control API.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// Exactly as recorded: begin and end, seats, steps.
    Taped(Taped),
    /// The description of the recording, at the begin of each part.
    Info(Box<v1::RecordingInfo>),
    /// A line of the journal.
    Event(Box<v1::MatchEvent>),
    /// A snapshot of the team.
    Team(Box<v1::Team>),
    /// What agents perceived.
    Percepts(Box<v1::Percepts>),
    /// Changes of the board.
    Board(Box<v1::BoardChanges>),
    /// A drawing of the world.
    World(Box<v1::World>),
    /// A gap.
    Gap(Box<v1::Gap>),
}

/// Why a message cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    #[error("{0}")]
    Bytes(#[from] prost::DecodeError),
    #[error("{0}")]
    Lacking(#[from] Lacking),
    #[error("this program does not know its channel")]
    Channel,
}

pub(super) fn entry(
    reading: &Reading<'_>,
    begin: u64,
    channel: Option<Channel>,
    raw: Raw,
) -> Result<Entry, Unread> {
    let nanos = i128::from(raw.time) - i128::from(begin);
    let nanos = i64::try_from(nanos).unwrap_or_default();
    let what = recorded(reading, channel.ok_or(Unread::Channel)?, &raw.data)?;
    Ok(Entry { at: reading.epoch.instant(nanos), nanos, what })
}

fn recorded(reading: &Reading<'_>, channel: Channel, data: &[u8]) -> Result<Recorded, Unread> {
    Ok(match channel {
        Channel::Recording => Recorded::Info(read(data)?),
        Channel::Journal => Recorded::Event(read(data)?),
        Channel::Team => Recorded::Team(read(data)?),
        Channel::Percepts => Recorded::Percepts(read(data)?),
        Channel::Board => Recorded::Board(read(data)?),
        Channel::World => Recorded::World(read(data)?),
        Channel::Gaps => Recorded::Gap(read(data)?),
        Channel::Life => {
            let event = v1::TeamLife::decode(data)?.event.ok_or(Lacking("event"))?;
            Recorded::Taped(match event {
                Event::Began(began) => Taped::Began(Box::new(beginning_from(reading, began)?)),
                Event::Ended(_) => Taped::Ended,
            })
        }
        Channel::Steps => {
            let steps = steps_from(reading, v1::TeamSteps::decode(data)?)?;
            Recorded::Taped(Taped::Steps(steps))
        }
        Channel::Received(_) | Channel::Sent(_) => {
            let (seat, act) = wire_from(v1::WireBytes::decode(data)?)?;
            Recorded::Taped(Taped::Seat { seat, act })
        }
        Channel::Seat(_) => {
            let (seat, step) = seat_step_from(v1::SeatStep::decode(data)?)?;
            Recorded::Taped(match step {
                Ok(act) => Taped::Seat { seat, act },
                Err(opened) => Taped::SeatOpened(Box::new(opened)),
            })
        }
    })
}

fn read<M: Message + Default>(data: &[u8]) -> Result<Box<M>, Unread> {
    Ok(Box::new(M::decode(data)?))
}
