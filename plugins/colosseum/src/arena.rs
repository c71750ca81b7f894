//! Our referee, as a state machine (spec sections 3, 4, 10, 11 and 14).
//!
//! ```text
//! wanted ─ joins ─▶ set_agent_id, ping, config ─ all there ─▶ ticks ─▶ stop ─▶ result
//!   ▲ ▲                         │                                                │
//!   │ └──── the next agent ─────┘                                                │
//!   └──────────────────── the next match of a tournament ────────────────────────┘
//! ```
//!
//! A connection is one agent in one match, as a process is: the n-th that joins plays the match's
//! n-th player, and it is closed after the match. A player is wanted only when the one before has
//! answered its settings; one that joins earlier waits. Whether a process, a socket or our own
//! daemon is behind it is the host's business.
//!
//! - [`options`]: what is played, how strictly; [`config`]: the same as a file. `agent`: a pipe and
//!   its mistakes. `table`: the game; `picture`: how it looks. `scoring`: what a match counts for.
//!   [`ratings`]: tournaments. `record`:
//!   replays and results.
//!
//! Not copied from the original: it hangs on a line that is no JSON, and dies of replies that are
//! no objects and of bad payloads; here both disqualify the culprit as `INVALID_PAYLOAD`, and a
//! wrong reply in chess loses instead of ending the referee.

mod agent;
pub mod config;
pub mod options;
mod picture;
pub mod ratings;
mod record;
mod scoring;
mod table;
mod truth;

pub use agent::Taint;
pub use options::{ArenaOptions, GameName, Mode};

use crate::rules::catcher::Fairness;
use crate::rules::{GameRng, Id};
use agent::{AgentReply, ArenaAgent};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{
    Arena, Artifact, ConnectionId, Origin, Outgoing, Picture, Score, Tally, Verdict,
};
use ratings::{PlayerRating, schedule};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use table::GameTable;

/// Largest replay that is kept in memory; a longer one ends early.
const REPLAY_BYTES_MAX: usize = 256 << 20;

/// Notices that wait to be heard; the oldest of more are dropped.
const NOTICES_MAX: usize = 256;

/// A message that waits for its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExchangeStep {
    Introduce(usize),
    Ping(usize),
    Configure(usize),
    /// The place in the list of those that are asked in this tick.
    Ask(usize),
    Stop(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExchangePhase {
    Seating,
    Exchange {
        step: ExchangeStep,
        since: Instant,
        due: Instant,
    },
    /// The next tick may not begin yet.
    Pause {
        until: Instant,
    },
    Over,
}

/// The referee.
#[derive(Debug)]
pub struct ColosseumArena {
    options: ArenaOptions,
    origin: Origin,
    config: String,
    /// The matches to be played; the first one is next, or running.
    matches: VecDeque<Vec<usize>>,
    phase: ExchangePhase,
    /// The running tick lasts at least until then.
    tick_until: Instant,
    /// Connections that wait for their turn to be introduced.
    seats: Vec<ConnectionId>,
    agents: Vec<ArenaAgent>,
    table: Option<GameTable>,
    /// The match that ended last, with the names of its agents' players.
    ended: Option<(GameTable, Vec<String>)>,
    asked: Vec<usize>,
    replies: Vec<Option<Value>>,
    replay: String,
    chance: GameRng,
    standings: Vec<PlayerRating>,
    verdict: Verdict,
    results: Vec<String>,
    /// Of the matches that are over.
    tallies: SortedMap<&'static str, Vec<i64>>,
    out: VecDeque<Outgoing>,
    artifacts: VecDeque<Artifact>,
    notices: VecDeque<String>,
}

/// The options do not fit the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionsError(String);

impl std::fmt::Display for OptionsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionsError {}

impl ColosseumArena {
    /// A referee.
    ///
    /// # Errors
    /// When the game does not support this number of players, or the match would have no end.
    pub fn new(options: ArenaOptions, origin: Origin) -> Result<Self, OptionsError> {
        let matches: VecDeque<_> = schedule(options.mode, options.players.len()).into();
        let (game, seats) = (options.game.word(), options.game.seats());
        if let Some(bad) = matches.iter().find(|players| !seats.contains(&players.len())) {
            let (count, low, high) = (bad.len(), seats.start(), seats.end());
            let reason = format!("players: {game} is for {low} to {high}, not for {count}");
            return Err(OptionsError(reason));
        }
        if matches.is_empty() {
            return Err(OptionsError("players: a round robin needs at least two".to_owned()));
        }
        if options.epochs == Some(0) {
            return Err(OptionsError("epochs: a match has at least one tick".to_owned()));
        }
        let team = |name: &String| Score::of(name);
        let steps = options.epochs();
        let teams = options.players.iter().map(team).collect();
        Ok(Self {
            config: options.game.config(steps),
            origin,
            matches,
            phase: ExchangePhase::Seating,
            tick_until: origin.instant,
            seats: Vec::new(),
            agents: Vec::new(),
            table: None,
            ended: None,
            asked: Vec::new(),
            replies: Vec::new(),
            replay: String::new(),
            chance: GameRng::new(options.seed),
            standings: vec![PlayerRating::default(); options.players.len()],
            verdict: Verdict { steps, teams, ..Verdict::default() },
            results: Vec::new(),
            tallies: SortedMap::new(),
            out: VecDeque::new(),
            artifacts: VecDeque::new(),
            notices: VecDeque::new(),
            options,
        })
    }

    /// The players of the match that is running, or next.
    fn players(&self) -> &[usize] {
        self.matches.front().map(Vec::as_slice).unwrap_or_default()
    }

    /// The names of the agents' players, in the agents' order.
    fn names(&self) -> Vec<String> {
        let name = |agent: &ArenaAgent| self.options.players.get(agent.player).cloned();
        self.agents.iter().map(|agent| name(agent).unwrap_or_default()).collect()
    }

    /// How many of them have joined.
    fn joined(&self) -> usize {
        self.agents.len() + self.seats.len()
    }

    /// The result lines of all matches so far.
    #[must_use]
    pub fn results(&self) -> &[String] {
        &self.results
    }

    /// The table of the tournament, in the order of the players.
    #[must_use]
    pub fn standings(&self) -> &[PlayerRating] {
        &self.standings
    }

    fn drive(&mut self, now: Instant) {
        loop {
            match self.phase {
                ExchangePhase::Over => return,
                ExchangePhase::Seating => {
                    if self.matches.is_empty() || self.seats.is_empty() {
                        return;
                    }
                    let connection = self.seats.remove(0);
                    self.introduce(connection, now);
                }
                ExchangePhase::Pause { until } if now < until => return,
                ExchangePhase::Pause { .. } => {
                    let step = self.begin_tick(now);
                    self.say(step, now);
                }
                ExchangePhase::Exchange { step, since, due } => {
                    let heard = match self.partner(step).map(ArenaAgent::hear) {
                        Some(Some(heard)) => heard,
                        Some(None) if now < due => return,
                        Some(None) | None => AgentReply::Nothing,
                    };
                    self.heard(step, heard, now.saturating_duration_since(since));
                    self.follow(step, now);
                }
            }
        }
    }

    fn partner(&mut self, step: ExchangeStep) -> Option<&mut ArenaAgent> {
        let index = match step {
            ExchangeStep::Introduce(index)
            | ExchangeStep::Ping(index)
            | ExchangeStep::Configure(index)
            | ExchangeStep::Stop(index) => index,
            ExchangeStep::Ask(place) => *self.asked.get(place)?,
        };
        self.agents.get_mut(index)
    }

    /// The next agent is there.
    fn introduce(&mut self, connection: ConnectionId, now: Instant) {
        let index = self.agents.len();
        let Some(player) = self.players().get(index).copied() else { return };
        if index == 0 {
            self.verdict.round = self.verdict.round.saturating_add(1);
            self.verdict.step = 0;
        }
        let pool = self.options.limits().1;
        self.agents.push(ArenaAgent::new(connection, player, self.chance.uuid(), pool));
        self.say(ExchangeStep::Introduce(index), now);
    }

    /// Writes the message of a step.
    fn say(&mut self, step: ExchangeStep, now: Instant) {
        let strict = self.options.fairness == Fairness::Strict;
        let state = match (step, &self.table) {
            (ExchangeStep::Ask(place), Some(table)) => {
                self.asked.get(place).map(|index| table.state(*index)).unwrap_or_default()
            }
            _ => String::new(),
        };
        let config = self.config.clone();
        let Some(agent) = self.partner(step) else { return };
        let line = match step {
            ExchangeStep::Introduce(_) => format!("{{\"set_agent_id\": \"{}\"}}", agent.id),
            ExchangeStep::Ping(_) => "{\"ping\": \"ping\"}".to_owned(),
            ExchangeStep::Configure(_) => format!("{{\"config\": {config}}}"),
            ExchangeStep::Ask(_) => state,
            ExchangeStep::Stop(_) => "{\"stop\": {\"reason\": \"end_of_game\"}}".to_owned(),
        };
        if strict {
            agent.drop_stale();
        }
        let (connection, silent) = (agent.connection, agent.silent());
        if !silent {
            let mut line = line.into_bytes();
            if strict {
                line.push(b'\n');
                self.out.push_back(Outgoing::Bytes(connection, line));
            } else {
                // As the original does, for agents that must learn to live with it.
                self.out.push_back(Outgoing::Bytes(connection, line));
                self.out.push_back(Outgoing::Bytes(connection, b"\n".to_vec()));
            }
        }
        let due = now + self.options.message_limit;
        self.phase = ExchangePhase::Exchange { step, since: now, due };
    }

    /// Judges the reply of a step.
    fn heard(&mut self, step: ExchangeStep, heard: AgentReply, took: Duration) {
        let limit = self.options.limits().0;
        let Some(agent) = self.partner(step) else { return };
        let (errors, out) = (agent.errors, agent.tainted());
        match step {
            ExchangeStep::Introduce(_) => agent.introduced(heard),
            ExchangeStep::Ping(_) => agent.ponged(heard),
            ExchangeStep::Configure(_) => agent.configured(heard),
            ExchangeStep::Stop(_) => {
                if heard == AgentReply::Nothing {
                    agent.error();
                }
            }
            ExchangeStep::Ask(place) => {
                agent.overtime = agent.overtime.saturating_add(took.saturating_sub(limit));
                let reply = agent.played(heard);
                if let Some(slot) = self.replies.get_mut(place) {
                    *slot = reply;
                }
            }
        }
        // Many end at their stop without a word, which is as good as a reply.
        let ending = matches!(step, ExchangeStep::Stop(_));
        if let Some(agent) = self.partner(step).filter(|_| !ending) {
            let said = agent.judged(errors, out);
            let player = agent.player;
            self.note(player, said);
        }
    }

    /// Tells people about a player.
    fn note(&mut self, player: usize, said: Option<String>) {
        let Some(said) = said else { return };
        let name = self.options.players.get(player).map_or("", String::as_str);
        let (round, tick) = (self.verdict.round, self.verdict.step);
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(format!("match {round}, tick {tick}: {name}: {said}"));
    }

    /// What comes after a step.
    fn follow(&mut self, step: ExchangeStep, now: Instant) {
        let next = match step {
            ExchangeStep::Introduce(index) => ExchangeStep::Ping(index),
            ExchangeStep::Ping(index) => ExchangeStep::Configure(index),
            ExchangeStep::Configure(index) if index + 1 < self.players().len() => {
                self.phase = ExchangePhase::Seating;
                return;
            }
            ExchangeStep::Configure(_) => {
                self.know_by_name();
                let ids: Vec<Id> = self.agents.iter().map(|agent| Id::from(&*agent.id)).collect();
                let seed = GameRng::new(self.options.seed ^ u64::from(self.verdict.round) << 32);
                self.table = Some(GameTable::new(&self.options, &ids, seed));
                self.begin_tick(now)
            }
            ExchangeStep::Ask(place) if place + 1 < self.asked.len() => {
                ExchangeStep::Ask(place + 1)
            }
            ExchangeStep::Ask(_) => match self.end_tick() {
                Some(step) => step,
                None if now < self.tick_until => {
                    self.phase = ExchangePhase::Pause { until: self.tick_until };
                    return;
                }
                None => self.begin_tick(now),
            },
            ExchangeStep::Stop(index) if index + 1 < self.agents.len() => {
                ExchangeStep::Stop(index + 1)
            }
            ExchangeStep::Stop(_) => return self.close_match(),
        };
        self.say(next, now);
    }

    /// Who joins over a socket joins in any order: where all agents of the match introduced
    /// themselves by the names of its players, they are these players.
    fn know_by_name(&mut self) {
        let names = &self.options.players;
        let claimed = |agent: &ArenaAgent| {
            let name = agent.name.as_str()?;
            names.iter().position(|known| known == name)
        };
        let claims: Option<Vec<usize>> = self.agents.iter().map(claimed).collect();
        let Some(claims) = claims else { return };
        let wanted: SortedSet<usize> = self.agents.iter().map(|agent| agent.player).collect();
        if claims.iter().copied().collect::<SortedSet<_>>() == wanted {
            for (agent, player) in self.agents.iter_mut().zip(claims) {
                agent.player = player;
            }
        }
    }

    fn begin_tick(&mut self, now: Instant) -> ExchangeStep {
        self.tick_until = now + self.options.pace;
        if let Some(table) = &mut self.table {
            self.asked = table.begin();
            self.verdict.step = table.epoch();
        }
        self.replies = vec![None; self.asked.len()];
        ExchangeStep::Ask(0)
    }

    /// Applies the replies; the next message, unless there is another tick.
    fn end_tick(&mut self) -> Option<ExchangeStep> {
        let Some(table) = &mut self.table else { return Some(ExchangeStep::Stop(0)) };
        if self.options.replays && self.replay.len() < REPLAY_BYTES_MAX {
            self.replay.push_str(&record::replay_line(
                &self.config,
                self.options.epochs(),
                table.epoch(),
                &table.public_state(),
                &self.replies,
                &self.agents,
            ));
        }
        let damage = table.end(&self.replies);
        for (index, refused) in damage.refused {
            if let Some(agent) = self.agents.get_mut(index) {
                let refused = u32::try_from(refused).unwrap_or(u32::MAX);
                agent.offences = agent.offences.saturating_add(refused);
            }
        }
        for (index, fatal) in damage.fatal {
            // In chess a refused reply is not a move, and the reason of the first refusal is kept.
            let Some(agent) = self.agents.get_mut(index).filter(|a| a.tainted().is_none()) else {
                continue;
            };
            let errors = agent.errors;
            agent.trouble = Some(fatal.to_string());
            agent.taint(Taint::InvalidPayload);
            let (player, said) = (agent.player, agent.judged(errors, None));
            self.note(player, said);
        }
        let tainted = self.agents.iter().filter(|agent| agent.tainted().is_some()).count();
        let finished = self.table.as_ref().is_none_or(|table| table.finished(tainted));
        (finished || tainted > 0).then_some(ExchangeStep::Stop(0))
    }

    fn close_match(&mut self) {
        self.tally();
        let points = self.points();
        let taint = self.agents.iter().find_map(ArenaAgent::tainted);
        let chess = self.table.as_ref().and_then(|table| table.chess(&self.tainted()));
        let outcome = record::outcome(taint, chess);
        let now = self.origin.unix_ms;
        let stamp = format!("{}_{}", record::stamp(now), self.chance.name());
        let name = format!("replay_{}_{stamp}.jsonl", self.options.game.word());
        let replay = self.options.replays.then_some(name.as_str());
        let result = record::result(&self.options, &self.agents, &points, replay, &outcome);
        if self.options.replays {
            let bytes = std::mem::take(&mut self.replay).into_bytes();
            self.artifacts.push_back(Artifact { path: name, bytes });
        }
        self.results.push(result);
        let bytes = self.results.concat().into_bytes();
        self.artifacts.push_back(Artifact { path: "results.jsonl".to_owned(), bytes });
        self.count(&points);
        let names = self.names();
        self.ended = self.table.take().map(|table| (table, names));
        for agent in std::mem::take(&mut self.agents) {
            self.out.push_back(Outgoing::Close(agent.connection));
            self.note(agent.player, agent.complaint());
        }
        self.phase = ExchangePhase::Seating;
        self.matches.pop_front();
        if self.matches.is_empty() {
            self.phase = ExchangePhase::Over;
            self.verdict.over = true;
        }
    }
}

impl Arena for ColosseumArena {
    fn handle_join(&mut self, connection: ConnectionId, now: Instant) {
        if self.joined() >= self.players().len() {
            self.out.push_back(Outgoing::Close(connection));
            return;
        }
        self.seats.push(connection);
        self.drive(now);
    }

    fn handle_input(&mut self, connection: ConnectionId, bytes: &[u8], now: Instant) {
        if let Some(agent) = self.agents.iter_mut().find(|agent| agent.connection == connection) {
            agent.feed(bytes);
            self.drive(now);
        }
    }

    fn handle_leave(&mut self, connection: ConnectionId, now: Instant) {
        self.seats.retain(|seat| *seat != connection);
        if let Some(agent) = self.agents.iter_mut().find(|agent| agent.connection == connection) {
            agent.leave();
            self.drive(now);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.drive(now);
    }

    fn poll_transmit(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    fn poll_artifact(&mut self) -> Option<Artifact> {
        self.artifacts.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            ExchangePhase::Exchange { due, .. } => Some(due),
            ExchangePhase::Pause { until } => Some(until),
            ExchangePhase::Seating | ExchangePhase::Over => None,
        }
    }

    fn wanted(&self) -> &[usize] {
        match self.phase {
            ExchangePhase::Seating => self.players().get(self.joined()..).unwrap_or_default(),
            ExchangePhase::Exchange { .. } | ExchangePhase::Pause { .. } | ExchangePhase::Over => {
                &[]
            }
        }
    }

    fn player(&self, connection: ConnectionId) -> Option<(usize, usize)> {
        let agent = self.agents.iter().find(|agent| agent.connection == connection)?;
        Some((agent.player, 0))
    }

    fn poll_notice(&mut self) -> Option<String> {
        self.notices.pop_front()
    }

    /// The verdict counts the running match with its current scores.
    fn verdict(&self) -> Verdict {
        let mut verdict = self.verdict.clone();
        if self.table.is_some() {
            for (agent, points) in self.agents.iter().zip(self.points()) {
                if let Some(team) = verdict.teams.get_mut(agent.player) {
                    team.enter(points.value);
                }
            }
        }
        verdict
    }

    fn tallies(&self) -> Vec<Tally> {
        let tally =
            |(what, counts): (&&'static str, &Vec<i64>)| Tally { what, counts: counts.clone() };
        self.tallies.iter().map(tally).collect()
    }

    fn summary(&self) -> String {
        record::summary(&self.options, &self.verdict.teams, &self.standings)
    }

    fn draw(&self, colour: bool) -> String {
        let Some(table) = &self.table else { return String::new() };
        picture::draw(table, &self.names(), colour)
    }

    fn truth(&self) -> Picture {
        match (&self.table, &self.ended) {
            (Some(table), _) => truth::picture(table, &self.names()),
            (None, Some((table, names))) => truth::picture(table, names),
            (None, None) => Picture::default(),
        }
    }

    fn turn_limit(&self) -> Duration {
        self.options.message_limit
    }
}
