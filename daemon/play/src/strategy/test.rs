//! `phalanx strategy test`: runs a strategy's own specs.

use super::check::fault_json;
use crate::args::TestArgs;
use crate::say;
use anyhow::{Context, Result};
use phalanx_cli::paint::Paint;
use phalanx_games::shipped;
use phalanx_lua::{
    Bundle, Diagnostic, LoadError, Program, Severity, SpecOptions, SpecOutcome, SpecReport,
    SpecSetting, run_specs,
};
use phalanx_trial::TrialResult;
use phalanxd::check::excerpt;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Interval at which --watch checks the folder.
const LOOK: Duration = Duration::from_millis(300);

/// Runs the specs of a folder, once or at every change; the exit code is 0 if all passed.
///
/// # Errors
/// When the report cannot be written or printed.
#[expect(clippy::disallowed_methods, reason = "a verb of its own, without a runtime")]
pub fn test(args: &TestArgs) -> Result<ExitCode> {
    let mut last = None;
    loop {
        let read = read(&args.dir);
        let state =
            read.as_ref().map(|bundle| bundle.hash().to_owned()).map_err(ToString::to_string);
        // Run only after a change.
        if last.as_ref() != Some(&state) {
            last = Some(state);
            let passed = once(read, args)?;
            if !args.watch {
                return Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
            say("watching for changes; ctrl-c ends");
        }
        std::thread::sleep(LOOK);
    }
}

fn once(read: Result<Bundle, LoadError>, args: &TestArgs) -> Result<bool> {
    let options = SpecOptions {
        filter: args.filter.clone(),
        coverage: args.coverage,
        ..SpecOptions::default()
    };
    let report = match specs_of(read, &args.dir, args.game, &options)? {
        Ok(report) => report,
        Err(diagnostics) => return broken(diagnostics, args),
    };
    if let Some(file) = &args.junit {
        let name = args.dir.display().to_string();
        std::fs::write(file, report.junit(&name))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let missed = nothing_matches(&report, args.filter.as_deref());
    let mut output = spec_json(&report);
    if let (Some(missed), Some(keys)) = (&missed, output.as_object_mut()) {
        keys.insert("error".into(), json!(missed));
    }
    args.print.tell(&output, || report.text(Paint::stdout().is_on()))?;
    if args.print.is_text() {
        missed.iter().for_each(|missed| say(missed));
    }
    Ok(report.passed() && missed.is_none())
}

/// Runs the specs of a strategy's folder, or of a folder of modules; the mistakes where its files do
/// not compile.
///
/// # Errors
/// When the game has no script API.
pub fn specs(
    dir: &Path,
    game: Option<&'static str>,
    options: &SpecOptions,
) -> Result<Result<SpecReport, Vec<Diagnostic>>> {
    specs_of(read(dir), dir, game, options)
}

fn read(dir: &Path) -> Result<Bundle, LoadError> {
    if shipped::is_modules(dir) { shipped::read_modules(dir) } else { shipped::read(dir) }
}

fn specs_of(
    read: Result<Bundle, LoadError>,
    dir: &Path,
    game: Option<&'static str>,
    options: &SpecOptions,
) -> Result<Result<SpecReport, Vec<Diagnostic>>> {
    let (program, findings) = match read {
        Ok(bundle) => Program::compile(Arc::new(bundle)),
        Err(LoadError { diagnostics }) => return Ok(Err(diagnostics)),
    };
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Ok(Err(findings));
    }
    let api = phalanx_games::api(phalanx_games::game_of(game, Some(dir)))
        .context("the game has no script API")?;
    Ok(Ok(run_specs(&SpecSetting::new(api), &Arc::new(program), options)))
}

/// Without any spec, "all passed" would be misleading.
#[must_use]
pub fn nothing_matches(report: &SpecReport, filter: Option<&str>) -> Option<String> {
    let nothing = report.cases.is_empty() && report.failures().is_empty();
    let Some(filter) = filter else {
        let what = "there are no specs: they are files such as spec/worker_spec.luau, see \
                    `phalanx script specs`";
        return nothing.then(|| what.to_owned());
    };
    nothing.then(|| format!("no spec has {filter:?} in its name; {} were skipped", report.left_out))
}

/// Files that do not compile have no specs to run.
fn broken(diagnostics: Vec<Diagnostic>, args: &TestArgs) -> Result<bool> {
    if args.print.is_text() {
        diagnostics.iter().for_each(|one| say(&excerpt(one)));
        return Ok(false);
    }
    let faults = TrialResult { diagnostics, ..TrialResult::default() }.faults();
    let faults: Vec<_> = faults.iter().map(fault_json).collect();
    args.print.tell(&json!({ "passed": 0, "failed": 0, "faults": faults }), String::new)?;
    Ok(false)
}

/// The outcome of specs as JSON.
#[must_use]
pub fn spec_json(report: &SpecReport) -> Value {
    let cases: Vec<_> = report
        .cases
        .iter()
        .map(|case| {
            let (outcome, message) = match &case.outcome {
                SpecOutcome::Passed => ("passed", None),
                SpecOutcome::Skipped => ("skipped", None),
                SpecOutcome::Failed { message, .. } => ("failed", Some(message)),
            };
            json!({
                "file": case.file, "line": case.line, "path": case.path, "outcome": outcome,
                "message": message, "lines": case.lines,
            })
        })
        .collect();
    let failures: Vec<_> = report.failures().iter().map(ToString::to_string).collect();
    let coverage: Value = report
        .coverage
        .iter()
        .map(|(file, coverage)| {
            let ran = coverage.lines.values().filter(|count| **count > 0).count();
            let missed: Vec<_> = coverage
                .lines
                .iter()
                .filter(|(_, count)| **count == 0)
                .map(|(line, _)| line)
                .collect();
            (file.clone(), json!({ "lines": coverage.lines.len(), "ran": ran, "missed": missed }))
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    json!({
        "passed": report.passed_count(), "failed": report.failed_count(),
        "skipped": report.skipped_count() + report.left_out, "cases": cases, "failures": failures,
        "coverage": coverage, "faults": [],
    })
}
