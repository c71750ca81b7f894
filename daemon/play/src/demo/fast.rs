//! A demo on virtual time.

use super::StepWatch;
use super::cast::Cast;
use super::keep;
use super::leads::Leads;
use super::progress::{Progress, is_shown};
use super::summary::{Effort, MatchResult, Summary, TeamSummary};
use crate::args::DemoArgs;
use anyhow::{Result, bail};
use phalanx_cli::failure::MatchInterrupted;
use phalanx_engine::{JournalEntry, JournalEvent, Snapshot};
use phalanx_game::{Artifact, Origin, Verdict};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn play(
    args: &DemoArgs,
    cast: &Cast,
    origin: Origin,
    steps: &mut StepWatch<'_>,
) -> Result<Summary> {
    let begun = origin.instant;
    let (arena, faults) = cast.arena(origin)?;
    let mut lockstep = Lockstep::new(arena, begun, LockstepOptions::default());
    for team in &cast.teams {
        phalanx_games::join(&mut lockstep, team)?;
    }
    let mut watch = Watch::new(args, cast, steps);
    let end = lockstep.run(&mut watch);
    let steps = watch.progress.finish(false);
    let (troubles, notices) = (watch.progress.troubles(), watch.notices);
    if let Some(problem) = watch.problem {
        return Err(problem);
    }
    if end == LockstepEnd::Stuck {
        bail!("the match got stuck at {:?}: a defect of arena or session", lockstep.verdict());
    }
    let verdict = lockstep.verdict();
    let teams = cast.teams.iter().enumerate().map(|(index, team)| {
        let snapshot = lockstep.snapshot(index).unwrap_or_default();
        let alerts = watch.alerts.get(index).copied().unwrap_or_default();
        TeamSummary::new(&team.roster.team, verdict, &snapshot, alerts)
    });
    let teams = teams.collect();
    let times = (0..cast.teams.len()).filter_map(|team| lockstep.meter(team));
    let result = MatchResult::new(verdict, lockstep.tallies(), &watch.leads);
    let effort = Effort { seed: args.seed, fast: true, steps, time: now() - begun };
    let network = faults.map(|log| log.report());
    let turns = Some(lockstep.turn_times().into());
    Ok(Summary {
        network,
        turns,
        troubles,
        notices,
        ..Summary::new(cast.game, effort, teams, &result, times)
    })
}

/// Shows progress, prints what goes wrong, keeps replays.
struct Watch<'a, 'b> {
    /// Hears of each step.
    steps: &'a mut StepWatch<'b>,
    progress: Progress,
    leads: Leads,
    teams: Vec<Arc<Snapshot>>,
    /// Alerts that began, by team.
    alerts: Vec<u64>,
    /// Mistakes that the referee reported.
    notices: u64,
    replay: Option<PathBuf>,
    log: bool,
    names: Vec<String>,
    problem: Option<anyhow::Error>,
}

impl<'a, 'b> Watch<'a, 'b> {
    fn new(args: &DemoArgs, cast: &Cast, steps: &'a mut StepWatch<'b>) -> Self {
        Self {
            steps,
            progress: Progress::new(args.json),
            leads: Leads::default(),
            teams: vec![Arc::default(); cast.teams.len()],
            alerts: vec![0; cast.teams.len()],
            notices: 0,
            replay: args.replay.clone(),
            log: args.log,
            names: cast.teams.iter().map(|team| team.roster.team.clone()).collect(),
            problem: None,
        }
    }
}

impl Observer for Watch<'_, '_> {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        self.leads.see(verdict);
        self.progress.step(verdict, &self.teams, None);
        if !(self.steps)(verdict.step.into(), verdict.steps.into()) {
            self.problem.get_or_insert(MatchInterrupted.into());
        }
        if self.problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn journal(&mut self, team: usize, entry: JournalEntry) {
        if let JournalEvent::AlertBegan { .. } = entry.event
            && let Some(alerts) = self.alerts.get_mut(team)
        {
            *alerts += 1;
        }
        let team = self.names.get(team).map_or("?", String::as_str);
        if is_shown(&entry.event, self.log) {
            self.progress.event(team, &entry);
        }
    }

    fn notice(&mut self, text: &str) {
        self.notices += 1;
        self.progress.notice(text);
    }

    fn snapshot(&mut self, team: usize, snapshot: &Arc<Snapshot>) {
        if let Some(slot) = self.teams.get_mut(team) {
            slot.clone_from(snapshot);
        }
    }

    fn artifact(&mut self, artifact: Artifact) {
        if let Some(folder) = &self.replay
            && let Err(problem) = keep(folder, &artifact)
        {
            self.problem.get_or_insert(problem);
        }
    }
}
