//! `phalanx strategy check`: a full trial without a daemon.

use crate::args::TryArgs;
use anyhow::{Context, Result};
use phalanx_cli::args::OutputArgs;
use phalanx_cli::remote;
use phalanx_game::{Roster, RosterEntry};
use phalanx_games::shipped;
use phalanx_lua::{Bundle, Limits, LoadError};
use phalanx_trial::TrialResult;
use phalanxd::check::{excerpt, held};
use phalanxd::plans;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Tries a folder, here or in a daemon; the exit code is 0 if it may play.
///
/// # Errors
/// When the daemon does not answer, or standard output fails.
pub fn check(args: &TryArgs) -> Result<ExitCode> {
    if let Some(team) = &args.team {
        return remote::check(args.dir.as_deref(), team, &args.remote);
    }
    let dir = args.dir.as_deref().context("which folder?")?;
    let report = match shipped::read(dir) {
        Ok(bundle) => tried(Arc::new(bundle), args)?,
        Err(LoadError { diagnostics }) => TrialResult { diagnostics, ..TrialResult::default() },
    };
    tell(&report, &args.remote.print)?;
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tried(bundle: Arc<Bundle>, args: &TryArgs) -> Result<TrialResult> {
    let named = args.roles.iter().cloned().collect::<BTreeSet<_>>();
    let roles =
        if named.is_empty() { bundle.root_names().map(str::to_owned).collect() } else { named };
    // A trial without a match needs one agent per role.
    let entry = |(index, role): (usize, &String)| {
        RosterEntry::new(format!("agent{}", index + 1), role.clone())
    };
    let agents = roles.iter().enumerate().map(entry).collect();
    let roster = Roster { team: "check".into(), agents };
    let game = phalanx_games::game_of(args.game, args.dir.as_deref());
    let limits = Limits::default();
    let candidate = plans::candidate(game, Arc::new(roster), roles, limits)?;
    Ok(held(&bundle, &candidate))
}

fn tell(report: &TrialResult, print: &OutputArgs) -> Result<()> {
    if !print.is_text() {
        let faults: Vec<_> = report.faults().iter().map(fault_json).collect();
        let output = json!({
            "passed": report.passed(), "hash": report.hash, "faults": faults,
            "specs_passed": report.specs_passed, "specs_failed": report.specs_failed,
            "turns_rehearsed": report.turns_rehearsed,
            "spent_us": u64::try_from(report.spent.as_micros()).unwrap_or(u64::MAX),
        });
        return print.tell(&output, String::new);
    }
    let mut text = String::new();
    for finding in &report.diagnostics {
        text.push_str(&excerpt(finding));
    }
    // An error only means that standard error is closed.
    std::io::stderr().write_all(text.as_bytes()).unwrap_or_default();
    let errors = report.faults().iter().filter(|fault| fault.fatal).count();
    let verdict = if report.passed() { "may play" } else { "refused" };
    remote::print(&format!(
        "{verdict}: {}, {}, {} passed, {} failed, {} ms",
        remote::counted(errors, "error"),
        remote::counted(report.diagnostics.len() - errors, "warning"),
        remote::counted(report.specs_passed, "spec"),
        report.specs_failed,
        report.spent.as_millis(),
    ))
}

/// A finding as JSON.
pub(super) fn fault_json(fault: &phalanx_engine::Fault) -> serde_json::Value {
    json!({
        "severity": if fault.fatal { "error" } else { "warning" }, "file": fault.file,
        "line": fault.line, "column": fault.column, "message": fault.message,
        "help": fault.help, "excerpt": fault.excerpt,
    })
}
