//! A demo on virtual time.

use super::Interrupted;
use super::cast::Cast;
use super::keep;
use super::progress::Progress;
use super::summary::{Effort, Summary, TeamSummary};
use crate::cli::DemoArgs;
use crate::terminal::ending;
use crate::wire;
use anyhow::{Result, bail};
use phalanx_engine::{JournalEntry, JournalEvent, Snapshot};
use phalanx_game::{Artifact, Origin, Verdict};
use phalanx_net::{Lockstep, LockstepEnd, LockstepOptions, Observer, now};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The wall-clock time at which every match on virtual time begins: 2026-01-01 00:00 UTC.
/// The seed is added in milliseconds, so that replays of several seeds have folders of their own.
const EPOCH_MS: u64 = 1_767_225_600_000;
/// So many seeds have folders of their own.
const SEEDS: u64 = 1_000_000_000;

pub(super) fn play(args: &DemoArgs, cast: &Cast, origin: Origin) -> Result<Summary> {
    let begun = origin.instant;
    let arena = cast.arena(origin)?;
    let mut lockstep = Lockstep::new(arena, begun, LockstepOptions::default());
    for team in &cast.teams {
        wire::join(&mut lockstep, team)?;
    }
    let mut watch = Watch::new(args, cast);
    let end = lockstep.run(&mut watch);
    let steps = watch.progress.finish();
    if let Some(problem) = watch.problem {
        return Err(problem);
    }
    if end == LockstepEnd::Stuck {
        bail!("the match got stuck at {:?}: a defect of arena or session", lockstep.verdict());
    }
    let verdict = lockstep.verdict();
    let teams = cast.teams.iter().enumerate().map(|(index, team)| {
        let snapshot = lockstep.snapshot(index).unwrap_or_default();
        TeamSummary::new(&team.roster.team, verdict, &snapshot)
    });
    let teams = teams.collect();
    let times = (0..cast.teams.len()).filter_map(|team| lockstep.meter(team));
    let effort = Effort { seed: args.seed, fast: true, steps, time: now() - begun };
    Ok(Summary::new(cast.game, effort, teams, times))
}

/// When a match of this seed begins.
pub(crate) fn beginning(instant: Instant, seed: u64) -> Origin {
    Origin { instant, unix_ms: EPOCH_MS.wrapping_add(seed % SEEDS) }
}

/// Shows progress, prints what goes wrong, keeps replays.
struct Watch {
    progress: Progress,
    teams: Vec<Arc<Snapshot>>,
    replay: Option<PathBuf>,
    log: bool,
    names: Vec<String>,
    problem: Option<anyhow::Error>,
}

impl Watch {
    fn new(args: &DemoArgs, cast: &Cast) -> Self {
        Self {
            progress: Progress::new(args.json),
            teams: vec![Arc::default(); cast.teams.len()],
            replay: args.replay.clone(),
            log: args.log,
            names: cast.teams.iter().map(|team| team.roster.team.clone()).collect(),
            problem: None,
        }
    }
}

impl Observer for Watch {
    fn step(&mut self, verdict: &Verdict) -> ControlFlow<()> {
        self.progress.step(verdict, &self.teams, None);
        if ending::is_due() {
            self.problem.get_or_insert(Interrupted.into());
        }
        if self.problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn journal(&mut self, team: usize, entry: JournalEntry) {
        let team = self.names.get(team).map_or("?", String::as_str);
        if let JournalEvent::Fallback { reason, .. } | JournalEvent::ScriptError { reason, .. } =
            &entry.event
        {
            self.progress.trouble(team, &entry, reason);
        }
        if let (JournalEvent::Log { level, text }, true) = (&entry.event, self.log) {
            self.progress.line(team, &entry, &format!("{level}: {text}"));
        }
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
