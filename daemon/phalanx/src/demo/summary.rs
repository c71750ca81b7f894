//! How a demo match ended: for people and for programs.

use phalanx_engine::Snapshot;
use phalanx_game::{Score, Verdict, points_text};
use phalanx_net::Meter;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// The JSON object that `phalanx demo --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The game.
    pub game: &'static str,
    /// The match's seed.
    pub seed: u64,
    /// Whether the match was played on virtual time.
    pub fast: bool,
    /// Steps that were played, over all simulations.
    pub steps: u64,
    /// Real time, in seconds.
    pub seconds: f64,
    /// Steps per second of real time.
    pub steps_per_second: f64,
    /// The teams, in the referee's order.
    pub teams: Vec<TeamSummary>,
    /// Median time from the request (the last one of the step with `--fast`) to the answer's bytes
    /// written, over both teams, in microseconds.
    pub answer_p50_us: u64,
    /// The same, 99 of 100 are faster.
    pub answer_p99_us: u64,
    /// The slowest answer.
    pub answer_max_us: u64,
    /// The files in which it is recorded, one a team.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recordings: Vec<String>,
}

/// One team's part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TeamSummary {
    /// Its name.
    pub name: String,
    /// Sum of its scores over all simulations, from the referee.
    pub score: i64,
    /// Half a point more than `score`: an odd number of draws, where a draw brings half a point.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub half: bool,
    /// Its score in each simulation, in whole points.
    pub rounds: Vec<i64>,
    /// Requests for action.
    pub asked: u64,
    /// Answers that scripts decided.
    pub decided: u64,
    /// Fallbacks sent.
    pub fallback: u64,
    /// Turns without an answer of ours, and answers that came too late.
    pub late: u64,
    /// Errors of scripts.
    pub script_errors: u64,
}

impl TeamSummary {
    /// Joins what the referee and the team say.
    pub(crate) fn new(name: &str, verdict: &Verdict, snapshot: &Snapshot) -> Self {
        let named = verdict.teams.iter().find(|score| score.team == name);
        // Whoever plays alone may have another name at the referee.
        let score = named.or(match verdict.teams.as_slice() {
            [alone] => Some(alone),
            _ => None,
        });
        let rounds = score.map(|score| score.rounds.clone()).unwrap_or_default();
        let halves = score.map_or(0, Score::in_halves);
        let counters = snapshot.counters;
        Self {
            name: name.to_owned(),
            score: halves.div_euclid(2),
            half: halves % 2 != 0,
            rounds,
            asked: counters.asked,
            decided: counters.decided,
            fallback: counters.fallback,
            late: counters.late,
            script_errors: counters.script_errors,
        }
    }
}

/// What a match took besides its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) seed: u64,
    pub(crate) fast: bool,
    pub(crate) steps: u64,
    pub(crate) time: Duration,
}

impl Summary {
    /// Puts the figures together.
    pub(crate) fn new<'a>(
        game: &'static str,
        effort: Effort,
        teams: Vec<TeamSummary>,
        answers: impl Iterator<Item = &'a Meter>,
    ) -> Self {
        let seconds = effort.time.as_secs_f64().max(1e-9);
        let answers = answers.map(Meter::histogram).reduce(|mut sum, one| {
            // Both have the same bounds; an addition that failed would only blur the figures.
            sum.add(&one).unwrap_or_default();
            sum
        });
        let at =
            |quantile| answers.as_ref().map_or(0, |all| all.value_at_quantile(quantile) / 1000);
        #[expect(clippy::cast_precision_loss, reason = "a speed for people")]
        let steps_per_second = (effort.steps as f64 / seconds).round();
        Self {
            game,
            seed: effort.seed,
            fast: effort.fast,
            steps: effort.steps,
            seconds: (seconds * 1000.0).round() / 1000.0,
            steps_per_second,
            teams,
            answer_p50_us: at(0.5),
            answer_p99_us: at(0.99),
            answer_max_us: at(1.0),
            recordings: Vec::new(),
        }
    }

    /// The summary as people read it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
        line(format!(
            "{} steps in {:.1} s ({} a second), seed {}",
            self.steps, self.seconds, self.steps_per_second, self.seed
        ));
        line(format!(
            "{:<10} {:>8} {:>9} {:>9} {:>6} {:>14}",
            "team", "score", "decided", "fallback", "late", "script errors"
        ));
        for team in &self.teams {
            line(format!(
                "{:<10} {:>8} {:>9} {:>9} {:>6} {:>14}",
                team.name,
                points_text(2 * team.score + i64::from(team.half)),
                team.decided,
                team.fallback,
                team.late,
                team.script_errors
            ));
        }
        line(format!(
            "answer times: median {} µs, p99 {} µs, slowest {} µs",
            self.answer_p50_us, self.answer_p99_us, self.answer_max_us
        ));
        for file in &self.recordings {
            line(format!("recorded: {file}"));
        }
        out
    }
}
