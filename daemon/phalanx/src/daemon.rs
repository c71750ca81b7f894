//! `phalanxd`: settings → teams and control API → run → drain → exit code.

use crate::check::{self, Findings};
use crate::cli::{EXIT_USAGE, Phalanxd};
use crate::directory::Directory;
use crate::{access, keepers, plans, wire};
use anyhow::{Context, Result};
use phalanx_control::{Certificates, Control, ControlHandle, Options, SocketGuard, SocketOptions};
use phalanx_engine::{Staged, StrategyOrigin};
use phalanx_net::{Lobby, TeamHandle, receive_bridges};
use phalanx_settings::{ControlSettings, Settings, TeamSettings};
use phalanx_strategy::{Keeper, KeeperHandle};
use sd_notify::NotifyState;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// Exit code when something could not be started.
const EXIT_START: u8 = 1;
/// Exit code when teams had to be cut off at the end of the grace period.
const EXIT_GRACE: u8 = 2;
/// How long the control API may take to say goodbye, at the end.
const CONTROL_GRACE: Duration = Duration::from_millis(500);
/// How long what is being written may take, at the very end.
const WRITE_GRACE: Duration = Duration::from_millis(500);

/// Runs the daemon until it is told to stop or all matches are over.
#[must_use]
pub fn run(args: &Phalanxd) -> ExitCode {
    let mut findings = check::load(&args.config, &args.set);
    if args.check {
        findings.try_all();
    }
    let Some(settings) = findings.playable().cloned() else {
        return usage(&findings);
    };
    if args.check {
        findings.print();
        return ExitCode::SUCCESS;
    }
    crate::logs::start(&settings.log);
    let first = match first(&settings, &mut findings, !args.no_watch) {
        Ok(first) => first,
        Err(error) => return could_not_start(&error),
    };
    if findings.playable().is_none() {
        return usage(&findings);
    }
    findings.warn();
    let served = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime")
        .and_then(|runtime| {
            let code = runtime.block_on(serve(&settings, first));
            // A trial that is held now may not keep us.
            runtime.shutdown_timeout(WRITE_GRACE);
            code
        });
    served.unwrap_or_else(|error| could_not_start(&error))
}

fn could_not_start(error: &anyhow::Error) -> ExitCode {
    error!("could not start: {error:#}");
    ExitCode::from(EXIT_START)
}

/// A team's keeper with what decides first.
struct First {
    keeper: Keeper,
    staged: Staged,
}

/// Tries what each team begins with; what stands against it is added to the findings.
fn first(settings: &Settings, findings: &mut Findings, watch: bool) -> Result<Vec<First>> {
    let mut all = Vec::new();
    for (team, bundle) in settings.teams.iter().zip(findings.bundles.clone()) {
        let bundle = bundle.context("a strategy that was read is gone")?;
        let mut keeper = Keeper::open(plans::keeper(team, settings, watch)?);
        match keeper.first(&bundle) {
            Ok((staged, report)) => {
                findings.add(&team.name, report.diagnostics);
                all.push(First { keeper, staged });
            }
            Err(report) => findings.add(&team.name, report.diagnostics),
        }
    }
    Ok(all)
}

fn usage(findings: &Findings) -> ExitCode {
    findings.print();
    ExitCode::from(EXIT_USAGE)
}

async fn serve(settings: &Settings, first: Vec<First>) -> Result<ExitCode> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let hangup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    let access = Arc::new(access::open(settings)?);
    let certificates = access::certificates(&settings.control)?;
    let bound = phalanx_control::bind(&control(&settings.control, certificates.clone()))?;
    let (door, lobby) = (door(settings)?, Lobby::default());
    let directory = teams(settings, first, &lobby).await?;
    let teams: Vec<TeamHandle> = directory.handles().cloned().collect();
    let mut logging = JoinSet::new();
    for team in &teams {
        logging.spawn(crate::logs::follow(team));
    }
    let names = teams.iter().map(|team| team.name().to_owned());
    let keepers = names.zip(directory.keepers().cloned()).collect();
    let watching = certificates.clone().map(|all| tokio::spawn(access::follow(all)));
    let reloading = tokio::spawn(reload(hangup, keepers, certificates));
    let control = phalanx_control::prepare(bound, Arc::new(directory), access)?;
    announce(&control, &teams);
    let control = control.spawn();
    let leaving = CancellationToken::new();
    // Last: whoever follows the teams is to hear of the first bridge. The socket's file stays as long
    // as this does.
    let _door = door.map(|(listener, guard)| {
        tokio::spawn(receive_bridges(listener, lobby, leaving.clone()));
        guard
    });
    tell_manager(&[NotifyState::Ready]);
    tokio::select! {
        () = all_over(&teams) => info!("every match is over"),
        _ = interrupt.recv() => info!("SIGINT: leaving"),
        _ = terminate.recv() => info!("SIGTERM: leaving"),
    }
    tell_manager(&[NotifyState::Stopping]);
    reloading.abort();
    leaving.cancel();
    watching.inspect(tokio::task::JoinHandle::abort);
    let grace = settings.limits.drain_max;
    let code = tokio::select! {
        code = drain(&teams, control, logging, grace) => code,
        _ = interrupt.recv() => again("SIGINT"),
        _ = terminate.recv() => again("SIGTERM"),
    };
    Ok(code)
}

/// The door for bridges, where a team waits for some.
fn door(settings: &Settings) -> Result<Option<(UnixListener, SocketGuard)>> {
    let awaited = settings.teams.iter().any(TeamSettings::is_awaited);
    let Some(path) = settings.bridge.socket.clone().filter(|_| awaited) else { return Ok(None) };
    let options = SocketOptions { path, mode: settings.bridge.socket_mode, group: None };
    info!(socket = %options.path.display(), "bridges");
    Ok(Some(phalanx_control::bind_unix(&options)?))
}

async fn teams(settings: &Settings, first: Vec<First>, lobby: &Lobby) -> Result<Directory> {
    let mut directory = Directory::default();
    for (team, First { keeper, staged }) in settings.teams.iter().zip(first) {
        let endpoint = plans::endpoint(team, lobby).context("the server's address has no port")?;
        let plan = plans::plan(team, settings, staged);
        let seats = plan.seat_of_agents();
        let handle = wire::build(plan, endpoint).await?.spawn();
        let keeper = keepers::spawn(keeper, &handle);
        directory.add(handle, keeper, team.server.clone(), seats);
    }
    Ok(directory)
}

/// At each SIGHUP every team takes its folder as it is then, and new callers meet the certificates
/// that are there then.
async fn reload(
    mut hangup: Signal,
    keepers: Vec<(String, KeeperHandle)>,
    certificates: Option<Arc<Certificates>>,
) {
    while hangup.recv().await.is_some() {
        certificates.as_deref().inspect(|all| access::renew(all));
        info!("SIGHUP: every strategy is read and tried again");
        let reloads = keepers.iter().map(|(_, keeper)| keeper.reload(StrategyOrigin::Hangup));
        futures_util::future::join_all(reloads).await;
        for (team, keeper) in &keepers {
            let active = keeper.status().active.generation;
            let hash = active.hash.get(..12).unwrap_or(&active.hash);
            info!(team, generation = active.number, hash, "after SIGHUP");
        }
    }
}

fn control(settings: &ControlSettings, tls: Option<Arc<Certificates>>) -> Options {
    let socket = settings.socket.as_ref().map(|path| SocketOptions {
        path: path.clone(),
        mode: settings.socket_mode,
        group: settings.socket_group.clone(),
    });
    Options { socket, tcp: settings.tcp, tls, ..Options::default() }
}

fn announce(control: &Control, teams: &[TeamHandle]) {
    if let Some(path) = control.socket() {
        info!(socket = %path.display(), "control API");
    }
    if let Some(address) = control.tcp() {
        info!(%address, "control API");
    }
    for team in teams {
        let agents = team.roster().agents.len();
        info!(team = team.name(), game = team.game(), agents, "team");
    }
}

async fn all_over(teams: &[TeamHandle]) {
    for team in teams {
        let end = team.ended().await;
        info!(team = team.name(), ?end, "the team has ended");
    }
}

async fn drain(
    teams: &[TeamHandle],
    control: ControlHandle,
    mut logging: JoinSet<()>,
    grace: Duration,
) -> ExitCode {
    let drains = teams.iter().map(|team| async move {
        let report = team.drain(grace).await;
        for name in &report.stragglers {
            warn!(team = team.name(), who = %name, "was cut off: it did not finish in time");
        }
        report.stragglers.is_empty()
    });
    let clean = futures_util::future::join_all(drains).await.into_iter().all(|clean| clean);
    // Teams that ended have closed their journals: this writes what is left of them.
    let written = async { while logging.join_next().await.is_some() {} };
    tokio::time::timeout(CONTROL_GRACE, written).await.ok();
    control.stop(CONTROL_GRACE).await;
    if clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_GRACE) }
}

fn again(name: &str) -> ExitCode {
    warn!("{name} again: leaving at once");
    ExitCode::from(EXIT_GRACE)
}

/// Tells the service manager, if there is one; without one nothing happens.
fn tell_manager(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "cannot reach the service manager");
    }
}
