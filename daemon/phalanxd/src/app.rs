//! What a daemon consists of. [`App::build`] makes all of it, which may fail; [`App::spawn`] sets it
//! in motion, which cannot.

use crate::args::Phalanxd;
use crate::check::Findings;
use crate::checkpoints::{Checkpoints, Resume, Writer};
use crate::directory::{Directory, Member};
use crate::followers::Followers;
use crate::handover::{self, Handed};
use crate::host::Process;
use crate::logs::LogControl;
use crate::maker::{MadeTeams, Maker, Names, Teams};
use crate::manager::{self, Inherited, Manager};
use crate::recordings::Begun;
use crate::reload::{Origin, Reloader};
use crate::running::{Running, Signals, Tasks, follow_hangups};
use crate::side_services::SideServices;
use crate::team_recorders::TeamRecorders;
use crate::{access, listeners, plans};
use anyhow::{Context, Result};
use phalanx_control::{Certificates, Control, Host, Newcomers, Options};
use phalanx_engine::Staged;
use phalanx_game::sorted::SortedMap;
use phalanx_metrics::Metrics;
use phalanx_net::{BuiltTeam, CheckpointSink, Lobby, TeamHandle, receive_bridges};
use phalanx_settings::{Settings, TeamSettings};
use phalanx_strategy::Keeper;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::info;

/// What a start takes besides each team's trial, which the service manager has to wait for.
const TRIAL_EXTRA: Duration = Duration::from_secs(15);

/// A team's keeper with its first strategy, and the checkpoint that the team resumes from.
#[derive(Debug)]
pub(crate) struct Beginning {
    keeper: Keeper,
    staged: Staged,
    resume: Option<Resume>,
}

/// Tries each team's first strategy and adds the errors to the findings.
pub(crate) fn tried(
    settings: &Settings,
    findings: &mut Findings,
    watch: bool,
    manager: &Manager,
) -> Result<Vec<Beginning>> {
    let checkpoints = Checkpoints::of(settings);
    let mut all = Vec::new();
    for (team, bundle) in settings.teams.iter().zip(findings.bundles.clone()) {
        let bundle = bundle.context("a strategy that was read is missing")?;
        manager.extend(settings.reload.trial_max + TRIAL_EXTRA);
        let mut keeper = Keeper::open(plans::keeper(team, settings, watch)?);
        let resume = checkpoints.as_ref().and_then(|checkpoints| checkpoints.find(team));
        let played = resume.as_ref().map(|resume| (resume.found.generation, &resume.found.hash));
        let again = played.and_then(|(number, hash)| keeper.resume(&bundle, number, hash));
        match again.map_or_else(|| keeper.first(&bundle), Ok) {
            Ok((staged, report)) => {
                findings.add(&team.name, report.diagnostics);
                all.push(Beginning { keeper, staged, resume });
            }
            Err(report) => findings.add(&team.name, report.diagnostics),
        }
    }
    Ok(all)
}

/// What the service manager has kept for this process, and where bridges come in. They wait until
/// somebody lets them in.
#[derive(Debug)]
pub(crate) struct Inheritance {
    pub(crate) inherited: Inherited,
    pub(crate) door: Option<listeners::Door>,
}

/// A team that is built, with what belongs to it.
struct BuiltMember {
    built: BuiltTeam,
    keeper: Keeper,
    newcomers: Newcomers,
    begun: Option<Begun>,
    server: String,
}

/// Everything that follows what happens in teams.
#[derive(Debug)]
pub(crate) struct Observers {
    pub(crate) followers: Followers,
    pub(crate) writer: Option<Writer>,
    pub(crate) team_recorders: TeamRecorders,
}

/// A daemon that is ready to run.
pub(crate) struct App {
    settings: Arc<Settings>,
    manager: Manager,
    signals: Signals,
    certificates: Option<Arc<Certificates>>,
    members: Vec<BuiltMember>,
    handed: Handed,
    directory: Directory,
    observers: Observers,
    side_services: SideServices,
    reloader: Arc<Reloader>,
    control: Control,
    bridges: Bridges,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("directory", &self.directory).finish_non_exhaustive()
    }
}

/// Where bridges come in, until the daemon leaves.
struct Bridges {
    door: Option<listeners::Door>,
    lobby: Lobby,
    leaving: CancellationToken,
}

impl App {
    /// Makes everything and lets nothing begin.
    ///
    /// # Errors
    /// When a listener, a thread, a recording or a team cannot be made.
    pub(crate) async fn build(
        args: &Phalanxd,
        settings: Arc<Settings>,
        beginnings: Vec<Beginning>,
        log: &LogControl,
        Inheritance { mut inherited, door }: Inheritance,
        manager: &Manager,
    ) -> Result<Self> {
        let state = settings.state_dir.as_deref();
        let handed = handover::take(manager, state, std::mem::take(&mut inherited.seats));
        let signals = Signals::listen()?;
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
        let observers = Observers::open(&settings, &metrics, log).await?;
        let bridges = Bridges { door, lobby: Lobby::default(), leaving: CancellationToken::new() };
        let members = members(&settings, beginnings, &observers, &bridges.lobby).await?;
        let side_services = side_services(&settings).await?;
        side_services.measure(&metrics);
        let directory = directory(&settings, &observers.team_recorders, side_services.clone());
        let reloader = reloader(args, &settings, &directory, log);
        host.reloads_with(Arc::clone(&reloader));
        let recordings = observers.team_recorders.recordings.iter();
        recordings.for_each(|all| all.reloads_with(Arc::clone(&reloader)));
        let maker = Maker {
            directory: directory.clone(),
            settings: Arc::clone(&settings),
            watch: !args.no_watch,
            lobby: bridges.door.is_some().then(|| bridges.lobby.clone()),
            followers: observers.followers.clone(),
            team_recorders: observers.team_recorders.clone(),
            leaving: bridges.leaving.clone(),
            names: Names::default(),
            made: MadeTeams::default(),
            sinks: observers.sinks(&settings),
        };
        let control = phalanx_control::prepare(bound, Arc::new(Teams { maker }), access)?;
        let manager = manager.clone();
        Ok(Self {
            settings,
            manager,
            signals,
            certificates,
            members,
            handed,
            directory,
            observers,
            side_services,
            reloader,
            control,
            bridges,
        })
    }

    /// Lets the teams play, and callers and bridges in. Must be called inside a tokio runtime.
    pub(crate) fn spawn(mut self) -> Running {
        for member in self.members {
            let handed = &mut self.handed;
            let handed = handed.remove(member.built.name()).unwrap_or_default();
            let listening = self.observers.followers.listen(&member.built);
            let handle = member.built.spawn_on(handed);
            listening.playing(&handle);
            member.begun.into_iter().for_each(Begun::playing);
            let keeper = member.keeper.spawn(handle.clone());
            self.directory.add(Member {
                handle,
                keeper,
                drain_max: self.settings.limits.drain_max,
                newcomers: member.newcomers,
                server: member.server,
                creator: None,
            });
        }
        let Signals { stop, hangup } = self.signals;
        let watching = self.certificates.clone().map(|all| tokio::spawn(access::follow(all)));
        let renewed = (Arc::clone(&self.reloader), self.certificates);
        let (directory, manager) = (self.directory.clone(), self.manager.clone());
        let reloading = tokio::spawn(follow_hangups(hangup, renewed, directory, manager));
        announce(&self.control, &self.directory.handles());
        let control = self.control.spawn();
        // Last: the followers of the teams are to see the first bridge. The socket's file exists as
        // long as its guard.
        let Bridges { door, lobby, leaving } = self.bridges;
        let door = door.map(|(listener, guard)| {
            tokio::spawn(receive_bridges(listener, lobby, leaving.clone()));
            guard
        });
        self.manager.ready("every strategy is accepted, clients can connect");
        let all = self.directory.clone();
        tokio::spawn(manager::watch(self.manager.clone(), move || all.handles()));
        Running {
            settings: self.settings,
            manager: self.manager,
            stop,
            directory: self.directory,
            observers: self.observers,
            side_services: self.side_services,
            reloader: self.reloader,
            control,
            tasks: Tasks { reloading, watching, leaving, _door: door },
        }
    }
}

impl Observers {
    async fn open(
        settings: &Arc<Settings>,
        metrics: &Arc<Metrics>,
        log: &LogControl,
    ) -> Result<Self> {
        let writer = Checkpoints::of(settings).map(|all| Writer::start(all, Arc::clone(metrics)));
        Ok(Self {
            followers: Followers::new(Arc::clone(metrics), Some(log.clone())),
            writer: writer.transpose().context("no thread for checkpoints")?,
            team_recorders: TeamRecorders::open(settings, Arc::clone(metrics)).await?,
        })
    }

    /// Where each team of the settings puts its checkpoints.
    fn sinks(&self, settings: &Settings) -> SortedMap<String, Arc<dyn CheckpointSink>> {
        let names = settings.teams.iter().map(|team| &team.name);
        let sink = |writer: &Writer, name: &String| (name.clone(), writer.sink(name));
        self.writer.iter().flat_map(|writer| names.clone().map(|name| sink(writer, name))).collect()
    }
}

/// Arenas, leagues and the lab of this daemon, leagues of earlier runs included.
async fn side_services(settings: &Arc<Settings>) -> Result<SideServices> {
    let settings = Arc::clone(settings);
    let side_services = tokio::task::spawn_blocking(move || SideServices::open(&settings));
    side_services.await.context("cannot read the leagues")
}

/// A reloader that reads the settings from the same places as at the start.
fn reloader(
    args: &Phalanxd,
    settings: &Settings,
    directory: &Directory,
    log: &LogControl,
) -> Arc<Reloader> {
    let origin =
        Origin { config: args.config.clone(), overrides: args.overrides(), watch: !args.no_watch };
    Arc::new(Reloader::new(origin, directory.clone(), log.clone(), settings.clone()))
}

/// The directory of the teams, without any yet.
fn directory(
    settings: &Settings,
    team_recorders: &TeamRecorders,
    side_services: SideServices,
) -> Directory {
    let mut directory = Directory::default();
    directory.move_hosts().allow(settings.control.move_hosts.clone());
    team_recorders.recordings.clone().into_iter().for_each(|all| directory.record(all));
    directory.host(side_services);
    directory
}

async fn members(
    settings: &Settings,
    beginnings: Vec<Beginning>,
    observers: &Observers,
    lobby: &Lobby,
) -> Result<Vec<BuiltMember>> {
    let mut members = Vec::new();
    for (team, beginning) in settings.teams.iter().zip(beginnings) {
        members.push(member(settings, team, beginning, observers, lobby).await?);
    }
    Ok(members)
}

async fn member(
    settings: &Settings,
    team: &TeamSettings,
    Beginning { keeper, staged, resume }: Beginning,
    observers: &Observers,
    lobby: &Lobby,
) -> Result<BuiltMember> {
    let endpoint = plans::endpoint(team, lobby).context("the server's address has no port")?;
    let mut plan = plans::plan(team, settings, staged);
    if let Some(options) = &mut plan.checkpoints {
        options.sink = observers.writer.as_ref().map(|writer| writer.sink(&team.name));
        options.from = resume.map(|resume| resume.bytes);
    }
    let newcomers = plans::newcomers(&plan);
    let begun = observers.team_recorders.begin(&mut plan, &team.server);
    let built = phalanx_games::build(plan, endpoint).await?;
    Ok(BuiltMember { built, keeper, newcomers, begun, server: team.server.clone() })
}

fn announce(control: &Control, teams: &[TeamHandle]) {
    if let Some(path) = control.socket() {
        info!(socket = %path.display(), "control API");
    }
    if let Some(address) = control.tcp() {
        info!(%address, "control API");
    }
    if let Some(page) = control.page() {
        info!(address = %page, "web page");
    }
    for team in teams {
        let agents = team.roster().present().count();
        info!(team = team.name(), game = team.game(), agents, "team");
    }
}
