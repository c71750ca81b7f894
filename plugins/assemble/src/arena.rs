//! The referee of "Agents Assemble II": equal to the organisers' server, bit for bit where their
//! generator decides, only faster.
//!
//! Accounts, connections and the course of a run are in [`phalanx_massim`].
//!
//! The rules are usable without the protocol: [`Simulation`] makes the world from a seed
//! ([`Simulation::new`]), runs up to the percepts ([`Simulation::begin_step`], [`PerceptWriter`]) and
//! executes actions ([`Simulation::execute`]). [`AssembleArena`] plays it over connections.
//!
//! On purpose not as the original: an empty parameter list gives `failed_parameter` instead of the
//! end of the match; `sim-start` after a new login always comes first; bad logins and bad first
//! messages are closed at once; manual mode plays each list as written; entities act in an order
//! that the seed decides alone, since it is shuffled from team order (spec, section 12).
//!
//! Absent on purpose: sockets, files, clocks, and the monitor's web page. Replays and results leave
//! as artifacts.

pub mod act;
pub mod attach;
mod calendar;
pub mod chance;
pub mod config;
pub mod grid;
mod login;
mod message;
mod options;
pub mod percept;
mod play;
pub mod record;
pub mod replay;
pub mod rules;
mod scenario;
mod schedule;
mod setup;
mod text;
mod truth;

pub use config::{ArenaConfig, ConfigError, SimConfig};
pub use options::ArenaOptions;
pub use percept::PerceptWriter;
pub use rules::{Simulation, State};

use act::Act;
use phalanx_game::{Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Tally, Verdict};
use phalanx_massim::{AccountTable, ClientFrame, Referee, RefereePhase};
use play::RunningSimulation;
use schedule::Schedule;
use std::time::{Duration, Instant};

/// The referee.
#[derive(Debug)]
pub struct AssembleArena {
    config: ArenaConfig,
    options: ArenaOptions,
    referee: Referee<Act>,
    schedule: Schedule,
    running: Option<RunningSimulation>,
    /// Teams of the running match, its start, and its results so far.
    teams: Vec<usize>,
    match_start: u64,
    results: Vec<(String, Vec<(String, i64)>)>,
    /// Index of the running simulation in its match.
    current: Option<usize>,
    /// Tasks that each team of the configuration has delivered, over all matches.
    delivered: Vec<i64>,
}

impl AssembleArena {
    /// A referee for that configuration; `launch` counts from the origin.
    #[must_use]
    pub fn new(config: ArenaConfig, options: ArenaOptions, origin: Origin) -> Self {
        let seed =
            options.seed.unwrap_or_else(|| i64::try_from(origin.unix_ms).unwrap_or(i64::MAX));
        let schedule = Schedule::new(&config, seed);
        let table = AccountTable::new(&config.teams, config.accounts_per_team());
        let launch = options.launch.unwrap_or(config.server.launch);
        let times = (origin, options.local_ms(origin.unix_ms));
        Self {
            referee: Referee::new(table, &config.teams, launch, options.pace, times),
            delivered: vec![0; config.teams.len()],
            config,
            options,
            schedule,
            running: None,
            teams: Vec::new(),
            match_start: 0,
            results: Vec::new(),
            current: None,
        }
    }

    /// Starts the first match, as ENTER does at the original; later calls do nothing.
    pub fn start(&mut self, now: Instant) {
        if self.referee.is_waiting() {
            self.next_match(now);
        }
    }

    /// The configuration that is played.
    #[must_use]
    pub fn config(&self) -> &ArenaConfig {
        &self.config
    }

    /// The running simulation's state, for observers.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.running.as_ref().map(|running| &running.sim.state)
    }
}

impl Arena for AssembleArena {
    fn handle_join(&mut self, connection: ConnectionId, _now: Instant) {
        if self.referee.phase == RefereePhase::Over {
            self.referee.table.close(connection);
        } else {
            self.referee.table.join(connection, None);
        }
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        for frame in self.referee.table.feed(connection, bytes, self.config.server.max_packet) {
            if let ClientFrame::Whole(packet) = frame {
                self.packet(connection, &packet, now);
            }
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.referee.table.leave(connection);
    }

    fn handle_start(&mut self, now: Instant) {
        self.start(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
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
        vec![Tally { what: "tasks delivered", counts: self.delivered.clone() }]
    }

    fn truth(&self) -> Picture {
        self.state().map(truth::picture).unwrap_or_default()
    }

    fn turn_limit(&self) -> Duration {
        self.config.server.agent_timeout
    }
}
