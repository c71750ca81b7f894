//! The steps of a trial.

use crate::findings::TrialFindings;
use crate::rehearse::{endless, rehearse};
use crate::{Candidate, TrialResult, lint};
use phalanx_engine::{Board, BrainError, Carry, Generation, Params, Staged, StrategyOrigin, View};
use phalanx_lua::{
    Bundle, Diagnostic, Limits, Program, Replica, SPEC_FOLDER, Severity, SpecOptions, SpecSetting,
    TUNED_FILE, run_specs, similar,
};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// What becomes of a memory that does not fit, on the way back.
const LOST: &str = "; it gets what it remembered when this generation decided last, or begins anew";

/// Tries a strategy for a team: compiles and lints all files, loads them into a VM of their own,
/// carries the team's memories over, runs the strategy's specs and rehearses the team's last turns.
/// Tells all mistakes at once. Nothing of a playing team is touched.
#[must_use]
pub fn run(bundle: &Arc<Bundle>, candidate: &Candidate) -> TrialResult {
    let began = Instant::now();
    let mut trial = Trial {
        bundle,
        candidate,
        due: began + candidate.options.time,
        findings: TrialFindings::default(),
        report: empty(bundle),
    };
    let (program, mistakes) = Program::compile(Arc::clone(bundle));
    let compiles = !mistakes.iter().any(|finding| finding.severity == Severity::Error);
    let broken: Vec<&str> = mistakes
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.file.as_str())
        .collect();
    // Half of the time: what follows is worth more.
    let linted = lint::check(bundle, &broken, candidate, began + candidate.options.time / 2);
    let linted = lint::with_dialect(linted, mistakes.clone());
    if compiles {
        linted.into_iter().for_each(|finding| trial.tell(finding));
    } else {
        trial.findings.extend(linted);
    }
    let program = Arc::new(program);
    if compiles {
        trial.play(&program);
    }
    trial.finish(program, began)
}

fn empty(bundle: &Bundle) -> TrialResult {
    TrialResult {
        hash: bundle.hash().to_owned(),
        diagnostics: Vec::new(),
        specs_passed: 0,
        specs_failed: 0,
        turns_rehearsed: 0,
        spent: Duration::ZERO,
        program: None,
        cost: Duration::ZERO,
    }
}

struct Trial<'a> {
    bundle: &'a Arc<Bundle>,
    candidate: &'a Candidate,
    due: Instant,
    findings: TrialFindings,
    report: TrialResult,
}

impl Trial<'_> {
    /// What needs a VM.
    fn play(&mut self, program: &Arc<Program>) {
        let Some(left) = self.left() else {
            return self.findings.untried("the files were loaded");
        };
        let candidate = self.candidate;
        let limits = Limits { load: candidate.limits.load.min(left), ..candidate.limits };
        let staged = staged(program);
        let view = candidate.view.clone().unwrap_or_else(|| before_the_match(candidate));
        let began = Instant::now();
        let loaded = Replica::new(&view, candidate.api, &staged, limits);
        let mut replica = match loaded {
            Ok(replica) => replica,
            Err(error) => return self.findings.extend(error.diagnostics),
        };
        let lost = if self.is_way_back() { LOST } else { "" };
        for refusal in replica.remember(&view.memories, candidate.options.carry) {
            self.add(&refusal, lost);
        }
        // A swap carries the memories over, too.
        self.report.cost = began.elapsed();
        self.roles(&replica);
        self.tuned(&replica);
        if candidate.options.specs {
            self.specs(program);
        }
        let rehearsal = rehearse(&mut replica, &view, candidate.options.decide_max, self.due);
        self.report.turns_rehearsed = rehearsal.turns;
        self.memories(&mut replica);
        for (failure, context) in rehearsal.failures {
            self.add(&failure, &context);
        }
        if !rehearsal.complete {
            self.findings.out_of_time("all recorded turns were rehearsed");
        }
        if view.scenes.is_empty() {
            self.endless(&mut replica, &view);
        }
    }

    /// Without a turn to rehearse: whether all scripts return. What else fails in a world where
    /// nothing is known is not their fault.
    fn endless(&mut self, replica: &mut Replica, view: &View) {
        for (call, failure) in endless(replica, view, self.due) {
            let message = format!("{call} does not return: it {}", failure.message);
            let finding = self.finding(&failure, message);
            let refused = self.candidate.options.refuse_endless;
            self.tell(if refused { finding } else { finding.warning() });
        }
    }

    /// The strategy's own specs get half of the time that is left: the rehearsal needs some too.
    fn specs(&mut self, program: &Arc<Program>) {
        let has_specs = self.bundle.files().any(|(path, _)| {
            path.strip_prefix(SPEC_FOLDER).is_some_and(|rest| rest.starts_with('/'))
        });
        if !has_specs {
            return;
        }
        let Some(left) = self.left() else {
            return self.findings.untried("the specs ran");
        };
        let candidate = self.candidate;
        let setting = SpecSetting { api: candidate.api, limits: candidate.limits };
        let options = SpecOptions { time: left / 2, ..SpecOptions::default() };
        let mut report = run_specs(&setting, program, &options);
        // A busy machine must not keep out a strategy whose specs do not fail.
        if report.take_late() > 0 {
            self.findings.out_of_time("all specs ran");
        }
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        self.report.specs_passed = count(report.passed_count());
        self.report.specs_failed = count(report.failed_count());
        report.failures().into_iter().for_each(|failure| self.tell(failure));
    }

    /// What the rehearsed decisions put into memories must not keep the next generation out.
    fn memories(&mut self, replica: &mut Replica) {
        for memory in replica.memories() {
            let Err(culprit) = memory.data else { continue };
            let file = self.bundle.resolve(&memory.role).unwrap_or("strategy");
            let finding = Diagnostic::error(file, format!("{}: {culprit}", memory.role));
            self.tell(
                finding.with_help("keep it in a local of the file: memories are carried over"),
            );
        }
    }

    /// Roles that agents have now, besides those of the roster, which loading looks at.
    fn roles(&mut self, replica: &Replica) {
        let known = replica.brain().roles();
        for role in self.candidate.roles.difference(&known) {
            let path = self.bundle.resolve(role).map_or_else(|| format!("{role}.luau"), Into::into);
            let what =
                format!("there is no role {role}: a role's file returns a table with decide");
            self.tell(Diagnostic::error(path, what));
        }
    }

    /// Values of `tuned.toml` for parameters that no file declares. They change nothing.
    fn tuned(&mut self, replica: &Replica) {
        let tuned = &self.bundle.tuned().values;
        // Files of other roles, which are not loaded here, may declare them.
        let is_whole = self.bundle.root_names().all(|role| self.candidate.roles.contains(role));
        if tuned.is_empty() || !is_whole {
            return;
        }
        let params = replica.params();
        let declared: Vec<_> = params.each().map(|(spec, _)| spec.name.as_str()).collect();
        for name in tuned.keys().filter(|name| !declared.contains(&name.as_str())) {
            let meant = similar(name, declared.iter().copied());
            let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            let what = format!("no file declares the parameter {name} when it loads{hint}");
            self.tell(Diagnostic::error(TUNED_FILE, what).warning());
        }
    }

    fn add(&mut self, failure: &BrainError, context: &str) {
        let message = format!("{}{context}", failure.message);
        let finding = self.finding(failure, message);
        self.tell(finding);
    }

    /// A message about the place of a failure.
    fn finding(&self, failure: &BrainError, message: String) -> Diagnostic {
        match &failure.place {
            Some((file, line)) => {
                let source = self.bundle.source(file).map(Arc::clone);
                Diagnostic::error(file, message).at(*line, source)
            }
            None => {
                let file = self.bundle.resolve(&failure.role).unwrap_or("strategy");
                Diagnostic::error(file, message)
            }
        }
    }

    /// On the way back nothing but what does not load is worse than staying.
    fn tell(&mut self, finding: Diagnostic) {
        self.findings.add(if self.is_way_back() { finding.warning() } else { finding });
    }

    fn is_way_back(&self) -> bool {
        self.candidate.options.carry == Carry::Loose
    }

    fn left(&self) -> Option<Duration> {
        Some(self.due.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn finish(self, program: Arc<Program>, began: Instant) -> TrialResult {
        let passed = !self.findings.has_errors();
        TrialResult {
            diagnostics: self.findings.into_ordered(),
            program: passed.then_some(program),
            spent: began.elapsed(),
            ..self.report
        }
    }
}

/// The program as code of no generation in particular.
#[must_use]
pub fn staged(program: &Arc<Program>) -> Staged {
    let generation = Generation {
        number: 0,
        hash: program.bundle().hash().to_owned(),
        accepted: SystemTime::now(),
        origin: StrategyOrigin::Start,
    };
    Arc::clone(program).staged(Arc::new(generation), Duration::ZERO)
}

/// What scripts see before anybody plays.
fn before_the_match(candidate: &Candidate) -> View {
    let roles = candidate.roster.agents.iter().map(|entry| entry.role.clone()).collect();
    View {
        roster: Arc::clone(&candidate.roster),
        seed: 0,
        scenes: Vec::new(),
        board: Board::default(),
        params: Params::default(),
        roles,
        memories: Vec::new(),
        generation: 0,
    }
}
