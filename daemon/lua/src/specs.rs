//! Specs: what authors of strategies expect of their scripts, written in Luau beside them.
//!
//! Spec files stand in `spec/` of a strategy and end in `_spec`; other files there are modules for
//! them. Each spec file has a VM of its own; roles are loaded anew for each `it`, and play in a
//! world that the spec fakes. Natives and the trusted layer `specs.luau` are the same as in a
//! match, so that a role cannot tell the difference; the reference page is `specs.md`.
//!
//! Absent on purpose: a real world. A spec says what the world answers, and nothing else.

mod compare;
mod coverage;
mod expectations;
mod fakes;
mod junit;
mod play;
mod pretend;
mod runner;
mod scene;
mod stage;
mod text;
mod world;

pub use crate::spec_files::SPEC_FOLDER;
use crate::{Diagnostic, Limits, Program};
use phalanx_game::Api;
use phalanx_game::sorted::SortedMap;
use std::sync::Arc;
use std::time::Duration;

/// How the names of spec files end, before `.luau`.
pub const SPEC_ENDING: &str = "_spec";
/// The reference page of specs, as Markdown.
pub const SPEC_REFERENCE: &str = include_str!("specs.md");
/// Most specs that one run declares; further ones refuse their file.
pub const CASES_MAX: usize = 2_000;
/// Most agents that one `it` fakes.
pub const FAKE_AGENTS_MAX: usize = 100;
/// Most lines that are kept of what one spec logs.
pub const CASE_LINES_MAX: usize = 500;

/// For which game the specs run, and what they may use.
#[derive(Clone, Copy, Debug)]
pub struct SpecSetting {
    /// What the game offers to scripts.
    pub api: &'static Api,
    /// Memory and sizes, as for a team; each spec file has this memory.
    pub limits: Limits,
}

/// Which specs run, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecOptions {
    /// Only specs whose `describe > it`, or file, contains this.
    pub filter: Option<String>,
    /// Time for all specs; those that it does not reach fail.
    pub time: Duration,
    /// Processor time for one `it`, its `before_each` and `after_each` included.
    pub case_time: Duration,
    /// Count how often each line of the strategy runs.
    pub coverage: bool,
}

impl Default for SpecOptions {
    fn default() -> Self {
        Self {
            filter: None,
            time: Duration::from_secs(60),
            case_time: Duration::from_secs(1),
            coverage: false,
        }
    }
}

/// What came of a run: cases in order of files and lines of declaration.
#[derive(Clone, Debug, Default)]
pub struct SpecReport {
    pub cases: Vec<SpecCase>,
    /// Spec files that do not compile, or fail before their first `it` can run.
    pub load_failures: Vec<Diagnostic>,
    /// By file of the strategy; empty without [`SpecOptions::coverage`].
    pub coverage: SortedMap<String, FileCoverage>,
    /// Specs that the filter left out.
    pub left_out: usize,
    /// How long all took.
    pub spent: Duration,
    sources: SortedMap<String, Arc<str>>,
}

/// One `it`.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecCase {
    /// The spec file.
    pub file: String,
    /// The names of the `describe`s around it, and its own.
    pub path: Vec<String>,
    /// The line of `it`, from 1.
    pub line: u32,
    /// What came of it.
    pub outcome: SpecOutcome,
    /// How long it took.
    pub spent: Duration,
    /// What it and the roles logged, at most [`CASE_LINES_MAX`] lines.
    pub lines: Vec<String>,
}

/// What came of a spec.
#[derive(Clone, Debug, PartialEq)]
pub enum SpecOutcome {
    /// All that was expected happened.
    Passed,
    /// Something else happened.
    Failed {
        /// What.
        message: String,
        /// File and line: of the expectation, or of the script that failed.
        place: Option<(String, u32)>,
        /// Where the expected value and the one that came differ.
        diff: Vec<SpecDifference>,
        /// Differences that are not listed.
        more: usize,
        /// Whether only the time for all specs was over, before this one or while it ran.
        late: bool,
    },
    /// The spec is marked to be skipped.
    Skipped,
}

/// One place in which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecDifference {
    /// The way to it, `.goal.x` or `[2]`; empty for the value itself.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What was there.
    pub got: String,
}

/// Which lines of a file ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// How often each line ran; lines without code are not listed.
    pub lines: SortedMap<u32, u64>,
}

/// Runs the specs of a strategy, one after the other, on the calling thread.
#[must_use]
pub fn run_specs(
    setting: &SpecSetting,
    program: &Arc<Program>,
    options: &SpecOptions,
) -> SpecReport {
    runner::run(setting, program, options)
}

/// Every name that specs may call besides the game's: `describe`, `fake.agent`, `.to_equal` and so
/// on, in order. For completion, and to hold the reference page to them.
#[must_use]
pub fn spec_names() -> Vec<String> {
    runner::names().unwrap_or_default()
}

impl SpecSetting {
    /// A game with the usual limits.
    #[must_use]
    pub fn new(api: &'static Api) -> Self {
        Self { api, limits: Limits::default() }
    }
}

impl SpecReport {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.load_failures.is_empty() && self.count(|outcome| outcome.failed()) == 0
    }

    /// How many passed.
    #[must_use]
    pub fn passed_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, SpecOutcome::Passed))
    }

    /// How many failed, spec files that do not load included.
    #[must_use]
    pub fn failed_count(&self) -> usize {
        self.count(SpecOutcome::failed) + self.load_failures.len()
    }

    /// Takes out the cases that the time for all specs did not reach; how many these were.
    pub fn take_late(&mut self) -> usize {
        let all = self.cases.len();
        self.cases.retain(|case| !matches!(case.outcome, SpecOutcome::Failed { late: true, .. }));
        all - self.cases.len()
    }

    /// The number of skipped cases.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, SpecOutcome::Skipped))
    }

    /// All failures with their places, as a strategy's other mistakes are shown.
    #[must_use]
    pub fn failures(&self) -> Vec<Diagnostic> {
        let of_cases = self.cases.iter().filter_map(|case| self.failure(case));
        self.load_failures.iter().cloned().chain(of_cases).collect()
    }

    /// The report for build servers, as JUnit's XML.
    #[must_use]
    pub fn junit(&self, name: &str) -> String {
        junit::render(self, name)
    }

    /// The report for people; `colours` for terminals.
    #[must_use]
    pub fn text(&self, colours: bool) -> String {
        text::render(self, colours)
    }

    fn count(&self, which: impl Fn(&SpecOutcome) -> bool) -> usize {
        self.cases.iter().filter(|case| which(&case.outcome)).count()
    }

    fn failure(&self, case: &SpecCase) -> Option<Diagnostic> {
        let SpecOutcome::Failed { message, place, diff, more, .. } = &case.outcome else {
            return None;
        };
        let (file, line) = place.clone().unwrap_or_else(|| (case.file.clone(), case.line));
        let source = self.sources.get(&file).cloned();
        let failure = Diagnostic::error(file, format!("{}: {message}", case.name()));
        let failure = failure.at(line, source);
        let lines = text::differences(diff, *more);
        Some(if lines.is_empty() { failure } else { failure.with_help(lines.join("\n")) })
    }
}

impl SpecCase {
    /// A case that did not run yet.
    fn new(file: &str, path: Vec<String>, line: u32) -> Self {
        Self {
            file: file.to_owned(),
            path,
            line,
            outcome: SpecOutcome::Passed,
            spent: Duration::ZERO,
            lines: Vec::new(),
        }
    }

    /// Its whole name, `describe > it`.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(" > ")
    }
}

impl SpecOutcome {
    fn failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

impl FileCoverage {
    /// Lines that ran, and lines with code.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.lines.values().filter(|hits| **hits > 0).count(), self.lines.len())
    }

    /// The share of lines that ran, from 0 to 100; 100 for a file without code.
    #[must_use]
    pub fn percent(&self) -> f64 {
        let (ran, all) = self.counts();
        #[expect(clippy::cast_precision_loss, reason = "lines of a file")]
        let share = if all == 0 { 1.0 } else { ran as f64 / all as f64 };
        share * 100.0
    }
}
