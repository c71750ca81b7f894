//! The state of a team and its world between two turns, as one piece that outlives the team's
//! thread and its daemon.
//!
//! ```text
//!  team ── checkpoint() ──► Checkpoint ── freeze() ──► bytes ── TeamStart ──► team
//!    on its thread: a copy      on any thread: a file        read whole, or refused
//! ```
//!
//! The bytes may be anything when they are read again: [`inspect`] and [`examine`] check them
//! before a team is made of them.

mod wire;

use crate::{Board, Params, Scope, Steering, TeamState};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Game, RestoreError, Roster, RosterEntry, Turn, Value, World};
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

pub use wire::CHECKPOINT_FORMAT;

/// The team and the match of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The team's name in the daemon.
    pub team: String,
    /// The game's name.
    pub game: String,
    /// The referee's address.
    pub server: String,
    /// When the round began, by this machine's clock, in whole microseconds.
    pub begun: SystemTime,
    /// When the checkpoint was taken, by the same clock.
    pub saved: SystemTime,
}

/// The description inside a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its team and match.
    pub identity: Identity,
    /// The agents in roster order, including removed ones.
    pub agents: Vec<String>,
    /// The generation that decided.
    pub generation: u32,
    /// The hash of its files.
    pub hash: String,
    /// The last turn, in the team's count.
    pub turn: Turn,
    /// Turns begun until then.
    pub tick: u64,
}

/// Why a checkpoint is not used. Then no part of it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes are not a checkpoint.
    #[error("it is no checkpoint")]
    Foreign,
    /// Its format is of another version.
    #[error("it is written in format {found}, this program reads {CHECKPOINT_FORMAT}")]
    Format {
        /// The format found.
        found: u16,
    },
    /// The bytes are damaged.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// It belongs to another game.
    #[error("it is of the game {found:?}, not of {game}")]
    Game {
        /// The game found.
        found: String,
        /// The team's game.
        game: &'static str,
    },
    /// It belongs to other agents.
    #[error("agent {place} was called {found:?} then, and is {name:?} now")]
    Agents {
        /// Place in the roster, from 1.
        place: usize,
        /// The name found.
        found: String,
        /// The name now.
        name: String,
    },
    /// The number of agents differs, in a game whose teams are fixed.
    #[error("it is of {found} agents, the team has {agents}")]
    Size {
        /// Agents found.
        found: usize,
        /// Agents now.
        agents: usize,
    },
    /// The world cannot be restored from it.
    #[error("{0}")]
    World(#[from] RestoreError),
}

/// A team between two turns: a copy for any thread.
pub struct Checkpoint<G: Game> {
    pub(crate) generation: u32,
    pub(crate) hash: String,
    pub(crate) state: TeamState,
    pub(crate) world: G::World,
}

impl<G: Game> fmt::Debug for Checkpoint<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("generation", &self.generation)
            .field("turn", &self.state.turn)
            .field("tick", &self.state.tick)
            .finish_non_exhaustive()
    }
}

/// Values of parameters, by name and scope.
pub(crate) type SetParams = SortedMap<String, SortedMap<Scope, Value>>;

/// Writes the checkpoints of one team, one after the other, and reuses the bytes of unchanged
/// parts.
#[derive(Debug, Default)]
pub struct Freezer {
    board: Option<(Arc<Board>, Vec<u8>)>,
    params: Option<(Arc<Params>, Vec<u8>)>,
}

impl<G: Game> Checkpoint<G> {
    /// The checkpoint as bytes. Equal checkpoints with equal identities give equal bytes, whatever
    /// was written before.
    #[must_use]
    pub fn freeze(&self, identity: &Identity, freezer: &mut Freezer) -> Vec<u8> {
        wire::write(self, identity, freezer)
    }

    /// The last turn, in the team's count.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.state.turn
    }

    /// The generation that decided.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Replaces the parameters and the steering by newer ones, for a team that has just ended.
    pub fn steered(&mut self, params: &Arc<Params>, steering: &[Steering]) {
        self.state.steer(params, steering);
    }
}

/// The description of a checkpoint, if it is whole; its world is not read.
///
/// # Errors
/// When it is damaged, or not a checkpoint.
pub fn inspect(bytes: &[u8]) -> Result<Found, CheckpointError> {
    wire::read(bytes).map(|read| read.found)
}

/// Checks whether a team of this roster can continue from a checkpoint. Returns its description.
///
/// # Errors
/// When it is damaged, or of another game, or of other agents.
pub fn examine<G: Game>(game: &G, roster: &Roster, bytes: &[u8]) -> Result<Found, CheckpointError> {
    let found = inspect(bytes)?;
    thaw(game, roster, bytes).map(|_| found)
}

/// A checkpoint for a team of this roster: all of it, or nothing. Agents that the roster does not
/// have are marked as removed.
pub(crate) fn thaw<G: Game>(
    game: &G,
    roster: &Roster,
    bytes: &[u8],
) -> Result<Checkpoint<G>, CheckpointError> {
    let wire::ParsedCheckpoint { found, mut state, board, world } = wire::read(bytes)?;
    let Found { identity, generation, hash, .. } = found;
    let then = Arc::clone(&state.roster);
    let declared = game.declaration();
    if identity.game != declared.name {
        return Err(CheckpointError::Game { found: identity.game, game: declared.name });
    }
    let merged = merged(&then, roster)?;
    if declared.fixed.is_some() && then.agents.len() != roster.agents.len() {
        let (found, agents) = (then.agents.len(), roster.agents.len());
        return Err(CheckpointError::Size { found, agents });
    }
    let sizes = [state.members.len(), state.roles.len(), state.counted.len()];
    if sizes != [then.agents.len(); 3] {
        return Err(CheckpointError::Damaged("its lists of agents have different lengths"));
    }
    let board = Board::of_parts(board, state.tick, state.turn);
    state.board = Arc::new(board.ok_or(CheckpointError::Damaged("its board exceeds the limits"))?);
    let mut belief = game.world(&then);
    belief.restore(&world)?;
    if declared.fixed.is_none() && merged != *then {
        belief.enroll(&merged);
    }
    state.roster = Arc::new(merged);
    Ok(Checkpoint { generation, hash, state, world: belief })
}

/// The current roster, followed by agents that only the checkpoint has, because an operator added
/// them: they keep their places and are marked as gone.
fn merged(then: &Roster, now: &Roster) -> Result<Roster, CheckpointError> {
    let pairs = then.agents.iter().zip(&now.agents).enumerate();
    for (index, (then, now)) in pairs {
        if then.name != now.name {
            let (found, name) = (then.name.clone(), now.name.clone());
            return Err(CheckpointError::Agents { place: index + 1, found, name });
        }
    }
    let came = then.agents.iter().skip(now.agents.len());
    let came = came.map(|entry| RosterEntry { gone: true, ..entry.clone() });
    let agents = now.agents.iter().cloned().chain(came).collect();
    Ok(Roster { team: now.team.clone(), agents })
}
