//! Whoever decides: the script host in production, a closure in tests.

use crate::{Carry, Grounds, Memory, Profile, Shared, Staged};
use phalanx_game::{AgentId, Api, Oracle, Roster, Said, Turn, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What a brain may hold on to for the whole match: it lives on the team's thread.
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
    /// The number of turns that the team has begun in this match, from 1: board expiry counts it.
    pub tick: u64,
    /// Who is asked. [`Brain::plan`] asks for the team: then this is its first present agent.
    pub agent: AgentId,
    /// The agents that were asked in this turn, in roster order.
    pub present: &'a [AgentId],
    /// How long the answer may take. The brain stops by itself at the end of it.
    pub budget: Duration,
    /// The time until the turn's earliest deadline when the call begins.
    pub time_left: Duration,
}

/// An answer, with what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<T> {
    /// What was said, or why nothing was.
    pub result: Result<T, BrainError>,
    /// Time spent; the engine takes it off the turn's remaining time, since it has no clock.
    pub spent: Duration,
    /// What the script explained last in this call, whether it failed after that or not.
    pub reason: Option<Reason>,
    /// What a decision rests on; empty for any other call.
    pub grounds: Grounds,
}

impl<T> Outcome<T> {
    /// An answer without an explanation.
    pub fn new(result: Result<T, BrainError>, spent: Duration) -> Self {
        Self { result, spent, reason: None, grounds: Grounds::default() }
    }
}

/// Why a script decided as it did, in its own words.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// In a few words.
    pub text: String,
    /// What it rests on: plain data, or nil.
    pub data: Value,
}

/// A piece of script that an operator had run, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The value of each result as Luau text, one a line; empty when there was none.
    pub text: String,
    /// What the script printed or logged, a line each.
    pub lines: Vec<String>,
}

/// What kind of failure kept a brain from answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BrainErrorKind {
    /// The script raised an error.
    Script,
    /// The script used up its time.
    Budget,
    /// The script used up its memory.
    Memory,
    /// The script answered something that is not an action.
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
    /// The team's rank from 1, where the referee tells it.
    pub ranking: Option<u32>,
}

/// Decides for all agents of a team. All calls come from the team's thread, one at a time.
pub trait Brain {
    /// A round began for an agent: the role's `start(sim)`.
    fn start(&mut self, ask: &Ask<'_>) -> Outcome<()>;

    /// Once a turn, before the first `decide`: `team.lua`'s `plan(team)`.
    fn plan(&mut self, ask: &Ask<'_>) -> Outcome<()>;

    /// What an agent does: the role's `decide(me)`.
    fn decide(&mut self, ask: &Ask<'_>) -> Outcome<Said>;

    /// A round ended for an agent: the role's `finish(result)`.
    fn finish(&mut self, ask: &Ask<'_>, result: RoundResult) -> Outcome<()>;

    /// Which accepted version of the strategy decides, from 1.
    fn generation(&self) -> u32;

    /// Lets another generation decide from the next call on. Memories are carried over as plain
    /// data. On the way back to a generation that decided before, `spare` is what the agents
    /// remembered then: an agent whose memory cannot be carried over gets that, or begins anew.
    /// Returns the memories as they were before.
    ///
    /// # Errors
    /// When it does not load, or without `spare` a memory cannot be carried over. Then nothing has
    /// changed.
    fn install(
        &mut self,
        _staged: &Staged,
        _spare: Option<&[Memory]>,
    ) -> Result<Vec<Memory>, BrainError> {
        Err(BrainError::without_place(BrainErrorKind::Script, "this brain loads nothing new"))
    }

    /// The roles that the generation has; `None` when it takes any.
    fn roles(&self) -> Option<BTreeSet<String>> {
        None
    }

    /// An agent's memory comes into the hands of another role, within `budget`: where the role
    /// declares another version of it than the one before, as when a generation takes over. The
    /// role itself is changed by whoever calls.
    ///
    /// # Errors
    /// When the memory cannot be carried over; then it is as it was.
    fn hand_over(
        &mut self,
        _agent: AgentId,
        _role: &str,
        _carry: Carry,
        _budget: Duration,
    ) -> Result<(), BrainError> {
        Ok(())
    }

    /// The team's agents from now on; see [`World::enroll`](phalanx_game::World::enroll). Whoever
    /// is new or gone remembers nothing.
    fn enroll(&mut self, _roster: &Arc<Roster>) {}

    /// All agents begin with empty memories.
    fn forget(&mut self) {}

    /// What the agents remember, as plain data.
    fn memories(&mut self) -> Vec<Memory> {
        Vec::new()
    }

    /// The agents remember this, in a brain that has not decided yet. One whose memory the generation
    /// cannot take over begins anew.
    fn remember(&mut self, _memories: &[Memory]) {}

    /// Runs a piece of script as the asked agent, which may change its memory and the board:
    /// an expression, whose values are told, or statements.
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
