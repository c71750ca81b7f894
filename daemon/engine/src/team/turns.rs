//! How far the match is: round, open turn, and the calls into scripts between turns.

use crate::RoundResult;
use crate::rounds::TeamRounds;
use crate::turn::{OpenTurn, Phase};
use phalanx_game::{AgentId, Turn};
use std::collections::VecDeque;
use std::time::Instant;

/// The round and the turn that a team plays.
#[derive(Debug)]
pub(super) struct TurnState {
    pub(super) rounds: TeamRounds,
    pub(super) open: Option<OpenTurn>,
    /// The last turn of the checkpoint that the team continues from; without one the first turn.
    before: Turn,
    /// Turns begun in this match.
    tick: u64,
    calls: VecDeque<ScriptCall>,
}

/// A call into a script other than `plan` and `decide`, in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScriptCall {
    Start(AgentId),
    Finish(AgentId, RoundResult),
}

impl TurnState {
    /// Before the first turn.
    pub(super) fn new(rounds: TeamRounds) -> Self {
        Self::after(rounds, Turn::default(), 0)
    }

    /// After a restart: no turn is open, and `before` was the last one.
    pub(super) fn after(rounds: TeamRounds, before: Turn, tick: u64) -> Self {
        Self { rounds, open: None, before, tick, calls: VecDeque::new() }
    }

    pub(super) fn tick(&self) -> u64 {
        self.tick
    }

    /// The turn that is open, or was last.
    pub(super) fn turn(&self) -> Turn {
        self.open.as_ref().map_or(Turn::new(self.rounds.current(), 0), |open| open.turn)
    }

    /// The turn for people: the open or last one, even if it was before a restart.
    pub(super) fn shown(&self) -> Turn {
        self.open.as_ref().map_or(self.before, |open| open.turn)
    }

    /// Opens the next turn.
    pub(super) fn begin(&mut self, open: OpenTurn) {
        self.tick += 1;
        self.open = Some(open);
    }

    /// The agent's chance to answer is gone.
    pub(super) fn forget(&mut self, agent: AgentId) {
        if let Some(open) = &mut self.open {
            open.forget(agent);
        }
    }

    /// Whether a turn is open in which somebody must still decide.
    pub(super) fn is_busy(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.phase != Phase::Done)
    }

    /// Whether the gathering turn has waited long enough.
    pub(super) fn has_gathered(&self, now: Instant) -> bool {
        self.gathers_until().is_some_and(|until| until <= now)
    }

    fn gathers_until(&self) -> Option<Instant> {
        match self.open.as_ref()?.phase {
            Phase::Gathering(until) => Some(until),
            Phase::Deciding(_) | Phase::Waiting | Phase::Done => None,
        }
    }

    /// The next instant at which the open turn stops waiting for an agent or a pilot.
    pub(super) fn next_timeout(&self) -> Option<Instant> {
        let awaiting = self.open.iter().flat_map(|open| open.awaiting.values().copied());
        awaiting.chain(self.gathers_until()).min()
    }

    /// The turns that are complete: all that began but one that gathers.
    pub(super) fn complete(&self) -> u64 {
        let gathering = self.open.as_ref().is_some_and(OpenTurn::is_gathering);
        self.tick.saturating_sub(u64::from(gathering))
    }

    /// The earliest turn that a generation decides if it is installed now.
    pub(super) fn next_decided(&self) -> Turn {
        let turn = self.turn();
        let done = self.open.as_ref().is_some_and(|open| !open.is_gathering());
        if done { Turn::new(turn.round, turn.step.saturating_add(1)) } else { turn }
    }

    pub(super) fn call_later(&mut self, call: ScriptCall) {
        self.calls.push_back(call);
    }

    pub(super) fn next_call(&mut self) -> Option<ScriptCall> {
        self.calls.pop_front()
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The team left its match for another one.
    pub(super) fn leave(&mut self) {
        self.open = None;
        self.before = Turn::default();
        self.rounds.leave();
    }
}
