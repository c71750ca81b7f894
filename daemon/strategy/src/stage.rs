//! What a keeper needs of the team that plays.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use phalanx_engine::{
    BrainError, Fault, JournalEntry, ParamError, Profile, Ran, Scope, Snapshot, Staged,
    StrategyOrigin, View,
};
use phalanx_game::{AgentId, Roster, Value};
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::watch;

/// What a wish at a running team comes to: the outer error is the way there, the inner the wish's.
pub type StageFuture<T> = BoxFuture<'static, Result<T, StageError>>;

/// A running team, as far as its strategy is concerned. Whoever starts teams implements it.
pub trait Stage: Send + Sync + Debug + 'static {
    /// The agents as they are now.
    fn roster(&self) -> Arc<Roster>;

    /// A copy of what the scripts see now.
    fn view(&self) -> StageFuture<View>;

    /// Lets another generation decide, at the next moment at which it costs no turn its time. A
    /// pinned one is not watched. One that cannot be loaded is told in the journal.
    fn install(&self, staged: Staged, pinned: bool) -> StageFuture<Result<(), BrainError>>;

    /// Tells in the journal that a strategy was refused.
    ///
    /// # Errors
    /// When the team is busy or has ended.
    fn refused(&self, origin: StrategyOrigin, faults: Vec<Fault>) -> Result<(), StageError>;

    /// Sets a parameter from the next turn on, or takes it back. Gives the value before.
    fn set_param(
        &self,
        name: String,
        scope: Scope,
        value: Option<Value>,
        by: String,
    ) -> StageFuture<Result<Option<Value>, ParamError>>;

    /// Runs a piece of script in the living VM, between turns.
    fn run(&self, agent: AgentId, code: String, by: String)
    -> StageFuture<Result<Ran, BrainError>>;

    /// Measures the scripts over so many turns.
    fn profile(&self, turns: u32) -> StageFuture<Profile>;

    /// Follows what the team publishes.
    fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>>;

    /// Follows the journal from now on, until the team has ended.
    fn journal(&self) -> BoxStream<'static, Arc<JournalEntry>>;
}

/// Why a wish did not reach the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// Its inbox is full.
    #[error("the team is busy; try again")]
    Busy,
    /// It has ended.
    #[error("the team has ended")]
    Ended,
}
