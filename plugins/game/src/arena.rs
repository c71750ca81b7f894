//! The referee's side, as a state machine: the mirror image of a session, for all connections.

use crate::Picture;
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// One connection that an arena's host accepted; never reused in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// Which instant was which wall-clock time: lets a clock-free arena fill in Unix times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The instant.
    pub instant: Instant,
    /// The same moment in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

impl Origin {
    /// Milliseconds since the Unix epoch at `now`.
    #[must_use]
    pub fn unix_ms(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.instant);
        self.unix_ms.saturating_add(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// What an arena wants done with a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Write these bytes.
    Bytes(ConnectionId, Vec<u8>),
    /// Flush what was written, then close.
    Close(ConnectionId),
}

/// A file that an arena wants written: replays, results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Relative path with `/` between its parts, never with `..`.
    pub path: String,
    /// The file's whole content; a later artifact of the same path replaces it.
    pub bytes: Vec<u8>,
}

/// One team's result in one round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The team.
    pub team: String,
    /// Its score in each round that was played, in order; the running one included.
    pub rounds: Vec<i64>,
    /// Half points on top of them: what a draw brings, in games that have draws.
    pub halves: u32,
}

impl Score {
    /// Nothing yet.
    #[must_use]
    pub fn of(team: impl Into<String>) -> Self {
        Self { team: team.into(), ..Self::default() }
    }

    /// Adds the points of a round. Changes below half a point are not reported.
    pub fn enter(&mut self, points: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        self.rounds.push(points.floor() as i64);
        self.halves += u32::from(points - points.floor() >= 0.5);
    }

    /// The sum over all rounds, in half points.
    #[must_use]
    pub fn in_halves(&self) -> i64 {
        let whole = self.rounds.iter().fold(0_i64, |sum, points| sum.saturating_add(*points));
        whole.saturating_mul(2).saturating_add(self.halves.into())
    }
}

/// Half points as people write points: `3` or `3.5`.
#[must_use]
pub fn points_text(halves: i64) -> String {
    let sign = if halves < 0 { "-" } else { "" };
    let half = if halves % 2 == 0 { "" } else { ".5" };
    format!("{sign}{}{half}", halves.unsigned_abs() / 2)
}

/// The current or final result of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// All that was to be played has been played.
    pub over: bool,
    /// Rounds begun so far.
    pub round: u32,
    /// Steps finished in the running round.
    pub step: u32,
    /// Steps of the running round in all; 0 before the first.
    pub steps: u32,
    /// All teams, in the referee's order.
    pub teams: Vec<Score>,
}

/// What decided a match, as a number for each team: tasks, lives, food.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// What is counted, as a table's heading: `tasks delivered`.
    pub what: &'static str,
    /// The counts in the order of [`Verdict::teams`].
    pub counts: Vec<i64>,
}

/// A referee of our own. After every `handle_*` call drain `poll_transmit`, `poll_artifact` and
/// `poll_notice`, then ask `poll_timeout` and `wanted`.
pub trait Arena: Debug + Send {
    /// A client connected.
    fn handle_join(&mut self, connection: ConnectionId, now: Instant);

    /// A client connected and named a target: the path with its query, where the transport has one
    /// (WebSocket: `/?role=agent`). Games whose clients say nothing that way join as usual.
    fn handle_request(&mut self, connection: ConnectionId, target: &str, now: Instant) {
        let _ = target;
        self.handle_join(connection, now);
    }

    /// Bytes of a client, cut in any way (stream games) or as one message (message games).
    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant);

    /// A client is gone.
    fn handle_leave(&mut self, connection: ConnectionId, now: Instant);

    /// An operator says: begin. Arenas that have begun, or that begin by themselves, ignore it.
    fn handle_start(&mut self, now: Instant) {
        let _ = now;
    }

    /// The instant of `poll_timeout` has come.
    fn handle_timeout(&mut self, now: Instant);

    /// The next thing to do with a connection. Call again after every `handle_*`.
    #[must_use]
    fn poll_transmit(&mut self) -> Option<Outgoing>;

    /// The next file to write. Call again after every `handle_*`.
    #[must_use]
    fn poll_artifact(&mut self) -> Option<Artifact>;

    /// When `handle_timeout` must be called at the latest. Ask again after every `handle_*`.
    #[must_use]
    fn poll_timeout(&self) -> Option<Instant>;

    /// The current or final result.
    #[must_use]
    fn verdict(&self) -> Verdict;

    /// What the teams have achieved so far, besides their scores.
    #[must_use]
    fn tallies(&self) -> Vec<Tally> {
        Vec::new()
    }

    /// The players that the referee waits for, as indices into its own list, in the order in which
    /// they must join. A host that starts players as processes starts the first one, waits until it
    /// has joined, and calls this again. Empty when clients connect by themselves.
    #[must_use]
    fn wanted(&self) -> &[usize] {
        &[]
    }

    /// The team of a client that has logged in, and its place in the team, both counted from 0.
    /// `None`: no player, or not yet.
    #[must_use]
    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        let _ = connection;
        None
    }

    /// Something that people should hear: who broke which rule. Call again after every `handle_*`.
    #[must_use]
    fn poll_notice(&mut self) -> Option<String> {
        None
    }

    /// The results as text for people, many lines; empty where the verdict says it all.
    #[must_use]
    fn summary(&self) -> String {
        String::new()
    }

    /// The game as text for people, many lines; empty where an arena draws nothing. `colour`: with
    /// terminal colours.
    #[must_use]
    fn draw(&self, colour: bool) -> String {
        let _ = colour;
        String::new()
    }

    /// The whole world as it is, for people's eyes: what teams draw of their beliefs, without any
    /// doubt. The first team of the verdict counts as ours. Bodies have a team and the names that
    /// teams know them by. An arena without a world draws an empty picture.
    #[must_use]
    fn truth(&self) -> Picture {
        Picture::default()
    }

    /// The longest that the arena waits for answers in a turn; for progress displays.
    #[must_use]
    fn turn_limit(&self) -> Duration;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_add_up_by_halves_and_no_half_is_lost() {
        let mut score = Score::of("A");
        let mut texts = Vec::new();
        for points in [0.5, 1.0, 0.5, -10.0, 0.5, 3.2] {
            score.enter(points);
            texts.push(points_text(score.in_halves()));
        }
        assert_eq!(texts, ["0.5", "1.5", "2", "-8", "-7.5", "-4.5"]);
    }
}
