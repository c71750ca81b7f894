//! The channels of a recording's file.

use crate::schema::descriptor_of;
use phalanx_game::SeatId;
use phalanx_net::{SeatAct, Taped};

/// The first number of the channels of seats; each seat has three.
const SEATS_FROM: u16 = 16;
/// Channels of a seat.
const SEAT_CHANNELS: u16 = 3;

/// A channel. Its number in the file is fixed, so that a damaged file is readable even without the
/// record that names the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// The description of the recording.
    Recording,
    /// The begin and the end of the team.
    Life,
    /// The steps of the team's thread.
    Steps,
    /// The journal.
    Journal,
    /// Snapshots of the team.
    Team,
    /// What agents perceived.
    Percepts,
    /// Changes of the board.
    Board,
    /// Drawings of the world.
    World,
    /// Gaps.
    Gaps,
    /// Bytes that a seat received.
    Received(SeatId),
    /// Bytes that a seat sent.
    Sent(SeatId),
    /// Other events of a seat.
    Seat(SeatId),
}

/// The order in which a recorder that is too slow drops entries: the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Worth {
    /// Pictures, the board, percepts: only for viewers.
    Shown,
    /// Snapshots and the journal.
    Reported,
    /// Bytes and steps: replay needs them.
    Needed,
}

/// The encoding of messages and schemas, by the name that MCAP and Foxglove use.
pub const ENCODING: &str = "protobuf";

/// The channels that do not belong to seats, in the order of their numbers from 1.
const TEAM_CHANNELS: [Channel; 9] = [
    Channel::Recording,
    Channel::Life,
    Channel::Steps,
    Channel::Journal,
    Channel::Team,
    Channel::Percepts,
    Channel::Board,
    Channel::World,
    Channel::Gaps,
];

impl Channel {
    /// The channel of an entry.
    pub(crate) fn of(what: &Taped) -> Self {
        match what {
            Taped::Began(_) | Taped::Ended => Self::Life,
            Taped::SeatOpened(seat) => Self::Seat(seat.id),
            Taped::Seat { seat, act: SeatAct::Received(_) } => Self::Received(*seat),
            Taped::Seat { seat, act: SeatAct::Sent(_) } => Self::Sent(*seat),
            Taped::Seat { seat, .. } => Self::Seat(*seat),
            Taped::Steps(_) => Self::Steps,
            Taped::Journal(_) => Self::Journal,
            Taped::Snapshot(_) => Self::Team,
            Taped::Percepts(_) => Self::Percepts,
            Taped::Board { .. } => Self::Board,
            Taped::Drawing(_) => Self::World,
        }
    }

    /// The channels of every team, in the order of their numbers.
    pub fn of_every_team() -> impl Iterator<Item = Self> {
        TEAM_CHANNELS.into_iter()
    }

    /// The channels of a seat, in the order of their numbers.
    #[must_use]
    pub fn of_seat(seat: SeatId) -> [Self; 3] {
        [Self::Received(seat), Self::Sent(seat), Self::Seat(seat)]
    }

    /// The schema of its messages, for tools that do not know our messages: an encoded
    /// `google.protobuf.FileDescriptorSet` with [`Channel::message`] and everything that it uses.
    #[must_use]
    pub fn schema(self) -> Vec<u8> {
        descriptor_of(self.message())
    }

    /// Its number in the file; `None` for a seat beyond the last number.
    #[must_use]
    pub fn number(self) -> Option<u16> {
        let of_seat = |seat: SeatId, place: u16| {
            seat.0.checked_mul(SEAT_CHANNELS)?.checked_add(SEATS_FROM)?.checked_add(place)
        };
        match self {
            Self::Received(seat) => of_seat(seat, 0),
            Self::Sent(seat) => of_seat(seat, 1),
            Self::Seat(seat) => of_seat(seat, 2),
            Self::Recording
            | Self::Life
            | Self::Steps
            | Self::Journal
            | Self::Team
            | Self::Percepts
            | Self::Board
            | Self::World
            | Self::Gaps => {
                let index = TEAM_CHANNELS.iter().position(|channel| *channel == self)?;
                u16::try_from(index + 1).ok()
            }
        }
    }

    /// The channel with this number.
    pub(crate) fn numbered(number: u16) -> Option<Self> {
        let Some(of_seats) = number.checked_sub(SEATS_FROM) else {
            return TEAM_CHANNELS.get(usize::from(number).checked_sub(1)?).copied();
        };
        let seat = SeatId(of_seats / SEAT_CHANNELS);
        Some(match of_seats % SEAT_CHANNELS {
            0 => Self::Received(seat),
            1 => Self::Sent(seat),
            _ => Self::Seat(seat),
        })
    }

    /// Its name.
    #[must_use]
    pub fn topic(self) -> String {
        match self {
            Self::Recording => "/recording".into(),
            Self::Life => "/team/life".into(),
            Self::Steps => "/team/steps".into(),
            Self::Journal => "/journal".into(),
            Self::Team => "/team".into(),
            Self::Percepts => "/percepts".into(),
            Self::Board => "/board".into(),
            Self::World => "/world".into(),
            Self::Gaps => "/gaps".into(),
            Self::Received(seat) => format!("/seat/{}/received", seat.0),
            Self::Sent(seat) => format!("/seat/{}/sent", seat.0),
            Self::Seat(seat) => format!("/seat/{}/steps", seat.0),
        }
    }

    /// The channel with this name.
    pub(crate) fn named(topic: &str) -> Option<Self> {
        if let Some(known) = TEAM_CHANNELS.iter().find(|channel| channel.topic() == topic) {
            return Some(*known);
        }
        let (seat, kind) = topic.strip_prefix("/seat/")?.split_once('/')?;
        let seat = SeatId(seat.parse().ok()?);
        match kind {
            "received" => Some(Self::Received(seat)),
            "sent" => Some(Self::Sent(seat)),
            "steps" => Some(Self::Seat(seat)),
            _ => None,
        }
    }

    /// The full name of its message.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Recording => "phalanx.v1.RecordingInfo",
            Self::Life => "phalanx.v1.TeamLife",
            Self::Steps => "phalanx.v1.TeamSteps",
            Self::Journal => "phalanx.v1.MatchEvent",
            Self::Team => "phalanx.v1.Team",
            Self::Percepts => "phalanx.v1.Percepts",
            Self::Board => "phalanx.v1.BoardChanges",
            Self::World => "phalanx.v1.World",
            Self::Gaps => "phalanx.v1.Gap",
            Self::Received(_) | Self::Sent(_) => "phalanx.v1.WireBytes",
            Self::Seat(_) => "phalanx.v1.SeatStep",
        }
    }

    pub(crate) fn worth(self) -> Worth {
        match self {
            Self::Percepts | Self::Board | Self::World => Worth::Shown,
            Self::Journal | Self::Team => Worth::Reported,
            Self::Recording
            | Self::Life
            | Self::Steps
            | Self::Gaps
            | Self::Received(_)
            | Self::Sent(_)
            | Self::Seat(_) => Worth::Needed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_is_found_by_its_number_and_by_its_name() {
        let of_seats = [0, 1, 999, 21_839]
            .map(SeatId)
            .into_iter()
            .flat_map(|seat| [Channel::Received(seat), Channel::Sent(seat), Channel::Seat(seat)]);
        for channel in TEAM_CHANNELS.into_iter().chain(of_seats) {
            let number = channel.number().unwrap();
            assert_eq!(Channel::numbered(number), Some(channel));
            assert_eq!(Channel::named(&channel.topic()), Some(channel));
        }
        assert_eq!(Channel::Sent(SeatId(u16::MAX)).number(), None);
        assert_eq!(Channel::numbered(0), None);
        assert_eq!(Channel::numbered(15), None);
        assert_eq!(Channel::named("/seat/x/sent"), None);
    }
}
