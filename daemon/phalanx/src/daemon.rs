//! `phalanxd`: settings → teams and control API → run → drain → exit code.

use crate::beside::Beside;
use crate::check::{self, Findings};
use crate::checkpoints::{Checkpoints, Resume, Writer};
use crate::cli::{EXIT_USAGE, Phalanxd};
use crate::controls::Newcomers;
use crate::directory::{Directory, Member};
use crate::followers::Followers;
use crate::handover::{self, Handed};
use crate::host::Process;
use crate::logs::LogControl;
use crate::maker::{Maker, Names, Teams};
use crate::manager::{self, Inherited, Manager};
use crate::recordings::{Begun, Recordings};
use crate::reload::{self, Origin, Reloader};
use crate::witnesses::Witnesses;
use crate::{access, keepers, listeners, plans, state, wire};
use anyhow::{Context, Result, anyhow};
use phalanx_control::{Certificates, Control, ControlHandle, Host, Options};
use phalanx_engine::{Staged, StrategyOrigin};
use phalanx_metrics::Metrics;
use phalanx_net::{HandedSeat, Lobby, TeamEnd, TeamHandle, receive_bridges};
use phalanx_settings::Settings;
use phalanx_strategy::{Keeper, Refusal};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// Exit code when something could not be started, or a team was given up.
const EXIT_START: u8 = 1;
/// Exit code when teams had to be cut off at the end of the grace period.
const EXIT_GRACE: u8 = 2;
/// What a start takes besides each team's trial, as the service manager is told.
const TRIAL_EXTRA: Duration = Duration::from_secs(15);
/// Who reloads at SIGHUP, for the journal.
const HANGUP: &str = "SIGHUP";
/// How long the control API may take to say goodbye, at the end.
const CONTROL_GRACE: Duration = Duration::from_millis(500);
/// How long arenas and leagues may take to end.
const BESIDE_GRACE: Duration = Duration::from_millis(500);
/// How long the last pieces of recordings may take, at the end.
const RECORD_GRACE: Duration = Duration::from_secs(1);
/// How long what is being written may take, at the very end.
const WRITE_GRACE: Duration = Duration::from_millis(500);

/// Runs the daemon until it is told to stop or all matches are over.
#[must_use]
pub fn run(args: &Phalanxd) -> ExitCode {
    if args.check {
        return check_only(args);
    }
    // Before there are threads: it takes its variables out of the environment.
    let inherited = Inherited::take();
    let manager = Manager::of_environment();
    let code = live(args, inherited, &manager).unwrap_or_else(|error| {
        error!("could not start: {error:#}");
        manager.failed(&error);
        ExitCode::from(EXIT_START)
    });
    manager.last_words();
    code
}

fn check_only(args: &Phalanxd) -> ExitCode {
    let mut findings = check::load(&args.config, &args.set);
    findings.try_all();
    findings.print();
    let fine = findings.playable().is_some();
    if fine { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) }
}

fn live(args: &Phalanxd, inherited: Result<Inherited>, manager: &Manager) -> Result<ExitCode> {
    let mut findings = check::load(&args.config, &args.set);
    let Some(settings) = findings.playable().cloned() else {
        return Ok(usage(&findings, manager));
    };
    // The last spans leave when everything else is done.
    let (log, _traces) = crate::logs::start(&settings.log, settings.otel_endpoint.as_deref())?;
    raise_file_limit();
    let mut inherited = inherited?;
    // Before anything in it is read. It stays ours until the process ends.
    let claim = |folder: &PathBuf| state::claim(folder, &args.config);
    let _folder = settings.state_dir.as_ref().map(claim).transpose()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("no runtime")?;
    let door = {
        let _inside = runtime.enter();
        listeners::door(&settings, &mut inherited, manager)?
    };
    let first = first(&settings, &mut findings, !args.no_watch, manager)?;
    if findings.playable().is_none() {
        return Ok(usage(&findings, manager));
    }
    findings.warn();
    let code = runtime.block_on(serve(
        args,
        Arc::new(settings),
        first,
        &log,
        Service { manager, inherited, door },
    ));
    // A trial that is held now may not keep us.
    runtime.shutdown_timeout(WRITE_GRACE);
    code
}

/// Lets the process open as many files as its hard limit allows: shells and service managers set the
/// soft one low for programs that cannot deal with many.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => {
            info!(from = limit.current, to = limit.maximum, "the limit of open files is raised")
        }
        Err(error) => {
            warn!(limit = limit.current, %error, "the limit of open files cannot be raised");
        }
    }
}

/// A team's keeper with what decides first, and what the team goes on from.
struct First {
    keeper: Keeper,
    staged: Staged,
    resume: Option<Resume>,
}

/// Tries what each team begins with; what stands against it is added to the findings.
fn first(
    settings: &Settings,
    findings: &mut Findings,
    watch: bool,
    manager: &Manager,
) -> Result<Vec<First>> {
    let checkpoints = Checkpoints::of(settings);
    let mut all = Vec::new();
    for (team, bundle) in settings.teams.iter().zip(findings.bundles.clone()) {
        let bundle = bundle.context("a strategy that was read is gone")?;
        manager.extend(settings.reload.trial_max + TRIAL_EXTRA);
        let mut keeper = Keeper::open(plans::keeper(team, settings, watch)?);
        let resume = checkpoints.as_ref().and_then(|checkpoints| checkpoints.find(team));
        let played = resume.as_ref().map(|resume| (resume.found.generation, &resume.found.hash));
        let again = played.and_then(|(number, hash)| keeper.resume(&bundle, number, hash));
        match again.map_or_else(|| keeper.first(&bundle), Ok) {
            Ok((staged, report)) => {
                findings.add(&team.name, report.diagnostics);
                all.push(First { keeper, staged, resume });
            }
            Err(report) => findings.add(&team.name, report.diagnostics),
        }
    }
    Ok(all)
}

fn usage(findings: &Findings, manager: &Manager) -> ExitCode {
    findings.print();
    manager.failed(&anyhow!("the settings or a strategy have mistakes; `phalanxd --check` tells"));
    ExitCode::from(EXIT_USAGE)
}

/// The signals that end the daemon.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn listen() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?,
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
        })
    }

    /// The name of the next one.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// What the service manager has to do with it.
struct Service<'a> {
    manager: &'a Manager,
    inherited: Inherited,
    /// Where bridges come in. They wait until somebody lets them in.
    door: Option<listeners::Door>,
}

async fn serve(
    args: &Phalanxd,
    settings: Arc<Settings>,
    first: Vec<First>,
    log: &LogControl,
    service: Service<'_>,
) -> Result<ExitCode> {
    let Service { manager, mut inherited, door } = service;
    let state = settings.state_dir.as_deref();
    let handed = handover::take(manager, state, std::mem::take(&mut inherited.seats));
    let mut stop = Stop::listen()?;
    let hangup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    let access = Arc::new(access::open(&settings)?);
    let certificates = access::certificates(&settings.control)?;
    let metrics = Arc::new(Metrics::new(env!("CARGO_PKG_VERSION")));
    let host = Arc::new(Process::new(&args.config, &settings, log.clone()));
    let options = Options {
        metrics: Some(Arc::clone(&metrics)),
        host: Some(Arc::clone(&host) as Arc<dyn Host>),
        ..listeners::options(&settings.control, certificates.clone())
    };
    let bound = listeners::open(&settings, &options, inherited, manager)?;
    let lobby = Lobby::default();
    let followers = Followers::new(Arc::clone(&metrics), Some(log.clone()));
    let writer = writer(&settings, Arc::clone(&metrics))?;
    let witnesses = Witnesses::open(&settings, metrics).await?;
    let beginnings = (first, (writer.as_ref(), &witnesses), handed);
    let mut directory = teams(&settings, beginnings, &lobby, &followers).await?;
    let beside = beside(&settings).await?;
    directory.host(beside.clone());
    let reloader =
        reloader(args, &settings, (&directory, log), (&host, witnesses.recordings.as_ref()));
    let watching = certificates.clone().map(|all| tokio::spawn(access::follow(all)));
    let renewed = (Arc::clone(&reloader), certificates);
    let reloading =
        tokio::spawn(follow_hangups(hangup, renewed, directory.clone(), manager.clone()));
    let leaving = CancellationToken::new();
    let maker = Maker {
        directory: directory.clone(),
        settings: Arc::clone(&settings),
        watch: !args.no_watch,
        lobby: door.is_some().then(|| lobby.clone()),
        followers: followers.clone(),
        witnesses: witnesses.clone(),
        leaving: leaving.clone(),
        names: Names::default(),
    };
    let control = phalanx_control::prepare(bound, Arc::new(Teams { maker }), access)?;
    announce(&control, &directory.handles());
    let control = control.spawn();
    // Last: whoever follows the teams is to hear of the first bridge. The socket's file stays as long
    // as this does.
    let _door = door.map(|(listener, guard)| {
        tokio::spawn(receive_bridges(listener, lobby, leaving.clone()));
        guard
    });
    manager.ready("every strategy is accepted, clients can call");
    let all = directory.clone();
    tokio::spawn(manager::watch(manager.clone(), move || all.handles()));
    let stay = settings.control.stay || settings.teams.is_empty();
    let crashed = play(&directory, stay, &mut stop).await;
    manager.stopping();
    reloading.abort();
    leaving.cancel();
    watching.inspect(tokio::task::JoinHandle::abort);
    let (teams, grace) = (directory.handles(), reloader.settings().limits.drain_max);
    let over = state.filter(|_| hands_over(&settings, manager));
    let (code, seats) = tokio::select! {
        done = drain(&teams, control, &followers, (grace, over.is_some())) => done,
        name = stop.next() => (again(name), Vec::new()),
        () = manager::hold_on(manager) => (ExitCode::from(EXIT_GRACE), Vec::new()),
    };
    beside.close(BESIDE_GRACE).await;
    finish(writer, witnesses).await;
    // Last: the next process finds what belongs to them.
    over.inspect(|state| handover::leave(manager, state, seats));
    Ok(if crashed { ExitCode::from(EXIT_START) } else { code })
}

/// Arenas and leagues of this daemon, those of its earlier lives too.
async fn beside(settings: &Settings) -> Result<Beside> {
    let state = settings.state_dir.clone();
    let beside = tokio::task::spawn_blocking(move || Beside::open(state.as_deref()));
    beside.await.context("cannot look through the leagues")
}

/// Begins to write checkpoints, where they are kept.
fn writer(settings: &Settings, metrics: Arc<Metrics>) -> Result<Option<Writer>> {
    let writer = Checkpoints::of(settings).map(|all| Writer::start(all, metrics));
    writer.transpose().context("no thread for checkpoints")
}

/// What the teams knew last is written, and the ends of their recordings.
async fn finish(writer: Option<Writer>, witnesses: Witnesses) {
    let live = witnesses.clone();
    let work = move || {
        if let Some(writer) = writer {
            writer.finish(WRITE_GRACE);
        }
        if let Some(recordings) = witnesses.recordings {
            recordings.finish(RECORD_GRACE);
        }
    };
    let (work, ()) = tokio::join!(tokio::task::spawn_blocking(work), live.say_goodbye(WRITE_GRACE));
    // An error means that the runtime ends.
    work.ok();
}

/// Reads the settings again as they were read at the start.
fn reloader(
    args: &Phalanxd,
    settings: &Settings,
    (directory, log): (&Directory, &LogControl),
    (host, recordings): (&Process, Option<&Recordings>),
) -> Arc<Reloader> {
    let origin =
        Origin { config: args.config.clone(), overrides: args.set.clone(), watch: !args.no_watch };
    let reloader = Reloader::new(origin, directory.clone(), log.clone(), settings.clone());
    let reloader = Arc::new(reloader);
    host.reloads_with(Arc::clone(&reloader));
    recordings.into_iter().for_each(|all| all.reloads_with(Arc::clone(&reloader)));
    reloader
}

async fn teams(
    settings: &Settings,
    (first, (writer, witnesses), mut handed): (Vec<First>, (Option<&Writer>, &Witnesses), Handed),
    lobby: &Lobby,
    followers: &Followers,
) -> Result<Directory> {
    let mut directory = Directory::default();
    directory.move_hosts().allow(settings.control.move_hosts.clone());
    witnesses.recordings.clone().into_iter().for_each(|all| directory.record(all));
    for (team, First { keeper, staged, resume }) in settings.teams.iter().zip(first) {
        let endpoint = plans::endpoint(team, lobby).context("the server's address has no port")?;
        let mut plan = plans::plan(team, settings, staged);
        if let Some(options) = &mut plan.checkpoints {
            options.sink = writer.map(|writer| writer.sink(&team.name));
            options.from = resume.map(|resume| resume.bytes);
        }
        let newcomers = Newcomers::of(&plan);
        let begun = witnesses.begin(&mut plan, &team.server);
        let built = wire::build(plan, endpoint).await?;
        let listening = followers.listen(&built);
        let handle = built.spawn_on(handed.remove(&team.name).unwrap_or_default());
        listening.playing(&handle);
        begun.into_iter().for_each(Begun::playing);
        let keeper = keepers::spawn(keeper, &handle);
        let (drain_max, creator) = (settings.limits.drain_max, None);
        let server = team.server.clone();
        directory.add(Member { handle, keeper, drain_max, newcomers, server, creator });
    }
    Ok(directory)
}

/// At each SIGHUP the settings are read again, every team takes its folder as it is then, and new
/// callers meet the certificates that are there then. Signals that come meanwhile are one more
/// reload.
async fn follow_hangups(
    mut hangup: Signal,
    (reloader, certificates): (Arc<Reloader>, Option<Arc<Certificates>>),
    directory: Directory,
    manager: Manager,
) {
    while hangup.recv().await.is_some() {
        manager.reloading();
        certificates.as_deref().inspect(|all| access::renew(all));
        info!("SIGHUP: the settings and every strategy are read and tried again");
        let settings = reloader.reload(HANGUP, false).await;
        let keepers = directory.keepers();
        let reloads = keepers.iter().map(|(_, keeper)| keeper.reload(StrategyOrigin::Hangup));
        let came = tokio::select! {
            came = futures_util::future::join_all(reloads) => came,
            () = manager::hold_on(&manager) => return,
        };
        let mut outcomes: Vec<_> = reload::in_words(&settings).into_iter().collect();
        for ((team, keeper), came) in keepers.iter().zip(came) {
            let active = keeper.status().active.generation;
            let hash = active.hash.get(..12).unwrap_or(&active.hash);
            info!(team, generation = active.number, hash, "after SIGHUP");
            outcomes.push(match came {
                // What came with the program cannot have changed.
                Ok(()) | Err(Refusal::NoFolder) => {
                    format!("reloaded: {team} plays generation {}", active.number)
                }
                Err(refusal) => format!(
                    "reload refused: {team} plays on with generation {}: {refusal}",
                    active.number
                ),
            });
        }
        manager.reloaded(&outcomes.join("; "));
    }
}

fn announce(control: &Control, teams: &[TeamHandle]) {
    if let Some(path) = control.socket() {
        info!(socket = %path.display(), "control API");
    }
    if let Some(address) = control.tcp() {
        info!(%address, "control API");
    }
    for team in teams {
        let agents = team.roster().present().count();
        info!(team = team.name(), game = team.game(), agents, "team");
    }
}

/// Until the matches are over or a signal comes; true when a team was given up.
async fn play(directory: &Directory, stay: bool, stop: &mut Stop) -> bool {
    tokio::select! {
        crashed = all_over(directory, stay) => crashed,
        name = stop.next() => {
            info!("{name}: leaving");
            false
        }
    }
}

/// Waits until there are teams and the matches of all are over, for ever where the daemon is to
/// stay; true when one of them was given up.
async fn all_over(directory: &Directory, stay: bool) -> bool {
    let mut changed = directory.changed();
    loop {
        changed.borrow_and_update();
        let teams = directory.handles();
        tokio::select! {
            // The directory outlives this.
            _ = changed.changed() => continue,
            crashed = all_ended(&teams), if !stay && !teams.is_empty() => {
                if let Some(crashed) = crashed {
                    return crashed;
                }
            }
        }
        // Somebody drained a team by hand and may want more of this daemon: its referees, its
        // leagues, another team.
        drop(changed.changed().await);
    }
}

/// Waits for the end of all; true when one of them was given up, `None` when an operator drained
/// one.
async fn all_ended(teams: &[TeamHandle]) -> Option<bool> {
    for team in teams {
        team.ended().await;
    }
    let (mut crashed, mut drained) = (false, false);
    for team in teams {
        let Some(end) = team.end() else { continue };
        info!(team = team.name(), %end, "the team has ended");
        crashed |= matches!(end, TeamEnd::Crashed { .. });
        drained |= end == TeamEnd::Drained;
    }
    if drained {
        info!("every team has ended, one by hand: the daemon stays until it is told to leave");
        return None;
    }
    info!("every match is over");
    Some(crashed)
}

/// Whether connections are left for the next process: with its checkpoints it can go on with them.
fn hands_over(settings: &Settings, manager: &Manager) -> bool {
    let checkpoints = settings.checkpoints;
    manager.is_there() && checkpoints.write && checkpoints.hand_over
}

/// What the teams leave behind, by their names.
type Left = Vec<(String, Vec<HandedSeat>)>;

async fn drain(
    teams: &[TeamHandle],
    control: ControlHandle,
    followers: &Followers,
    (grace, over): (Duration, bool),
) -> (ExitCode, Left) {
    let drains = teams.iter().map(|team| async move {
        let (report, seats) =
            if over { team.hand_over(grace).await } else { (team.drain(grace).await, Vec::new()) };
        for name in &report.stragglers {
            warn!(team = team.name(), who = %name, "was cut off: it did not finish in time");
        }
        (report.stragglers.is_empty(), (team.name().to_owned(), seats))
    });
    let (clean, seats): (Vec<_>, Left) =
        futures_util::future::join_all(drains).await.into_iter().unzip();
    let clean = clean.into_iter().all(|clean| clean);
    // Teams that ended have closed their journals: this writes what is left of them.
    tokio::time::timeout(CONTROL_GRACE, followers.finish()).await.ok();
    control.stop(CONTROL_GRACE).await;
    (if clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_GRACE) }, seats)
}

fn again(name: &str) -> ExitCode {
    warn!("{name} again: leaving at once");
    ExitCode::from(EXIT_GRACE)
}
