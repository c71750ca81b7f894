//! The team's joined belief, and the game that ties all parts together.

use crate::{
    ActionError, AgentId, Declaration, Notice, Picture, QueryError, RestoreError, Said, Seat,
    Session, Turn, Value,
};
use std::fmt::Debug;
use std::sync::PoisonError;

/// One agent of a team, as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterEntry {
    /// The name by which the referee and the scripts know the agent.
    pub name: String,
    /// Which script decides for it at the start of a match.
    pub role: String,
    /// It was removed from the team. Its place stays: ids of agents never change.
    pub gone: bool,
}

impl RosterEntry {
    /// An agent of the team.
    pub fn new(name: impl Into<String>, role: impl Into<String>) -> Self {
        Self { name: name.into(), role: role.into(), gone: false }
    }
}

/// The agents of a team, in the order in which they decide. An agent that joins while the team
/// plays is added at the end. An agent that leaves keeps its place and is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The team's name at the referee.
    pub team: String,
    /// Entry `i` is [`AgentId`]`(i)`.
    pub agents: Vec<RosterEntry>,
}

impl Roster {
    /// All ids in order, those of removed agents included.
    pub fn ids(&self) -> impl Iterator<Item = AgentId> + use<> {
        (0..u16::try_from(self.agents.len()).unwrap_or(u16::MAX)).map(AgentId)
    }

    /// The ids of all agents that were not removed, in order.
    pub fn present(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.ids().zip(&self.agents).filter(|(_, entry)| !entry.gone).map(|(agent, _)| agent)
    }

    /// Whether the agent is of the team and was not removed.
    #[must_use]
    pub fn is_present(&self, agent: AgentId) -> bool {
        self.agents.get(agent.index()).is_some_and(|entry| !entry.gone)
    }

    /// The agent's name, or "?" for an id that is not of this roster.
    #[must_use]
    pub fn name(&self, agent: AgentId) -> &str {
        self.agents.get(agent.index()).map_or("?", |entry| entry.name.as_str())
    }

    /// The id of the agent of that name, removed or not.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<AgentId> {
        let index = self.agents.iter().position(|entry| entry.name == name)?;
        u16::try_from(index).ok().map(AgentId)
    }
}

/// The state of an agent, for people: `team show`, dashboards, progress lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentState {
    /// Short text in the game's words, for example `(12, -4) carrying b1`.
    pub summary: String,
    /// The result of its last action in the referee's words; empty before the first.
    pub last_result: String,
}

/// What a team believes. One per team and match; rounds reset what the game's rules reset. Copies
/// are kept of the last turns: strategies are tried on them.
pub trait World: Clone + Debug + Send {
    /// See [`Session::Briefing`].
    type Briefing;
    /// See [`Session::Percept`].
    type Percept;
    /// See [`Session::Action`].
    type Action;

    /// Replaces the roster after agents joined or left the team. A new agent is at the end and is
    /// treated like one that was there from the beginning but sent no percept yet. What the team
    /// learned from a removed agent stays, and its body may still be in the world, but it gets no
    /// action, so no plan may count on it. An agent that returns has its old id, and is treated
    /// like one that was disconnected. Never called where the game's teams are
    /// [fixed](crate::Declaration::fixed).
    fn enroll(&mut self, _roster: &Roster) {}

    /// A round begins for an agent. The first call of a new `round` (the team's count) forgets the
    /// old round; later ones add agents to it. `None`: met in its middle without a start message.
    fn begin(&mut self, round: u32, agent: AgentId, briefing: Option<&Self::Briefing>);

    /// An agent perceived something.
    fn observe(&mut self, turn: Turn, agent: AgentId, percept: Self::Percept);

    /// All percepts of the turn that will come are in: join maps, resolve identities.
    fn settle(&mut self, turn: Turn);

    /// An action left for the referee in this turn (the team's own or the fallback).
    fn acted(&mut self, turn: Turn, agent: AgentId, action: &Self::Action);

    /// The next thing that people should hear about the world itself: a mistake of its scripts. Call
    /// it after [`settle`](Self::settle) until it returns `None`.
    fn poll_notice(&mut self) -> Option<Notice> {
        None
    }

    /// One field of the agent's last percept, by its declared name; `None` for an unknown name or
    /// an agent without percept.
    fn field(&self, agent: AgentId, name: &str) -> Option<Value>;

    /// Answers a declared query from an agent's point of view.
    ///
    /// # Errors
    /// When the query does not exist or its arguments do not fit.
    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError>;

    /// Checks what a script said.
    ///
    /// # Errors
    /// When the game has no such action or the arguments do not fit; the fallback is sent then.
    fn parse(&self, agent: AgentId, said: &Said) -> Result<Self::Action, ActionError>;

    /// The harmless action.
    fn fallback(&self, agent: AgentId) -> Self::Action;

    /// The team's score as far as the referee tells it during the round.
    fn score(&self) -> Option<i64>;

    /// The state of an agent, for people.
    fn state(&self, agent: AgentId) -> AgentState;

    /// The whole world for people's eyes, deterministic and of bounded size. Called between turns
    /// when somebody looks, never on the path of a turn. A game without a picture draws an empty
    /// one.
    fn draw(&self) -> Picture {
        Picture::default()
    }

    /// Everything that the team believes, as bytes that [`restore`](Self::restore) reads: see
    /// [`freeze`](crate::freeze). Equal beliefs give equal bytes. What can be computed again, such as
    /// caches, is left out. Called on a copy, on a thread of its own.
    fn save(&self) -> Vec<u8>;

    /// Takes over what [`save`](Self::save) wrote. The world is fresh, and its roster that of the
    /// saved one.
    ///
    /// # Errors
    /// When the bytes are of another version or damaged; then the world is as it was.
    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError>;

    /// After [`restore`](Self::restore): whether what an agent meets can belong to the simulation of
    /// this belief. Asked for the start of its round, if the referee tells it, and for its first
    /// percept. When both fit, [`begin`](Self::begin) of the same round and
    /// [`observe`](Self::observe) follow, and the belief goes on over the turns that were missed.
    ///
    /// # Errors
    /// What does not fit, in words for people: another size of the map, a turn that is past.
    fn recognize(
        &self,
        agent: AgentId,
        met: Met<'_, Self::Briefing, Self::Percept>,
    ) -> Result<(), String>;

    /// After [`recognize`](Self::recognize) refused the start of a round: whether that may be the
    /// next round of the same match, in which what was learned still helps. Then
    /// [`begin`](Self::begin) of another round follows, as if the old one had ended. Only for games
    /// whose referee ends a round when its connection ends.
    fn goes_on_in(&self, _agent: AgentId, _next: &Self::Briefing) -> bool {
        false
    }
}

/// What a team that was restored meets at the referee.
#[derive(Clone, Copy, Debug)]
pub enum Met<'a, B, P> {
    /// The start of a round; `None`: it is met in its middle without a start message.
    Round(Option<&'a B>),
    /// A percept of a turn. The turn's round is the team's count.
    Turn(Turn, &'a P),
}

/// The part of a [`World`] that scripts read: object-safe, so that script hosts know no game.
pub trait Oracle {
    /// See [`World::field`].
    fn field(&self, agent: AgentId, name: &str) -> Option<Value>;
    /// See [`World::query`].
    ///
    /// # Errors
    /// See [`World::query`].
    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError>;
}

impl<W: World> Oracle for std::cell::RefCell<W> {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        self.try_borrow().ok()?.field(agent, name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        match self.try_borrow() {
            Ok(world) => world.query(agent, name, args),
            Err(_) => Err(QueryError { query: name.into(), reason: "the world is busy".into() }),
        }
    }
}

/// A copy of a world that several threads may ask, one after the other.
impl<W: World> Oracle for std::sync::Mutex<W> {
    fn field(&self, agent: AgentId, name: &str) -> Option<Value> {
        // Asking changes nothing but caches: a copy on which somebody panicked is as good as ever.
        self.lock().unwrap_or_else(PoisonError::into_inner).field(agent, name)
    }

    fn query(&self, agent: AgentId, name: &str, args: &[Value]) -> Result<Value, QueryError> {
        self.lock().unwrap_or_else(PoisonError::into_inner).query(agent, name, args)
    }
}

/// A game: the one type that a plugin registers.
pub trait Game: Debug + Clone + Send + Sync + 'static {
    /// See [`Session::Briefing`].
    type Briefing: Clone + Debug + Send + 'static;
    /// See [`Session::Percept`].
    type Percept: Clone + Debug + Send + 'static;
    /// See [`Session::Action`].
    type Action: Clone + Debug + PartialEq + Send + 'static;
    /// The client's protocol.
    type Session: Session<Briefing = Self::Briefing, Percept = Self::Percept, Action = Self::Action>
        + 'static;
    /// The team's belief.
    type World: World<Briefing = Self::Briefing, Percept = Self::Percept, Action = Self::Action>
        + 'static;

    /// What the game declares of itself.
    fn declaration(&self) -> &'static Declaration;

    /// A session for a seat, not yet connected.
    fn session(&self, seat: &Seat) -> Self::Session;

    /// An empty world for a team.
    fn world(&self, roster: &Roster) -> Self::World;

    /// An action as people read it in journals: `move(n)`.
    fn describe(action: &Self::Action) -> String;
}
