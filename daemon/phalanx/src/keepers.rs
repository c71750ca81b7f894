//! A keeper for each team: what `phalanx-strategy` needs of a running one.

use crate::shipped;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_engine::{
    BrainError, Fault, JournalEntry, ParamError, Profile, Ran, Scope, Snapshot, Staged,
    StrategyOrigin, View,
};
use phalanx_game::{AgentId, Roster, Value};
use phalanx_net::{JournalItem, OperatorError, TeamHandle};
use phalanx_strategy::{Keeper, KeeperHandle, Stage, StageError, StageFuture};
use std::sync::Arc;
use tokio::sync::watch;

/// Starts the keeper of a running team.
#[must_use]
pub fn spawn(keeper: Keeper, team: &TeamHandle) -> KeeperHandle {
    keeper.spawn(Arc::new(TeamStage { team: team.clone() }))
}

/// A running team, as its keeper sees it.
#[derive(Debug)]
struct TeamStage {
    team: TeamHandle,
}

fn failed(error: OperatorError) -> StageError {
    match error {
        // Left stuck it may still come back by itself.
        OperatorError::Busy | OperatorError::Stuck => StageError::Busy,
        OperatorError::Ended | OperatorError::NoSuchAgent => StageError::Ended,
    }
}

impl Stage for TeamStage {
    fn roster(&self) -> Arc<Roster> {
        self.team.roster()
    }

    fn view(&self) -> StageFuture<View> {
        let team = self.team.clone();
        async move { team.view().await.map_err(failed) }.boxed()
    }

    fn install(&self, staged: Staged, pinned: bool) -> StageFuture<Result<(), BrainError>> {
        let team = self.team.clone();
        async move { team.install(staged, pinned).await.map_err(failed) }.boxed()
    }

    fn refused(&self, origin: StrategyOrigin, faults: Vec<Fault>) -> Result<(), StageError> {
        self.team.refused(origin, faults).map_err(failed)
    }

    fn set_param(
        &self,
        name: String,
        scope: Scope,
        value: Option<Value>,
        by: String,
    ) -> StageFuture<Result<Option<Value>, ParamError>> {
        let team = self.team.clone();
        async move { team.set_param(name, scope, value, by).await.map_err(failed) }.boxed()
    }

    fn run(
        &self,
        agent: AgentId,
        code: String,
        by: String,
    ) -> StageFuture<Result<Ran, BrainError>> {
        let team = self.team.clone();
        async move { team.run(agent, code, by).await.map_err(failed) }.boxed()
    }

    fn profile(&self, turns: u32) -> StageFuture<Profile> {
        let team = self.team.clone();
        async move { team.profile(turns).await.map_err(failed) }.boxed()
    }

    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.team.snapshots()
    }

    fn journal(&self) -> BoxStream<'static, Arc<JournalEntry>> {
        let Some(journal) = self.team.journal() else { return stream::empty().boxed() };
        let entries = stream::unfold(journal, |mut journal| async {
            loop {
                // A keeper reads all the time: what it needs is not among what slow readers lose.
                if let JournalItem::Entry(entry) = journal.next().await? {
                    return Some((entry, journal));
                }
            }
        });
        entries.fuse().boxed()
    }
}

/// How a keeper reads its team's folder.
#[must_use]
pub fn reader() -> phalanx_strategy::ReadFolder {
    Arc::new(shipped::read)
}

/// How a keeper completes files that came without a folder.
#[must_use]
pub fn completer() -> phalanx_strategy::Complete {
    Arc::new(|bundle| shipped::complete(&bundle))
}
