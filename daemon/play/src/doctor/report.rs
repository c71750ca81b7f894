//! The report of `phalanx doctor`, as text and as JSON.

use phalanx_cli::paint::{Ink, Paint};
use serde::Serialize;
use std::fmt::Write as _;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The check passed.
    Well,
    /// It may cause problems, or could not be checked.
    Doubtful,
    /// A match will fail.
    Failing,
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The subject: `settings`, `machine`, `control`, `team A`.
    pub about: String,
    /// The check: `login`.
    pub check: &'static str,
    pub verdict: Verdict,
    /// The result as text.
    pub found: String,
    /// What to do about it; empty if nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub todo: String,
}

/// All findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In the order of the checks.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The worst of all verdicts.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|one| one.verdict).max().unwrap_or(Verdict::Well)
    }

    /// Begins a section of findings about one subject.
    pub(super) fn about(&mut self, about: impl Into<String>) -> Notes<'_> {
        Notes { about: about.into(), report: self }
    }

    /// Appends the findings of another report.
    pub(super) fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
    }

    /// The report as text: a line for each finding, and one for what to do about it.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        let width = self.findings.iter().map(|one| one.check.len()).max().unwrap_or(0);
        let mut about = "";
        for one in &self.findings {
            if one.about != about {
                about = &one.about;
                line(&mut out, &paint.ink(Ink::Bold, about));
            }
            let (mark, ink) = match one.verdict {
                Verdict::Well => ("✓", Ink::Green),
                Verdict::Doubtful => ("!", Ink::Yellow),
                Verdict::Failing => ("✗", Ink::Red),
            };
            let indent = " ".repeat(width + 6);
            let found = one.found.trim_end().replace('\n', &format!("\n{indent}"));
            line(&mut out, &format!("  {} {:<width$}  {found}", paint.ink(ink, mark), one.check));
            if !one.todo.is_empty() {
                line(&mut out, &format!("{indent}→ {}", paint.ink(Ink::Cyan, &one.todo)));
            }
        }
        out.push_str(&self.sum());
        out
    }

    fn sum(&self) -> String {
        let of = |verdict| self.findings.iter().filter(|one| one.verdict == verdict).count();
        let (failing, doubtful) = (of(Verdict::Failing), of(Verdict::Doubtful));
        match (failing, doubtful) {
            (0, 0) => "all is well".to_owned(),
            (0, doubtful) => format!("nothing will fail; {doubtful} to check"),
            (failing, doubtful) => format!("{failing} will fail, {doubtful} to check"),
        }
    }
}

/// Findings about one subject.
#[derive(Debug)]
pub(super) struct Notes<'a> {
    about: String,
    report: &'a mut Report,
}

impl Notes<'_> {
    pub(super) fn well(&mut self, check: &'static str, found: impl Into<String>) {
        self.note(check, Verdict::Well, found.into(), String::new());
    }

    pub(super) fn doubt(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        todo: impl Into<String>,
    ) {
        self.note(check, Verdict::Doubtful, found.into(), todo.into());
    }

    pub(super) fn fail(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        todo: impl Into<String>,
    ) {
        self.note(check, Verdict::Failing, found.into(), todo.into());
    }

    pub(super) fn note(
        &mut self,
        check: &'static str,
        verdict: Verdict,
        found: String,
        todo: String,
    ) {
        let about = self.about.clone();
        self.report.findings.push(Finding { about, check, verdict, found, todo });
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    writeln!(out, "{text}").unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_each_heading_once_and_sums_up() {
        let mut report = Report::default();
        report.about("machine").well("disk", "fine");
        report.about("machine").doubt("processors", "1", "take another machine");
        report.about("team A").fail("login", "two\nlines", "ask");
        let expected = "machine\n  ✓ disk        fine\n  ! processors  1\n                → take \
                        another machine\nteam A\n  ✗ login       two\n                lines\n\
                        \u{20}               → ask\n1 will fail, 1 to check";
        assert_eq!(report.text(Paint::none()), expected);
        assert_eq!(report.verdict(), Verdict::Failing);
        assert_eq!(Report::default().text(Paint::none()), "all is well");
    }
}
