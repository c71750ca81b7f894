//! The daemon's teams, as the control API sees them.

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use phalanx_control::{Feed, TeamDirectory, TeamView};
use phalanx_engine::{SeatState, Snapshot};
use phalanx_game::{AgentId, Roster};
use phalanx_net::{JournalItem, TeamHandle};
use phalanx_strategy::KeeperHandle;
use std::sync::Arc;
use tokio::sync::watch;

/// All teams of this process.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    teams: Vec<Arc<Entry>>,
}

/// One team with what its handle does not know.
#[derive(Debug)]
struct Entry {
    handle: TeamHandle,
    server: String,
    /// The seat of each agent, by roster index.
    seats: Vec<usize>,
    keeper: KeeperHandle,
}

impl Directory {
    /// Adds a running team and its keeper. `seats` is the seat of each agent, by roster index.
    pub fn add(
        &mut self,
        handle: TeamHandle,
        keeper: KeeperHandle,
        server: String,
        seats: Vec<usize>,
    ) {
        self.teams.push(Arc::new(Entry { handle, server, seats, keeper }));
    }

    /// The keepers of all teams, in the same order as [`handles`](Self::handles).
    pub fn keepers(&self) -> impl Iterator<Item = &KeeperHandle> {
        self.teams.iter().map(|team| &team.keeper)
    }

    /// The handles of all teams, in the order in which they were added.
    pub fn handles(&self) -> impl Iterator<Item = &TeamHandle> {
        self.teams.iter().map(|team| &team.handle)
    }
}

impl TeamDirectory for Directory {
    fn teams(&self) -> Vec<Arc<dyn TeamView>> {
        self.teams.iter().map(|team| team.clone() as Arc<dyn TeamView>).collect()
    }
}

impl TeamView for Entry {
    fn name(&self) -> &str {
        self.handle.name()
    }

    fn game(&self) -> &str {
        self.handle.game()
    }

    fn server(&self) -> &str {
        &self.server
    }

    fn roster(&self) -> Arc<Roster> {
        self.handle.roster().clone()
    }

    fn seat(&self, agent: AgentId) -> SeatState {
        let seat = self.seats.get(agent.index()).and_then(|seat| self.handle.seat(*seat));
        seat.map(|status| status.borrow().state.clone()).unwrap_or_default()
    }

    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.handle.snapshots()
    }

    fn strategy(&self) -> Option<KeeperHandle> {
        Some(self.keeper.clone())
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
