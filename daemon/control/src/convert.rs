//! Converts the types of engine, keepers, arenas and leagues to the API's.

pub(crate) mod arena;
pub(crate) mod league;
pub(crate) mod strategy;
pub(crate) mod team;
pub(crate) mod world;

pub(crate) use phalanx_convert::{board, count, duration, provenance, steering, turn, value};

use phalanx_net::JournalItem;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// Nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;

/// An event of a team with its position in the log.
pub(crate) fn event(team: &str, cursor: String, item: &JournalItem) -> v1::MatchEvent {
    match item {
        JournalItem::Dropped(count) => v1::MatchEvent {
            cursor,
            kind: Some(Kind::EventsLost(v1::EventsLost { count: *count })),
            severity: v1::EventSeverity::Warning.into(),
            topic: v1::EventTopic::Trouble.into(),
            text: format!("{count} events are missing here"),
            ..v1::MatchEvent::default()
        },
        JournalItem::Entry(entry) => phalanx_convert::event(team, cursor, entry),
    }
}

/// A duration in a request; `None` if it is negative or its parts are out of range. The library's
/// conversion panics for the longest negative duration.
pub(crate) fn time_asked(asked: prost_types::Duration) -> Option<Duration> {
    let seconds = u64::try_from(asked.seconds).ok()?;
    let nanos = u32::try_from(asked.nanos).ok().filter(|nanos| *nanos < NANOS)?;
    Some(Duration::new(seconds, nanos))
}
