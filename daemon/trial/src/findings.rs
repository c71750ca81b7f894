//! All findings of a trial: in order, each once, with a bound.

use phalanx_lua::{Diagnostic, LoadError, Severity};

/// Most findings that a trial tells; the rest is counted.
pub const FINDINGS_MAX: usize = 200;

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct TrialFindings {
    list: Vec<Diagnostic>,
    /// Found after the list was full.
    more: usize,
    /// One of those was an error.
    worse: bool,
}

impl TrialFindings {
    /// Adds a finding, unless the same or an error in the same line is known.
    pub(crate) fn add(&mut self, finding: Diagnostic) {
        let finding = advised(finding);
        if self.list.iter().any(|known| is_covered(&finding, known)) {
            return;
        }
        if self.list.len() >= FINDINGS_MAX {
            self.more += 1;
            self.worse |= finding.severity == Severity::Error;
            return;
        }
        self.list.push(finding);
    }

    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        for finding in findings {
            self.add(finding);
        }
    }

    /// Something could not be done in time, which is no reason to refuse the strategy.
    pub(crate) fn out_of_time(&mut self, what: &str) {
        self.add(too_late(what).warning());
    }

    /// Reports a check that ran out of time and without which the strategy must not play.
    pub(crate) fn untried(&mut self, what: &str) {
        self.add(too_late(what));
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.worse || self.list.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// In order of file and line; how many are left out comes last.
    pub(crate) fn into_ordered(self) -> Vec<Diagnostic> {
        let mut list = LoadError::new(self.list).diagnostics;
        if self.more > 0 {
            let rest = Diagnostic::error("strategy", format!("and {} more findings", self.more));
            list.push(if self.worse { rest } else { rest.warning() });
        }
        list
    }
}

fn too_late(what: &str) -> Diagnostic {
    Diagnostic::error("strategy", format!("the trial's time was over before {what}"))
}

/// A mistake that the lint reported is not reported again by the rehearsal.
fn is_covered(finding: &Diagnostic, known: &Diagnostic) -> bool {
    let same_line = finding.file == known.file && finding.line == known.line;
    let same = same_line && finding.message == known.message && finding.column == known.column;
    let worse = same_line && finding.line.is_some() && known.severity == Severity::Error;
    same || (worse && finding.column.is_none())
}

/// The finding, with advice if its text is that of a common mistake and it has none.
pub(crate) fn advised(finding: Diagnostic) -> Diagnostic {
    match advice(&finding.message) {
        Some(help) if finding.help.is_none() => finding.with_help(help),
        Some(_) | None => finding,
    }
}

/// What to do about a failure of a script, by its text.
fn advice(message: &str) -> Option<&'static str> {
    if message.contains("attempt to ") && message.contains("nil") {
        return Some(
            "something here is nil: queries, entries of the board and of the memory are nil until \
             something is known; test them with `if` first",
        );
    }
    if message.contains("decide: expected a function, got nil") {
        return Some(
            "each file in the strategy's folder is a role, and returns a table with `decide`; put \
             what roles share into lib/",
        );
    }
    let late = message.contains("used up its time") || message.contains("took longer than");
    late.then_some("is there a loop that does not end?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_mistakes_have_advice() {
        let cases = [
            ("attempt to index nil with 'x'", Some("is nil")),
            (
                "a worker > explores: attempt to perform arithmetic (add) on nil and number",
                Some("is nil"),
            ),
            ("decide does not return: it used up its time of 1000ms", Some("loop")),
            ("utils: decide: expected a function, got nil", Some("lib/")),
            ("act.move: parameter 'dir': expected one of n, s, e, w, got 5", None),
        ];
        for (message, words) in cases {
            let found = advice(message);
            let fits =
                words.map_or(found.is_none(), |words| found.is_some_and(|it| it.contains(words)));
            assert!(fits, "{message}: {found:?}");
        }
    }
}
