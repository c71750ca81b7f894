//! The referee of "Agents Assemble II": equal to the organisers' server, bit for bit where their
//! generator decides, only faster.
//!
//! ```text
//!  Waiting ── launch ──> Thinking <── next step ── Pacing
//!                           │ all answered, or deadline ^
//!                           ├────── steps left ─────────┘
//!                           └── sim-end ──> Break ── next simulation or match ──> Thinking
//!                                             └── none left: bye ──> Over
//! ```
//!
//! The rules are usable without the protocol: [`Simulation`] makes the world from a seed
//! ([`Simulation::new`]), runs up to the percepts ([`Simulation::begin_step`], [`Percepts`]) and
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
mod framing;
pub mod grid;
pub mod lcg;
mod lobby;
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

pub use config::{ArenaConfig, ConfigError, SimConfig};
pub use options::ArenaOptions;
pub use percept::Percepts;
pub use rules::{Simulation, State};

use config::Launch;
use lobby::Lobby;
use phalanx_game::{Arena, Artifact, ConnectionId, Origin, Outgoing, Score, Verdict};
use play::Game;
use schedule::Schedule;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What the arena is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the first match; until that instant, or until somebody starts it.
    Waiting(Option<Instant>),
    /// Requests are out; until the deadline.
    Thinking(Instant),
    /// All have answered; the next step begins then.
    Pacing(Instant),
    /// Between simulations.
    Break(Instant),
    /// All has been played.
    Over,
}

/// The referee.
#[derive(Debug)]
pub struct AssembleArena {
    config: ArenaConfig,
    options: ArenaOptions,
    origin: Origin,
    lobby: Lobby,
    schedule: Schedule,
    phase: Phase,
    game: Option<Game>,
    /// Teams of the running match, its start, and its results so far.
    teams: Vec<usize>,
    match_start: u64,
    results: Vec<(String, Vec<(String, i64)>)>,
    /// Index of the running simulation in its match.
    current: Option<usize>,
    verdict: Verdict,
    artifacts: VecDeque<Artifact>,
}

impl AssembleArena {
    /// A referee for that configuration; `launch` counts from the origin.
    #[must_use]
    pub fn new(config: ArenaConfig, options: ArenaOptions, origin: Origin) -> Self {
        let seed =
            options.seed.unwrap_or_else(|| i64::try_from(origin.unix_ms).unwrap_or(i64::MAX));
        let schedule = Schedule::new(&config, seed);
        let lobby = Lobby::new(&config);
        let launch = options.launch.unwrap_or(config.server.launch);
        let phase = Phase::Waiting(match launch {
            Launch::Key | Launch::Complete => None,
            Launch::After(wait) => origin.instant.checked_add(wait),
            Launch::At { minute } => {
                Some(origin.instant + until(minute, options.local_ms(origin.unix_ms)))
            }
        });
        let score = |team: &config::TeamConfig| Score::of(&team.name);
        let verdict =
            Verdict { teams: config.teams.iter().map(score).collect(), ..Verdict::default() };
        Self {
            config,
            options,
            origin,
            lobby,
            schedule,
            phase,
            game: None,
            teams: Vec::new(),
            match_start: 0,
            results: Vec::new(),
            current: None,
            verdict,
            artifacts: VecDeque::new(),
        }
    }

    /// Starts the first match, as ENTER does at the original; later calls do nothing.
    pub fn start(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Waiting(_)) {
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
        self.game.as_ref().map(|game| &game.sim.state)
    }

    fn unix_ms(&self, now: Instant) -> u64 {
        self.origin.unix_ms(now)
    }
}

/// From a wall-clock time to a minute of that day; nothing if it is past.
fn until(minute: u32, unix_ms: u64) -> Duration {
    let minutes = u64::from(minute).saturating_sub(calendar::minute_of_day(unix_ms));
    let wait = (minutes * 60_000).saturating_sub(unix_ms % 60_000);
    Duration::from_millis(wait)
}

impl Arena for AssembleArena {
    fn handle_join(&mut self, connection: ConnectionId, _now: Instant) {
        if self.phase == Phase::Over {
            self.lobby.refuse(connection);
        } else {
            self.lobby.join(connection);
        }
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some((packet, after)) =
                self.lobby.feed(connection, rest, self.config.server.max_packet)
            else {
                return;
            };
            rest = after;
            if let Some(packet) = packet {
                self.packet(connection, &packet, now);
            }
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.lobby.leave(connection);
    }

    fn handle_start(&mut self, now: Instant) {
        self.start(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self.phase {
            Phase::Waiting(Some(at)) if at <= now => self.next_match(now),
            Phase::Thinking(at) if at <= now => self.finish_step(now),
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

    fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            Phase::Waiting(at) => at,
            Phase::Thinking(at) | Phase::Pacing(at) | Phase::Break(at) => Some(at),
            Phase::Over => None,
        }
    }

    fn verdict(&self) -> Verdict {
        self.verdict.clone()
    }

    fn turn_limit(&self) -> Duration {
        self.config.server.agent_timeout
    }
}
