//! Teams that are made and deleted while the daemon runs.

use crate::directory::{Directory, Member};
use crate::followers::Followers;
use crate::plans;
use crate::recordings::Begun;
use crate::team_recorders::TeamRecorders;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::{
    ArenaDirectory, Checked, LabDirectory, LeagueDirectory, Made, MakeError, RecordingDirectory,
    ServedTeam, TeamDirectory, TeamMaker, Trialled, Wrong,
};
use phalanx_engine::{Staged, StrategyOrigin};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_games::TeamPlan;
use phalanx_net::{CheckpointSink, Endpoint, Lobby};
use phalanx_settings::{Settings, TEAMS_MAX, TeamRequest, TeamSettings};
use phalanx_strategy::Keeper;
use phalanx_trial::TrialResult;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// What a team that is made while the daemon runs is made with.
#[derive(Clone, Debug)]
pub struct Maker {
    /// Where it will stand.
    pub directory: Directory,
    /// Bounds and habits of all teams.
    pub settings: Arc<Settings>,
    /// Strategies are watched.
    pub watch: bool,
    /// Where bridges find their seats; `None`: they find none.
    pub lobby: Option<Lobby>,
    /// Who reads along with every team.
    pub followers: Followers,
    /// Who sees what happens in them.
    pub team_recorders: TeamRecorders,
    /// The daemon stops.
    pub leaving: CancellationToken,
    /// Names of teams that are on their way.
    pub names: Names,
    /// What teams were made with, to make them again for the next match.
    pub made: MadeTeams,
    /// Where the teams of the settings put their checkpoints, by name.
    pub sinks: SortedMap<String, Arc<dyn CheckpointSink>>,
}

/// The settings of teams that were made while the daemon runs, by name.
#[derive(Clone, Debug, Default)]
pub struct MadeTeams(Arc<Mutex<SortedMap<String, TeamSettings>>>);

impl MadeTeams {
    fn lock(&self) -> MutexGuard<'_, SortedMap<String, TeamSettings>> {
        // Each change is one step, as in `Names`.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names that are taken by teams which do not stand in the directory yet.
#[derive(Clone, Debug, Default)]
pub struct Names(Arc<Mutex<SortedSet<String>>>);

impl Names {
    fn lock(&self) -> MutexGuard<'_, SortedSet<String>> {
        // Each change is one step: a set is whole even when its holder panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that is taken as long as this lives.
struct Reserved {
    name: String,
    names: Names,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.names.lock().remove(&self.name);
    }
}

/// The daemon's teams, with who makes and deletes them.
#[derive(Clone, Debug)]
pub struct Teams {
    /// Makes and deletes.
    pub maker: Maker,
}

impl TeamDirectory for Teams {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.maker.directory.teams()
    }

    fn team(&self, name: &str) -> Option<Arc<ServedTeam>> {
        self.maker.directory.view(name)
    }

    fn maker(&self) -> Option<Arc<dyn TeamMaker>> {
        Some(Arc::new(self.maker.clone()))
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        self.maker.directory.arenas()
    }

    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        self.maker.directory.leagues()
    }

    fn lab(&self) -> Option<Arc<dyn LabDirectory>> {
        self.maker.directory.lab()
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        self.maker.directory.recordings()
    }
}

impl TeamMaker for Maker {
    fn check(&self, request: TeamRequest) -> BoxFuture<'static, Result<Checked, MakeError>> {
        let maker = self.clone();
        async move {
            let (team, _name) = maker.checked(&request)?;
            let tried = maker.tried(&team).await?;
            let agents = team.agents.into_iter().map(|agent| (agent.name, agent.role)).collect();
            Ok(Checked { agents, trialled: tried.trialled })
        }
        .boxed()
    }

    fn make(
        &self,
        request: TeamRequest,
        stopped: bool,
        by: String,
    ) -> BoxFuture<'static, Result<Made, MakeError>> {
        let maker = self.clone();
        async move {
            let (team, _name) = maker.checked(&request)?;
            let Tried { keeper, staged, trialled } = maker.tried(&team).await?;
            maker.put(&team, keeper, staged, stopped, by).await?;
            let view = maker.directory.view(&team.name);
            Ok((view.ok_or(MakeError::Stopping)?, trialled))
        }
        .boxed()
    }

    fn delete(&self, name: &str) -> bool {
        let was_there = self.directory.remove(name);
        if was_there {
            self.made.lock().remove(name);
            tracing::info!(team = name, "the team is deleted");
        }
        was_there
    }

    fn again(&self, name: &str, by: String) -> Option<BoxFuture<'static, Result<Made, MakeError>>> {
        let made = self.made.lock().get(name).cloned();
        let of_settings = || self.settings.teams.iter().find(|team| team.name == name).cloned();
        let mut team = made.or_else(of_settings)?;
        if !team.is_awaited() {
            // It may have been moved to another server since.
            team.server = self.directory.view(name)?.handle.endpoint().server();
        }
        let maker = self.clone();
        let work = async move {
            let Tried { keeper, staged, trialled } = maker.tried(&team).await?;
            maker.put(&team, keeper, staged, false, by).await?;
            let view = maker.directory.view(&team.name);
            Ok((view.ok_or(MakeError::Stopping)?, trialled))
        };
        Some(work.boxed())
    }
}

/// A strategy that passed its trial.
struct Tried {
    keeper: Keeper,
    staged: Staged,
    trialled: Arc<Trialled>,
}

impl Maker {
    /// The team as settings have it, and its name, which no other team gets meanwhile.
    fn checked(&self, request: &TeamRequest) -> Result<(TeamSettings, Reserved), MakeError> {
        let team = phalanx_settings::team(request, &phalanx_games::keys()).map_err(|errors| {
            let wrong = |mistake: phalanx_settings::SettingsMistake| Wrong {
                text: format!("{}; expected {}", mistake.got, mistake.expected),
                field: field(&mistake.key),
            };
            MakeError::Spec(errors.mistakes.into_iter().map(wrong).collect())
        })?;
        if team.is_awaited() && self.lobby.is_none() {
            let text = "bridge; expected host:port: the bridge socket is only open if a team \
                        in the settings uses `bridge`"
                .to_owned();
            return Err(MakeError::Spec(vec![Wrong { field: "server".to_owned(), text }]));
        }
        let mut names = self.names.lock();
        if self.directory.view(&team.name).is_some() || names.contains(&team.name) {
            return Err(MakeError::Exists(team.name));
        }
        if self.directory.handles().len() + names.len() >= TEAMS_MAX {
            return Err(MakeError::TooMany(TEAMS_MAX));
        }
        names.insert(team.name.clone());
        let reserved = Reserved { name: team.name.clone(), names: self.names.clone() };
        Ok((team, reserved))
    }

    /// Tries the strategy, on a thread that may take its time.
    async fn tried(&self, team: &TeamSettings) -> Result<Tried, MakeError> {
        let mut options =
            plans::keeper(team, &self.settings, self.watch).map_err(|error| build(&error))?;
        // It lives as long as the daemon at most: so does its history.
        options.state = None;
        let (team, settings) = (team.clone(), self.settings.clone());
        let work = move || {
            let bundle = plans::bundle(&team, &settings).map_err(|error| refused(error.into()))?;
            let mut keeper = Keeper::open(options);
            let (staged, report) =
                keeper.first(&Arc::new(bundle)).map_err(|report| refused(*report))?;
            Ok(Tried { keeper, staged, trialled: trialled(report) })
        };
        let tried = tokio::task::spawn_blocking(work).await;
        tried.unwrap_or_else(|error| Err(MakeError::Build(format!("the trial broke off: {error}"))))
    }

    async fn put(
        &self,
        team: &TeamSettings,
        keeper: Keeper,
        staged: Staged,
        stopped: bool,
        by: String,
    ) -> Result<(), MakeError> {
        let endpoint = self.endpoint(team)?;
        // The next match takes the place of one that is over; whose team it is does not change.
        let creator = match self.directory.view(&team.name) {
            Some(before) => before.creator.clone(),
            None => Some(by.clone()),
        };
        let mut plan: TeamPlan = plans::plan(team, &self.settings, staged);
        if let (None, Some(options)) = (&creator, &mut plan.checkpoints) {
            options.sink = self.sinks.get(&team.name).cloned();
        }
        let begun = self.team_recorders.begin(&mut plan, &team.server);
        let newcomers = plans::newcomers(&plan);
        let built = phalanx_games::build(plan, endpoint).await.map_err(|error| build(&error))?;
        if self.leaving.is_cancelled() {
            return Err(MakeError::Stopping);
        }
        let listening = self.followers.listen(&built);
        let handle = if stopped { built.spawn_stopped() } else { built.spawn() };
        listening.playing(&handle);
        begun.into_iter().for_each(Begun::playing);
        let agents = handle.roster().present().count();
        tracing::info!(team = handle.name(), game = handle.game(), agents, by, "team");
        let keeper = keeper.spawn(handle.clone());
        let drain_max = self.settings.limits.drain_max;
        let server = team.server.clone();
        self.directory.remove(&team.name);
        if creator.is_some() {
            self.made.lock().insert(team.name.clone(), team.clone());
        }
        self.directory.add(Member { handle, keeper, drain_max, newcomers, server, creator });
        Ok(())
    }

    fn endpoint(&self, team: &TeamSettings) -> Result<Endpoint, MakeError> {
        let lobby = self.lobby.clone().unwrap_or_default();
        let missing = || MakeError::Build("the server's address has no port".to_owned());
        plans::endpoint(team, &lobby).ok_or_else(missing)
    }
}

fn build(error: &phalanx_games::WireError) -> MakeError {
    MakeError::Build(error.to_string())
}

fn refused(report: TrialResult) -> MakeError {
    MakeError::Strategy(trialled(report))
}

fn trialled(report: TrialResult) -> Arc<Trialled> {
    Arc::new(Trialled { report, origin: Some(StrategyOrigin::Start), at: SystemTime::now() })
}

/// The field of the request that a key belongs to: agents by pattern have one of their own.
fn field(key: &str) -> String {
    match key.strip_prefix("agents.") {
        Some(rest) => format!("pattern.{rest}"),
        None => key.to_owned(),
    }
}
