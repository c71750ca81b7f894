//! The referee of "Agents on Mars": equal to the contest's server, bit for bit where its map
//! generator decides.
//!
//! Accounts, connections and the course of a run are in [`phalanx_massim`]. Every pair of teams plays
//! one match of several simulations. The rules themselves are in [`rules`](crate::rules), usable
//! without connections.
//!
//! - [`config`]: the referee's file. [`options`]: what it does not say.
//! - `talk`: what clients send. `play`: matches and steps. [`percept`]: what agents perceive.
//!   [`record`]: files for people. `picture`: the map.
//!
//! On purpose not as the original: bad frames are dropped instead of deafening the connection
//! (unless the file says so), action names in odd case never hurt, equal score and money is a
//! draw, in which both teams rank first, and a map that falls apart is drawn again. Order and bad
//! luck come from the seed.

pub mod config;
pub mod options;
pub mod percept;
mod picture;
mod play;
pub mod record;
mod talk;
mod truth;

pub use config::{ArenaConfig, ConfigError, Launch, MalformedPolicy};
pub use options::ArenaOptions;

use crate::rules::{Act, State};
use phalanx_game::{Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Tally, Verdict};
use phalanx_massim::{AccountTable, ClientConduct, Referee, RefereePhase};
use play::MarsSimulation;
use record::{PlayedSimulation, StateLog};
use std::time::{Duration, Instant};

/// How long a new connection may take to log in.
const LOGIN_TIME: Duration = Duration::from_secs(30);
/// Connections beyond one for each account that may be open at once.
const STRANGERS_MAX: usize = 64;

/// The referee.
#[derive(Debug)]
pub struct MarsArena {
    config: ArenaConfig,
    options: ArenaOptions,
    referee: Referee<Act>,
    /// The pairs of teams still to meet.
    matches: std::vec::IntoIter<[usize; 2]>,
    /// The teams of the running match.
    pair: [usize; 2],
    /// Index of the running simulation in its match.
    current: Option<usize>,
    running: Option<MarsSimulation>,
    played: Vec<PlayedSimulation>,
    /// Of each team of the configuration, over all simulations.
    earned: Vec<Earned>,
}

/// What a team's score comes from.
#[derive(Clone, Copy, Debug, Default)]
struct Earned {
    /// Points for zones, over all steps.
    zone_points: i64,
    achievements: i64,
}

impl MarsArena {
    /// A referee for that file; `launch` counts from the origin.
    #[must_use]
    pub fn new(config: ArenaConfig, options: ArenaOptions, origin: Origin) -> Self {
        let teams = config.teams.len();
        let matches: Vec<[usize; 2]> =
            (0..teams).flat_map(|a| (a + 1..teams).map(move |b| [a, b])).collect();
        let table = AccountTable::new(&config.teams, config.agents as usize);
        let launch = options.launch.unwrap_or(config.server.launch);
        let times = (origin, origin.unix_ms);
        Self {
            referee: Referee::new(table, &config.teams, launch, options.pace, times),
            config,
            options,
            matches: matches.into_iter(),
            pair: [0, 0],
            current: None,
            running: None,
            played: Vec::new(),
            earned: vec![Earned::default(); teams],
        }
    }

    /// Starts the first match; later calls do nothing.
    pub fn start(&mut self, now: Instant) {
        if self.referee.is_waiting() {
            self.next_match(now);
        }
    }

    /// The running simulation's state, for observers.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.running.as_ref().map(|running| &running.state)
    }

    /// How the client of an account behaved so far.
    #[must_use]
    pub fn conduct(&self, account: &str) -> Option<ClientConduct> {
        let index = self.referee.table.find(account)?;
        self.referee.table.accounts.get(index).map(|account| account.conduct)
    }

    fn answer_limit(&self) -> Duration {
        self.config.server.timeout.saturating_add(self.config.server.aux)
    }

    /// The files of a simulation that has ended.
    fn emit(&mut self, number: usize, log: Option<StateLog>) {
        if let Some(log) = log {
            let path = format!("simulation_{number}.jsonl");
            self.referee.artifacts.push_back(Artifact { path, bytes: log.into_bytes() });
        }
        if self.options.results {
            let accounts = self.referee.table.accounts.iter();
            let conduct: Vec<(&str, ClientConduct)> =
                accounts.map(|account| (account.name.as_str(), account.conduct)).collect();
            let bytes = record::results(&self.config, &self.played, &conduct);
            let path = "results.json".to_owned();
            self.referee.artifacts.push_back(Artifact { path, bytes });
        }
    }
}

impl Arena for MarsArena {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        let table = &mut self.referee.table;
        if table.connections().len() >= table.accounts.len().saturating_add(STRANGERS_MAX) {
            table.close(connection);
        } else {
            table.join(connection, Some(now + LOGIN_TIME));
        }
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        for frame in self.referee.table.feed(connection, bytes, self.config.server.max_frame) {
            self.frame(connection, frame, now);
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        // Messages that its last frame causes are kept for the next login.
        self.referee.table.log_out(connection);
        if let Some(frame) = self.referee.table.rest(connection) {
            self.frame(connection, frame, now);
        }
        self.referee.table.leave(connection);
    }

    fn handle_start(&mut self, now: Instant) {
        self.start(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.referee.table.close_overdue(now);
        match self.referee.ended_phase(now) {
            Some(RefereePhase::Waiting(_)) => self.next_match(now),
            Some(RefereePhase::Thinking(_)) => self.finish_step(now),
            Some(RefereePhase::Pacing(_)) => self.begin_step(now),
            Some(RefereePhase::Break(_)) => self.next_simulation(now),
            Some(RefereePhase::Over) | None => {}
        }
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.referee.table.out.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.referee.artifacts.pop_front()
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.referee.notices.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.referee.poll_timeout()
    }

    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        self.referee.table.player(connection)
    }

    fn verdict(&self) -> Verdict {
        self.referee.verdict.clone()
    }

    fn tallies(&self) -> Vec<Tally> {
        let tally = |what, count: fn(&Earned) -> i64| Tally {
            what,
            counts: self.earned.iter().map(count).collect(),
        };
        vec![
            tally("points for zones", |earned| earned.zone_points),
            tally("achievements", |earned| earned.achievements),
        ]
    }

    fn summary(&self) -> String {
        record::summary(&self.config, &self.played)
    }

    fn draw(&self, colour: bool) -> String {
        self.state().map(|state| picture::draw(state, colour)).unwrap_or_default()
    }

    fn truth(&self) -> Picture {
        self.state().map(truth::picture).unwrap_or_default()
    }

    fn turn_limit(&self) -> Duration {
        self.answer_limit()
    }
}
