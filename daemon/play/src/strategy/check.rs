//! `phalanx strategy check`: a full trial without a daemon.

use super::first_turns::{self, FirstTurns};
use crate::args::TryArgs;
use anyhow::{Context, Result};
use phalanx_cli::args::OutputArgs;
use phalanx_cli::remote;
use phalanx_game::sorted::SortedSet;
use phalanx_game::{Roster, RosterEntry};
use phalanx_games::{DEFAULT_GAME, shipped};
use phalanx_lua::{Bundle, Diagnostic, LoadError, SPEC_FOLDER, TYPES_FOLDER};
use phalanx_settings::LimitSettings;
use phalanx_trial::{Candidate, TrialResult};
use phalanxd::check::{excerpt, held};
use phalanxd::plans;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Tries a folder, here or in a daemon; the exit code is 0 if it may play.
///
/// # Errors
/// When the daemon does not answer, or standard output fails.
pub fn check(args: &TryArgs) -> Result<ExitCode> {
    if let Some(team) = &args.team {
        return remote::check(args.dir.as_deref(), team, &args.remote);
    }
    let dir = args.dir.as_deref().context("which folder?")?;
    let report = trial(dir, args.game, &args.roles)?;
    tell(&report, &args.remote.print)?;
    let guessed = args.game.or_else(|| phalanx_games::known_game(dir)).is_none();
    if guessed && !report.passed() && args.remote.print.is_text() {
        let what = format!("checked as a strategy for {DEFAULT_GAME}; --game names another game");
        remote::print(&what)?;
    }
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Tries a folder, for agents with these roles or with all that it has. Where the files load, the
/// scripts also decide in the first turns of a match.
///
/// # Errors
/// When the game is unknown.
pub fn trial(dir: &Path, game: Option<&'static str>, roles: &[String]) -> Result<TrialResult> {
    let bundle = match shipped::read(dir) {
        Ok(bundle) => Arc::new(bundle),
        Err(error) => return Ok(error.into()),
    };
    // Also a folder of specs has no role file.
    if bundle.root_names().all(|name| name.ends_with("_spec")) {
        return Ok(LoadError { diagnostics: vec![without_role(dir, &bundle)] }.into());
    }
    let named = roles.iter().cloned().collect::<SortedSet<_>>();
    let roles =
        if named.is_empty() { bundle.root_names().map(str::to_owned).collect() } else { named };
    // A trial without a match needs one agent per role.
    let entry = |(index, role): (usize, &String)| {
        RosterEntry::new(format!("agent{}", index + 1), role.clone())
    };
    let agents = roles.iter().enumerate().map(entry).collect();
    let roster = Roster { team: "check".into(), agents };
    let game = phalanx_games::game_of(game, Some(dir));
    let limits = plans::script_limits(&LimitSettings::default());
    let candidate = plans::candidate(game, Arc::new(roster), roles, limits)?;
    Ok(played(held(&bundle, &candidate), &candidate))
}

/// A trial that was passed, with what came of the first turns of a match. What fails there may work
/// in another variant of the game: it is refused if it fails in all of them.
fn played(tried: TrialResult, candidate: &Candidate) -> TrialResult {
    let Some(program) = &tried.program else { return tried };
    let began = Instant::now();
    let variants = phalanx_games::variants(candidate.game).unwrap_or_default();
    let play = |variant| first_turns::play(candidate.game, variant, program, &candidate.roles);
    let matches = variants.iter().map(|variant| play(Some(*variant)));
    let mut first = None;
    for result in matches {
        let works = result.as_ref().is_ok_and(FirstTurns::passed);
        if works || first.is_none() {
            first = Some(result);
        }
        if works {
            break;
        }
    }
    match first.unwrap_or_else(|| play(None)) {
        Ok(FirstTurns { turns, failures, .. }) => {
            let spent = tried.spent + began.elapsed();
            TrialResult { turns_rehearsed: turns, spent, ..tried }.with(failures)
        }
        Err(error) => {
            let what = format!("no turn was played: {error:#}");
            tried.with(vec![Diagnostic::error("strategy", what).warning()])
        }
    }
}

/// Why a folder without a role file cannot play, and which folder in it may be meant.
fn without_role(dir: &Path, bundle: &Bundle) -> Diagnostic {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let around = full.parent().filter(|_| full.ends_with(SPEC_FOLDER));
    if let Some(around) = around.filter(|_| bundle.root_names().next().is_some()) {
        let what = "this folder holds specs; the strategy is around it";
        return Diagnostic::error("strategy", what)
            .with_help(format!("did you mean {}?", around.display()));
    }
    let what = "there is no role file here: a file NAME.luau that returns a table with decide";
    let inner = |path: &str| Some(path.rsplit_once('/')?.0.to_owned());
    let is_strategy = |folder: &String| {
        let parts = [SPEC_FOLDER, TYPES_FOLDER, "lib"];
        !folder.split('/').any(|part| parts.contains(&part))
    };
    let folders = bundle.files().filter_map(|(path, _)| inner(path)).filter(is_strategy);
    let help = folders.min_by_key(|folder| folder.matches('/').count()).map_or_else(
        || "`phalanx strategy new NAME` makes a strategy to begin with".to_owned(),
        |folder| format!("did you mean {}?", dir.join(folder).display()),
    );
    Diagnostic::error("strategy", what).with_help(help)
}

fn tell(report: &TrialResult, print: &OutputArgs) -> Result<()> {
    if !print.is_text() {
        return print.tell(&trial_json(report), String::new);
    }
    // An error only means that standard error is closed.
    std::io::stderr().write_all(findings(report).as_bytes()).unwrap_or_default();
    remote::print(&verdict(report))
}

/// The result of a trial as JSON.
#[must_use]
pub fn trial_json(report: &TrialResult) -> serde_json::Value {
    let faults: Vec<_> = report.faults().iter().map(fault_json).collect();
    json!({
        "passed": report.passed(), "hash": report.hash, "faults": faults,
        "specs_passed": report.specs_passed, "specs_failed": report.specs_failed,
        "turns_rehearsed": report.turns_rehearsed,
        "spent_us": u64::try_from(report.spent.as_micros()).unwrap_or(u64::MAX),
    })
}

/// All findings, each with an excerpt of its file.
#[must_use]
pub fn findings(report: &TrialResult) -> String {
    report.diagnostics.iter().map(excerpt).collect()
}

/// Whether the strategy may play, in a line.
#[must_use]
pub fn verdict(report: &TrialResult) -> String {
    let errors = report.faults().iter().filter(|fault| fault.fatal).count();
    let verdict = if report.passed() { "may play" } else { "refused" };
    format!(
        "{verdict}: {}, {}, {} passed, {} failed, {} played, {} ms",
        remote::counted(errors, "error"),
        remote::counted(report.diagnostics.len() - errors, "warning"),
        remote::counted(report.specs_passed, "spec"),
        report.specs_failed,
        remote::counted(report.turns_rehearsed, "turn"),
        report.spent.as_millis(),
    )
}

/// A finding as JSON.
pub(super) fn fault_json(fault: &phalanx_engine::Fault) -> serde_json::Value {
    json!({
        "severity": if fault.fatal { "error" } else { "warning" }, "file": fault.file,
        "line": fault.line, "column": fault.column, "message": fault.message,
        "help": fault.help, "excerpt": fault.excerpt,
    })
}
