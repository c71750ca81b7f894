//! From the types of engine, keepers, arenas and leagues to the API's.

pub(crate) mod arena;
pub(crate) mod league;
pub(crate) mod strategy;
pub(crate) mod team;
pub(crate) mod world;

pub(crate) use phalanx_convert::{board, count, duration, grounds, steering, turn, value};

use crate::Feed;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// Nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;

/// An event of a team at its place in the log.
pub(crate) fn event(team: &str, cursor: String, item: &Feed) -> v1::MatchEvent {
    match item {
        Feed::Lost(count) => v1::MatchEvent {
            cursor,
            turn: None,
            agent: String::new(),
            generation: 0,
            kind: Some(Kind::EventsLost(v1::EventsLost { count: *count })),
        },
        Feed::Entry(entry) => phalanx_convert::event(team, cursor, entry),
    }
}

/// A time of a request; `None` where it is negative or its parts are out of their ranges. The
/// library's own way back fails loudly at the longest negative time.
pub(crate) fn time_asked(asked: prost_types::Duration) -> Option<Duration> {
    let seconds = u64::try_from(asked.seconds).ok()?;
    let nanos = u32::try_from(asked.nanos).ok().filter(|nanos| *nanos < NANOS)?;
    Some(Duration::new(seconds, nanos))
}
