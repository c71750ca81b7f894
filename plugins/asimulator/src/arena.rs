//! Our referee: the simulator's side of the protocol, as a state machine (spec sections 2, 5, 11.2).
//!
//! ```text
//! joined ─ info byte ─▶ opening ─▶ turn ─ requests, action ─▶ percept ─▶ turn
//!    │ too slow                                                  └─ End ─▶ score ─▶ opening … close
//!    └▶ close
//! ```
//!
//! Each connection is a session of its own and meets the same worlds in the same order: one a
//! simulation, from the class, the seed and its number. After the last one the connection is closed
//! where a new simulation would begin, which is how this protocol says goodbye.
//!
//! - [`config`]: what is played, how strictly. `play`: one session. `record`: results.
//!   `picture`: a simulation as text.

pub mod config;
mod picture;
mod play;
mod record;
mod truth;

pub use config::{ArenaConfig, ConfigError};
pub use record::{ResultSummary, SimulationResult};

use crate::rules::Simulation;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Score, Tally, Verdict,
};
use play::{ArenaSession, Stand};
use record::SessionFeats;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most sessions that one run keeps results of.
pub const SESSIONS_MAX: usize = 1000;

/// Notices that wait to be taken; older ones are dropped.
const NOTICES_MAX: usize = 64;

/// The referee.
#[derive(Debug)]
pub struct AsimulatorArena {
    config: ArenaConfig,
    /// Shortest time between two actions of a client.
    pace: Duration,
    /// What the first clients are called.
    names: Vec<String>,
    /// Running sessions.
    plays: SortedMap<ConnectionId, ArenaSession>,
    /// Results of sessions, running ones too, in the order in which they came.
    scores: Vec<Score>,
    /// What the sessions achieved whose simulations have ended, in the same order.
    feats: Vec<SessionFeats>,
    /// Sessions that were played to their end.
    complete: usize,
    /// Why the last connection was closed before its time.
    trouble: Option<String>,
    out: VecDeque<Outgoing>,
    artifacts: VecDeque<Artifact>,
    notices: VecDeque<String>,
    /// The simulation that ended last, with the number of its session.
    ended: Option<(usize, Simulation)>,
    /// Connections beyond [`SESSIONS_MAX`].
    refused: u64,
}

impl AsimulatorArena {
    /// A referee.
    ///
    /// # Errors
    /// When no world can be made, or the configured revision has no encoding for the rules.
    pub fn new(config: ArenaConfig, _origin: Origin) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            config,
            pace: Duration::ZERO,
            names: Vec::new(),
            plays: SortedMap::new(),
            scores: Vec::new(),
            feats: Vec::new(),
            complete: 0,
            trouble: None,
            out: VecDeque::new(),
            artifacts: VecDeque::new(),
            notices: VecDeque::new(),
            ended: None,
            refused: 0,
        })
    }

    /// The same referee, which answers each action of a client after this time at the earliest.
    #[must_use]
    pub fn paced(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// The same referee, which shows its clients by these names, in the order in which they come.
    /// Clients do not say their names; others are `client 1` and so on.
    #[must_use]
    pub fn calling(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), ..self }
    }

    /// A running simulation, for observers.
    #[must_use]
    pub fn simulation(&self, connection: ConnectionId) -> Option<&Simulation> {
        self.plays.get(&connection)?.simulation()
    }

    /// Why the last connection was closed before its time.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Says why a connection is closed before its time.
    fn blame(&mut self, trouble: String) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(trouble.clone());
        self.trouble = Some(trouble);
    }

    /// Moves what a session wants said, and closes it when it is over.
    fn settle(&mut self, connection: ConnectionId) {
        let Some(play) = self.plays.get_mut(&connection) else { return };
        let bytes = play.take_output();
        if !bytes.is_empty() {
            self.out.push_back(Outgoing::Bytes(connection, bytes));
        }
        if let Some(score) = self.scores.get_mut(play.number) {
            let known = score.rounds.len();
            score.rounds.extend(play.records.iter().skip(known).map(|record| record.score));
        }
        match play.stand() {
            Stand::Playing => {}
            Stand::Complete => {
                self.complete += 1;
                self.close(connection);
            }
            Stand::Broken(reason) => {
                let (number, (simulation, action)) = (play.number + 1, play.place());
                self.blame(format!(
                    "client {number} is disconnected in simulation {simulation} after {action} \
                     actions: {reason}"
                ));
                self.close(connection);
            }
        }
    }

    fn close(&mut self, connection: ConnectionId) {
        self.out.push_back(Outgoing::Close(connection));
        self.end(connection);
    }

    /// Writes down a session's results.
    fn end(&mut self, connection: ConnectionId) {
        let Some(mut play) = self.plays.remove(&connection) else { return };
        play.abort();
        self.ended = play.last.take().map(|last| (play.number, last)).or(self.ended.take());
        if let Some(score) = self.scores.get_mut(play.number) {
            score.rounds = play.records.iter().map(|record| record.score).collect();
        }
        if let Some(feats) = self.feats.get_mut(play.number) {
            *feats = SessionFeats::of(&play.records);
        }
        let number = play.number + 1;
        let files = [
            (format!("client-{number}/results.csv"), record::table(&play.records)),
            (format!("client-{number}/summary.json"), ResultSummary::of(&play.records).json()),
        ];
        self.artifacts.extend(files.map(|(path, bytes)| Artifact { path, bytes }));
    }
}

impl Arena for AsimulatorArena {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        let number = self.scores.len();
        if number >= SESSIONS_MAX {
            self.refused += 1;
            // Each doubling once: a flood of connections is not to become one of lines.
            if self.refused.is_power_of_two() {
                let refused = self.refused;
                self.blame(format!(
                    "more than {SESSIONS_MAX} sessions in one run: {refused} connections are closed"
                ));
            }
            self.out.push_back(Outgoing::Close(connection));
            return;
        }
        self.feats.push(SessionFeats::default());
        self.scores.push(Score::of(format!("client {}", number + 1)));
        self.plays.insert(connection, ArenaSession::new(number, &self.config, now));
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(play) = self.plays.get_mut(&connection) else { return };
        if play.rests(now) {
            play.hold(bytes);
            return;
        }
        play.read(bytes, &self.config, self.pace, now);
        self.settle(connection);
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.end(connection);
    }

    fn handle_timeout(&mut self, now: Instant) {
        let rested = self.plays.iter().filter(|(_, play)| play.is_rested(now));
        let rested: Vec<ConnectionId> = rested.map(|(connection, _)| *connection).collect();
        for connection in rested {
            if let Some(play) = self.plays.get_mut(&connection) {
                play.resume(&self.config, self.pace, now);
            }
            self.settle(connection);
        }
        let late = self.plays.iter_mut().filter(|(_, play)| play.is_late(now));
        let late: Vec<ConnectionId> = late
            .map(|(connection, play)| {
                play.time_out();
                *connection
            })
            .collect();
        late.into_iter().for_each(|connection| self.settle(connection));
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.artifacts.pop_front()
    }

    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        let play = self.plays.get(&connection)?;
        // A client that comes back plays another series for the same team.
        Some((play.number % self.config.clients.max(1), 0))
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.notices.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.plays.values().filter_map(ArenaSession::poll_timeout).min()
    }

    /// It is over when as many clients as configured have played all their simulations.
    fn verdict(&self) -> Verdict {
        let furthest = self.plays.values().max_by_key(|play| play.place());
        let (round, step) = furthest.map_or((self.config.simulations, 0), ArenaSession::place);
        Verdict {
            over: self.complete >= self.config.clients,
            round: if self.scores.is_empty() { 0 } else { round },
            step,
            steps: 0,
            teams: self.scores.clone(),
        }
    }

    fn tallies(&self) -> Vec<Tally> {
        let tally = |what, count: fn(&SessionFeats) -> i64| Tally {
            what,
            counts: self.feats.iter().map(count).collect(),
        };
        vec![
            tally("items grabbed", |feats| feats.items),
            tally("enemies neutralized", |feats| feats.kills),
            tally("deaths", |feats| feats.deaths),
        ]
    }

    fn draw(&self, colour: bool) -> String {
        let newest = self.plays.values().next_back();
        newest.map(|play| play.draw(colour)).unwrap_or_default()
    }

    fn truth(&self) -> Picture {
        let client = |number: usize| {
            let known = self.names.get(number).cloned();
            known.unwrap_or_else(|| format!("client {}", number + 1))
        };
        let running =
            self.plays.values().filter_map(|play| Some((play.number, play.simulation()?)));
        let running: Vec<_> = running.collect();
        // Of an arena that is over, the simulation that ended last is shown.
        let ended = self.ended.as_ref().filter(|_| running.is_empty());
        let ended = ended.map(|(number, simulation)| (*number, simulation));
        let shown = running.into_iter().chain(ended);
        truth::picture(shown.map(|(number, simulation)| (client(number), simulation)))
    }

    /// Without a turn timeout the arena waits for ever.
    fn turn_limit(&self) -> Duration {
        self.config.turn_timeout.unwrap_or(Duration::MAX)
    }
}
