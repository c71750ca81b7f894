//! Matches, simulations and steps over connections (spec, sections 3, 4, 7 and 10).

use super::MarsArena;
use super::percept::PerceptBuilder;
use super::record::{PlayedSimulation, StateLog, Winner};
use crate::percept::Briefing;
use crate::rules::map::StartMap;
use crate::rules::{Act, MatchSide, State, StepLuck};
use crate::wire::{Request, ServerBody};
use phalanx_massim::{JavaRandom, RefereePhase};
use smol_str::{SmolStr, ToSmolStr as _};
use std::time::Instant;

/// What the chance of steps is drawn for, apart from maps.
const LUCK: u64 = 1;

/// The running simulation.
#[derive(Debug)]
pub(super) struct MarsSimulation {
    pub(super) state: State,
    random: JavaRandom,
    steps: u32,
    seed: i64,
    start_ms: u64,
    log: Option<StateLog>,
}

impl MarsArena {
    pub(super) fn next_match(&mut self, now: Instant) {
        let Some(teams) = self.matches.next() else {
            let bye = self.message(ServerBody::Bye, now);
            self.referee.finish(&bye);
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
        let start_ms = self.referee.unix_ms(now);
        let round = self.referee.verdict.round;
        let by_chance = i64::try_from(start_ms).unwrap_or(i64::MAX);
        let seed = match self.options.seed {
            Some(seed) => seed.wrapping_add(i64::from(round)),
            None => sim.seed.unwrap_or(by_chance),
        };
        let ground = StartMap::draw(&sim.map, seed, self.config.agents);
        let team = |team: usize| {
            let of = self.config.teams.get(team);
            let names =
                (1..=self.config.agents as usize).filter_map(|n| of.map(|of| of.account(n)));
            (of.map(|of| of.name.clone()).unwrap_or_default(), names.collect())
        };
        let state = State::new(ground, self.pair.map(team), self.config.rules);
        let each = self.config.agents as usize;
        let players = self.pair.iter().flat_map(|team| team * each..(team + 1) * each).collect();
        self.referee.begin_round(&self.pair, players, sim.steps);
        let log = self.options.replays.then(|| StateLog::new(&state));
        let random = JavaRandom::mixed(seed, LUCK);
        self.running =
            Some(MarsSimulation { state, random, steps: sim.steps, seed, start_ms, log });
        self.send_starts(now);
        self.begin_step(now);
    }

    fn send_starts(&mut self, now: Instant) {
        let Some(running) = &self.running else { return };
        let (setting, steps) = (running.state.setting.clone(), running.steps);
        let count = |count: usize| u32::try_from(count).ok();
        for (person, player) in setting.people.iter().zip(self.referee.players()) {
            let Some(account) = self.referee.table.account(player) else { continue };
            let briefing = Briefing {
                id: account.take_id().to_smolstr(),
                role: SmolStr::new_static(person.role.word()),
                steps: Some(steps),
                vertices: count(setting.map.vertices().len()),
                edges: count(setting.map.edges().len()),
            };
            let start = self.message(ServerBody::SimStart(briefing), now);
            self.referee.start_player(player, start);
        }
    }

    pub(super) fn begin_step(&mut self, now: Instant) {
        let Some(running) = self.running.take() else { return };
        let server = &self.config.server;
        let (timeout, lockstep) = (server.timeout, server.lockstep);
        let limit = now + self.answer_limit();
        self.referee.begin_step(now, (!lockstep).then_some(limit));
        let deadline = i64::try_from(self.referee.unix_ms(now + timeout)).unwrap_or(i64::MAX);
        let percepts = PerceptBuilder::new(&running.state);
        for (agent, player) in self.referee.players().into_iter().enumerate() {
            let Some((id, is_connected)) = self.referee.await_answer(player) else { continue };
            let request = ServerBody::RequestAction(Request {
                id: id.to_smolstr(),
                deadline: Some(deadline),
                percept: percepts.of(agent),
            });
            let bytes = self.message(request, now);
            if is_connected {
                self.referee.table.send(player, bytes.clone());
            }
            // Without a deadline the referee waits for an agent that lost the request with its
            // connection, so a login gets it again.
            if (!is_connected || lockstep)
                && let Some(account) = self.referee.table.account(player)
            {
                account.queued = Some(bytes);
            }
        }
        self.running = Some(running);
    }

    pub(super) fn finish_step(&mut self, now: Instant) {
        let Some(running) = &mut self.running else { return };
        let acts = self.referee.take_answers(Act::nothing);
        let percent = running.state.setting.rules.random_fail_percent;
        let luck = StepLuck::draw(&mut running.random, acts.len(), percent);
        running.state.advance(acts, &luck);
        if let Some(log) = &mut running.log {
            log.push(&running.state);
        }
        let scores = self.pair.into_iter().zip(running.state.teams.iter().map(|team| team.score));
        for (team, of) in self.pair.into_iter().zip(&running.state.teams) {
            let Some(earned) = self.earned.get_mut(team) else { continue };
            earned.zone_points = earned.zone_points.saturating_add(of.zones_score);
            let new = of.achievements.len().saturating_sub(of.achieved_before);
            earned.achievements += i64::try_from(new).unwrap_or(i64::MAX);
        }
        self.referee.verdict.step = running.state.step;
        self.referee.set_scores(scores);
        if running.state.step >= running.steps {
            self.end_simulation(now);
        } else if self.referee.is_next_step_due(now) {
            self.begin_step(now);
        }
    }

    fn end_simulation(&mut self, now: Instant) {
        let Some(running) = self.running.take() else { return };
        let state = &running.state;
        let winner = state.winner();
        for (person, player) in state.setting.people.iter().zip(self.referee.players()) {
            // Both are first in a draw.
            let ranking = if winner.is_some_and(|winner| winner != person.side) { 2 } else { 1 };
            let score = Some(person.side.of(&state.teams).score);
            if let Some(account) = self.referee.table.account(player) {
                // The message uses an id up, though it does not carry it.
                account.take_id();
            }
            let end = ServerBody::SimEnd { score, ranking: Some(ranking) };
            let bytes = self.message(end, now);
            self.referee.end_player(player, bytes);
        }
        let number = self.played.len() + 1;
        self.played.push(PlayedSimulation {
            teams: self.pair,
            seed: running.seed,
            steps: state.step,
            vertices: state.setting.map.vertices().len(),
            start_ms: running.start_ms,
            end_ms: self.referee.unix_ms(now),
            scores: state.teams.clone().map(|team| team.score),
            money: state.teams.clone().map(|team| team.money),
            winner: match winner {
                Some(MatchSide::A) => Winner::First,
                Some(MatchSide::B) => Winner::Second,
                None => Winner::Draw,
            },
        });
        self.emit(number, running.log);
        self.referee.phase = RefereePhase::Break(now + self.config.server.pause);
    }
}
