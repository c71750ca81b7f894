//! A daemon that runs, and how it leaves.

use crate::access;
use crate::app::Observers;
use crate::checkpoints::Writer;
use crate::directory::Directory;
use crate::followers::Followers;
use crate::handover;
use crate::manager::{self, Manager};
use crate::reload::{self, Reloader};
use crate::side_services::SideServices;
use crate::team_recorders::TeamRecorders;
use anyhow::{Context, Result};
use phalanx_control::{Certificates, ControlHandle, SocketGuard};
use phalanx_engine::StrategyOrigin;
use phalanx_net::{HandedSeat, TeamEnd, TeamHandle};
use phalanx_settings::Settings;
use phalanx_strategy::StrategyError;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Exit code when a team was given up.
const EXIT_CRASHED: u8 = 1;
/// Exit code when teams had to be cut off at the end of the grace period.
const EXIT_GRACE: u8 = 2;
/// Author of reloads at SIGHUP, for the journal.
const HANGUP: &str = "SIGHUP";
/// How long the control API may take to end its streams.
const CONTROL_GRACE: Duration = Duration::from_millis(500);
/// How long arenas and leagues may take to end.
const SIDE_SERVICES_GRACE: Duration = Duration::from_millis(500);
/// How long recordings may take to write their last pieces.
const RECORD_GRACE: Duration = Duration::from_secs(1);
/// How long writers may take to finish, at the very end.
pub(crate) const WRITE_GRACE: Duration = Duration::from_millis(500);

/// The signals that a daemon follows.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) stop: Stop,
    pub(crate) hangup: Signal,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self> {
        let hangup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
        Ok(Self { stop: Stop::listen()?, hangup })
    }
}

/// The signals that end the daemon.
#[derive(Debug)]
pub(crate) struct Stop {
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

    /// The name of the next signal.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

/// What runs beside the teams, until the daemon leaves.
pub(crate) struct Tasks {
    pub(crate) reloading: JoinHandle<()>,
    pub(crate) watching: Option<JoinHandle<()>>,
    pub(crate) leaving: CancellationToken,
    pub(crate) _door: Option<SocketGuard>,
}

impl Tasks {
    fn end(&self) {
        self.reloading.abort();
        self.leaving.cancel();
        self.watching.as_ref().inspect(|task| task.abort());
    }
}

/// A daemon whose teams play and whose clients can call.
pub(crate) struct Running {
    pub(crate) settings: Arc<Settings>,
    pub(crate) manager: Manager,
    pub(crate) stop: Stop,
    pub(crate) directory: Directory,
    pub(crate) observers: Observers,
    pub(crate) side_services: SideServices,
    pub(crate) reloader: Arc<Reloader>,
    pub(crate) control: ControlHandle,
    pub(crate) tasks: Tasks,
}

impl Running {
    /// Runs until the matches are over or a signal comes, then drains.
    pub(crate) async fn run(mut self) -> ExitCode {
        let crashed = self.play().await;
        self.manager.stopping();
        self.tasks.end();
        let code = self.drain().await;
        if crashed { ExitCode::from(EXIT_CRASHED) } else { code }
    }

    /// True when a team was given up.
    async fn play(&mut self) -> bool {
        let stay = self.settings.control.stay || self.settings.teams.is_empty();
        tokio::select! {
            crashed = all_over(&self.directory, stay) => crashed,
            name = self.stop.next() => {
                info!("{name}: leaving");
                false
            }
        }
    }

    /// Lets the teams answer open turns and leave, and writes what they knew last.
    async fn drain(mut self) -> ExitCode {
        let teams = self.directory.handles();
        let grace = self.reloader.settings().limits.drain_max;
        let state = self.settings.state_dir.as_deref();
        let over = state.filter(|_| hands_over(&self.settings, &self.manager));
        let Observers { followers, writer, team_recorders } = self.observers;
        let (code, seats) = tokio::select! {
            done = drain(&teams, self.control, &followers, (grace, over.is_some())) => done,
            name = self.stop.next() => (again(name), Vec::new()),
            () = manager::hold_on(&self.manager) => (ExitCode::from(EXIT_GRACE), Vec::new()),
        };
        self.side_services.close(SIDE_SERVICES_GRACE).await;
        finish(writer, team_recorders).await;
        // Last: the next process finds what belongs to them.
        over.inspect(|state| handover::leave(&self.manager, state, seats));
        code
    }
}

/// Writes the last checkpoints and the ends of the recordings.
async fn finish(writer: Option<Writer>, team_recorders: TeamRecorders) {
    let live = team_recorders.clone();
    let work = move || {
        if let Some(writer) = writer {
            writer.finish(WRITE_GRACE);
        }
        if let Some(recordings) = team_recorders.recordings {
            recordings.finish(RECORD_GRACE);
        }
    };
    let (work, ()) = tokio::join!(tokio::task::spawn_blocking(work), live.close(WRITE_GRACE));
    // An error means that the runtime ends.
    work.ok();
}

/// At each SIGHUP: reads the settings again, tries every team's folder again, and loads the
/// certificates again. Signals that arrive meanwhile count as one more reload.
pub(crate) async fn follow_hangups(
    mut hangup: Signal,
    (reloader, certificates): (Arc<Reloader>, Option<Arc<Certificates>>),
    directory: Directory,
    manager: Manager,
) {
    while hangup.recv().await.is_some() {
        manager.reloading();
        certificates.as_deref().inspect(|all| access::renew(all));
        info!("SIGHUP: reading the settings and trying every strategy again");
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
                // The built-in strategy cannot have changed.
                Ok(()) | Err(StrategyError::NoFolder) => {
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

/// Waits until there are teams and their matches are over, or for ever if the daemon is to stay;
/// true when a team was given up.
async fn all_over(directory: &Directory, stay: bool) -> bool {
    let mut changed = directory.changed();
    loop {
        changed.borrow_and_update();
        let teams = directory.handles();
        tokio::select! {
            // The directory outlives this loop.
            _ = changed.changed() => continue,
            crashed = all_ended(&teams), if !stay && !teams.is_empty() => {
                if let Some(crashed) = crashed {
                    return crashed;
                }
            }
        }
        // An operator who drained a team may still want this daemon for its referees, its leagues
        // or another team.
        drop(changed.changed().await);
    }
}

/// Waits until all teams have ended; true when a team was given up, `None` when an operator drained
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
        info!("every team has ended, one by an operator: the daemon runs until a signal ends it");
        return None;
    }
    info!("every match is over");
    Some(crashed)
}

/// Whether connections are handed to the next process, which can resume them with its checkpoints.
fn hands_over(settings: &Settings, manager: &Manager) -> bool {
    let checkpoints = settings.checkpoints;
    manager.is_there() && checkpoints.write && checkpoints.hand_over
}

/// The connections that the teams leave open, by team name.
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
    // Teams that ended have closed their journals: this writes the rest of them.
    tokio::time::timeout(CONTROL_GRACE, followers.finish()).await.ok();
    control.stop(CONTROL_GRACE).await;
    (if clean { ExitCode::SUCCESS } else { ExitCode::from(EXIT_GRACE) }, seats)
}

fn again(name: &str) -> ExitCode {
    warn!("{name} again: exiting at once");
    ExitCode::from(EXIT_GRACE)
}
