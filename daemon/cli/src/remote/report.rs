//! Reports of trials as text and as JSON.

use super::counted;
use super::values::{micros, moment};
use crate::paint::{Ink, Paint};
use phalanx_proto::v1::{Fault, FaultSeverity, TrialReport};
use serde_json::{Value, json};
use std::fmt;

/// A finding as JSON.
pub(super) fn fault_json(fault: &Fault) -> Value {
    json!({
        "severity": severity(fault), "file": fault.file,
        "line": (fault.line > 0).then_some(fault.line),
        "column": (fault.column > 0).then_some(fault.column),
        "message": fault.message, "help": fault.help, "excerpt": fault.excerpt,
    })
}

pub(super) fn json(report: &TrialReport) -> Value {
    json!({
        "passed": report.passed, "hash": report.hash, "origin": report.origin,
        "time": report.time.map(|time| moment(Some(time))),
        "faults": report.faults.iter().map(fault_json).collect::<Vec<_>>(),
        "specs_passed": report.specs_passed, "specs_failed": report.specs_failed,
        "turns_rehearsed": report.turns_rehearsed, "spent_us": micros(report.spent),
    })
}

fn severity(fault: &Fault) -> &'static str {
    match fault.severity() {
        FaultSeverity::Error => "error",
        FaultSeverity::Warning => "warning",
        FaultSeverity::Unspecified => "finding",
    }
}

/// `worker.luau:3`, or the file alone.
pub(super) fn place(fault: &Fault) -> String {
    match (fault.line, fault.column) {
        (0, _) => fault.file.clone(),
        (line, 0) => format!("{}:{line}", fault.file),
        (line, column) => format!("{}:{line}:{column}", fault.file),
    }
}

/// A report as text: every finding with its excerpt, then the counts.
#[derive(Debug)]
pub(super) struct TrialText<'a> {
    pub(super) report: &'a TrialReport,
    /// Colours of the stream that it is printed on.
    pub(super) paint: Paint,
}

impl fmt::Display for TrialText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, paint } = self;
        for fault in &report.faults {
            let ink = match fault.severity() {
                FaultSeverity::Error => Ink::Red,
                FaultSeverity::Warning | FaultSeverity::Unspecified => Ink::Yellow,
            };
            let place = paint.ink(Ink::Bold, &place(fault));
            writeln!(f, "{place}: {}: {}", paint.ink(ink, severity(fault)), fault.message)?;
            for line in fault.excerpt.lines() {
                writeln!(f, "    {}", paint.ink(Ink::Dim, line))?;
            }
            if !fault.help.is_empty() {
                writeln!(f, "    {} {}", paint.ink(Ink::Cyan, "help:"), fault.help)?;
            }
        }
        let errors =
            report.faults.iter().filter(|fault| fault.severity() == FaultSeverity::Error).count();
        let verdict = if report.passed {
            paint.ink(Ink::Green, "may play")
        } else {
            paint.ink(Ink::Red, "refused")
        };
        let millis = micros(report.spent) / 1_000;
        write!(
            f,
            "{verdict}: {}, {}, {} passed, {} failed, {} rehearsed, {millis} ms",
            counted(errors, "error"),
            counted(report.faults.len() - errors, "warning"),
            counted(report.specs_passed, "spec"),
            report.specs_failed,
            counted(report.turns_rehearsed, "turn"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_shows_place_excerpt_help_and_counts() {
        let fault = Fault {
            severity: FaultSeverity::Error.into(),
            file: "worker.luau".into(),
            line: 3,
            column: 12,
            message: "`foo` is not defined".into(),
            help: "did you mean `for`?".into(),
            excerpt: "local x = foo\n          ^^^".into(),
        };
        let report = TrialReport { faults: vec![fault], specs_failed: 1, ..TrialReport::default() };
        let text = TrialText { report: &report, paint: Paint::none() }.to_string();
        assert_eq!(
            text,
            "worker.luau:3:12: error: `foo` is not defined\n    local x = foo\n              ^^^\n    \
             help: did you mean `for`?\nrefused: 1 error, 0 warnings, 0 specs passed, 1 failed, \
             0 turns rehearsed, 0 ms"
        );
    }
}
