//! A copy of what scripts can see, for trials and for readers on other threads.

use crate::{Board, Command, CommandReply, DebugMark, Memory, Params};
use phalanx_game::{AgentId, Oracle, Picture, Roster, Turn};
use std::fmt;
use std::sync::Arc;

/// A copy of everything that a team's scripts can see.
#[derive(Clone, Debug)]
pub struct View {
    /// The agents.
    pub roster: Arc<Roster>,
    /// The match's seed.
    pub seed: u64,
    /// The last turns, oldest first; empty before the first one.
    pub scenes: Vec<Arc<Scene>>,
    /// The blackboard.
    pub board: Board,
    /// The parameters.
    pub params: Params,
    /// The current role of each agent, by roster index.
    pub roles: Vec<String>,
    /// The current memories of the agents.
    pub memories: Vec<Memory>,
    /// The generation that decides.
    pub generation: u32,
}

/// One turn, as the team saw it when it began to decide.
pub struct Scene {
    /// The turn in the team's count.
    pub turn: Turn,
    /// Turns begun in this match, this one included.
    pub tick: u64,
    /// The agents that were asked, in roster order.
    pub present: Vec<AgentId>,
    /// The role of each agent then, by roster index.
    pub roles: Vec<String>,
    /// The world.
    pub oracle: Arc<dyn Oracle + Send + Sync>,
}

/// The world as a picture for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// The turn in the team's count.
    pub turn: Turn,
    /// Turns begun in this match.
    pub tick: u64,
    /// The role of each agent, by roster index.
    pub roles: Vec<String>,
    /// The team's belief.
    pub picture: Picture,
    /// The marks that scripts drew in this turn.
    pub marks: Vec<DebugMark>,
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("turn", &self.turn)
            .field("present", &self.present)
            .finish_non_exhaustive()
    }
}

/// What can still be read of a team that has ended: its world and its board, as they were then.
#[derive(Clone, Debug)]
pub struct FinalView {
    pub(crate) drawing: Drawing,
    pub(crate) board: Board,
}

impl FinalView {
    /// The reply to a command that reads the world or the board; `None`: the command needs a team
    /// that plays.
    #[must_use]
    pub fn reply(&self, command: &Command) -> Option<CommandReply> {
        if let Command::DrawWorld(_) = command {
            Some(CommandReply::DrawWorld(Box::new(self.drawing.clone())))
        } else if let Command::BoardRead(read) = command {
            Some(CommandReply::BoardRead(self.board.read(read)))
        } else {
            None
        }
    }
}
