//! A demo in real time, over loopback connections, with the control API open.

use super::Interrupted;
use super::cast::Cast;
use super::changes;
use super::progress::Progress;
use super::summary::{Effort, Summary, TeamSummary};
use super::takes::SERVER;
use crate::cli::DemoArgs;
use crate::controls::Newcomers;
use crate::directory::{Directory, Member};
use crate::followers::Followers;
use crate::live::Live;
use crate::paint::Paint;
use crate::recordings::{self, Recordings};
use crate::terminal::ending;
use crate::{keepers, wire};
use anyhow::{Context, Result, bail};
use phalanx_control::{Access, Control, ControlHandle, Options, Role, SocketOptions};
use phalanx_engine::{JournalEntry, JournalEvent, Snapshot};
use phalanx_game::{Origin, Verdict};
use phalanx_metrics::Metrics;
use phalanx_net::{
    ArenaEnd, ArenaHandle, HostOptions, JournalItem, TeamHandle, now, origin, serve_arena,
};
use phalanx_settings::{Environment, FoxgloveSettings, socket_candidates};
use std::io::{IsTerminal, Write};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long teams may take to leave after the match.
const LEAVE: Duration = Duration::from_secs(2);
/// Rights of the control socket: a demo is its user's own.
const SOCKET_MODE: u32 = 0o600;
/// Lines that wait to be printed; more are dropped.
const LINES_MAX: usize = 256;

/// Plays it; what is seen of it is counted from `begun`.
pub(super) fn play(args: &DemoArgs, cast: Cast, begun: Origin) -> Result<Summary> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let played = runtime.block_on(play_on_runtime(args, cast, begun));
    // A trial that is held now may not keep us.
    runtime.shutdown_background();
    played
}

async fn play_on_runtime(args: &DemoArgs, mut cast: Cast, seen_from: Origin) -> Result<Summary> {
    let begun = now();
    let metrics = Arc::new(Metrics::new(env!("CARGO_PKG_VERSION")));
    let live = show(args, &mut cast, seen_from, &metrics).await?;
    let listener = wire::listen(cast.game, "127.0.0.1:0").await;
    let listener = listener.context("cannot listen on loopback")?;
    let paint = Paint::stderr();
    let watched = !args.json && std::io::stderr().is_terminal();
    let options = HostOptions {
        artifacts: args.replay.clone(),
        draw: watched.then_some(paint.is_on()),
        ..HostOptions::default()
    };
    let arena = serve_arena(cast.arena(origin())?, listener, options);
    let (control, teams) = spawn_teams(args, &mut cast, &arena, metrics).await?;
    let steps = follow(args, &arena, &teams).await?;
    let report = arena.ended().await;
    if let ArenaEnd::Panicked { reason } = report.end {
        bail!("the arena failed: {reason}");
    }
    for team in &teams {
        // Their last turns may still be on the way to us; whoever hangs is drained below.
        tokio::time::timeout(LEAVE, team.ended()).await.ok();
    }
    let summaries =
        cast.teams.iter().zip(&teams).map(|(plan, team)| {
            TeamSummary::new(&plan.roster.team, &report.verdict, &team.snapshot())
        });
    let effort = Effort { seed: args.seed, fast: false, steps, time: now() - begun };
    let meters = teams.iter().map(|team| &**team.meter());
    let summary = Summary::new(cast.game, effort, summaries.collect(), meters);
    for team in &teams {
        team.drain(LEAVE).await;
    }
    control.stop(LEAVE).await;
    if let Some(live) = live {
        live.close(LEAVE).await;
    }
    Ok(summary)
}

/// Shows the teams to Foxglove, where the command line wants it.
async fn show(
    args: &DemoArgs,
    cast: &mut Cast,
    begun: Origin,
    metrics: &Arc<Metrics>,
) -> Result<Option<Live>> {
    let settings = FoxgloveSettings { listen: args.foxglove, ..FoxgloveSettings::default() };
    let Some(live) = Live::open(&settings).await? else { return Ok(None) };
    live.tell(Arc::clone(metrics));
    for plan in &mut cast.teams {
        let info = recordings::info(plan, SERVER, begun);
        live.show(plan, info);
    }
    if !args.json {
        hint(&format!("look on with Foxglove: ws://{}\n", live.address()));
    }
    Ok(Some(live))
}

async fn spawn_teams(
    args: &DemoArgs,
    cast: &mut Cast,
    arena: &ArenaHandle,
    metrics: Arc<Metrics>,
) -> Result<(ControlHandle, Vec<TeamHandle>)> {
    let address = arena.address().context("the arena has no address")?;
    let endpoint = wire::endpoint(cast.game, &address.ip().to_string(), address.port());
    let mut directory = Directory::default();
    if let Some(folder) = &args.record {
        directory.record(Recordings::of_folder(folder.clone(), Arc::clone(&metrics)));
    }
    let followers = Followers::new(Arc::clone(&metrics), None);
    for (plan, keeper) in cast.teams.iter().zip(cast.keepers.drain(..)) {
        let built = wire::build(plan.clone(), endpoint.clone()).await?;
        let listening = followers.listen(&built);
        let team = built.spawn();
        listening.playing(&team);
        let keeper = keepers::spawn(keeper, &team);
        let newcomers = Newcomers::of(plan);
        let (drain_max, creator) = (LEAVE, None);
        let server = address.to_string();
        directory.add(Member { handle: team, keeper, drain_max, newcomers, server, creator });
    }
    let teams = directory.handles();
    let control = open_control(args, Arc::new(directory), metrics)?;
    if !args.json {
        announce(args, &control);
    }
    Ok((control.spawn(), teams))
}

/// Listens on loopback TCP, and where `phalanx` looks for a daemon unless one is there.
fn open_control(
    args: &DemoArgs,
    directory: Arc<Directory>,
    metrics: Arc<Metrics>,
) -> Result<Control> {
    let tcp = Some(([127, 0, 0, 1], args.page.unwrap_or(0)).into());
    let options =
        Options { tcp, page: !args.no_page, metrics: Some(metrics), ..Options::default() };
    let access = Arc::new(Access::on_this_machine(Role::Admin));
    let environment: Environment = std::env::vars_os().collect();
    if let Some(path) = socket_candidates(&environment).into_iter().next() {
        let socket = Some(SocketOptions { path, mode: SOCKET_MODE, group: None });
        let options = Options { socket, ..options.clone() };
        // Somebody serves there, or the folder is not ours: the other address is enough.
        if let Ok(control) = phalanx_control::build(&options, directory.clone(), access.clone()) {
            return Ok(control);
        }
    }
    Ok(phalanx_control::build(&options, directory, access)?)
}

fn announce(args: &DemoArgs, control: &Control) {
    let address = match (control.socket(), control.tcp()) {
        (Some(_), _) => String::new(),
        (None, Some(tcp)) => format!(" --control http://{tcp}"),
        (None, None) => return,
    };
    let mut hint = format!("watch it: phalanx match watch A{address}\n");
    if let (Some(tcp), false) = (control.tcp(), args.no_page) {
        hint = format!("see it: http://{tcp}/\n{hint}");
    }
    if let (Some(folder), false) = (&args.strategy, args.no_watch) {
        hint.push_str(&format!("edit it: what you save in {} plays at once\n", folder.display()));
    }
    self::hint(&hint);
}

fn hint(text: &str) {
    // A closed standard error only means that nobody watches.
    std::io::stderr().write_all(text.as_bytes()).unwrap_or_default();
}

/// Shows progress until the arena's verdict is final; the number of steps played.
async fn follow(args: &DemoArgs, arena: &ArenaHandle, teams: &[TeamHandle]) -> Result<u64> {
    let mut progress = Progress::new(args.json);
    let mut verdicts = arena.verdicts();
    let (sender, mut lines) = mpsc::channel(LINES_MAX);
    for team in teams {
        tokio::spawn(report_lines(team.clone(), sender.clone(), args.log));
    }
    drop(sender);
    let mut interrupted = pin!(ending::left());
    loop {
        let verdict: Verdict = verdicts.borrow_and_update().clone();
        let snapshots: Vec<Arc<Snapshot>> = teams.iter().map(TeamHandle::snapshot).collect();
        let p99 = teams.iter().map(|team| team.timings().p99).max();
        progress.draw(&arena.picture());
        progress.step(&verdict, &snapshots, p99);
        while let Ok(line) = lines.try_recv() {
            print(&mut progress, line);
        }
        if verdict.over {
            return Ok(progress.finish());
        }
        tokio::select! {
            changed = verdicts.changed() => if changed.is_err() {
                return Ok(progress.finish());
            },
            Some(line) = lines.recv() => print(&mut progress, line),
            () = &mut interrupted => {
                progress.finish();
                return Err(Interrupted.into());
            }
        }
    }
}

fn print(progress: &mut Progress, (team, entry, line): (String, JournalEntry, Line)) {
    match line {
        Line::Trouble(reason) => progress.trouble(&team, &entry, &reason),
        Line::Log(text) => progress.line(&team, &entry, &text),
        Line::Change(text) => progress.change(&team, &entry, &text),
    }
}

/// What is printed above the living line.
enum Line {
    Trouble(String),
    Log(String),
    Change(String),
}

type Lines = mpsc::Sender<(String, JournalEntry, Line)>;

async fn report_lines(team: TeamHandle, lines: Lines, log: bool) {
    let Some(mut journal) = team.journal() else { return };
    let name = team.name().to_owned();
    drop(team);
    while let Some(item) = journal.next().await {
        let JournalItem::Entry(entry) = item else { continue };
        let Some(line) = line(&entry, log) else { continue };
        let sent = lines.try_send((name.clone(), (*entry).clone(), line));
        if sent.is_err() && lines.is_closed() {
            return;
        }
    }
}

fn line(entry: &JournalEntry, log: bool) -> Option<Line> {
    if let Some(text) = changes::text(entry, Paint::stderr()) {
        return Some(Line::Change(text));
    }
    match &entry.event {
        JournalEvent::Fallback { reason, .. } | JournalEvent::ScriptError { reason, .. } => {
            Some(Line::Trouble(reason.clone()))
        }
        JournalEvent::Log { level, text } if log => Some(Line::Log(format!("{level}: {text}"))),
        JournalEvent::Seat { .. }
        | JournalEvent::RoundStarted
        | JournalEvent::Resumed { .. }
        | JournalEvent::CheckpointRefused { .. }
        | JournalEvent::Decided { .. }
        | JournalEvent::Generation { .. }
        | JournalEvent::StrategyRefused { .. }
        | JournalEvent::TakenBack { .. }
        | JournalEvent::ParamSet { .. }
        | JournalEvent::BoardSet { .. }
        | JournalEvent::Ran { .. }
        | JournalEvent::RoleSet { .. }
        | JournalEvent::Steered { .. }
        | JournalEvent::Ordered { .. }
        | JournalEvent::Held { .. }
        | JournalEvent::Retuned { .. }
        | JournalEvent::AgentAdded { .. }
        | JournalEvent::AgentRemoved { .. }
        | JournalEvent::Left { .. }
        | JournalEvent::Returned { .. }
        | JournalEvent::AlertBegan { .. }
        | JournalEvent::AlertEnded { .. }
        | JournalEvent::Defaulted { .. }
        | JournalEvent::Late
        | JournalEvent::Notice(_)
        | JournalEvent::Log { .. }
        | JournalEvent::TurnDone(_)
        | JournalEvent::RoundOver { .. }
        | JournalEvent::MatchOver => None,
    }
}
