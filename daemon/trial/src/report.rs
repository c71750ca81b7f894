//! What a trial is given, and what came of it.

use crate::findings::advised;
use phalanx_engine::{Carry, Fault, View};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{Api, Roster};
use phalanx_lua::{Diagnostic, Limits, LoadError, Program, Severity};
use std::sync::Arc;
use std::time::Duration;

/// What a strategy is tried for: the team that would play it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The game's name.
    pub game: &'static str,
    /// What the game offers to scripts.
    pub api: &'static Api,
    /// The agents.
    pub roster: Arc<Roster>,
    /// The roles that must exist.
    pub roles: SortedSet<String>,
    /// What scripts may use.
    pub limits: Limits,
    /// What the team's scripts see now; absent before it plays.
    pub view: Option<View>,
    /// How thorough the trial is.
    pub options: TrialOptions,
}

/// How thorough a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialOptions {
    /// Longest time of the whole trial.
    pub time: Duration,
    /// The strategy's own specs have to pass.
    pub specs: bool,
    /// Longest time of one rehearsed decision.
    pub decide_max: Duration,
    /// Before a match each script is called once in a world where nothing is known. One that does
    /// not return there is refused; otherwise that is a warning.
    pub refuse_endless: bool,
    /// What becomes of the memories. On the way back ([`Carry::Loose`]) only what does not load is
    /// refused; all other findings are warnings.
    pub carry: Carry,
}

/// How a trial went.
#[derive(Clone, Debug, Default)]
pub struct TrialResult {
    /// The hash of what was tried.
    pub hash: String,
    /// All findings, in order of file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// Specs that passed.
    pub specs_passed: u32,
    /// Specs that failed.
    pub specs_failed: u32,
    /// Turns that were rehearsed.
    pub turns_rehearsed: u32,
    /// How long the trial took.
    pub spent: Duration,
    /// What was compiled, when it passed.
    pub program: Option<Arc<Program>>,
    /// How long loading into a VM took, memories included.
    pub cost: Duration,
}

/// Files that are no strategy.
impl From<LoadError> for TrialResult {
    fn from(error: LoadError) -> Self {
        Self { diagnostics: error.diagnostics, ..Self::default() }
    }
}

impl TrialResult {
    /// With further findings; an error among them refuses the strategy.
    #[must_use]
    pub fn with(mut self, findings: Vec<Diagnostic>) -> Self {
        let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
        self.program = self.program.filter(|_| !refused);
        self.diagnostics.extend(findings.into_iter().map(advised));
        self.diagnostics = LoadError::new(self.diagnostics).diagnostics;
        self
    }

    /// Whether the strategy may play.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.diagnostics.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The findings as plain data.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let fault = |finding: &Diagnostic| Fault {
            fatal: finding.severity == Severity::Error,
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
            message: finding.message.clone(),
            help: finding.help.clone().unwrap_or_default(),
            excerpt: finding.excerpt(),
        };
        self.diagnostics.iter().map(fault).collect()
    }
}
