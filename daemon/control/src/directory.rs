//! What this crate must be told about teams.

use futures_util::stream::BoxStream;
use phalanx_engine::{JournalEntry, SeatState, Snapshot};
use phalanx_game::{AgentId, Roster};
use phalanx_strategy::KeeperHandle;
use std::sync::Arc;
use tokio::sync::watch;

/// The daemon's teams.
pub trait TeamDirectory: Send + Sync + 'static {
    /// All teams, in any order.
    fn teams(&self) -> Vec<Arc<dyn TeamView>>;

    /// The team of that name.
    fn team(&self, name: &str) -> Option<Arc<dyn TeamView>> {
        self.teams().into_iter().find(|team| team.name() == name)
    }
}

/// One running team. Nothing here changes it, but for the keeper of its strategy.
pub trait TeamView: Send + Sync + 'static {
    /// Its name in the settings.
    fn name(&self) -> &str;

    /// The name of its game.
    fn game(&self) -> &str;

    /// The referee's address.
    fn server(&self) -> &str;

    /// Its agents.
    fn roster(&self) -> Arc<Roster>;

    /// What the connection that carries this agent is doing right now.
    fn seat(&self, agent: AgentId) -> SeatState;

    /// Follows what the team publishes.
    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>>;

    /// Follows the journal from now on; ends with the team. Called once a team.
    fn journal(&self) -> BoxStream<'static, Feed>;

    /// The keeper of its strategy; `None` when nothing keeps it.
    fn strategy(&self) -> Option<KeeperHandle>;
}

/// What a journal gives its reader.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// The next entry.
    Entry(Arc<JournalEntry>),
    /// So many entries are missing here: the reader was too slow.
    Lost(u64),
}
