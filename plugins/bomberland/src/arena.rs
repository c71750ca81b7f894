//! Our referee: the engine, as a state machine (spec sections 1, 8 and 9).
//!
//! ```text
//! waiting ─ all agents there ─▶ countdown ─ delay ─▶ running ─ one team left ─▶ over
//!    ▲ info each second              (training: no clock, an admin asks for each tick)
//!    └───────────────────────────── reset ──────────────────────────────────────┘
//! ```
//!
//! - [`config`]: the engine's variables. `options`: where we may differ from it.
//! - `lobby`: connections and roles. `play`: a game and its packets. [`forward`]: the forward model.
//!
//! Not copied from the original: it forgets healthy connections when others leave, runs two clocks
//! after quick resets, and dies of bad seeds and of bad questions to the forward model.

pub mod config;
pub mod forward;
mod lobby;
mod options;
mod play;
mod truth;

pub use config::{ArenaConfig, ConfigErrors, EngineConfig};
pub use forward::{Evaluator, ForwardMode};
pub use options::ArenaOptions;

use crate::rules::{ForwardChance, GameState, OrderRefusal, TickChance as _, Unit, Unmakeable};
use crate::wire::{self, AdminPacket};
use lobby::{Admission, ClientLobby, ClientRole};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Score, Tally, Verdict,
};
use play::SeededGame;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How often the engine looks whether all agents are there, and tells those that wait.
const POLL: Duration = Duration::from_secs(1);

/// From the end of a game to the end of the process, where that is configured.
const SHUTDOWN_DELAY: Duration = Duration::from_secs(5);

/// Ticks in which no living unit burns, after the ring of fire has taken all cells, that make a
/// draw. A rule of ours; a minute at the engine's rate.
const STUCK_TICKS: i32 = 600;

/// Longest frame of an agent that is read.
pub const AGENT_BYTES_MAX: usize = 1 << 20;

/// Longest frame of an admin that is read.
pub const ADMIN_BYTES_MAX: usize = 8 << 20;

/// Seeds by chance are below this, as in the engine.
const SEED_END: u64 = 1_000_000;

/// How many seeds by chance are tried; about one in a hundred is unusable on the usual map.
const SEEDS_MAX: u32 = 1000;

/// What admins are called in notices.
const ADMIN: &str = "admin";

/// Notices that wait for somebody to hear them; more are dropped.
const NOTICES_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchPhase {
    /// The next look at who is there.
    Waiting(Instant),
    /// The clock starts then.
    Countdown(Instant),
    /// The next tick; `None` in training mode.
    Running(Option<Instant>),
    /// When all connections are closed, if ever.
    Over(Option<Instant>),
}

/// The referee.
#[derive(Debug)]
pub struct BomberlandArena {
    config: ArenaConfig,
    options: ArenaOptions,
    started: Instant,
    phase: MatchPhase,
    lobby: ClientLobby,
    play: SeededGame,
    /// The seeds configured at start, which a reset without seeds takes again.
    seeds: (u64, u64),
    /// For what is by chance outside of the games.
    luck: ForwardChance,
    /// Inputs that were dropped, by cause.
    drops: SortedMap<&'static str, u64>,
    /// The last reset or question that the original would have died of.
    trouble: Option<String>,
    verdict: Verdict,
    artifacts: VecDeque<Artifact>,
    notices: VecDeque<String>,
}

impl BomberlandArena {
    /// A referee.
    ///
    /// # Errors
    /// When no world can be made of the configured seed.
    pub fn new(
        config: ArenaConfig,
        options: ArenaOptions,
        origin: Origin,
    ) -> Result<Self, Unmakeable> {
        let mut luck = ForwardChance::seeded(origin.unix_ms);
        let world_seed = options.seed.or(config.server.world_seed);
        let prng_seed = options.seed.or(config.server.prng_seed);
        let prng_seed = prng_seed.unwrap_or_else(|| random_seed(&mut luck));
        let (play, world_seed) = match world_seed {
            Some(seed) => (SeededGame::new(&config, seed, prng_seed, game_id(&mut luck))?, seed),
            None => random_world(&config, prng_seed, &mut luck)?,
        };
        let score = |(secret, _): &(String, String)| Score::of(secret);
        let teams = config.server.secrets.iter().take(config.setup.agents.into()).map(score);
        let verdict = Verdict { teams: teams.collect(), ..Verdict::default() };
        Ok(Self {
            phase: MatchPhase::Waiting(origin.instant + POLL),
            started: origin.instant,
            config,
            options,
            lobby: ClientLobby::default(),
            play,
            seeds: (world_seed, prng_seed),
            luck,
            drops: SortedMap::new(),
            trouble: None,
            verdict,
            artifacts: VecDeque::new(),
            notices: VecDeque::new(),
        })
    }

    /// The running game's state, for observers.
    #[must_use]
    pub fn state(&self) -> &GameState {
        &self.play.game.state
    }

    /// The seeds of world and game with which the referee began.
    #[must_use]
    pub fn seeds(&self) -> (u64, u64) {
        self.seeds
    }

    /// What was dropped without a word, by cause.
    #[must_use]
    pub fn drops(&self) -> &SortedMap<&'static str, u64> {
        &self.drops
    }

    /// The last thing that the original would have died of.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Counts what is dropped without a word on the wire. People hear of each doubling: a client
    /// that repeats its mistake is not to fill the log.
    fn drop_input(&mut self, who: &str, cause: &'static str) {
        let count = self.drops.entry(cause).or_default();
        *count = count.saturating_add(1);
        let count = *count;
        if count.is_power_of_two() {
            self.notice(format!("{who}: {cause} ({count} so far)"));
        }
    }

    fn notice(&mut self, text: String) {
        if self.notices.len() < NOTICES_MAX {
            self.notices.push_back(text);
        }
    }

    /// Something that the original would have died of.
    fn survive(&mut self, who: &str, cause: &'static str, trouble: String) {
        self.drop_input(who, cause);
        self.notice(trouble.clone());
        self.trouble = Some(trouble);
    }

    fn everybody_is_there(&self) -> bool {
        self.lobby.agents() >= usize::from(self.config.setup.agents)
    }

    fn period(&self) -> Duration {
        Duration::from_secs(1) / self.config.server.tick_rate_hz.max(1)
    }

    /// The engine looks once a second who is there.
    fn poll(&mut self, at: Instant, now: Instant) {
        if self.everybody_is_there() {
            self.phase = if self.config.server.training {
                MatchPhase::Running(None)
            } else {
                MatchPhase::Countdown(now + self.config.server.start_delay)
            };
            return;
        }
        let agents = usize::from(self.config.setup.agents);
        let info = play::info(self.lobby.agents(), agents);
        self.lobby.broadcast(&info);
        self.phase = MatchPhase::Waiting(at.max(now) + POLL);
        let waited = now.saturating_duration_since(self.started);
        if self.config.server.grace.is_some_and(|grace| waited >= grace) {
            self.give_up();
        }
    }

    /// Not all agents came: the first that is there wins.
    fn give_up(&mut self) {
        let secrets = self.config.server.secrets.iter();
        let there = secrets.map(|(_, id)| self.lobby.has_agent(id));
        let first = there.clone().position(|there| there);
        let alone = there.filter(|there| *there).count() == 1;
        for (index, team) in self.verdict.teams.iter_mut().enumerate() {
            team.rounds = vec![i64::from(alone && first == Some(index))];
        }
        (self.verdict.over, self.verdict.round) = (true, 1);
        self.lobby.close_all();
        self.phase = MatchPhase::Over(None);
    }

    /// One tick, with the engine's look at the end before it.
    fn tick(&mut self, now: Instant) {
        self.note_round();
        if self.play.game.state.complete() || self.stuck() {
            self.finish(now);
        }
        let packet = self.play.tick();
        self.lobby.broadcast(&packet);
        self.verdict.step = u32::try_from(self.play.game.state.tick).unwrap_or_default();
        if matches!(self.phase, MatchPhase::Over(_)) {
            // Now it is known how many there were to be.
            self.verdict.steps = self.verdict.step;
        }
    }

    /// Whether nothing ends the game any more: the ring has taken all cells, and no living unit has
    /// burned for long, because items have put fire out. The engine would go on for ever.
    fn stuck(&self) -> bool {
        let state = &self.play.game.state;
        let units = state.units().iter().filter(|unit| unit.alive());
        let burnt = i32::try_from(self.burnt()).unwrap_or(i32::MAX);
        let last = units.map(|unit| unit.invulnerable).fold(burnt, i32::max);
        state.tick > last.saturating_add(STUCK_TICKS)
    }

    /// The tick by which the ring of fire has taken all cells.
    fn burnt(&self) -> u32 {
        let params = &self.config.params;
        let burning = f64::from(self.play.game.board.cells()) * params.fire_interval;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates"
        )]
        let burning = burning.ceil() as u32;
        u32::try_from(params.game_duration).unwrap_or_default().saturating_add(burning)
    }

    /// The first tick of a game begins a round.
    fn note_round(&mut self) {
        if self.play.game.state.tick != 0 {
            return;
        }
        self.verdict.round = self.verdict.round.saturating_add(1);
        self.verdict.steps = self.burnt();
        for team in &mut self.verdict.teams {
            team.rounds.push(0);
        }
    }

    /// Ends the game: sends the final state to every client, writes the replay and stops the clock.
    /// In training mode every further step sends the final state again.
    fn finish(&mut self, now: Instant) {
        let packet = self.play.end();
        self.lobby.broadcast(&packet);
        if matches!(self.phase, MatchPhase::Over(_)) {
            return;
        }
        if self.config.server.save_replay {
            self.artifacts.push_back(Artifact { path: "replay.json".to_owned(), bytes: packet });
        }
        let winner = self.play.winner();
        let ids = self.config.server.secrets.iter().map(|(_, id)| id.as_str());
        for (team, id) in self.verdict.teams.iter_mut().zip(ids) {
            if let Some(score) = team.rounds.last_mut() {
                *score = i64::from(winner == Some(id));
            }
        }
        self.verdict.over = !self.options.stay;
        self.phase = MatchPhase::Over(self.config.server.shutdown.then(|| now + SHUTDOWN_DELAY));
    }

    fn agent_frame(&mut self, agent: &str, bytes: &[u8]) {
        let who = format!("agent {agent}");
        if bytes.len() > AGENT_BYTES_MAX {
            return self.drop_input(&who, "frame too long");
        }
        let Ok(value) = serde_json::from_slice(bytes) else {
            return self.drop_input(&who, "not JSON");
        };
        let Some(packet) = wire::agent_packet(&value, self.config.server.lenient) else {
            return self.drop_input(&who, "not an agent's packet");
        };
        if let Err(refusal) = self.play.order(agent, &packet) {
            let cause = match refusal {
                OrderRefusal::NotYours => "order for a unit that it does not have",
                OrderRefusal::Dead => "order for a dead unit",
                OrderRefusal::Second => "second order for a unit in a tick",
                OrderRefusal::Stunned => "order for a stunned unit, or before the first tick",
            };
            self.drop_input(&who, cause);
        }
    }

    fn admin_frame(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        if bytes.len() > ADMIN_BYTES_MAX {
            return self.drop_input(ADMIN, "frame too long");
        }
        match wire::admin_packet(bytes) {
            None => self.drop_input(ADMIN, "not an admin's packet"),
            Some(AdminPacket::Tick) if self.everybody_is_there() => self.tick(now),
            Some(AdminPacket::Tick) => self.drop_input(ADMIN, "tick while agents are missing"),
            Some(AdminPacket::Reset { world_seed, prng_seed }) => {
                self.reset(world_seed, prng_seed, now);
            }
            Some(AdminPacket::Evaluate(request)) => {
                let evaluator =
                    Evaluator { params: self.config.params, mode: self.config.server.forward };
                match evaluator.answer(&request, self.hidden_seed()) {
                    Ok(answer) => self.lobby.send(connection, answer),
                    Err(trouble) => {
                        let trouble = format!("evaluate_next_state: {trouble}");
                        self.survive(ADMIN, "fatal question to the forward model", trouble);
                    }
                }
            }
        }
    }

    /// The engine's seed of an evaluation: the product of two draws, up to 11.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a product of draws below 1 is below 12"
    )]
    fn hidden_seed(&mut self) -> u32 {
        (self.luck.draw() * self.luck.draw() * 12.0) as u32
    }

    /// A new world and game. Where none can be made, the old one goes on.
    fn reset(&mut self, world_seed: Option<u64>, prng_seed: Option<u64>, now: Instant) {
        let seeds = (world_seed.unwrap_or(self.seeds.0), prng_seed.unwrap_or(self.seeds.1));
        match SeededGame::new(&self.config, seeds.0, seeds.1, game_id(&mut self.luck)) {
            Ok(play) => self.play = play,
            Err(error) => {
                let trouble = format!("request_game_reset: {error}");
                return self.survive(ADMIN, "reset to an unusable seed", trouble);
            }
        }
        self.verdict.over = false;
        self.verdict.step = 0;
        self.phase = MatchPhase::Waiting(now + POLL);
        let states: Vec<_> =
            self.lobby.listeners().map(|there| (there.id, self.play.game_state(there))).collect();
        for (id, state) in states {
            self.lobby.send(id, state);
        }
    }

    /// When the next refused connection is closed.
    fn refused_at(&self) -> Option<Instant> {
        Some(self.lobby.oldest_refused()? + self.config.server.close_refused?)
    }
}

fn random_seed(luck: &mut ForwardChance) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a draw below 1 of a million"
    )]
    let seed = (luck.draw() * SEED_END as f64) as u64;
    seed
}

/// A world of a seed by chance that is usable.
fn random_world(
    config: &ArenaConfig,
    prng_seed: u64,
    luck: &mut ForwardChance,
) -> Result<(SeededGame, u64), Unmakeable> {
    let mut refused = Unmakeable { world_seed: 0 };
    for _ in 0..SEEDS_MAX {
        let seed = random_seed(luck);
        match SeededGame::new(config, seed, prng_seed, game_id(luck)) {
            Ok(play) => return Ok((play, seed)),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// A text in the form of a random UUID.
fn game_id(luck: &mut ForwardChance) -> String {
    let mut digits = |count: usize| -> String {
        let digit = |_| {
            let drawn = random_seed(luck) % 16;
            char::from_digit(u32::try_from(drawn).unwrap_or_default(), 16).unwrap_or('0')
        };
        (0..count).map(digit).collect()
    };
    let (a, b, c, d, e) = (digits(8), digits(4), digits(3), digits(3), digits(12));
    format!("{a}-{b}-4{c}-8{d}-{e}")
}

impl Arena for BomberlandArena {
    /// A client without a target has no role: it is closed, as the engine does.
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        self.handle_request(connection, "/", now);
    }

    fn handle_request(&mut self, connection: ConnectionId, target: &str, now: Instant) {
        let joined = match self.lobby.join(connection, target, &self.config.server, now) {
            Admission::In(joined) => joined,
            Admission::Refused(cause) => return self.drop_input("a client", cause),
        };
        let over = matches!(self.phase, MatchPhase::Over(_));
        let bytes = if over { self.play.end() } else { self.play.game_state(&joined) };
        self.lobby.send(connection, bytes);
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(role) = self.lobby.find(connection).map(|there| there.role.clone()) else {
            return;
        };
        match role {
            ClientRole::Agent(id) => self.agent_frame(&id, bytes),
            ClientRole::Admin => self.admin_frame(connection, bytes, now),
            ClientRole::Spectator => self.drop_input("spectator", "frame of a mute connection"),
            ClientRole::Silent => self.drop_input("a refused client", "frame of a mute connection"),
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, _now: Instant) {
        self.lobby.leave(connection);
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self.phase {
            MatchPhase::Waiting(at) if at <= now => self.poll(at, now),
            MatchPhase::Countdown(at) if at <= now => {
                self.phase = MatchPhase::Running(Some(at + self.period()));
            }
            MatchPhase::Running(Some(at)) if at <= now => {
                let next = at + self.period();
                self.phase =
                    MatchPhase::Running(Some(if next <= now { now + self.period() } else { next }));
                self.tick(now);
            }
            MatchPhase::Over(Some(at)) if at <= now => {
                self.lobby.close_all();
                self.phase = MatchPhase::Over(None);
                self.verdict.over = true;
            }
            MatchPhase::Waiting(_)
            | MatchPhase::Countdown(_)
            | MatchPhase::Running(_)
            | MatchPhase::Over(_) => {}
        }
        if let Some(patience) = self.config.server.close_refused
            && let Some(before) = now.checked_sub(patience)
        {
            self.lobby.close_refused(before);
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
            MatchPhase::Waiting(at) | MatchPhase::Countdown(at) => Some(at),
            MatchPhase::Running(at) | MatchPhase::Over(at) => at,
        };
        phase.into_iter().chain(self.refused_at()).min()
    }

    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        let ClientRole::Agent(id) = &self.lobby.find(connection)?.role else { return None };
        let team = self.config.server.secrets.iter().position(|(_, known)| known == id)?;
        Some((team, 0))
    }

    fn verdict(&self) -> Verdict {
        self.verdict.clone()
    }

    fn tallies(&self) -> Vec<Tally> {
        let teams = 0..self.verdict.teams.len();
        let tally = |what, count: &dyn Fn(&Unit) -> i64| Tally {
            what,
            counts: teams
                .clone()
                .map(|team| {
                    self.state()
                        .units()
                        .iter()
                        .filter(|unit| usize::from(unit.agent) == team)
                        .map(count)
                        .sum()
                })
                .collect(),
        };
        vec![
            tally("units alive", &|unit| unit.alive().into()),
            tally("lives left", &|unit| unit.hp.max(0).into()),
        ]
    }

    fn draw(&self, colour: bool) -> String {
        crate::picture::draw(&self.play.game.board, &self.play.game.state, colour)
    }

    fn truth(&self) -> Picture {
        truth::picture(self)
    }

    fn turn_limit(&self) -> Duration {
        self.period()
    }
}
