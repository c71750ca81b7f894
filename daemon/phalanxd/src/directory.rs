//! The daemon's teams, as the control API sees them.

use crate::recordings::Recordings;
use crate::side_services::SideServices;
use phalanx_control::{
    ArenaDirectory, Destinations, LabDirectory, LeagueDirectory, MoveHosts, Newcomers,
    RecordingDirectory, ServedTeam, TeamDirectory,
};
use phalanx_net::TeamHandle;
use phalanx_strategy::KeeperHandle;
use secrecy::SecretString;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::sync::watch;

/// All teams of this process. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    inner: Arc<Inner>,
    side_services: Option<SideServices>,
    recordings: Option<Recordings>,
    move_hosts: MoveHosts,
}

#[derive(Debug, Default)]
struct Inner {
    teams: RwLock<Vec<Arc<ServedTeam>>>,
    /// Counts additions and removals of teams.
    changed: watch::Sender<u64>,
}

/// A running team with what belongs to it.
#[derive(Debug)]
pub struct Member {
    pub handle: TeamHandle,
    /// The keeper of its strategy.
    pub keeper: KeeperHandle,
    /// Default grace period of a drain.
    pub drain_max: Duration,
    /// Settings of agents that are added later.
    pub newcomers: Newcomers,
    /// The server that its settings name.
    pub server: String,
    /// The caller that created it over the API; `None`: the settings did.
    pub creator: Option<String>,
}

impl Directory {
    /// Adds a running team.
    pub fn add(&self, member: Member) {
        let Member { handle, keeper, drain_max, newcomers, server, creator } = member;
        let destinations = Destinations::new(self.move_hosts.clone(), &server);
        let keeper = Some(keeper);
        let team = ServedTeam { handle, keeper, drain_max, newcomers, destinations, creator };
        self.write().push(Arc::new(team));
        self.inner.changed.send_modify(|count| *count += 1);
    }

    /// Where operators may move teams, in addition to the servers that the teams' settings name.
    #[must_use]
    pub fn move_hosts(&self) -> &MoveHosts {
        &self.move_hosts
    }

    /// Sets the server that a team's settings name.
    pub fn set_home(&self, name: &str, server: &str) {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name);
        team.inspect(|team| team.destinations.set_home(server));
    }

    /// Sets the password that agents get who are added to a team without one.
    pub fn set_newcomers_password(&self, name: &str, password: SecretString) {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name);
        team.inspect(|team| team.newcomers.set_password(password));
    }

    /// Gives callers access to arenas and leagues.
    pub fn host(&mut self, side_services: SideServices) {
        self.side_services = Some(side_services);
    }

    /// Gives callers access to recordings.
    pub fn record(&mut self, recordings: Recordings) {
        self.recordings = Some(recordings);
    }

    /// Removes a team; it ends with its last handle. False if there is none of that name.
    pub fn remove(&self, name: &str) -> bool {
        let removed = {
            let mut teams = self.write();
            let place = teams.iter().position(|team| team.handle.name() == name);
            place.map(|place| teams.remove(place))
        };
        if removed.is_some() {
            self.inner.changed.send_modify(|count| *count += 1);
        }
        removed.is_some()
    }

    /// Changes when a team was added or removed.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.inner.changed.subscribe()
    }

    /// The keepers of all teams by the teams' names, in the same order as
    /// [`handles`](Self::handles).
    #[must_use]
    pub fn keepers(&self) -> Vec<(String, KeeperHandle)> {
        let keeper =
            |team: &Arc<ServedTeam>| Some((team.handle.name().to_owned(), team.keeper.clone()?));
        self.read().iter().filter_map(keeper).collect()
    }

    /// The team of that name, with its keeper.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(TeamHandle, KeeperHandle)> {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name)?;
        Some((team.handle.clone(), team.keeper.clone()?))
    }

    /// The handles of all teams, in the order in which they were added.
    #[must_use]
    pub fn handles(&self) -> Vec<TeamHandle> {
        self.read().iter().map(|team| team.handle.clone()).collect()
    }

    /// The team of that name, as the control API sees it.
    #[must_use]
    pub fn view(&self, name: &str) -> Option<Arc<ServedTeam>> {
        self.read().iter().find(|team| team.handle.name() == name).cloned()
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<Arc<ServedTeam>>> {
        // Each change is one step: the list is consistent even if a holder panicked.
        self.inner.teams.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Vec<Arc<ServedTeam>>> {
        self.inner.teams.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TeamDirectory for Directory {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.read().clone()
    }

    fn team(&self, name: &str) -> Option<Arc<ServedTeam>> {
        self.view(name)
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        let arenas = self.side_services.as_ref().map(|side_services| side_services.arenas.clone());
        arenas.map(|arenas| Arc::new(arenas) as Arc<dyn ArenaDirectory>)
    }

    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        let leagues = self.side_services.as_ref().and_then(SideServices::all_leagues);
        leagues.map(|leagues| Arc::new(leagues) as Arc<dyn LeagueDirectory>)
    }

    fn lab(&self) -> Option<Arc<dyn LabDirectory>> {
        let lab = self.side_services.as_ref().and_then(|side_services| side_services.lab.clone());
        lab.map(|lab| Arc::new(lab) as Arc<dyn LabDirectory>)
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        let recordings = self.recordings.clone();
        recordings.map(|recordings| Arc::new(recordings) as Arc<dyn RecordingDirectory>)
    }
}
