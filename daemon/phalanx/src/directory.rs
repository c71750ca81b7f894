//! The daemon's teams, as the control API sees them.

use crate::beside::Beside;
use crate::controls::{Controls, Newcomers};
use crate::destinations::{Destinations, MoveHosts};
use crate::recordings::Recordings;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_control::{
    ArenaDirectory, Asking, Feed, LeagueDirectory, RecordingDirectory, TeamControls, TeamDirectory,
    TeamEnd, TeamError, TeamThread, TeamView,
};
use phalanx_engine::{
    BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, Drawing, SeatState, Snapshot,
};
use phalanx_game::{AgentId, Roster};
use phalanx_net::{Endpoint, JournalItem, OperatorError, TeamHandle, ThreadHealth};
use phalanx_strategy::KeeperHandle;
use std::future::Future;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::sync::watch;

/// All teams of this process. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    inner: Arc<Inner>,
    beside: Option<Beside>,
    recordings: Option<Recordings>,
    move_hosts: MoveHosts,
}

#[derive(Debug, Default)]
struct Inner {
    teams: RwLock<Vec<Arc<Entry>>>,
    /// Counts the teams that came and went.
    changed: watch::Sender<u64>,
}

/// A running team with what belongs to it.
#[derive(Debug)]
pub struct Member {
    /// The team.
    pub handle: TeamHandle,
    /// The keeper of its strategy.
    pub keeper: KeeperHandle,
    /// How long it may take to leave where nobody says.
    pub drain_max: Duration,
    /// What agents that come to it get.
    pub newcomers: Newcomers,
    /// The server that its settings name.
    pub server: String,
    /// Who made it over the API; `None`: the settings.
    pub creator: Option<String>,
}

/// One team with what its handle does not know.
#[derive(Debug)]
struct Entry {
    handle: TeamHandle,
    controls: Arc<Controls>,
    keeper: KeeperHandle,
    creator: Option<String>,
}

impl Directory {
    /// Adds a running team.
    pub fn add(&self, member: Member) {
        let Member { handle, keeper, drain_max, newcomers, server, creator } = member;
        let destinations = Destinations::new(self.move_hosts.clone(), &server);
        let team = handle.clone();
        let controls = Arc::new(Controls { team, drain_max, newcomers, destinations });
        self.write().push(Arc::new(Entry { handle, controls, keeper, creator }));
        self.inner.changed.send_modify(|count| *count += 1);
    }

    /// Where operators may move teams, besides the servers that the teams' settings name.
    #[must_use]
    pub fn move_hosts(&self) -> &MoveHosts {
        &self.move_hosts
    }

    /// The settings of a team name this server from now on.
    pub fn set_home(&self, name: &str, server: &str) {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name);
        team.inspect(|team| team.controls.destinations.set_home(server));
    }

    /// Lets callers have arenas and leagues beside the teams.
    pub fn host(&mut self, beside: Beside) {
        self.beside = Some(beside);
    }

    /// Lets callers see what is recorded.
    pub fn record(&mut self, recordings: Recordings) {
        self.recordings = Some(recordings);
    }

    /// Forgets a team: with its last handle it ends. False: there is none of that name.
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

    /// Notified when a team came or went.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.inner.changed.subscribe()
    }

    /// The keepers of all teams by the teams' names, in the same order as
    /// [`handles`](Self::handles).
    #[must_use]
    pub fn keepers(&self) -> Vec<(String, KeeperHandle)> {
        let keeper = |team: &Arc<Entry>| (team.handle.name().to_owned(), team.keeper.clone());
        self.read().iter().map(keeper).collect()
    }

    /// The team of that name, with its keeper.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(TeamHandle, KeeperHandle)> {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name)?;
        Some((team.handle.clone(), team.keeper.clone()))
    }

    /// The handles of all teams, in the order in which they were added.
    #[must_use]
    pub fn handles(&self) -> Vec<TeamHandle> {
        self.read().iter().map(|team| team.handle.clone()).collect()
    }

    /// The team of that name, as the control API sees it.
    #[must_use]
    pub fn view(&self, name: &str) -> Option<Arc<dyn TeamView>> {
        let teams = self.read();
        let team = teams.iter().find(|team| team.handle.name() == name)?;
        Some(Arc::clone(team) as Arc<dyn TeamView>)
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<Arc<Entry>>> {
        // Each change is one step: a list is whole even when its holder panicked.
        self.inner.teams.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Vec<Arc<Entry>>> {
        self.inner.teams.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TeamDirectory for Directory {
    fn teams(&self) -> Vec<Arc<dyn TeamView>> {
        self.read().iter().map(|team| Arc::clone(team) as Arc<dyn TeamView>).collect()
    }

    fn team(&self, name: &str) -> Option<Arc<dyn TeamView>> {
        self.view(name)
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        let arenas = self.beside.as_ref().map(|beside| beside.arenas.clone());
        arenas.map(|arenas| Arc::new(arenas) as Arc<dyn ArenaDirectory>)
    }

    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        let leagues = self.beside.as_ref().and_then(|beside| beside.leagues.clone());
        leagues.map(|leagues| Arc::new(leagues) as Arc<dyn LeagueDirectory>)
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        let recordings = self.recordings.clone();
        recordings.map(|recordings| Arc::new(recordings) as Arc<dyn RecordingDirectory>)
    }
}

impl TeamView for Entry {
    fn name(&self) -> &str {
        self.handle.name()
    }

    fn game(&self) -> &str {
        self.handle.game()
    }

    fn server(&self) -> String {
        match self.handle.endpoint() {
            Endpoint::Tcp { host, port, .. } | Endpoint::WebSocket { host, port, .. } => {
                if host.contains(':') {
                    format!("[{host}]:{port}")
                } else {
                    format!("{host}:{port}")
                }
            }
            Endpoint::Awaited(_) => "bridge".to_owned(),
            Endpoint::Memory(_) => "memory".to_owned(),
        }
    }

    fn roster(&self) -> Arc<Roster> {
        self.handle.roster()
    }

    fn seat(&self, agent: AgentId) -> SeatState {
        let seat = self.handle.seat_of(agent);
        seat.map(|status| status.borrow().state.clone()).unwrap_or_default()
    }

    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.handle.snapshots()
    }

    fn strategy(&self) -> Option<KeeperHandle> {
        Some(self.keeper.clone())
    }

    fn read_board(&self, read: BoardRead) -> Asking<BoardPage> {
        let team = self.handle.clone();
        asking(async move { team.read_board(read).await })
    }

    fn write_board(&self, write: BoardWrite) -> Asking<Result<Option<BoardItem>, BoardWriteError>> {
        let team = self.handle.clone();
        asking(async move { team.write_board(write).await })
    }

    fn draw(&self) -> Asking<Drawing> {
        let team = self.handle.clone();
        asking(async move { team.draw().await })
    }

    fn controls(&self) -> Option<Arc<dyn TeamControls>> {
        Some(self.controls.clone())
    }

    fn end(&self) -> Option<TeamEnd> {
        self.handle.end().map(|end| match end {
            phalanx_net::TeamEnd::MatchOver => TeamEnd::MatchOver,
            phalanx_net::TeamEnd::Drained => TeamEnd::Drained,
            phalanx_net::TeamEnd::Crashed { reason } => TeamEnd::Crashed { reason },
        })
    }

    fn thread(&self) -> TeamThread {
        let ThreadHealth { replaced, abandoned, stuck } = self.handle.thread();
        TeamThread { replaced, abandoned, stuck, dropped: self.handle.inbox_dropped() }
    }

    fn creator(&self) -> Option<String> {
        self.creator.clone()
    }

    fn journal(&self) -> BoxStream<'static, Feed> {
        let Some(journal) = self.handle.journal() else { return stream::empty().boxed() };
        stream::unfold(journal, |mut journal| async {
            let feed = match journal.next().await? {
                JournalItem::Entry(entry) => Feed::Entry(entry),
                JournalItem::Dropped(count) => Feed::Lost(count),
            };
            Some((feed, journal))
        })
        .fuse()
        .boxed()
    }
}

fn asking<T: 'static>(
    answer: impl Future<Output = Result<T, OperatorError>> + Send + 'static,
) -> Asking<T> {
    let told = |error| match error {
        OperatorError::Ended => TeamError::Ended,
        // Neither a board nor a world belongs to one agent.
        OperatorError::Busy | OperatorError::Stuck | OperatorError::NoSuchAgent => TeamError::Busy,
    };
    answer.map(move |answer| answer.map_err(told)).boxed()
}
