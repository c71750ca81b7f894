//! What a match counts for: its points, the verdict, and the table of the tournament.

use super::ColosseumArena;
use super::agent::ArenaAgent;
use super::options::Mode;
use super::ratings::rate;
use super::record::{self, Points, TAINTED_SCORE};
use phalanx_game::Artifact;

impl ColosseumArena {
    pub(super) fn tainted(&self) -> Vec<bool> {
        self.agents.iter().map(|agent| agent.tainted().is_some()).collect()
    }

    pub(super) fn points(&self) -> Vec<Points> {
        let tainted = self.tainted();
        let score = |(index, agent): (usize, &ArenaAgent)| {
            let (value, whole) = match (agent.tainted(), &self.table) {
                (None, Some(table)) => table.score(index, &tainted),
                (Some(_), _) | (None, None) => (TAINTED_SCORE, true),
            };
            Points { value, whole }
        };
        self.agents.iter().enumerate().map(score).collect()
    }

    /// Adds what the running match shows of its players.
    pub(super) fn tally(&mut self) {
        let Some(table) = &self.table else { return };
        for (what, counts) in table.tallies() {
            let players = vec![0; self.options.players.len()];
            let sums = self.tallies.entry(what).or_insert(players);
            for (agent, count) in self.agents.iter().zip(counts) {
                if let Some(sum) = sums.get_mut(agent.player) {
                    *sum += count;
                }
            }
        }
    }

    /// Enters a result in the verdict and the table.
    pub(super) fn count(&mut self, points: &[Points]) {
        for (agent, points) in self.agents.iter().zip(points) {
            if let Some(team) = self.verdict.teams.get_mut(agent.player) {
                team.enter(points.value);
            }
        }
        let ([a, b], [first, second]) = (self.agents.as_slice(), points) else { return };
        let score = match first.value.total_cmp(&second.value) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        let (Some(mut one), Some(mut other)) =
            (self.standings.get(a.player).copied(), self.standings.get(b.player).copied())
        else {
            return;
        };
        rate(&mut one, &mut other, score);
        for (player, row) in [(a.player, one), (b.player, other)] {
            if let Some(place) = self.standings.get_mut(player) {
                *place = row;
            }
        }
        if self.options.mode != Mode::Skirmish {
            let bytes = record::standings(&self.options, &self.standings);
            self.artifacts.push_back(Artifact { path: "standings.json".to_owned(), bytes });
        }
    }
}
