//! One match of a demo in real time.

use super::cast::Cast;
use super::finale;
use super::leads::Leads;
use super::live::{LEAVE, Venue};
use super::progress::{Progress, is_shown};
use super::summary::{Effort, MatchResult, Summary, TeamSummary};
use super::takes::{SERVER, Takes};
use crate::args::DemoArgs;
use anyhow::{Context, Result, bail};
use futures_util::future::join_all;
use phalanx_chaos::FaultLog;
use phalanx_cli::failure::MatchInterrupted;
use phalanx_cli::paint::Paint;
use phalanx_cli::terminal::{KeyPresses, ending};
use phalanx_engine::{JournalEntry, JournalEvent, Snapshot};
use phalanx_game::Verdict;
use phalanx_net::{
    ArenaEnd, ArenaHandle, HostEvent, HostEventSender, HostFeed, HostOptions, JournalItem,
    TeamHandle, host_feed, now, origin, serve_arena,
};
use phalanxd::directory::Member;
use phalanxd::plans;
use phalanxd::recordings;
use std::io::IsTerminal;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How long teams may take to leave a match that is interrupted: a signal leaves little time. Their
/// recordings end after them.
const BREAK_OFF: Duration = Duration::from_millis(800);
/// Lines that wait to be printed; more are dropped.
const LINES_MAX: usize = 256;

/// A match that is being played.
pub(super) struct Playing {
    cast: Cast,
    begun: Instant,
    arena: ArenaHandle,
    faults: Option<FaultLog>,
    /// In the order of the cast.
    teams: Vec<TeamHandle>,
    /// How many alerts each team raised.
    alerts: Vec<Arc<AtomicU64>>,
    /// Mistakes that the referee reported, and the task that counts them.
    notices: Arc<AtomicU64>,
    reporting: JoinHandle<()>,
    /// What is to be printed.
    lines: mpsc::Receiver<Said>,
    takes: Takes,
}

/// Something to print while a match is played.
#[derive(Debug)]
enum Said {
    /// An entry of this team's journal.
    Entry(String, Arc<JournalEntry>),
    /// A mistake that the referee reports.
    Notice(String),
}

/// Starts the arena and the teams, which take the place of the teams of the match before.
pub(super) async fn begin(
    venue: &mut Venue<'_>,
    args: &DemoArgs,
    mut cast: Cast,
) -> Result<Playing> {
    let origin = origin();
    let takes = Takes::begin(args, venue.films, &mut cast, origin)?;
    if let Some(live) = &venue.foxglove {
        for plan in &mut cast.teams {
            let info = recordings::info(plan, SERVER, origin);
            live.show(plan, info);
        }
    }
    let listener = phalanx_games::listen(cast.game, "127.0.0.1:0").await;
    let listener = listener.context("cannot listen on loopback")?;
    let watched = !args.json && std::io::stderr().is_terminal();
    let (events, feed) = host_feed();
    let options = HostOptions {
        events: Some(events),
        artifacts: args.replay.clone(),
        draw: watched.then_some(Paint::stderr().is_on()),
        ..HostOptions::default()
    };
    let (arena, faults) = cast.arena(origin)?;
    let arena = serve_arena(arena, listener, options);
    let (onward, shown) = host_feed();
    venue.arena.show(cast.game, arena.clone(), shown, venue.stays);
    let (sender, lines) = mpsc::channel(LINES_MAX);
    let notices = Arc::default();
    let reporting =
        tokio::spawn(report_notices(feed, onward, sender.clone(), Arc::clone(&notices)));
    let members = spawn_teams(venue, &mut cast, &arena).await?;
    let teams: Vec<_> = members.iter().map(|member| member.handle.clone()).collect();
    let alerts: Vec<_> = teams.iter().map(|_| Arc::default()).collect();
    for (team, alerts) in teams.iter().zip(&alerts) {
        tokio::spawn(report_lines(team.clone(), sender.clone(), Arc::clone(alerts), args.log));
    }
    for member in members {
        venue.directory.remove(member.handle.name());
        venue.directory.add(member);
    }
    venue.serve();
    let begun = origin.instant;
    Ok(Playing { cast, begun, arena, faults, teams, alerts, notices, reporting, lines, takes })
}

async fn spawn_teams(
    venue: &Venue<'_>,
    cast: &mut Cast,
    arena: &ArenaHandle,
) -> Result<Vec<Member>> {
    let address = arena.address().context("the arena has no address")?;
    let endpoint = phalanx_games::endpoint(cast.game, &address.ip().to_string(), address.port());
    let mut members = Vec::new();
    for (plan, keeper) in cast.teams.iter().zip(cast.keepers.drain(..)) {
        let built = phalanx_games::build(plan.clone(), endpoint.clone()).await?;
        let listening = venue.followers.listen(&built);
        let handle = built.spawn();
        listening.playing(&handle);
        let keeper = keeper.spawn(handle.clone());
        let newcomers = plans::newcomers(plan);
        let (drain_max, creator) = (LEAVE, None);
        let server = address.to_string();
        members.push(Member { handle, keeper, drain_max, newcomers, server, creator });
    }
    Ok(members)
}

impl Playing {
    /// Plays to the end. The teams stay in the directory with their last state.
    pub(super) async fn play(
        mut self,
        venue: &Venue<'_>,
        args: &DemoArgs,
        keys: Option<&mut KeyPresses>,
    ) -> Result<Summary> {
        let mut leads = Leads::default();
        let played = self.follow(venue, args, keys, &mut leads).await;
        let summary = match played {
            Ok(steps) => self.conclude(args, steps, &leads).await,
            Err(error) => Err(error),
        };
        // Recordings end after their teams, so that nothing is missing in them.
        let grace = if summary.is_ok() { LEAVE } else { BREAK_OFF };
        join_all(self.teams.iter().map(|team| team.drain(grace))).await;
        let takes = self.takes;
        let taken = tokio::task::spawn_blocking(move || takes.finish()).await?;
        let recordings = taken.report();
        Ok(Summary { recordings, ..summary? })
    }

    async fn conclude(&self, args: &DemoArgs, steps: u64, leads: &Leads) -> Result<Summary> {
        let report = self.arena.ended().await;
        if let ArenaEnd::Panicked { reason } = report.end {
            bail!("the arena failed: {reason}");
        }
        for team in &self.teams {
            // Their last turns may still be on the way to us; a team that hangs is drained later.
            tokio::time::timeout(LEAVE, team.ended()).await.ok();
        }
        let teams = self.cast.teams.iter().zip(&self.teams).zip(&self.alerts);
        let teams = teams.map(|((plan, team), alerts)| {
            let alerts = alerts.load(Ordering::Relaxed);
            TeamSummary::new(&plan.roster.team, &report.verdict, &team.snapshot(), alerts)
        });
        let effort = Effort { seed: args.seed, fast: false, steps, time: now() - self.begun };
        let result = MatchResult::new(&report.verdict, report.tallies, leads);
        let meters = self.teams.iter().map(|team| &**team.meter());
        let network = self.faults.as_ref().map(FaultLog::report);
        let summary = Summary::new(self.cast.game, effort, teams.collect(), &result, meters);
        let notices = self.notices.load(Ordering::Relaxed);
        Ok(Summary { network, notices, ..summary })
    }

    /// Shows progress until the arena's verdict is final; the number of steps played.
    async fn follow(
        &mut self,
        venue: &Venue<'_>,
        args: &DemoArgs,
        mut keys: Option<&mut KeyPresses>,
        leads: &mut Leads,
    ) -> Result<u64> {
        let (arena, teams, lines) = (&self.arena, &self.teams, &mut self.lines);
        let mut progress = Progress::new(args.json);
        let mut verdicts = arena.verdicts();
        let stays = keys.is_some();
        let mut interrupted = pin!(ending::left());
        loop {
            let verdict: Verdict = verdicts.borrow_and_update().clone();
            let snapshots: Vec<Arc<Snapshot>> = teams.iter().map(TeamHandle::snapshot).collect();
            let p99 = teams.iter().map(|team| team.timings().p99).max();
            leads.see(&verdict);
            progress.draw(&arena.picture());
            progress.step(&verdict, &snapshots, p99);
            if verdict.over {
                // What the referee reports of the last step comes before the result.
                tokio::time::timeout(LEAVE, &mut self.reporting).await.ok();
            }
            while let Ok(said) = lines.try_recv() {
                print(&mut progress, said);
            }
            if verdict.over {
                return Ok(progress.finish(stays));
            }
            tokio::select! {
                changed = verdicts.changed() => if changed.is_err() {
                    return Ok(progress.finish(stays));
                },
                Some(said) = lines.recv() => print(&mut progress, said),
                key = next(keys.as_deref_mut()) => finale::press(venue, key?),
                () = &mut interrupted => {
                    progress.finish(false);
                    return Err(MatchInterrupted.into());
                }
            }
        }
    }
}

/// The next key; never without a keyboard.
async fn next(keys: Option<&mut KeyPresses>) -> Result<char> {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

fn print(progress: &mut Progress, said: Said) {
    match said {
        Said::Entry(team, entry) => progress.event(&team, &entry),
        Said::Notice(text) => progress.notice(&text),
    }
}

type Lines = mpsc::Sender<Said>;

/// Reports the referee's mistakes, and passes on all that the arena tells.
async fn report_notices(
    mut arena: HostFeed,
    mut onward: HostEventSender,
    lines: Lines,
    notices: Arc<AtomicU64>,
) {
    while let Some(event) = arena.next().await {
        if let HostEvent::Notice(text) = &event {
            notices.fetch_add(1, Ordering::Relaxed);
            // Those that are too many to be printed are counted.
            lines.try_send(Said::Notice(text.clone())).unwrap_or_default();
        }
        onward.tell(event);
    }
}

async fn report_lines(team: TeamHandle, lines: Lines, alerts: Arc<AtomicU64>, log: bool) {
    let Some(mut journal) = team.journal() else { return };
    let name = team.name().to_owned();
    drop(team);
    while let Some(item) = journal.next().await {
        let JournalItem::Entry(entry) = item else { continue };
        if let JournalEvent::AlertBegan { .. } = entry.event {
            alerts.fetch_add(1, Ordering::Relaxed);
        }
        if is_shown(&entry.event, log)
            && lines.try_send(Said::Entry(name.clone(), entry)).is_err()
            && lines.is_closed()
        {
            return;
        }
    }
}
