//! The report of a run: text for people and JSON for programs.

use crate::live::share;
use crate::misses::MissFigures;
use crate::play::Outcome;
use crate::run::{ChaosReport, GameFigures, KindFigures};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The report as text.
#[must_use]
pub fn table(report: &ChaosReport) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    write(report, &mut text).unwrap_or_default();
    text
}

fn write(report: &ChaosReport, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "{:<12}{:>9}{:>8}{:>13}{:>9}{:>8}{:>9}{:>10}{:>9}{:>9}",
        "game",
        "matches",
        "failed",
        "agent-turns",
        "faults",
        "hours",
        "again",
        "commands",
        "calls",
        "beliefs"
    )?;
    for (name, game) in &report.games {
        let GameFigures { matches, failed, agent_turns, faults, virtual_ms, .. } = game;
        let hours = hours_of(*virtual_ms);
        let (again, commands, calls) = (game.decided_again, game.acknowledged, game.calls);
        let beliefs = game.beliefs;
        writeln!(
            text,
            "{name:<12}{matches:>9}{failed:>8}{agent_turns:>13}{faults:>9}{hours:>8}{again:>9}\
             {commands:>10}{calls:>9}{beliefs:>9}"
        )?;
    }
    write_kinds(report, text)?;
    write_misses(&report.misses, text)?;
    for failure in &report.failures {
        let shrunk = &failure.shrunk;
        let scenario = &shrunk.scenario;
        writeln!(text, "\n{} seed {}: {}", scenario.game, failure.seed, shrunk.violation)?;
        for fault in &scenario.faults {
            writeln!(text, "  {fault}")?;
        }
    }
    let all = report.agent_turns();
    writeln!(
        text,
        "\n{} matches, {} agent-turns, {} broke a promise; {} agent-turns per second of processor time{}",
        report.matches(),
        all,
        report.failed(),
        rate(report),
        if report.stopped { "; stopped before the end" } else { "" }
    )
}

/// Faults by kind and game: how many there were, and in brackets how many of them were in matches
/// that broke a promise.
fn write_kinds(report: &ChaosReport, text: &mut String) -> std::fmt::Result {
    write!(text, "\n{:<12}{:>9}{:>10}", "fault", "injected", "survived")?;
    for game in report.games.keys() {
        write!(text, " {game:>13}")?;
    }
    writeln!(text)?;
    for (kind, games) in &report.kinds {
        let injected: u64 = games.values().map(|it| it.injected).sum();
        let survived: u64 = games.values().map(|it| it.survived).sum();
        write!(text, "{:<12}{injected:>9}{survived:>10}", kind.word())?;
        for game in report.games.keys() {
            let KindFigures { injected, survived } = games.get(game).copied().unwrap_or_default();
            let cell = match injected - survived {
                0 => injected.to_string(),
                lost => format!("{injected} (-{lost})"),
            };
            write!(text, " {cell:>13}")?;
        }
        writeln!(text)?;
    }
    Ok(())
}

/// How many turns had no answer, whatever the reason: a referee's view of the network.
fn write_misses(misses: &[MissFigures], text: &mut String) -> std::fmt::Result {
    let Some(shares) = MissShares::of(misses) else { return Ok(()) };
    let MissShares { rounds, without, above, missed, turns, worst } = shares;
    let (without, above) = (share(without, rounds), share(above, rounds));
    let (mean, worst) = (share(missed, turns), share(worst.missed, worst.turns));
    writeln!(
        text,
        "\nturns without an answer, by team and round: {rounds} rounds, {without} without one, \
         {above} with more than {MANY_PERCENT} %; mean {mean}, most {worst}"
    )
}

/// A round with more missed turns than this, in percent, counts as one with many.
const MANY_PERCENT: u64 = 5;

/// The distribution of missed turns.
struct MissShares {
    rounds: u64,
    without: u64,
    above: u64,
    missed: u64,
    turns: u64,
    worst: MissFigures,
}

impl MissShares {
    fn of(misses: &[MissFigures]) -> Option<Self> {
        let count = |is: &dyn Fn(&&MissFigures) -> bool| {
            u64::try_from(misses.iter().filter(|one| is(one)).count()).unwrap_or(u64::MAX)
        };
        let by_share = |a: &&MissFigures, b: &&MissFigures| {
            (a.missed.saturating_mul(b.turns)).cmp(&b.missed.saturating_mul(a.turns))
        };
        Some(Self {
            rounds: count(&|_| true),
            without: count(&|one| one.missed == 0),
            above: count(&|one| one.missed * 100 > one.turns * MANY_PERCENT),
            missed: misses.iter().map(|one| one.missed).sum(),
            turns: misses.iter().map(|one| one.turns).sum(),
            worst: *misses.iter().max_by(by_share)?,
        })
    }

    fn json(&self) -> Value {
        json!({
            "rounds": self.rounds,
            "without": self.without,
            "above_5_percent": self.above,
            "missed": self.missed,
            "turns": self.turns,
            "worst": self.worst,
        })
    }
}

/// Virtual hours with one decimal.
fn hours_of(millis: u64) -> String {
    let tenths = millis / 360_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Agent-turns per second of processor time.
fn rate(report: &ChaosReport) -> u64 {
    let millis = u64::try_from(report.busy.as_millis()).unwrap_or(u64::MAX).max(1);
    report.agent_turns().saturating_mul(1_000) / millis
}

/// The report for programs.
#[must_use]
pub fn json(report: &ChaosReport) -> Value {
    let failures = report.failures.iter().map(|failure| {
        json!({
            "game": failure.shrunk.scenario.game,
            "seed": failure.seed,
            "violation": failure.shrunk.violation,
            "scenario": failure.shrunk.scenario.text(),
            "tries": failure.shrunk.tries,
        })
    });
    json!({
        "matches": report.matches(),
        "failed": report.failed(),
        "agent_turns": report.agent_turns(),
        "agent_turns_per_cpu_second": rate(report),
        "stopped": report.stopped,
        "misses": MissShares::of(&report.misses).map(|shares| shares.json()),
        "games": report.games,
        "faults": report.kinds.iter().map(|(kind, figures)| (kind.word().to_owned(), json!(figures)))
            .collect::<serde_json::Map<_, _>>(),
        "failures": failures.collect::<Vec<_>>(),
    })
}

/// What came of one scenario, as text.
#[must_use]
pub fn described(outcome: &Outcome) -> String {
    let Outcome { agent_turns, steps, time, injected, acknowledged, .. } = outcome;
    let faults: u64 = injected.values().sum();
    let mut text = format!(
        "{steps} steps, {agent_turns} agent-turns, {:.1} s of virtual time, {faults} faults, \
         {acknowledged} commands\n",
        time.as_secs_f64()
    );
    for violation in &outcome.violations {
        text.push_str(&format!("{violation}\n"));
    }
    if outcome.violations.is_empty() {
        text.push_str("every promise was kept\n");
    }
    text
}
