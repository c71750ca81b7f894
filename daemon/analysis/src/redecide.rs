//! `phalanx replay --decide`: decides a recorded match again and compares the decisions.

mod line;
mod look;
mod report;
mod source;

use crate::args::replay::ReplayArgs;
use crate::extracts::replays::IMPORTED;
use crate::printed::{Printed, bar};
use anyhow::{Result, anyhow, bail};
use line::EventLine;
use look::{SharedFindings, StopOptions};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::ResultSink;
use phalanx_engine::{Staged, TeamStart};
use phalanx_game::Turn;
use phalanx_games::RerunPlan;
use phalanx_lua::{Bundle, Limits, Program, Severity};
use phalanx_net::{JournalComparison, Redecide, RerunOptions, Taped, now};
use phalanx_record::{Entry, Recorded, RecordingFile, Summary};
use report::Report;
use source::Strategies;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) use source::open;

/// Decides a recording again and prints what differs; the exit code is 1 if anything does.
///
/// # Errors
/// When there is no recording, it has no strategy to decide with, or standard output fails.
pub fn run(args: &ReplayArgs) -> Result<ExitCode> {
    // A bar would overwrite a prompt.
    let silent = args.repl || args.stop_where.is_some() || !std::io::stderr().is_terminal();
    let mut printed = Printed::limited(&args.print, args.limit, (!silent).then(bar));
    let same = compare(args, &mut printed)?;
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Decides a recording again; true when nothing differs, or when the sink wants no more.
///
/// # Errors
/// When there is no recording, it has no strategy to decide with, or the sink fails.
pub fn compare(args: &ReplayArgs, sink: &mut dyn ResultSink) -> Result<bool> {
    let file = open(&args.file, args.team.as_deref())?;
    if file.info().server == IMPORTED {
        return Err(misused(format!(
            "{} was imported from a replay: it has no inputs of a team, so nothing can be decided \
             again; `phalanx replay FILE`, `phalanx map --file` and `phalanx recording export` read \
             it",
            args.file.display()
        )));
    }
    let game = file.info().game.as_str();
    let other = args.strategy.as_deref().map(|dir| source::other(dir, game)).transpose()?;
    if let Some(expression) = &args.stop_where {
        check(expression)?;
    }
    let summary = file.summary();
    let strategies = Strategies::default();
    let findings = SharedFindings::default();
    let report = Report::new(args, sink, &file, &summary);
    let decider = Decider {
        rerun: rerun(&file, other.clone(), stop_options(args, &file), &findings)?,
        comparison: JournalComparison::new(other.is_some()),
        other: other.is_some(),
        team: file.info().team.clone(),
        agent: args.agent.clone(),
        holes: 0,
        exact_until: None,
        report,
        findings,
    };
    decider.all(&file, &strategies)
}

/// An expression that does not compile is a wrong command line.
fn check(expression: &str) -> Result<()> {
    let source = format!("return ({expression})");
    let bundle = Bundle::from_files([("break.luau", source)])?;
    let (_, findings) = Program::compile(Arc::new(bundle));
    let error = findings.into_iter().find(|finding| finding.severity == Severity::Error);
    match error {
        Some(error) => Err(misused(format!("--break {expression:?}: {}", error.message))),
        None => Ok(()),
    }
}

fn stop_options(args: &ReplayArgs, file: &RecordingFile) -> StopOptions {
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    StopOptions {
        game: file.info().game.clone(),
        until: args.until,
        stop_where: args.stop_where.clone(),
        agent: args.agent.clone(),
        talks: args.repl || (args.stop_where.is_some() && on_terminal),
        on_terminal,
    }
}

fn rerun(
    file: &RecordingFile,
    other: Option<Staged>,
    stop: StopOptions,
    findings: &SharedFindings,
) -> Result<Box<dyn Redecide>> {
    let info = file.info();
    let memory = usize::try_from(info.script_memory_bytes).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    if memory > 0 {
        limits.memory_bytes = memory;
    }
    Ok(phalanx_games::rerun(RerunPlan {
        game: info.game.clone(),
        options: info.game_options.clone().into_iter().collect(),
        limits,
        rerun: RerunOptions { other, watcher: look::watcher(stop, findings) },
    })?)
}

/// A match that is decided again, and the comparison.
struct Decider<'a> {
    rerun: Box<dyn Redecide>,
    comparison: JournalComparison<EventLine>,
    /// Another strategy decides.
    other: bool,
    team: String,
    /// The agent whose view is shown.
    agent: Option<String>,
    /// Gaps in the recording that affect decisions.
    holes: u64,
    /// The turn of the first gap: decisions before it are exact.
    exact_until: Option<Turn>,
    report: Report<'a>,
    findings: SharedFindings,
}

impl Decider<'_> {
    fn all(mut self, file: &RecordingFile, strategies: &Strategies) -> Result<bool> {
        let mut began = false;
        for entry in file.entries(now(), &strategies.loader()) {
            match entry {
                Ok(entry) => {
                    began |= matches!(entry.what, Recorded::Taped(Taped::Began(_)));
                    self.entry(entry, strategies)?;
                }
                Err(damage) if damage.is_harmless() => {}
                Err(damage) => {
                    self.hole(1);
                    self.report.warn(&damage.to_string());
                }
            }
            if !self.drain()? {
                // Nothing more is wanted.
                return Ok(true);
            }
            if self.rerun.is_stopped() {
                break;
            }
        }
        if !began {
            bail!("the recording cannot be decided again: it lacks the beginning of the team");
        }
        self.finish(strategies)
    }

    fn entry(&mut self, entry: Entry, strategies: &Strategies) -> Result<()> {
        match entry.what {
            Recorded::Taped(taped) => {
                if let Taped::Began(start) = &taped {
                    self.knows_agent(start)?;
                }
                let fed = self.rerun.feed(entry.at, taped);
                fed.map_err(|error| unloaded(&error, strategies))
            }
            Recorded::Event(event) => {
                self.comparison.recorded(EventLine(*event));
                Ok(())
            }
            Recorded::Gap(gap) => {
                self.comparison.lost(Summary::missing_journal_lines(&gap));
                let lost = Summary::lacking(&gap);
                if lost > 0 {
                    self.hole(lost);
                    self.report.warn(&format!("a gap: {lost} entries that decisions depend on"));
                }
                Ok(())
            }
            Recorded::Info(_)
            | Recorded::Team(_)
            | Recorded::Percepts(_)
            | Recorded::Board(_)
            | Recorded::World(_) => Ok(()),
        }
    }

    /// An agent that does not exist is a wrong command line.
    fn knows_agent(&self, start: &TeamStart) -> Result<()> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let names = || start.state.roster().agents.iter().map(|entry| entry.name.as_str());
        if names().any(|name| name == agent) {
            return Ok(());
        }
        let all = names().collect::<Vec<_>>().join(", ");
        Err(misused(format!("the team {} has no agent {agent}; there are {all}", self.team)))
    }

    fn hole(&mut self, lost: u64) {
        self.rerun.lost(lost);
        self.holes += 1;
        self.exact_until.get_or_insert(self.rerun.turn());
    }

    /// Reports new differences; false when no more is wanted.
    fn drain(&mut self) -> Result<bool> {
        while let Some(entry) = self.rerun.poll_journal() {
            let event = phalanx_convert::event(&self.team, String::new(), &entry);
            self.comparison.now(EventLine(event));
        }
        let mut findings = self.findings.borrow_mut();
        if let Some(error) = findings.error.take() {
            return Err(error);
        }
        while let Some(stop) = findings.stops.pop_front() {
            if !self.report.stop(&stop)? {
                return Ok(false);
            }
        }
        drop(findings);
        while let Some(difference) = self.comparison.poll() {
            if !self.report.difference(&difference)? {
                return Ok(false);
            }
        }
        while let Some(sent) = self.rerun.poll_sent() {
            if !self.report.sent(&sent)? {
                return Ok(false);
            }
        }
        Ok(self.report.went_on(self.comparison.tally().turns))
    }

    fn finish(mut self, strategies: &Strategies) -> Result<bool> {
        // Missing generations after the first; without the first one, deciding could not begin.
        for missing in strategies.missing().iter().filter(|_| !self.other) {
            self.holes += 1;
            self.report.warn(missing);
        }
        self.rerun.finish().map_err(|error| unloaded(&error, strategies))?;
        let stopped = self.rerun.is_stopped();
        // The turn in which it was stopped is incomplete.
        let more = self.drain()?;
        self.comparison.finish(stopped || !self.rerun.is_ended());
        if !more || !self.drain()? {
            return Ok(true);
        }
        let totals = report::RunTotals {
            tally: self.comparison.tally(),
            messages: self.rerun.messages(),
            trouble: self.rerun.trouble(),
            turn: self.rerun.turn(),
            holes: self.holes,
            exact_until: self.exact_until,
            stopped,
            ended: self.rerun.is_ended(),
        };
        self.report.summary(&totals, &self.findings.borrow())
    }
}

/// The error for a strategy that did not load.
fn unloaded(error: &phalanx_engine::BrainError, strategies: &Strategies) -> anyhow::Error {
    match strategies.missing().first() {
        Some(missing) => anyhow!("{missing}; use another strategy with --strategy DIR"),
        None => anyhow!("{error}"),
    }
}
