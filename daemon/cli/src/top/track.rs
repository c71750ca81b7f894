//! Statistics of an agent from its events: how long its script takes, how many turns went wrong.

use super::heat::Outcome;
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use std::time::Duration;

/// Counted from the oldest event that the daemon keeps.
#[derive(Debug, Default)]
pub(super) struct Track {
    /// Time of its script in its last turn.
    pub(super) spent: Duration,
    /// The longest such time.
    pub(super) longest: Duration,
    /// Turns in which it was asked.
    pub(super) turns: u64,
    /// Turns that went wrong.
    pub(super) troubles: u64,
}

impl Track {
    /// Counts an event of the agent.
    pub(super) fn take(&mut self, kind: &Kind) {
        let Some(outcome) = Outcome::of(kind) else { return };
        // A late turn was already counted when it was decided.
        self.turns += u64::from(outcome != Outcome::Late);
        self.troubles += u64::from(outcome.is_trouble());
        if let Kind::Decided(v1::Decided { spent, .. })
        | Kind::Fallback(v1::Fallback { spent, .. }) = kind
        {
            let spent = spent.and_then(|spent| spent.try_into().ok()).unwrap_or_default();
            self.spent = spent;
            self.longest = self.longest.max(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_troubles_are_counted_once() {
        let mut track = Track::default();
        let spent =
            |millis: i32| Some(prost_types::Duration { seconds: 0, nanos: millis * 1_000_000 });
        track.take(&Kind::Decided(v1::Decided { spent: spent(7), ..v1::Decided::default() }));
        track.take(&Kind::Late(v1::Late {}));
        track.take(&Kind::Fallback(v1::Fallback { spent: spent(2), ..v1::Fallback::default() }));
        track.take(&Kind::ScriptLog(v1::ScriptLog::default()));
        assert_eq!((track.turns, track.troubles), (2, 2));
        assert_eq!(track.spent, Duration::from_millis(2));
        assert_eq!(track.longest, Duration::from_millis(7));
    }
}
