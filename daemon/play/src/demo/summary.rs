//! The result of a demo match, as text and as JSON.

use super::leads::{Leads, leader};
use phalanx_chaos::NetworkReport;
use phalanx_engine::Snapshot;
use phalanx_game::{Score, Tally, Verdict, points_text};
use phalanx_net::{AnswerMeter, TurnTimes};
use phalanxd::casting::score_of;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// The JSON object that `phalanx demo --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub game: &'static str,
    pub seed: u64,
    /// Whether the match was played on virtual time.
    pub fast: bool,
    /// Steps that were played, over all simulations.
    pub steps: u64,
    /// Real time, in seconds.
    pub seconds: f64,
    /// Steps per second of real time.
    pub steps_per_second: f64,
    /// The team with the most points; `null` after a draw and where a team plays alone.
    pub winner: Option<String>,
    /// The teams, in the referee's order.
    pub teams: Vec<TeamSummary>,
    /// What decided the match, besides the scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tallies: Vec<TallyLine>,
    /// How the lead changed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<String>,
    /// Median time from the request (the last one of the step with `--fast`) to the last byte of
    /// the answer, over both teams, in microseconds.
    pub answer_p50_us: u64,
    /// The 99th percentile of that time.
    pub answer_p99_us: u64,
    /// The maximum of that time.
    pub answer_max_us: u64,
    /// Processor time that a team needs for a turn (percepts, world, scripts, answers), with
    /// `--fast`.
    #[serde(flatten)]
    pub turns: Option<TurnCosts>,
    /// What the faults of `--faults` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkReport>,
    /// Mistakes that the referee reported: of its own scripts, or in what a client sent.
    #[serde(skip_serializing_if = "is_zero")]
    pub notices: u64,
    /// What went wrong in a match with `--fast`, each mistake once, at most 20 lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
    /// The recordings, one file per team.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recordings: Vec<String>,
}

/// Processor time of turns in microseconds, over all teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TurnCosts {
    pub turn_cpu_p50_us: u64,
    pub turn_cpu_p99_us: u64,
    pub turn_cpu_max_us: u64,
}

impl From<TurnTimes> for TurnCosts {
    fn from(times: TurnTimes) -> Self {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self {
            turn_cpu_p50_us: micros(times.p50),
            turn_cpu_p99_us: micros(times.p99),
            turn_cpu_max_us: micros(times.max),
        }
    }
}

/// A number for each team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TallyLine {
    /// What is counted: `tasks delivered`.
    pub what: &'static str,
    /// The counts in the order of [`Summary::teams`].
    pub counts: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeamSummary {
    pub name: String,
    /// Sum of its scores over all simulations, from the referee.
    pub score: i64,
    /// Add half a point to `score`: there was an odd number of draws, each worth half a point.
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
    /// Turns without an answer of ours, and answers after the deadline.
    pub late: u64,
    pub script_errors: u64,
    /// Messages of the referee that were not understood, and calls of a game's own scripts that failed.
    #[serde(skip)]
    pub malformed: u64,
    /// Alerts that began.
    pub alerts: u64,
}

impl TeamSummary {
    /// Joins the referee's verdict and the team's snapshot.
    pub(crate) fn new(name: &str, verdict: &Verdict, snapshot: &Snapshot, alerts: u64) -> Self {
        let score = score_of(verdict, name);
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
            malformed: counters.malformed,
            alerts,
        }
    }
}

impl TeamSummary {
    /// Its score in half points.
    fn in_halves(&self) -> i64 {
        2 * self.score + i64::from(self.half)
    }
}

/// What a match took: steps, time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) seed: u64,
    pub(crate) fast: bool,
    pub(crate) steps: u64,
    pub(crate) time: Duration,
}

/// What the referee says at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchResult {
    tallies: Vec<Tally>,
    lead: Option<String>,
}

impl MatchResult {
    pub(crate) fn new(verdict: &Verdict, tallies: Vec<Tally>, leads: &Leads) -> Self {
        Self { tallies, lead: leads.text(verdict) }
    }
}

impl Summary {
    /// Builds the summary.
    pub(crate) fn new<'a>(
        game: &'static str,
        effort: Effort,
        teams: Vec<TeamSummary>,
        result: &MatchResult,
        answers: impl Iterator<Item = &'a AnswerMeter>,
    ) -> Self {
        let seconds = effort.time.as_secs_f64().max(1e-9);
        let answers = answers.map(AnswerMeter::histogram).reduce(|mut sum, one| {
            // Both have the same bounds; if adding failed, the figures would only be less exact.
            sum.add(&one).unwrap_or_default();
            sum
        });
        let at =
            |quantile| answers.as_ref().map_or(0, |all| all.value_at_quantile(quantile) / 1000);
        #[expect(clippy::cast_precision_loss, reason = "a speed for people")]
        let steps_per_second = (effort.steps as f64 / seconds).round();
        let totals: Vec<i64> = teams.iter().map(TeamSummary::in_halves).collect();
        let winner = leader(&totals).and_then(|winner| teams.get(winner));
        let tallies = result.tallies.iter();
        Self {
            winner: winner.map(|team| team.name.clone()),
            tallies: tallies
                .map(|Tally { what, counts }| TallyLine { what, counts: counts.clone() })
                .collect(),
            lead: result.lead.clone(),
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
            turns: None,
            network: None,
            notices: 0,
            troubles: Vec::new(),
            recordings: Vec::new(),
        }
    }

    /// Who won, and why.
    fn result(&self, line: &mut impl FnMut(String)) {
        let score = |team: &TeamSummary| format!("{} {}", team.name, points_text(team.in_halves()));
        let scores = self.teams.iter().map(score).collect::<Vec<_>>().join(" : ");
        line(match &self.winner {
            Some(winner) => format!("Winner: {winner}  ({scores})"),
            None if self.teams.len() > 1 => format!("Draw  ({scores})"),
            None => format!("Final score: {scores}"),
        });
        for TallyLine { what, counts } in &self.tallies {
            let counts = self.teams.iter().zip(counts);
            let counts: Vec<_> =
                counts.map(|(team, count)| format!("{} {count}", team.name)).collect();
            line(format!("  {what}: {}", counts.join(" : ")));
        }
        self.lead.iter().for_each(|lead| line(format!("  {lead}")));
        line(format!("  trouble: {}", trouble(&self.teams, self.notices)));
        if let Some(team) = self.teams.iter().find(|team| team.alerts > 0) {
            let name = &team.name;
            line(match self.recordings.is_empty() {
                true => format!(
                    "  to see the alerts: add `--record films`, then `phalanx replay films --team {name}`"
                ),
                false => {
                    format!("  to see the alerts: `phalanx replay` of the recording of {name}")
                }
            });
        }
    }

    /// The summary as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
        self.result(&mut line);
        line(format!(
            "{} steps in {:.2} s ({} a second), seed {}",
            self.steps, self.seconds, self.steps_per_second, self.seed
        ));
        line(format!(
            "{:<10} {:>8} {:>9} {:>9} {:>6} {:>14} {:>7}",
            "team", "score", "decided", "fallback", "late", "script errors", "alerts"
        ));
        for team in &self.teams {
            line(format!(
                "{:<10} {:>8} {:>9} {:>9} {:>6} {:>14} {:>7}",
                team.name,
                points_text(team.in_halves()),
                team.decided,
                team.fallback,
                team.late,
                team.script_errors,
                team.alerts
            ));
        }
        line(format!(
            "answer times: median {} µs, p99 {} µs, slowest {} µs",
            self.answer_p50_us, self.answer_p99_us, self.answer_max_us
        ));
        if let Some(turns) = &self.turns {
            line(format!(
                "processor time of a turn: median {} µs, p99 {} µs, slowest {} µs",
                turns.turn_cpu_p50_us, turns.turn_cpu_p99_us, turns.turn_cpu_max_us
            ));
        }
        if let Some(network) = &self.network {
            line(network.text());
        }
        for file in &self.recordings {
            line(format!("recorded: {file}"));
        }
        out
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Fallbacks, late answers, script errors and alerts by team, and what the referee reported.
fn trouble(teams: &[TeamSummary], notices: u64) -> String {
    let of = |team: &TeamSummary| {
        let TeamSummary { fallback, late, script_errors, alerts, .. } = *team;
        let kinds = [
            (fallback, "fallbacks"),
            (late, "late answers"),
            (script_errors, "script errors"),
            (alerts, "alerts"),
        ];
        let some = kinds.into_iter().filter(|(count, _)| *count > 0);
        let some: Vec<_> = some.map(|(count, what)| format!("{what} {count}")).collect();
        let idle = team.decided == 0 && fallback > 0;
        let advice =
            if idle { " (no script decided: `phalanx strategy check` shows why)" } else { "" };
        (!some.is_empty()).then(|| format!("{}: {}{advice}", team.name, some.join(", ")))
    };
    let referee = (notices > 0).then(|| format!("referee: mistakes {notices}"));
    let all: Vec<_> = teams.iter().filter_map(of).chain(referee).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_without_a_winner_says_so() {
        let winner = |scores: &[i64]| {
            let team = |score: &i64| TeamSummary { score: *score, ..Default::default() };
            let teams = scores.iter().map(team).collect();
            let effort = Effort { seed: 1, fast: true, steps: 1, time: Duration::ZERO };
            let result = MatchResult::default();
            let summary = Summary::new("assemble", effort, teams, &result, [].into_iter());
            serde_json::to_value(summary).unwrap().get("winner").cloned()
        };
        assert_eq!(winner(&[3, 3]), Some(serde_json::Value::Null));
        assert_eq!(winner(&[3]), Some(serde_json::Value::Null));
        assert_eq!(winner(&[3, 2]), Some("".into()));
    }

    #[test]
    fn alerts_and_mistakes_of_the_referee_are_trouble_too() {
        let team =
            |late, alerts| TeamSummary { name: "A".into(), late, alerts, ..Default::default() };
        assert_eq!(trouble(&[team(0, 0)], 0), "none");
        let expected = "A: late answers 1, alerts 2; referee: mistakes 3";
        assert_eq!(trouble(&[team(1, 2), team(0, 0)], 3), expected);
        let silent = TeamSummary { name: "A".into(), fallback: 9, ..Default::default() };
        let expected = "A: fallbacks 9 (no script decided: `phalanx strategy check` shows why)";
        assert_eq!(trouble(&[silent], 0), expected);
    }
}
