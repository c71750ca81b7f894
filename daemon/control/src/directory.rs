//! What this crate must be told about teams.

use crate::{ArenaDirectory, LeagueDirectory, RecordingDirectory, TeamControls, TeamMaker};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_engine::{
    BoardItem, BoardPage, BoardRead, BoardWrite, BoardWriteError, Drawing, JournalEntry, SeatState,
    Snapshot,
};
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

    /// Makes and deletes teams; `None` where they neither come nor go.
    fn maker(&self) -> Option<Arc<dyn TeamMaker>> {
        None
    }

    /// The referees that stand beside the teams; `None` where none can.
    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        None
    }

    /// The leagues that are played beside the teams; `None` where none can.
    fn leagues(&self) -> Option<Arc<dyn LeagueDirectory>> {
        None
    }

    /// What is recorded of the teams; `None` where nothing is.
    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        None
    }
}

/// One team. What changes it goes through its one queue of inputs: by its controls, or through the
/// keeper of its strategy.
pub trait TeamView: Send + Sync + 'static {
    /// Its name in the settings.
    fn name(&self) -> &str;

    /// The name of its game.
    fn game(&self) -> &str;

    /// The referee's address right now.
    fn server(&self) -> String;

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

    /// What operators can do with it; `None` where it takes no orders.
    fn controls(&self) -> Option<Arc<dyn TeamControls>>;

    /// Why it has ended; `None` while it has not.
    fn end(&self) -> Option<TeamEnd>;

    /// How the thread does that decides for it.
    fn thread(&self) -> TeamThread {
        TeamThread::default()
    }

    /// Who made it over the API; `None`: it stands in the settings.
    fn creator(&self) -> Option<String>;

    /// Copies a piece of its board, between two turns.
    fn read_board(&self, read: BoardRead) -> Asking<BoardPage>;

    /// Writes to its board, between two turns; tells what is under the key then.
    fn write_board(&self, write: BoardWrite) -> Asking<Result<Option<BoardItem>, BoardWriteError>>;

    /// Draws its world, between two turns.
    fn draw(&self) -> Asking<Drawing>;
}

/// What a team answers later.
pub type Asking<T> = BoxFuture<'static, Result<T, TeamError>>;

/// Why a team gives no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// Too many requests wait, or it lost this one in a restart.
    #[error("the team is busy; try again")]
    Busy,
    /// It has ended.
    #[error("the team has ended")]
    Ended,
}

/// How the thread does that decides for a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamThread {
    /// How often one that did not respond was replaced.
    pub replaced: u64,
    /// Abandoned ones that still run.
    pub abandoned: u32,
    /// It does not respond and cannot be replaced.
    pub stuck: bool,
    /// Events of connections that it never took.
    pub dropped: u64,
}

/// Why a team has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamEnd {
    /// The referee said goodbye to every seat.
    MatchOver,
    /// It was drained.
    Drained,
    /// It failed too often.
    Crashed {
        /// The last failure.
        reason: String,
    },
}

/// What a journal gives its reader.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// The next entry.
    Entry(Arc<JournalEntry>),
    /// So many entries are missing here: the reader was too slow.
    Lost(u64),
}
