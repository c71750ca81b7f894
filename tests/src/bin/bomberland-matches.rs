//! Whole matches of the shipped Bomberland strategy against an idle, a random and an equal team.
//!
//! `bomberland-matches PROGRAM GAMES [OPPONENT]` plays GAMES games of each kind, or against `idle`,
//! `random` or `itself` only, with the program `phalanx`
//! and prints a table; it is run at the top of the repository. It fails when a game against the
//! idle or the random team is not won, costs a unit by an own bomb or a life by a step into a
//! blast that was known, when an answer is missing, or when one side of equals wins most.

use phalanx_e2e::bomberland::{Blunders, blunders};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

const STRATEGY: &str = "scripts/bomberland";
const VARIANTS: &[&str] = &["engine", "classic"];
/// Opponents; of the last one half of the games should be won.
const OPPONENTS: &[(&str, &str)] = &[
    ("idle", "tests/opponents/bomberland-idle"),
    ("random", "tests/opponents/bomberland-random"),
    ("itself", STRATEGY),
];
/// Seeds that no world can be made of; the engine refuses them, too.
const UNUSABLE: &[u64] = &[14, 79, 157, 342, 345];
/// From this number of games between equals on, the shares are significant.
const TELLING: usize = 20;
/// Most games of one kind: further seeds have not been checked.
const GAMES_MAX: usize = 300;

/// One kind of game.
#[derive(Clone, Copy)]
struct Pairing {
    variant: &'static str,
    opponent: &'static str,
    folder: &'static str,
}

/// How one game ended for the strategy.
#[derive(Clone, Copy)]
struct Outcome {
    seed: u64,
    /// Its side: the first team of odd games, the second of even ones.
    first: bool,
    /// 1 won, 0 drawn, -1 lost.
    result: i64,
    ticks: u64,
    own: Blunders,
    /// Answers that were late, missing or wrong.
    amiss: i64,
}

fn main() -> ExitCode {
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            // If stderr is closed there is no reader.
            drop(writeln!(std::io::stderr(), "{trouble}"));
            ExitCode::FAILURE
        }
    }
}

fn table() -> Result<(), String> {
    let usage =
        || format!("usage: bomberland-matches PROGRAM GAMES [OPPONENT], 1 to {GAMES_MAX} games");
    let mut args = std::env::args().skip(1);
    let program = args.next().map(PathBuf::from).ok_or_else(usage)?;
    let games = args.next().and_then(|games| games.parse().ok()).ok_or_else(usage)?;
    let only = args.next();
    let asked = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if !(1..=GAMES_MAX).contains(&games) || !OPPONENTS.iter().any(|(name, _)| asked(name)) {
        return Err(usage());
    }
    let program =
        program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
    say(
        "| rules | against | won | drawn | lost | units lost to own bombs | lives | median ticks |",
    )?;
    say("|---|---|---|---|---|---|---|---|")?;
    let mut troubles = Vec::new();
    for &variant in VARIANTS {
        for &(opponent, folder) in OPPONENTS.iter().filter(|(name, _)| asked(name)) {
            let pairing = Pairing { variant, opponent, folder };
            let outcomes = play_all(&program, pairing, games)?;
            say(&row(pairing, &outcomes))?;
            troubles.extend(judge(pairing, &outcomes));
        }
    }
    if troubles.is_empty() { Ok(()) } else { Err(troubles.join("\n")) }
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| error.to_string())
}

/// Plays the first usable seeds, on all cores.
fn play_all(program: &Path, pairing: Pairing, games: usize) -> Result<Vec<Outcome>, String> {
    let seeds = (1_u64..).filter(|seed| !UNUSABLE.contains(seed)).take(games);
    let queue = Mutex::new(seeds.zip([true, false].into_iter().cycle()));
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let work = || {
        let mut outcomes = Vec::new();
        while let Some((seed, first)) = next() {
            outcomes.push(play(program, pairing, seed, first)?);
        }
        Ok::<_, String>(outcomes)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<Result<Vec<Outcome>, String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let crashed = |_| Err("a worker panicked".to_owned());
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(crashed)).collect()
    });
    let mut outcomes = Vec::new();
    for part in parts {
        outcomes.extend(part?);
    }
    outcomes.sort_by_key(|outcome| outcome.seed);
    Ok(outcomes)
}

fn play(program: &Path, pairing: Pairing, seed: u64, first: bool) -> Result<Outcome, String> {
    let place = format!("{} against {}, seed {seed}", pairing.variant, pairing.opponent);
    let trouble = |error: &dyn std::fmt::Display| format!("{place}: {error}");
    let folder = tempfile::tempdir().map_err(|error| trouble(&error))?;
    let (one, other) = if first { (STRATEGY, pairing.folder) } else { (pairing.folder, STRATEGY) };
    let output = Command::new(program)
        .args(["demo", "--game", "bomberland", "--fast", "--json", "--variant", pairing.variant])
        .args(["--strategy", one, "--opponent", other, "--seed", &seed.to_string()])
        .arg("--replay")
        .arg(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| trouble(&error))?;
    if !output.status.success() {
        return Err(trouble(&String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(summary).map_err(|error| trouble(&error))?;
    let replay =
        std::fs::read(folder.path().join("replay.json")).map_err(|error| trouble(&error))?;
    let replay: Value = serde_json::from_slice(&replay).map_err(|error| trouble(&error))?;
    let own = blunders(&replay, if first { "a" } else { "b" });
    read(&summary, seed, first, own).ok_or_else(|| trouble(&"the summary lacks a team"))
}

/// What the summary of a game says.
fn read(summary: &Value, seed: u64, first: bool, own: Blunders) -> Option<Outcome> {
    let teams = summary.get("teams")?.as_array()?;
    let (ours, theirs) = if first { (0, 1) } else { (1, 0) };
    let (ours, theirs) = (teams.get(ours)?, teams.get(theirs)?);
    let number = |team: &Value, key: &str| team.get(key)?.as_i64();
    let amiss = ["late", "fallback", "script_errors"].map(|key| number(ours, key));
    Some(Outcome {
        seed,
        first,
        result: (number(ours, "score")? - number(theirs, "score")?).signum(),
        ticks: summary.get("steps")?.as_u64()?,
        own,
        amiss: amiss.into_iter().sum::<Option<i64>>()?,
    })
}

fn row(pairing: Pairing, outcomes: &[Outcome]) -> String {
    let count = |result: i64| outcomes.iter().filter(|outcome| outcome.result == result).count();
    let losses: u32 = outcomes.iter().map(|outcome| outcome.own.losses).sum();
    let hits: u32 = outcomes.iter().map(|outcome| outcome.own.hits).sum();
    let mut ticks: Vec<u64> = outcomes.iter().map(|outcome| outcome.ticks).collect();
    ticks.sort_unstable();
    let median = ticks.get(ticks.len() / 2).copied().unwrap_or_default();
    format!(
        "| {} | {} | {} | {} | {} | {losses} | {hits} | {median} |",
        pairing.variant,
        pairing.opponent,
        count(1),
        count(0),
        count(-1)
    )
}

/// What must not be.
fn judge(pairing: Pairing, outcomes: &[Outcome]) -> Vec<String> {
    let Pairing { variant, opponent, folder } = pairing;
    let equals = folder == STRATEGY;
    let mut troubles = Vec::new();
    for outcome in outcomes {
        let Outcome { seed, result, own, amiss, .. } = outcome;
        let place = format!("{variant} against {opponent}, seed {seed}");
        if *amiss > 0 {
            troubles.push(format!("{place}: {amiss} answers were late, missing or wrong"));
        }
        if !equals && *result < 1 {
            troubles.push(format!("{place}: not won"));
        }
        if !equals && own.losses > 0 {
            troubles.push(format!("{place}: {} units lost to own bombs", own.losses));
        }
        if !equals && own.walked_into > 0 {
            troubles.push(format!("{place}: {} steps into a known blast", own.walked_into));
        }
    }
    if equals && outcomes.len() >= TELLING {
        // Twice the wins, a draw counts for one; by chance 30 to 70 % of 20 games.
        let of_first =
            |outcome: &Outcome| if outcome.first { outcome.result } else { -outcome.result };
        let points: i64 = outcomes.iter().map(|outcome| 1 + of_first(outcome)).sum();
        let games = i64::try_from(outcomes.len()).unwrap_or(i64::MAX);
        if points * 10 < games * 2 * 3 || points * 10 > games * 2 * 7 {
            troubles
                .push(format!("{variant} against itself: one side wins {points} of {}", 2 * games));
        }
    }
    troubles
}
