//! What decides for the agents: the script host in production, a closure in tests.

use crate::{Carry, Memory, Profile, Provenance, Shared, Staged};
use phalanx_game::sorted::SortedSet;
use phalanx_game::{AgentId, Api, Oracle, Roster, Said, Turn, Value};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What a brain may keep for the whole match: it lives on the team's thread.
#[derive(Clone)]
pub struct TeamLink {
    /// The agents, in the order in which they decide.
    pub roster: Arc<Roster>,
    /// The game's declared script interface.
    pub api: &'static Api,
    /// The world, read-only.
    pub oracle: Rc<dyn Oracle>,
    /// Board, mail, roles, log lines, marks. Borrow it briefly: never across a call into a script.
    pub shared: Rc<RefCell<Shared>>,
    /// The match's seed: all randomness of scripts derives from it, the agent and the turn.
    pub seed: u64,
}

impl fmt::Debug for TeamLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TeamLink").field("roster", &self.roster).field("seed", &self.seed).finish()
    }
}

/// One question to a brain.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The turn, in the team's count.
    pub turn: Turn,
    /// The number of turns that the team has begun in this match, from 1; board expiry uses it.
    pub tick: u64,
    /// The agent that is asked. For [`Brain::plan`], which asks for the team, it is the first
    /// present agent.
    pub agent: AgentId,
    /// The agents that were asked in this turn, in roster order.
    pub present: &'a [AgentId],
    /// The time for the answer. The brain stops by itself at the end of it.
    pub budget: Duration,
    /// The time until the turn's earliest deadline when the call begins.
    pub time_left: Duration,
}

/// An answer and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<T> {
    /// The answer, or why there is none.
    pub result: Result<T, BrainError>,
    /// Time spent; the engine subtracts it from the turn's remaining time, since it has no clock.
    pub spent: Duration,
    /// The last explanation of the script in this call, even if it failed afterwards.
    pub reason: Option<Reason>,
    /// What the decision is based on; empty for other calls.
    pub grounds: Provenance,
}

impl<T> Outcome<T> {
    /// An answer without an explanation.
    pub fn new(result: Result<T, BrainError>, spent: Duration) -> Self {
        Self { result, spent, reason: None, grounds: Provenance::default() }
    }
}

/// Why a script decided as it did, in the script's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// A short text.
    pub text: String,
    /// The data behind it: plain data, or nil.
    pub data: Value,
}

/// The result of a piece of script that an operator ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The value of each result as Luau text, one a line; empty when there was none.
    pub text: String,
    /// What the script printed or logged, a line each.
    pub lines: Vec<String>,
}

/// Why a brain did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BrainErrorKind {
    /// The script raised an error.
    Script,
    /// The script used up its time.
    Budget,
    /// The script used up its memory.
    Memory,
    /// The script returned something that is not an action.
    Answer,
    /// There is no script for the role.
    NoRole,
}

/// Why a brain could not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrainError {
    /// What kind of failure.
    pub kind: BrainErrorKind,
    /// File inside the strategy and line from 1, where known.
    pub place: Option<(String, u32)>,
    /// The role whose script failed.
    pub role: String,
    /// What happened; at most a few hundred characters.
    pub message: String,
}

impl BrainError {
    /// A failure outside any script's line.
    #[must_use]
    pub fn without_place(kind: BrainErrorKind, message: impl Into<String>) -> Self {
        Self { kind, place: None, role: String::new(), message: message.into() }
    }
}

impl fmt::Display for BrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.place {
            write!(f, "{file}:{line}: ")?;
        }
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for BrainError {}

/// How a round ended for the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundResult {
    /// The team's score.
    pub score: i64,
    /// The team's rank from 1, if the referee reports it.
    pub ranking: Option<u32>,
}

/// Decides for all agents of a team. All calls come from the team's thread, one at a time. What an
/// implementation leaves out does nothing.
pub trait Brain {
    /// A round began for an agent: the role's `start(sim)`.
    fn start(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::ZERO)
    }

    /// Once a turn, before the first `decide`: `team.lua`'s `plan(team)`.
    fn plan(&mut self, _ask: &Ask<'_>) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::ZERO)
    }

    /// Decides an action: the role's `decide(me)`.
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said>;

    /// A round ended for an agent: the role's `finish(result)`.
    fn finish(&mut self, _ask: &Ask<'_>, _result: RoundResult) -> Outcome<()> {
        Outcome::new(Ok(()), Duration::ZERO)
    }

    /// The number of the generation that decides, from 1.
    fn generation(&self) -> u32 {
        1
    }

    /// Lets another generation decide from the next call on. Memories are carried over as plain
    /// data. When a generation returns that decided before, `spare` has its last memories: an agent
    /// whose memory cannot be carried over gets that one, or an empty one. Returns the memories
    /// from before the change.
    ///
    /// # Errors
    /// When it does not load, or a memory cannot be carried over and there is no `spare`. Then
    /// nothing has changed.
    fn install(
        &mut self,
        _staged: &Staged,
        _spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        Err(BrainError::without_place(BrainErrorKind::Script, "this brain loads nothing new"))
    }

    /// The roles of the generation; `None` if it accepts any.
    fn roles(&self) -> Option<SortedSet<String>> {
        None
    }

    /// Carries an agent's memory to another role, within `budget`. If the new role declares another
    /// version of the memory, it is migrated as when a new generation starts. The caller changes
    /// the role itself.
    ///
    /// # Errors
    /// When the memory cannot be carried over; it is then unchanged.
    fn hand_over(
        &mut self,
        _agent: AgentId,
        _role: &str,
        _carry: Carry,
        _budget: Duration,
    ) -> Result<(), BrainError> {
        Ok(())
    }

    /// Sets the team's agents; see [`World::enroll`](phalanx_game::World::enroll). New and removed
    /// agents have no memory.
    fn enroll(&mut self, _roster: &Arc<Roster>) {}

    /// Clears the memories of all agents.
    fn forget(&mut self) {}

    /// The memories of the agents, as plain data.
    fn memories(&mut self) -> Vec<Memory> {
        Vec::new()
    }

    /// Sets the agents' memories, in a brain that has not decided yet. An agent whose memory the
    /// generation cannot take begins with an empty one.
    fn remember(&mut self, _memories: &[Memory]) {}

    /// Runs a piece of script as this agent: an expression, whose values are returned, or
    /// statements. It may change the agent's memory and the board.
    fn run(&mut self, _ask: &Ask<'_>, _code: &str) -> Outcome<Ran> {
        let error = BrainError::without_place(BrainErrorKind::Script, "this brain runs no scripts");
        Outcome::new(Err(error), Duration::ZERO)
    }

    /// Measures the following calls, until [`take_profile`](Self::take_profile).
    fn start_profile(&mut self) {}

    /// Ends the measurement. The engine fills in how many turns it took.
    fn take_profile(&mut self) -> Profile {
        Profile::default()
    }
}
