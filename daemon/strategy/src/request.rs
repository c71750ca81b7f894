//! What operators ask of a keeper, and why they do not get it.

use crate::Trialled;
use phalanx_engine::{BrainError, CommandError};
use phalanx_game::Turn;
use phalanx_lua::LoadError;
use std::sync::Arc;

/// Longest piece of script of one [`Eval`], in bytes.
pub const CODE_BYTES_MAX: usize = 64 << 10;
/// Most copies that a team keeps for sessions.
pub const SESSIONS_MAX: usize = 8;
/// Longest name of a session, in bytes.
pub const SESSION_NAME_BYTES_MAX: usize = 128;

/// Where a strategy is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedSource {
    /// The team's folder, as it is now.
    Folder,
    /// Files in memory, path and text each; the program's shared modules are added.
    Files(Vec<(String, String)>),
    /// A generation of the history.
    Generation(u32),
}

/// How a strategy is activated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    /// The agents begin with empty memories.
    pub forget: bool,
    /// Only try it; a refusal is an error all the same.
    pub validate_only: bool,
}

/// A piece of script to be run as an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eval {
    /// The agent's name.
    pub agent: String,
    /// An expression, whose values are returned, or statements.
    pub code: String,
    /// Run it in the living VM instead of a copy.
    pub live: bool,
    /// Keeps the copy for further calls of the same name; empty: a copy for this call alone.
    pub session: String,
    /// Who asks.
    pub by: String,
}

/// What came of an [`Eval`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// Each result as Luau text, one a line; empty when there was none.
    pub text: String,
    /// What the script printed or logged.
    pub lines: Vec<String>,
    /// How it failed, with its line; empty when it did not.
    pub error: String,
    /// The turn that it saw.
    pub turn: Turn,
    /// The generation in which it ran.
    pub generation: u32,
}

/// Why an operator does not get what was asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StrategyError {
    /// The trial found mistakes.
    #[error("the strategy was refused: {}", first_fault(.0))]
    Faults(Arc<Trialled>),
    /// The trial passed, but the team could not take it over.
    #[error("the team did not install it: {0}")]
    Install(BrainError),
    /// The files are no strategy.
    #[error("{0}")]
    Files(LoadError),
    /// The operator pinned this generation.
    #[error("generation {0} is pinned")]
    Pinned(u32),
    /// Something newer was brought while this was on trial.
    #[error("a newer strategy arrived meanwhile; this one is not installed")]
    Stale,
    /// The strategy came with the program.
    #[error("the team plays a built-in strategy, which has no folder")]
    NoFolder,
    /// There is no such generation, or it is not kept any more.
    #[error("generation {0} is not kept; the history lists those that are")]
    NoGeneration(u32),
    /// No generation decided before the present one.
    #[error("no earlier generation is kept")]
    NothingToRollBack,
    /// There is no such agent.
    #[error("the team has no agent {0:?}")]
    NoAgent(String),
    /// No agent has this role, and no file of the strategy is called so.
    #[error("the strategy has no role {0:?}")]
    NoRole(String),
    /// The team refused a command.
    #[error(transparent)]
    Command(CommandError),
    /// The piece of script is longer than [`CODE_BYTES_MAX`].
    #[error("the script is longer than {CODE_BYTES_MAX} bytes")]
    CodeTooLong,
    /// All [`SESSIONS_MAX`] sessions are in use.
    #[error(
        "the team has {SESSIONS_MAX} sessions already; each ends five minutes after its last use"
    )]
    TooManySessions,
    /// Too much waits already.
    #[error("the team is busy; try again")]
    Busy,
    /// The team has ended.
    #[error("the team has ended")]
    Ended,
}

fn first_fault(trialled: &Trialled) -> String {
    let faults = trialled.report.faults();
    let fatal = faults.iter().filter(|fault| fault.fatal);
    match fatal.clone().next() {
        Some(fault) => format!("{fault} ({} in all)", fatal.count()),
        None => "no finding is named".into(),
    }
}

impl From<CommandError> for StrategyError {
    fn from(error: CommandError) -> Self {
        if let CommandError::Script(error) = error {
            return Self::Install(error);
        }
        if let CommandError::Busy(_) = error {
            return Self::Busy;
        }
        if error == CommandError::Ended { Self::Ended } else { Self::Command(error) }
    }
}
