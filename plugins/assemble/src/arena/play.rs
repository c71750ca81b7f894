//! Matches, simulations and steps over connections (spec, sections 3, 4 and 13).

use super::act::Act;
use super::message::{self, StartFields};
use super::percept::PerceptWriter;
use super::replay::{self, ReplayWriter};
use super::rules::Simulation;
use super::{AssembleArena, calendar};
use phalanx_game::Artifact;
use phalanx_game::sorted::Order;
use phalanx_massim::RefereePhase;
use std::sync::Arc;
use std::time::Instant;

/// The running simulation.
#[derive(Debug)]
pub(super) struct RunningSimulation {
    pub(super) sim: Simulation,
    name: String,
    writer: ReplayWriter,
}

impl AssembleArena {
    pub(super) fn next_match(&mut self, now: Instant) {
        let Some(teams) = self.schedule.next() else {
            self.current = None;
            self.referee.finish(&message::bye());
            return;
        };
        self.teams = teams;
        // The canonical order is by name, whatever order a list has.
        self.teams.order();
        self.match_start = self.referee.unix_ms(now);
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
        let time = self.referee.unix_ms(now);
        let round = self.referee.verdict.round;
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
        self.referee.begin_round(&self.teams, players, config.steps.unsigned_abs());
        self.send_starts(&sim, time);
        self.running = Some(RunningSimulation { sim, name, writer: ReplayWriter::default() });
        self.record_start();
        self.begin_step(now);
    }

    fn send_starts(&mut self, sim: &Simulation, time: u64) {
        for (entity, player) in sim.state.entities.iter().zip(self.referee.players()) {
            let team = sim.state.teams.get(entity.team).map_or("", |team| team.name.as_str());
            let start = message::sim_start(&StartFields {
                time,
                name: &entity.name,
                team,
                size: sim.state.rules.entities,
                steps: sim.state.rules.steps,
            });
            self.referee.start_player(player, start);
        }
    }

    pub(super) fn begin_step(&mut self, now: Instant) {
        let time = self.referee.unix_ms(now);
        let timeout = self.config.server.agent_timeout;
        let Some(running) = &mut self.running else { return };
        running.sim.begin_step();
        self.referee.begin_step(now, Some(now + timeout));
        let deadline = time.saturating_add(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        let percepts = PerceptWriter::new(&running.sim.state);
        for (entity, player) in self.referee.players().into_iter().enumerate() {
            let Some((id, is_connected)) = self.referee.await_answer(player) else { continue };
            // Nothing is queued for those who are away: a login would clear the queue.
            if !is_connected && !self.options.resend_request {
                continue;
            }
            let step = running.sim.state.step;
            let request =
                message::request(id, step, time, deadline, |out| percepts.write(entity, out));
            if self.options.resend_request
                && let Some(account) = self.referee.table.account(player)
            {
                account.queued = Some(request.clone());
            }
            self.referee.table.send(player, request);
        }
    }

    pub(super) fn finish_step(&mut self, now: Instant) {
        let Some(running) = &mut self.running else { return };
        running.sim.execute(self.referee.take_answers(Act::nothing));
        let state = &running.sim.state;
        let scores = self.teams.iter().copied().zip(state.teams.iter().map(|team| team.score));
        for (_, team) in &state.completed {
            let team = self.teams.get(*team).and_then(|team| self.delivered.get_mut(*team));
            team.into_iter().for_each(|delivered| *delivered += 1);
        }
        self.referee.verdict.step = (state.step + 1).unsigned_abs();
        self.referee.set_scores(scores);
        let over = running.sim.over();
        self.record_step(over);
        if over {
            self.end_simulation(now);
        } else if self.referee.is_next_step_due(now) {
            self.begin_step(now);
        }
    }

    fn end_simulation(&mut self, now: Instant) {
        let time = self.referee.unix_ms(now);
        let Some(running) = self.running.take() else { return };
        let state = &running.sim.state;
        // Equal scores still get different ranks: the sort is stable, teams are in order of name.
        let mut ranked: Vec<usize> = (0..state.teams.len()).collect();
        ranked
            .order_by_key(|team| std::cmp::Reverse(state.teams.get(*team).map(|team| team.score)));
        for (entity, player) in state.entities.iter().zip(self.referee.players()) {
            let rank = ranked.iter().position(|team| *team == entity.team).unwrap_or(0) + 1;
            let score = state.teams.get(entity.team).map_or(0, |team| team.score);
            self.referee.end_player(player, message::sim_end(score, rank, time));
        }
        let scores = state.teams.iter().map(|team| (team.name.clone(), team.score)).collect();
        self.results.push((running.name, scores));
        if self.current.is_some_and(|index| index + 1 == self.config.sims.len())
            && self.options.results
        {
            let folder = folder(&self.config.server.result_path);
            let stamp = calendar::stamp(self.options.local_ms(time));
            let bytes = replay::result(&self.results);
            let path = format!("{folder}result_{stamp}.json");
            self.referee.artifacts.push_back(Artifact { path, bytes });
        }
        self.referee.phase = RefereePhase::Break(now + self.config.server.pause);
    }

    fn record_start(&mut self) {
        let Some(running) = &mut self.running else { return };
        if !self.options.replays {
            return;
        }
        let bytes = ReplayWriter::fixed(&running.name, &running.sim.state);
        // The initial state is the first of file 0 and cannot fill it.
        let _none = running.writer.push(&running.sim.state, false);
        let path = self.replay_path("static");
        self.referee.artifacts.push_back(Artifact { path, bytes });
    }

    fn record_step(&mut self, last: bool) {
        let Some(running) = &mut self.running else { return };
        if !self.options.replays {
            return;
        }
        if let Some((step, bytes)) = running.writer.push(&running.sim.state, last) {
            let path = self.replay_path(&step.to_string());
            self.referee.artifacts.push_back(Artifact { path, bytes });
        }
    }

    fn replay_path(&self, file: &str) -> String {
        let name = self.running.as_ref().map_or("", |running| running.name.as_str());
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
