//! The turns of a recording, each with all that belongs to it.

use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use phalanx_record::{Channel, Entry, Recorded, RecordingDamage};
use std::collections::VecDeque;
use std::sync::Arc;

/// Turns that are held back until the referee's answers to their actions are known.
const HELD_TURNS: usize = 8;
/// Most events of one turn that are kept.
const TURN_EVENTS_MAX: usize = 10_000;

/// A turn as it was played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedTurn {
    /// Which.
    pub turn: v1::Turn,
    /// When the first of it was heard, in nanoseconds after the recording's begin.
    pub nanos: i64,
    /// Entries are missing between the turn before and this one.
    pub after_gap: bool,
    /// The agents that were asked, in the order in which they decided.
    pub agents: Vec<PlayedAgent>,
    /// What happened to the team, and what else happened at that time.
    pub events: Vec<v1::MatchEvent>,
    /// How it went; `None`: it did not come to its end.
    pub done: Option<v1::TurnDone>,
    /// The team's score, where it is known.
    pub score: Option<i64>,
    /// The world as it was believed at its end, in the turns in which it was drawn.
    pub world: Option<Arc<v1::World>>,
    /// What changed on the board.
    pub board: Vec<v1::BoardChanges>,
}

/// An agent's part in a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedAgent {
    pub name: String,
    /// Its role; empty: not known.
    pub role: String,
    /// What it knew of itself, in the game's words; empty: not known.
    pub percept: String,
    /// What happened to it, in order.
    pub events: Vec<v1::MatchEvent>,
    /// What the referee answered to its action; empty: nothing, or it does not say.
    pub result: String,
    /// The turn in which it answered.
    pub answered: Option<v1::Turn>,
}

/// How an agent came to its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeedKind {
    /// Its script decided.
    Decided,
    /// Its script failed: the team sent the harmless action.
    Fallback,
    /// An operator's order was sent.
    Ordered,
    /// An operator wanted the harmless action.
    Held,
    /// No decision came in time: the seat answered by itself, or no longer could.
    Defaulted,
}

impl DeedKind {
    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Fallback => "fallback",
            Self::Ordered => "ordered",
            Self::Held => "held",
            Self::Defaulted => "defaulted",
        }
    }
}

/// What an agent did in a turn, as far as the team knows.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentDecision<'a> {
    /// How it came to it.
    pub kind: DeedKind,
    /// The event that tells it.
    pub event: &'a v1::MatchEvent,
    /// The action as people read it; empty: the game's harmless one.
    pub action: &'a str,
    /// Why: the script's words, or what went wrong.
    pub reason: &'a str,
    /// The script decided too late: the referee had closed the turn.
    pub late: bool,
    /// Something went wrong with it in the end, whatever was decided.
    pub defaulted: bool,
}

impl PlayedAgent {
    /// What it did; `None`: the recording does not tell.
    #[must_use]
    pub fn deed(&self) -> Option<AgentDecision<'_>> {
        let found = self.events.iter().rev().find_map(|event| {
            let (kind, action, reason) = match &event.kind {
                Some(Kind::Decided(it)) => {
                    (DeedKind::Decided, it.action.as_str(), it.reason.as_str())
                }
                Some(Kind::Fallback(it)) => (DeedKind::Fallback, "", it.reason.as_str()),
                Some(Kind::Ordered(it)) => (DeedKind::Ordered, it.action.as_str(), ""),
                Some(Kind::Held(_)) => (DeedKind::Held, "", ""),
                Some(_) | None => return None,
            };
            Some((kind, event, action, reason))
        });
        let defaulted =
            || self.events.iter().find(|it| matches!(it.kind, Some(Kind::Defaulted(_))));
        let (kind, event, action, reason) =
            found.or_else(|| Some((DeedKind::Defaulted, defaulted()?, "", "")))?;
        let late = self.events.iter().any(|it| matches!(it.kind, Some(Kind::Late(_))));
        let defaulted = defaulted().is_some();
        Some(AgentDecision { kind, event, action, reason, late, defaulted })
    }

    /// Something went wrong for it.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        let bad = |event: &v1::MatchEvent| {
            matches!(event.kind, Some(Kind::Fallback(_) | Kind::Defaulted(_) | Kind::Late(_)))
        };
        self.events.iter().any(bad)
    }
}

impl PlayedTurn {
    /// Something went wrong in it, for an agent or for the team.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        let bad = |event: &v1::MatchEvent| {
            matches!(
                event.kind,
                Some(
                    Kind::ScriptError(_)
                        | Kind::GenerationTakenBack(_)
                        | Kind::StrategyRefused(_)
                        | Kind::AlertBegan(_)
                )
            )
        };
        self.after_gap
            || self.agents.iter().any(PlayedAgent::is_trouble)
            || self.events.iter().any(bad)
    }

    /// Somebody was asked, or it came to its end.
    fn is_played(&self) -> bool {
        self.done.is_some() || !self.agents.is_empty()
    }

    /// The agent of that name.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&PlayedAgent> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    fn heard(&mut self, event: v1::MatchEvent) {
        if let Some(Kind::TurnDone(done)) = &event.kind {
            self.score = done.score.or(self.score);
            self.done = Some(*done);
            return;
        }
        if event.agent.is_empty() || !is_of_agent(&event) {
            if self.events.len() < TURN_EVENTS_MAX {
                self.events.push(event);
            }
            return;
        }
        let role = match &event.kind {
            Some(Kind::Decided(it)) => it.role.clone(),
            Some(Kind::Fallback(it)) => it.role.clone(),
            Some(_) | None => String::new(),
        };
        let index = match self.agents.iter().position(|agent| agent.name == event.agent) {
            Some(index) => index,
            None => {
                let name = event.agent.clone();
                self.agents.push(PlayedAgent { name, ..PlayedAgent::default() });
                self.agents.len() - 1
            }
        };
        let Some(agent) = self.agents.get_mut(index) else { return };
        if agent.role.is_empty() {
            agent.role = role;
        }
        if agent.events.len() < TURN_EVENTS_MAX {
            agent.events.push(event);
        }
    }
}

/// Whether it says something of why an agent did what it did.
fn is_of_agent(event: &v1::MatchEvent) -> bool {
    matches!(
        event.kind,
        Some(
            Kind::Decided(_)
                | Kind::Fallback(_)
                | Kind::Ordered(_)
                | Kind::Held(_)
                | Kind::Defaulted(_)
                | Kind::Late(_)
                | Kind::ScriptLog(_)
        )
    )
}

/// Whether a turn begins with it, if it has not yet.
fn begins(event: &v1::MatchEvent) -> bool {
    let of_agent = !event.agent.is_empty() && is_of_agent(event);
    of_agent || matches!(event.kind, Some(Kind::TurnDone(_) | Kind::ScriptError(_)))
}

/// Whether turns are made of a channel's messages; the others need not be read.
#[must_use]
pub fn is_of_turns(channel: Channel) -> bool {
    matches!(channel, Channel::Journal | Channel::Team | Channel::Gaps)
}

/// The same for turns with their pictures and boards.
#[must_use]
pub fn is_of_pictures(channel: Channel) -> bool {
    is_of_turns(channel) || matches!(channel, Channel::World | Channel::Board)
}

/// Puts turns together: a few are held back until the referee has answered.
#[derive(Debug)]
pub struct Turns<I> {
    entries: I,
    held: VecDeque<PlayedTurn>,
    /// What happened before the first turn, or before the next one.
    before: Vec<v1::MatchEvent>,
    /// Entries are missing before the next turn.
    lost: bool,
    /// Pictures and boards are wanted.
    shows: bool,
    damage: u64,
    over: bool,
}

impl<I: Iterator<Item = Result<Entry, RecordingDamage>>> Turns<I> {
    /// Of the entries of a recording, without pictures and boards.
    pub fn new(entries: I) -> Self {
        Self {
            entries,
            held: VecDeque::new(),
            before: Vec::new(),
            lost: false,
            shows: false,
            damage: 0,
            over: false,
        }
    }

    /// The same with the pictures of the world and what changed on the board.
    pub fn with_pictures(entries: I) -> Self {
        Self { shows: true, ..Self::new(entries) }
    }

    /// The number of pieces that could not be read so far.
    pub fn damage(&self) -> u64 {
        self.damage
    }

    fn read(&mut self, entry: Entry) {
        match entry.what {
            Recorded::Event(event) => self.heard(*event, entry.nanos),
            Recorded::Team(team) => self.saw(&team),
            Recorded::World(world) if self.shows => {
                if let Some(turn) = self.of(world.turn) {
                    turn.world = Some(Arc::from(world));
                }
            }
            Recorded::Board(changes) if self.shows => {
                if let Some(turn) = self.of(changes.turn) {
                    turn.board.push(*changes);
                }
            }
            Recorded::Gap(gap) => {
                let of_ours = |name: &str| matches!(name, "/journal" | "/team");
                self.lost |= gap.channels.is_empty()
                    || gap.channels.iter().any(|channel| of_ours(&channel.channel));
            }
            Recorded::Taped(_)
            | Recorded::Info(_)
            | Recorded::Percepts(_)
            | Recorded::World(_)
            | Recorded::Board(_) => {}
        }
    }

    fn of(&mut self, turn: Option<v1::Turn>) -> Option<&mut PlayedTurn> {
        let turn = turn.unwrap_or_default();
        self.held.iter_mut().rev().find(|held| held.turn == turn)
    }

    fn heard(&mut self, event: v1::MatchEvent, nanos: i64) {
        let turn = event.turn.unwrap_or_default();
        if let Some(known) = self.of(Some(turn)) {
            return known.heard(event);
        }
        if !begins(&event) {
            match self.held.back_mut() {
                Some(last) if last.events.len() < TURN_EVENTS_MAX => last.events.push(event),
                None if self.before.len() < TURN_EVENTS_MAX => self.before.push(event),
                Some(_) | None => {}
            }
            return;
        }
        let after_gap = std::mem::take(&mut self.lost);
        let events = std::mem::take(&mut self.before);
        let mut begun = PlayedTurn { turn, nanos, after_gap, events, ..PlayedTurn::default() };
        begun.heard(event);
        self.held.push_back(begun);
    }

    /// What the team published, after the events of its turn.
    fn saw(&mut self, team: &v1::Team) {
        let Some(turn) = team.turn else { return };
        let Some(at) = self.held.iter().rposition(|held| held.turn == turn) else { return };
        for agent in team.agents.iter().filter(|agent| agent.last_asked == Some(turn)) {
            let known = self.held.get_mut(at).map(|held| &mut held.agents);
            let known = known.and_then(|all| all.iter_mut().find(|own| own.name == agent.name));
            if let Some(own) = known {
                own.percept.clone_from(&agent.summary);
                if own.role.is_empty() {
                    own.role.clone_from(&agent.role);
                }
            }
            if !agent.last_result.is_empty() {
                self.answered(at, turn, &agent.name, &agent.last_result);
            }
        }
        if let Some(held) = self.held.get_mut(at) {
            held.score = team.score.or(held.score);
        }
    }

    /// In the turn at `at` the referee answered to what the agent did in its turn before.
    fn answered(&mut self, at: usize, turn: v1::Turn, agent: &str, result: &str) {
        // Where entries are missing, so may be the turn that is answered.
        let whole = |held: &&PlayedTurn| !held.after_gap;
        let back = self.held.iter().take(at + 1).rev().take_while(whole).count();
        for index in (at.saturating_sub(back)..at).rev() {
            let Some(held) = self.held.get_mut(index) else { return };
            let round = held.turn.round;
            let Some(own) = held.agents.iter_mut().find(|own| own.name == agent) else { continue };
            if round == turn.round && own.answered.is_none() {
                result.clone_into(&mut own.result);
                own.answered = Some(turn);
            }
            return;
        }
    }
}

impl<I: Iterator<Item = Result<Entry, RecordingDamage>>> Iterator for Turns<I> {
    type Item = PlayedTurn;

    fn next(&mut self) -> Option<PlayedTurn> {
        while !self.over && self.held.len() <= HELD_TURNS {
            match self.entries.next() {
                Some(Ok(entry)) => self.read(entry),
                Some(Err(_)) => {
                    self.damage += 1;
                    self.lost = true;
                }
                None => self.over = true,
            }
        }
        loop {
            let turn = self.held.pop_front()?;
            if turn.is_played() {
                return Some(turn);
            }
        }
    }
}
