//! The referee of "Agents on Mars": equal to the contest's server, bit for bit where its map
//! generator decides.
//!
//! ```text
//!  Waiting ── launch ──> Thinking <── next step ── Pacing
//!                           │ all answered, or deadline ^
//!                           ├────── steps left ─────────┘
//!                           └── sim-end ──> Break ── next simulation or match ──> Thinking
//!                                             └── none left: bye ──> Over
//! ```
//!
//! Every pair of teams plays one match of several simulations. The rules themselves are in
//! [`rules`](crate::rules), usable without connections.
//!
//! - [`config`]: the referee's file. [`options`]: what it does not say.
//! - `lobby`, `framing`: connections and accounts. `talk`: what clients say. `play`: matches and
//!   steps. [`percept`]: what agents are told. [`record`]: files for people. `picture`: the map.
//!
//! On purpose not as the original: bad frames are dropped instead of deafening the connection
//! (unless the file says so), action names in odd case never hurt, equal score and money is a
//! draw, in which both teams rank first, and a map that falls apart is drawn again. Order and bad
//! luck come from the seed.

pub mod config;
mod framing;
mod lobby;
pub mod options;
pub mod percept;
mod picture;
mod play;
pub mod record;
mod talk;

pub use config::{ArenaConfig, ConfigError, Launch, Malformed};
pub use lobby::Manners;
pub use options::ArenaOptions;

use crate::rules::State;
use lobby::Lobby;
use phalanx_game::{Arena, Artifact, ConnectionId, Origin, Outgoing, Score, Verdict};
use play::Game;
use record::{Played, Tape};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Notices that wait to be fetched; older ones are lost.
const NOTICES_MAX: usize = 1000;

/// What the arena is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the first match; until that instant, or until somebody starts it.
    Waiting(Option<Instant>),
    /// Requests are out; until the deadline, if there is one.
    Thinking(Option<Instant>),
    /// All have answered; the next step begins then.
    Pacing(Instant),
    /// Between simulations.
    Break(Instant),
    /// All has been played.
    Over,
}

/// The referee.
#[derive(Debug)]
pub struct MarsArena {
    config: ArenaConfig,
    options: ArenaOptions,
    origin: Origin,
    lobby: Lobby,
    phase: Phase,
    /// The pairs of teams still to meet.
    matches: std::vec::IntoIter<[usize; 2]>,
    /// The teams of the running match.
    pair: [usize; 2],
    /// Index of the running simulation in its match.
    current: Option<usize>,
    game: Option<Game>,
    played: Vec<Played>,
    verdict: Verdict,
    artifacts: VecDeque<Artifact>,
    notices: VecDeque<String>,
}

impl MarsArena {
    /// A referee for that file; `launch` counts from the origin.
    #[must_use]
    pub fn new(config: ArenaConfig, options: ArenaOptions, origin: Origin) -> Self {
        let phase = Phase::Waiting(match options.launch.unwrap_or(config.server.launch) {
            Launch::Key | Launch::Complete => None,
            Launch::After(wait) => origin.instant.checked_add(wait),
        });
        let teams = config.teams.len();
        let matches: Vec<[usize; 2]> =
            (0..teams).flat_map(|a| (a + 1..teams).map(move |b| [a, b])).collect();
        let score = |team: &config::TeamConfig| Score::of(&team.name);
        let teams = config.teams.iter().map(score).collect();
        Self {
            lobby: Lobby::new(&config),
            config,
            options,
            origin,
            phase,
            matches: matches.into_iter(),
            pair: [0, 0],
            current: None,
            game: None,
            played: Vec::new(),
            verdict: Verdict { teams, ..Verdict::default() },
            artifacts: VecDeque::new(),
            notices: VecDeque::new(),
        }
    }

    /// Starts the first match; later calls do nothing.
    pub fn start(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Waiting(_)) {
            self.next_match(now);
        }
    }

    /// The running simulation's state, for observers.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.game.as_ref().map(|game| &game.state)
    }

    /// How the client of an account behaved so far.
    #[must_use]
    pub fn manners(&self, account: &str) -> Option<Manners> {
        let index = self.lobby.find(account)?;
        self.lobby.accounts.get(index).map(|account| account.manners)
    }

    fn answer_limit(&self) -> Duration {
        self.config.server.timeout.saturating_add(self.config.server.aux)
    }

    fn tell(&mut self, notice: String) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }

    /// The files of a simulation that has ended.
    fn emit(&mut self, number: usize, tape: Option<Tape>) {
        if let Some(tape) = tape {
            let path = format!("simulation_{number}.jsonl");
            self.artifacts.push_back(Artifact { path, bytes: tape.into_bytes() });
        }
        if self.options.results {
            let manners: Vec<(&str, Manners)> =
                self.lobby.accounts.iter().map(|a| (a.name.as_str(), a.manners)).collect();
            let bytes = record::results(&self.config, &self.played, &manners);
            self.artifacts.push_back(Artifact { path: "results.json".to_owned(), bytes });
        }
    }
}

impl Arena for MarsArena {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        self.lobby.join(connection, now);
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let limit = self.config.server.max_frame;
            let Some((frame, after)) = self.lobby.feed(connection, rest, limit) else { return };
            rest = after;
            if let Some(frame) = frame {
                self.frame(connection, frame, now);
            }
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        // What its last words bring about is kept for the next login.
        self.lobby.unseat(connection);
        if let Some(frame) = self.lobby.rest(connection) {
            self.frame(connection, frame, now);
        }
        self.lobby.leave(connection);
    }

    fn handle_start(&mut self, now: Instant) {
        self.start(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.lobby.close_silent(now);
        match self.phase {
            Phase::Waiting(Some(at)) if at <= now => self.next_match(now),
            Phase::Thinking(Some(at)) if at <= now => self.finish_step(now),
            Phase::Pacing(at) if at <= now => self.begin_step(now),
            Phase::Break(at) if at <= now => self.next_simulation(now),
            Phase::Waiting(_)
            | Phase::Thinking(_)
            | Phase::Pacing(_)
            | Phase::Break(_)
            | Phase::Over => {}
        }
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.lobby.out.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.artifacts.pop_front()
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.notices.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let phase = match self.phase {
            Phase::Waiting(at) | Phase::Thinking(at) => at,
            Phase::Pacing(at) | Phase::Break(at) => Some(at),
            Phase::Over => None,
        };
        phase.into_iter().chain(self.lobby.patience()).min()
    }

    fn verdict(&self) -> Verdict {
        self.verdict.clone()
    }

    fn summary(&self) -> String {
        record::summary(&self.config, &self.played)
    }

    fn draw(&self, colour: bool) -> String {
        self.state().map(|state| picture::draw(state, colour)).unwrap_or_default()
    }

    fn turn_limit(&self) -> Duration {
        self.answer_limit()
    }
}
