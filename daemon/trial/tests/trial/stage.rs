//! A team of the shipped game for the trials.

use phalanx_assemble::api::API;
use phalanx_engine::Carry;
use phalanx_game::{Roster, RosterEntry};
use phalanx_lua::{Bundle, Diagnostic, Limits};
use phalanx_trial::{Candidate, TrialOptions, TrialResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const SKIP: &str = "return { decide = function(me) return act.skip() end }\n";

pub(crate) fn roster() -> Roster {
    let agents = [("a1", "worker"), ("a2", "worker"), ("a3", "scout")];
    let entry = |(name, role): (&str, &str)| RosterEntry::new(name, role);
    Roster { team: "A".into(), agents: agents.map(entry).to_vec() }
}

pub(crate) fn candidate() -> Candidate {
    let roster = roster();
    Candidate {
        game: "assemble",
        api: &API,
        roles: roster.agents.iter().map(|agent| agent.role.clone()).collect(),
        roster: Arc::new(roster),
        limits: Limits::default(),
        view: None,
        options: TrialOptions {
            time: Duration::from_secs(60),
            specs: true,
            decide_max: Duration::from_secs(1),
            refuse_endless: true,
            carry: Carry::Strict,
        },
    }
}

pub(crate) fn bundle(files: &[(&str, &str)]) -> Arc<Bundle> {
    Arc::new(Bundle::from_files(files.iter().copied()).expect("the test's bundle is in order"))
}

/// A strategy whose worker is this; the scout skips.
pub(crate) fn worker(source: &str) -> TrialResult {
    phalanx_trial::run(&bundle(&[("worker.luau", source), ("scout.luau", SKIP)]), &candidate())
}

/// All findings as terminals show them, without colour.
pub(crate) fn shown(report: &TrialResult) -> String {
    let handler =
        miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    for finding in &report.diagnostics {
        let finding: &Diagnostic = finding;
        handler.render_report(&mut text, finding).unwrap();
    }
    text
}

pub(crate) fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts")
}
