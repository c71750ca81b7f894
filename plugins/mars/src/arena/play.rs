//! Matches, simulations and steps over connections (spec, sections 3, 4, 7 and 10).

use super::percept::Percepts;
use super::record::{Outcome, Played, Tape};
use super::{MarsArena, Phase};
use crate::percept::Briefing;
use crate::rules::chance::Lcg;
use crate::rules::map::Ground;
use crate::rules::{Act, Luck, Side, State};
use crate::wire::{Request, ServerBody};
use smol_str::{SmolStr, ToSmolStr as _};
use std::time::Instant;

/// What the chance of steps is drawn for, apart from maps.
const LUCK: u64 = 1;

/// The running simulation.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) state: State,
    lcg: Lcg,
    pub(super) steps: u32,
    seed: i64,
    /// Accounts of the agents, in their order.
    players: Vec<usize>,
    /// Answers still missing in this step.
    pub(super) waiting: usize,
    /// When the step's requests went out.
    began: Instant,
    start_ms: u64,
    tape: Option<Tape>,
}

impl MarsArena {
    pub(super) fn next_match(&mut self, now: Instant) {
        let Some(teams) = self.matches.next() else {
            self.phase = Phase::Over;
            self.verdict.over = true;
            for id in self.lobby.all() {
                self.dismiss(id, now);
            }
            return;
        };
        self.pair = teams;
        self.current = None;
        self.next_simulation(now);
    }

    pub(super) fn next_simulation(&mut self, now: Instant) {
        let index = self.current.map_or(0, |index| index + 1);
        let Some(sim) = self.config.sims.get(index).cloned() else {
            self.next_match(now);
            return;
        };
        self.current = Some(index);
        let start_ms = self.origin.unix_ms(now);
        let round = self.verdict.round;
        let by_chance = i64::try_from(start_ms).unwrap_or(i64::MAX);
        let seed = match self.options.seed {
            Some(seed) => seed.wrapping_add(i64::from(round)),
            None => sim.seed.unwrap_or(by_chance),
        };
        let ground = Ground::draw(&sim.map, seed, self.config.agents);
        let team = |team: usize| {
            let of = self.config.teams.get(team);
            let names = (1..=self.config.agents).filter_map(|n| of.map(|of| of.account(n)));
            (of.map(|of| of.name.clone()).unwrap_or_default(), names.collect())
        };
        let state = State::new(ground, self.pair.map(team), self.config.rules);
        let each = self.config.agents as usize;
        let players = self.pair.iter().flat_map(|team| team * each..(team + 1) * each).collect();
        self.verdict.round += 1;
        (self.verdict.step, self.verdict.steps) = (0, sim.steps);
        for team in self.pair {
            if let Some(score) = self.verdict.teams.get_mut(team) {
                score.rounds.push(0);
            }
        }
        let tape = self.options.replays.then(|| Tape::new(&state));
        self.game = Some(Game {
            state,
            lcg: Lcg::stirred(seed, LUCK),
            steps: sim.steps,
            seed,
            players,
            waiting: 0,
            began: now,
            start_ms,
            tape,
        });
        self.greet(now);
        self.begin_step(now);
    }

    fn greet(&mut self, now: Instant) {
        let Some(game) = &self.game else { return };
        let setting = game.state.setting.clone();
        let (players, steps) = (game.players.clone(), game.steps);
        let count = |count: usize| u32::try_from(count).ok();
        for (person, player) in setting.people.iter().zip(players) {
            let Some(account) = self.lobby.accounts.get_mut(player) else { continue };
            let briefing = Briefing {
                id: account.number().to_smolstr(),
                role: SmolStr::new_static(person.role.word()),
                steps: Some(steps),
                vertices: count(setting.map.vertices().len()),
                edges: count(setting.map.edges().len()),
            };
            let start = self.message(ServerBody::SimStart(briefing), now);
            if let Some(account) = self.lobby.accounts.get_mut(player) {
                account.start = Some(start.clone());
            }
            self.lobby.send(player, start);
        }
    }

    pub(super) fn begin_step(&mut self, now: Instant) {
        let Some(mut game) = self.game.take() else { return };
        game.began = now;
        game.waiting = game.players.len();
        let server = &self.config.server;
        let (timeout, limit) = (server.timeout, self.answer_limit());
        let lockstep = server.lockstep;
        let deadline = i64::try_from(self.origin.unix_ms(now + timeout)).unwrap_or(i64::MAX);
        let percepts = Percepts::new(&game.state);
        for (agent, player) in game.players.iter().enumerate() {
            let Some(account) = self.lobby.accounts.get_mut(*player) else { continue };
            let id = account.number();
            account.awaited = Some(id);
            account.answer = None;
            account.queued = None;
            let connected = account.connection.is_some();
            let request = ServerBody::RequestAction(Request {
                id: id.to_smolstr(),
                deadline: Some(deadline),
                percept: percepts.of(agent),
            });
            let bytes = self.message(request, now);
            if connected {
                self.lobby.send(*player, bytes);
            } else if let Some(account) = self.lobby.accounts.get_mut(*player) {
                account.queued = Some(bytes);
            }
        }
        self.phase = Phase::Thinking((!lockstep).then(|| now + limit));
        self.game = Some(game);
    }

    pub(super) fn finish_step(&mut self, now: Instant) {
        let Some(game) = &mut self.game else { return };
        let mut acts = Vec::with_capacity(game.players.len());
        for player in &game.players {
            let Some(account) = self.lobby.accounts.get_mut(*player) else { continue };
            if account.awaited.take().is_some() {
                account.manners.silent = account.manners.silent.saturating_add(1);
            }
            account.queued = None;
            acts.push(account.answer.take().unwrap_or_else(Act::nothing));
        }
        let percent = game.state.setting.rules.random_fail_percent;
        let luck = Luck::draw(&mut game.lcg, acts.len(), percent);
        game.state.advance(acts, &luck);
        if let Some(tape) = &mut game.tape {
            tape.push(&game.state);
        }
        self.verdict.step = game.state.step;
        for (team, index) in game.state.teams.iter().zip(self.pair) {
            let teams = &mut self.verdict.teams;
            if let Some(score) = teams.get_mut(index).and_then(|score| score.rounds.last_mut()) {
                *score = team.score;
            }
        }
        let (over, next) = (game.state.step >= game.steps, game.began + self.options.pace);
        if over {
            self.end_simulation(now);
        } else if next > now {
            self.phase = Phase::Pacing(next);
        } else {
            self.begin_step(now);
        }
    }

    fn end_simulation(&mut self, now: Instant) {
        let Some(game) = self.game.take() else { return };
        let state = &game.state;
        let winner = state.winner();
        for (person, player) in state.setting.people.iter().zip(&game.players) {
            // Both are first in a draw.
            let ranking = if winner.is_some_and(|winner| winner != person.side) { 2 } else { 1 };
            let score = Some(person.side.of(&state.teams).score);
            if let Some(account) = self.lobby.accounts.get_mut(*player) {
                // The number is used up, though it is not told.
                account.number();
                account.start = None;
            }
            let end = ServerBody::SimEnd { score, ranking: Some(ranking) };
            let bytes = self.message(end, now);
            self.lobby.send(*player, bytes);
        }
        let number = self.played.len() + 1;
        self.played.push(Played {
            teams: self.pair,
            seed: game.seed,
            steps: state.step,
            vertices: state.setting.map.vertices().len(),
            start_ms: game.start_ms,
            end_ms: self.origin.unix_ms(now),
            scores: state.teams.clone().map(|team| team.score),
            money: state.teams.clone().map(|team| team.money),
            outcome: match winner {
                Some(Side::A) => Outcome::First,
                Some(Side::B) => Outcome::Second,
                None => Outcome::Draw,
            },
        });
        self.emit(number, game.tape);
        self.phase = Phase::Break(now + self.config.server.pause);
    }
}
