//! Matches, simulations and steps over connections (spec, sections 3, 4 and 13).

use super::act::Act;
use super::message::{self, SimStart};
use super::percept::Percepts;
use super::replay::{self, ReplayWriter};
use super::rules::Simulation;
use super::{AssembleArena, Phase, calendar};
use phalanx_game::Artifact;
use std::sync::Arc;
use std::time::Instant;

/// The running simulation.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) sim: Simulation,
    /// Accounts of the entities, in their order.
    players: Vec<usize>,
    /// Answers still missing in this step.
    pub(super) waiting: usize,
    began: Instant,
    name: String,
    writer: ReplayWriter,
}

impl AssembleArena {
    pub(super) fn next_match(&mut self, now: Instant) {
        let Some(teams) = self.schedule.next() else {
            self.phase = Phase::Over;
            self.verdict.over = true;
            self.current = None;
            self.lobby.farewell();
            return;
        };
        self.teams = teams;
        // The canonical order is by name, whatever order a list has.
        self.teams.sort_unstable();
        self.match_start = self.unix_ms(now);
        self.results.clear();
        self.current = None;
        self.next_simulation(now);
    }

    pub(super) fn next_simulation(&mut self, now: Instant) {
        let index = self.current.map_or(0, |index| index + 1);
        let Some(config) = self.config.sims.get(index) else {
            self.next_match(now);
            return;
        };
        self.current = Some(index);
        let time = self.unix_ms(now);
        let round = self.verdict.round;
        let seed = match self.options.seed {
            Some(seed) => seed.wrapping_add(i64::from(round)),
            None => config.seed.unwrap_or_else(|| i64::try_from(time).unwrap_or(i64::MAX)),
        };
        let config = Arc::new(config.clone());
        let mut teams = Vec::new();
        let mut players = Vec::new();
        for team in &self.teams {
            let Some(of) = self.config.teams.get(*team) else { continue };
            let names: Vec<String> =
                (1..=config.entities).map(|number| of.account(number)).collect();
            let first = team * self.config.accounts_per_team();
            players.extend(first..first + names.len());
            teams.push((of.name.clone(), names));
        }
        let sim = Simulation::new(&config, &teams, seed);
        let names: Vec<&str> = teams.iter().map(|(name, _)| name.as_str()).collect();
        let name = format!("{time}_{}", names.join("_"));
        self.verdict.round += 1;
        self.verdict.step = 0;
        self.verdict.steps = config.steps.unsigned_abs();
        for team in &self.teams {
            if let Some(score) = self.verdict.teams.get_mut(*team) {
                score.rounds.push(0);
            }
        }
        let writer = ReplayWriter::default();
        self.greet(&sim, &players, time);
        self.game = Some(Game { sim, players, waiting: 0, began: now, name, writer });
        self.record_start();
        self.begin_step(now);
    }

    fn greet(&mut self, sim: &Simulation, players: &[usize], time: u64) {
        for (entity, player) in sim.state.entities.iter().zip(players) {
            let team = sim.state.teams.get(entity.team).map_or("", |team| team.name.as_str());
            let start = message::sim_start(&SimStart {
                time,
                name: &entity.name,
                team,
                size: sim.state.rules.entities,
                steps: sim.state.rules.steps,
            });
            if let Some(account) = self.lobby.accounts.get_mut(*player) {
                account.start = Some(start.clone());
            }
            self.lobby.send(*player, start);
        }
    }

    pub(super) fn begin_step(&mut self, now: Instant) {
        let time = self.unix_ms(now);
        let timeout = self.config.server.agent_timeout;
        let Some(game) = &mut self.game else { return };
        game.sim.begin_step();
        game.began = now;
        game.waiting = game.players.len();
        let deadline = time.saturating_add(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        let percepts = Percepts::new(&game.sim.state);
        for (entity, player) in game.players.iter().enumerate() {
            let Some(account) = self.lobby.accounts.get_mut(*player) else { continue };
            let id = account.next_id;
            account.next_id += 1;
            account.pending = Some(id);
            account.answer = None;
            // Nothing is queued for those who are away: a login would clear the queue.
            if account.connection.is_none() && !self.options.resend_request {
                continue;
            }
            let step = game.sim.state.step;
            let request =
                message::request(id, step, time, deadline, |out| percepts.write(entity, out));
            if self.options.resend_request {
                account.request.clone_from(&request);
            }
            self.lobby.send(*player, request);
        }
        self.phase = Phase::Thinking(now + timeout);
    }

    pub(super) fn finish_step(&mut self, now: Instant) {
        let Some(game) = &mut self.game else { return };
        let mut acts = Vec::with_capacity(game.players.len());
        for player in &game.players {
            let account = self.lobby.accounts.get_mut(*player);
            let act = account.and_then(|account| {
                account.pending = None;
                account.answer.take()
            });
            acts.push(act.unwrap_or_else(Act::nothing));
        }
        game.sim.execute(acts);
        self.verdict.step = (game.sim.state.step + 1).unsigned_abs();
        for (team, index) in game.sim.state.teams.iter().zip(&self.teams) {
            let score =
                self.verdict.teams.get_mut(*index).and_then(|score| score.rounds.last_mut());
            if let Some(score) = score {
                *score = team.score;
            }
        }
        let over = game.sim.over();
        let next = game.began + self.options.pace;
        self.record_step(over);
        if over {
            self.end_simulation(now);
        } else if next > now {
            self.phase = Phase::Pacing(next);
        } else {
            self.begin_step(now);
        }
    }

    fn end_simulation(&mut self, now: Instant) {
        let time = self.unix_ms(now);
        let Some(game) = self.game.take() else { return };
        let state = &game.sim.state;
        // Equal scores still get different ranks: the sort is stable, teams are in order of name.
        let mut ranked: Vec<usize> = (0..state.teams.len()).collect();
        ranked.sort_by_key(|team| std::cmp::Reverse(state.teams.get(*team).map(|team| team.score)));
        for (entity, player) in state.entities.iter().zip(&game.players) {
            let rank = ranked.iter().position(|team| *team == entity.team).unwrap_or(0) + 1;
            let score = state.teams.get(entity.team).map_or(0, |team| team.score);
            if let Some(account) = self.lobby.accounts.get_mut(*player) {
                account.start = None;
                account.pending = None;
            }
            self.lobby.send(*player, message::sim_end(score, rank, time));
        }
        let scores = state.teams.iter().map(|team| (team.name.clone(), team.score)).collect();
        self.results.push((game.name, scores));
        if self.current.is_some_and(|index| index + 1 == self.config.sims.len())
            && self.options.results
        {
            let folder = folder(&self.config.server.result_path);
            let stamp = calendar::stamp(self.options.local_ms(time));
            let bytes = replay::result(&self.results);
            self.artifacts
                .push_back(Artifact { path: format!("{folder}result_{stamp}.json"), bytes });
        }
        self.phase = Phase::Break(now + self.config.server.pause);
    }

    fn record_start(&mut self) {
        let Some(game) = &mut self.game else { return };
        if !self.options.replays {
            return;
        }
        let bytes = ReplayWriter::fixed(&game.name, &game.sim.state);
        // The initial state is the first of file 0 and cannot fill it.
        let _none = game.writer.push(&game.sim.state, false);
        let path = self.replay_path("static");
        self.artifacts.push_back(Artifact { path, bytes });
    }

    fn record_step(&mut self, last: bool) {
        let Some(game) = &mut self.game else { return };
        if !self.options.replays {
            return;
        }
        if let Some((step, bytes)) = game.writer.push(&game.sim.state, last) {
            let path = self.replay_path(&step.to_string());
            self.artifacts.push_back(Artifact { path, bytes });
        }
    }

    fn replay_path(&self, file: &str) -> String {
        let name = self.game.as_ref().map_or("", |game| game.name.as_str());
        let stamp = calendar::stamp(self.options.local_ms(self.match_start));
        format!("{}{stamp}-{}/{file}.json", folder(&self.config.server.replay_path), safe(name))
    }
}

/// A configured folder as the beginning of a relative path: nothing that leads out of the host's own.
fn folder(path: &str) -> String {
    let parts =
        path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
    parts.map(|part| format!("{}/", safe(part))).collect()
}

/// A name as one part of a path.
fn safe(name: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}
