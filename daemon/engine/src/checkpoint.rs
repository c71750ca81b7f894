//! All that a team knows between two turns, as one piece that outlives the team's thread and its
//! daemon.
//!
//! ```text
//!  team ── checkpoint() ──► Checkpoint ── freeze() ──► bytes ── TeamStart ──► team
//!    on its thread: a copy      on any thread: a file        read whole, or refused
//! ```
//!
//! Whoever reads the bytes again must know that they may be anything: [`inspect`] and [`examine`]
//! say what they are before a team is made of them.

mod wire;

use crate::alerts::Counted;
use crate::rounds::RoundParts;
use crate::shared::Mail;
use crate::{Alert, AlertKind, Board, Counters, Memory, Params, Scope, Steering};
use phalanx_game::{AgentId, Game, RestoreError, Roster, RosterEntry, Turn, Value, World};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

pub use wire::CHECKPOINT_FORMAT;

/// Of which team and which match a checkpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The team's name in the daemon.
    pub team: String,
    /// The game's name.
    pub game: String,
    /// Where the referee is.
    pub server: String,
    /// When the round began, by this machine's clock; whole microseconds.
    pub begun: SystemTime,
    /// When the checkpoint was taken, likewise.
    pub saved: SystemTime,
}

/// What a checkpoint says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Of which team and match it is.
    pub identity: Identity,
    /// The agents then, in roster order, those that were removed included.
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

/// Why a checkpoint is not taken over. Nothing of it is, then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes are something else.
    #[error("it is no checkpoint")]
    Foreign,
    /// Another program wrote it.
    #[error("it is written in format {found}, this program reads {CHECKPOINT_FORMAT}")]
    Format {
        /// The format found.
        found: u16,
    },
    /// It is not what was written.
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
    /// The team's size differs, in a game whose teams are what they are from the beginning.
    #[error("it is of {found} agents, the team has {agents}")]
    Size {
        /// Agents found.
        found: usize,
        /// Agents now.
        agents: usize,
    },
    /// The world does not take it.
    #[error("{0}")]
    World(#[from] RestoreError),
}

/// What a team knows between two turns: a copy, for any thread.
pub struct Checkpoint<G: Game> {
    pub(crate) generation: u32,
    pub(crate) hash: String,
    pub(crate) turn: Turn,
    pub(crate) tick: u64,
    pub(crate) roster: Arc<Roster>,
    pub(crate) state: State,
    pub(crate) board: Arc<Board>,
    pub(crate) params: Arc<Params>,
    pub(crate) world: G::World,
}

impl<G: Game> fmt::Debug for Checkpoint<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("generation", &self.generation)
            .field("turn", &self.turn)
            .field("tick", &self.tick)
            .finish_non_exhaustive()
    }
}

/// What a team knows of one agent besides its role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MemberParts {
    pub(crate) steering: Steering,
    /// It was asked in the last turn.
    pub(crate) expected: bool,
    pub(crate) last_asked: Option<Turn>,
    pub(crate) last_action: String,
    pub(crate) reason: String,
    pub(crate) trouble: String,
}

/// What belongs to the team itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) roles: Vec<String>,
    pub(crate) members: Vec<MemberParts>,
    pub(crate) rounds: RoundParts,
    pub(crate) counters: Counters,
    pub(crate) scores: Vec<i64>,
    pub(crate) alerts: BTreeMap<(AlertKind, Option<AgentId>), Alert>,
    pub(crate) counted: Vec<Counted>,
    pub(crate) metrics: BTreeMap<String, f64>,
    pub(crate) mail: Mail,
    pub(crate) memories: Vec<Memory>,
}

/// A checkpoint that was read.
pub(crate) struct Thawed<G: Game> {
    pub(crate) turn: Turn,
    pub(crate) tick: u64,
    /// The team's agents now; those that the settings do not know are gone.
    pub(crate) roster: Roster,
    pub(crate) state: State,
    pub(crate) board: Board,
    /// What operators set.
    pub(crate) set: SetParams,
    pub(crate) world: G::World,
}

/// Values of parameters, by name and scope.
pub(crate) type SetParams = BTreeMap<String, BTreeMap<Scope, Value>>;

/// Writes the checkpoints of one team, one after the other: what has not changed since the last one
/// is not written anew.
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
        self.turn
    }

    /// The generation that decided.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Puts what operators set and steer in the place of what they did then: of a team that ended
    /// right now the newest is known.
    pub fn steered(&mut self, params: &Arc<Params>, steering: &[Steering]) {
        self.params = Arc::clone(params);
        for (member, steering) in self.state.members.iter_mut().zip(steering) {
            member.steering = steering.clone();
        }
    }
}

/// What a checkpoint says of itself, if it is whole; its world is not looked at.
///
/// # Errors
/// When it is damaged, or something else.
pub fn inspect(bytes: &[u8]) -> Result<Found, CheckpointError> {
    wire::read(bytes).map(|read| read.found)
}

/// Whether a team of this roster could go on from a checkpoint; what it says of itself.
///
/// # Errors
/// When it is damaged, or of another game, or of other agents.
pub fn examine<G: Game>(game: &G, roster: &Roster, bytes: &[u8]) -> Result<Found, CheckpointError> {
    let found = inspect(bytes)?;
    thaw(game, roster, bytes).map(|_| found)
}

/// A checkpoint for a team of this roster: all of it, or nothing.
pub(crate) fn thaw<G: Game>(
    game: &G,
    roster: &Roster,
    bytes: &[u8],
) -> Result<Thawed<G>, CheckpointError> {
    let wire::Read { found, roster: then, state, board, set, world } = wire::read(bytes)?;
    let Found { identity, turn, tick, .. } = found;
    if identity.game != G::NAME {
        return Err(CheckpointError::Game { found: identity.game, game: G::NAME });
    }
    let merged = merged(&then, roster)?;
    if G::FIXED.is_some() && then.agents.len() != roster.agents.len() {
        let (found, agents) = (then.agents.len(), roster.agents.len());
        return Err(CheckpointError::Size { found, agents });
    }
    let sizes = [state.members.len(), state.roles.len(), state.counted.len()];
    if sizes != [then.agents.len(); 3] {
        return Err(CheckpointError::Damaged("its agents are not as many everywhere"));
    }
    let board = Board::of_parts(board, tick, turn);
    let board = board.ok_or(CheckpointError::Damaged("no board holds so much"))?;
    let mut belief = game.world(&then);
    belief.restore(&world)?;
    if G::FIXED.is_none() && merged != then {
        belief.enroll(&merged);
    }
    Ok(Thawed { turn, tick, roster: merged, state, board, set, world: belief })
}

/// The team's agents: those of its roster. Whoever came while it played, and is not of the settings,
/// keeps its place and is gone; whoever came after the checkpoint stands at the end.
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
