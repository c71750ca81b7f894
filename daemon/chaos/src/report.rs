//! The report of a run: text for people and JSON for programs.

use crate::play::Outcome;
use crate::run::{ChaosReport, GameFigures};
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
    let heads =
        ["game", "matches", "failed", "agent-turns", "faults", "hours", "again", "commands"];
    let [game, matches, failed, turns, faults, hours, again, commands] = heads;
    writeln!(
        text,
        "{game:<12}{matches:>9}{failed:>8}{turns:>13}{faults:>9}{hours:>8}{again:>9}{commands:>10}"
    )?;
    for (name, game) in &report.games {
        let GameFigures { matches, failed, agent_turns, faults, virtual_ms, .. } = game;
        let hours = hours_of(*virtual_ms);
        let (again, commands) = (game.decided_again, game.acknowledged);
        writeln!(
            text,
            "{name:<12}{matches:>9}{failed:>8}{agent_turns:>13}{faults:>9}{hours:>8}{again:>9}\
             {commands:>10}"
        )?;
    }
    writeln!(text, "\n{:<12}{:>9}{:>10}", "fault", "injected", "survived")?;
    for (kind, figures) in &report.kinds {
        let name = kind.word();
        writeln!(text, "{name:<12}{:>9}{:>10}", figures.injected, figures.survived)?;
    }
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
        "\n{} matches, {} agent-turns, {} broke a promise; {} agent-turns per second and thread{}",
        report.matches(),
        all,
        report.failed(),
        rate(report),
        if report.stopped { "; stopped before the end" } else { "" }
    )
}

/// Virtual hours with one decimal.
fn hours_of(millis: u64) -> String {
    let tenths = millis / 360_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Agent-turns per second in which a thread played.
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
        "agent_turns_per_second_and_thread": rate(report),
        "stopped": report.stopped,
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
