//! The figures of a match that was decided again.

use phalanx_game::Turn;
use phalanx_game::sorted::SortedMap;
use std::iter::Sum;
use std::ops::AddAssign;

/// The figures of two compared journals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Turns that were decided again.
    pub turns: u64,
    /// Decisions that were compared: of scripts, fallbacks, orders of operators.
    pub decisions: Share,
    /// The same by role; orders and fallbacks of operators count for the role `steered`.
    pub by_role: SortedMap<String, Share>,
    /// The same by agent.
    pub by_agent: SortedMap<String, Share>,
    /// All other journal entries. Not compared if another strategy decided.
    pub entries: Share,
    /// Fallbacks and errors of scripts in the recording.
    pub errors_recorded: u64,
    /// The same in the new run.
    pub errors_now: u64,
}

/// A count, and how many of it differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many were compared.
    pub all: u64,
    /// How many of these differ.
    pub differ: u64,
}

impl Share {
    pub(super) fn count(&mut self, differs: bool) {
        self.all += 1;
        self.differ += u64::from(differs);
    }
}

/// Where the recording could not be followed exactly. All zero for a whole recording and its own
/// strategy, except for `restarts` and `stopped`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Entries that the recording lost, as far as it knows.
    pub lost: u64,
    /// The turn in which the first of them is missing.
    pub lost_since: Option<Turn>,
    /// The recording ends before the team did.
    pub cut_off: bool,
    /// Steps at its end that wait for something that is not recorded.
    pub steps_left: u64,
    /// Percepts that are not in the recorded bytes.
    pub percepts_missing: u64,
    /// Percepts that did not reach the team, because its seat was closed.
    pub percepts_dropped: u64,
    /// Actions that a seat got when it was recorded, and that were not decided in the new run: the
    /// seat got the fallback.
    pub actions_missing: u64,
    /// Calls of scripts that are not in the recording: they took no time.
    pub calls_missing: u64,
    /// Recorded calls that were not made again.
    pub calls_unused: u64,
    /// Calls that were stopped for their time or memory, in both runs.
    pub stopped: u64,
    /// Of these, those that ended by themselves in the new run.
    pub stops_missed: u64,
    /// Calls of another strategy that took longer than the referee would have allowed.
    pub overruns: u64,
    /// Panics of sessions or of the team in the new run.
    pub panics: u64,
    /// Teams that replaced one that panicked when it was recorded.
    pub restarts: u64,
}

impl Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |sum, share| Self {
            all: sum.all + share.all,
            differ: sum.differ + share.differ,
        })
    }
}

impl AddAssign for Trouble {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.lost_since = self.lost_since.or(other.lost_since);
        self.cut_off |= other.cut_off;
        self.steps_left += other.steps_left;
        self.percepts_missing += other.percepts_missing;
        self.percepts_dropped += other.percepts_dropped;
        self.actions_missing += other.actions_missing;
        self.calls_missing += other.calls_missing;
        self.calls_unused += other.calls_unused;
        self.stopped += other.stopped;
        self.stops_missed += other.stops_missed;
        self.overruns += other.overruns;
        self.panics += other.panics;
        self.restarts += other.restarts;
    }
}

impl Trouble {
    /// The problems as text for people; empty if there are none.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        let lost = match self.lost_since {
            Some(turn) => format!("entries are missing in the recording, from turn {turn} on"),
            None => "entries are missing in the recording".to_owned(),
        };
        let counted: [(u64, &str); 10] = [
            (self.lost, &lost),
            (self.steps_left, "steps at its end wait for what is not recorded any more"),
            (self.percepts_missing, "percepts are not in the recorded bytes"),
            (self.actions_missing, "actions that were sent were not decided now"),
            (self.calls_missing, "calls of scripts are not recorded: they took no time"),
            (self.calls_unused, "recorded calls of scripts were not made now"),
            (self.stops_missed, "calls that were stopped for time or memory would end now"),
            (self.overruns, "calls took longer than they would have been allowed"),
            (self.panics, "panics of sessions or of the team"),
            (u64::from(self.cut_off), "recording that ends before the team did: its end is open"),
        ];
        let counts = counted.into_iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, what)| format!("{count} {what}")).collect()
    }
}
