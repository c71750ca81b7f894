//! The dead man's switch that every session composes: which turns are open, and until when.

use crate::sorted::SortedMap;
use crate::{AgentId, Late, Turn};
use std::time::Instant;

/// The open turns of one session: at most one an agent.
#[derive(Clone, Debug, Default)]
pub struct TurnGate {
    open: SortedMap<AgentId, (Turn, Instant)>,
}

/// A turn that closed without an answer of the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired {
    /// Whose.
    pub agent: AgentId,
    /// Which.
    pub turn: Turn,
}

impl TurnGate {
    /// Opens a turn; the one that was still open for this agent, if any, is closed and returned.
    pub fn open(&mut self, agent: AgentId, turn: Turn, due: Instant) -> Option<Expired> {
        self.open.insert(agent, (turn, due)).map(|(turn, _)| Expired { agent, turn })
    }

    /// Closes the turn because an answer is there.
    ///
    /// # Errors
    /// [`Late`] when that turn of that agent is not open.
    pub fn answer(&mut self, agent: AgentId, turn: Turn) -> Result<(), Late> {
        match self.open.get(&agent) {
            Some((open, _)) if *open == turn => {
                self.open.remove(&agent);
                Ok(())
            }
            Some(_) | None => Err(Late { agent, turn }),
        }
    }

    /// Closes and returns every turn that is due at `now`, in order of the agents. Call it from
    /// `handle_timeout` and send the fallback for each.
    #[must_use]
    pub fn expire(&mut self, now: Instant) -> Vec<Expired> {
        let due = self.open.iter().filter(|(_, (_, due))| *due <= now);
        let expired: Vec<_> =
            due.map(|(agent, (turn, _))| Expired { agent: *agent, turn: *turn }).collect();
        for gone in &expired {
            self.open.remove(&gone.agent);
        }
        expired
    }

    /// Closes and returns every open turn: the connection is gone.
    #[must_use]
    pub fn close_all(&mut self) -> Vec<Expired> {
        let open = std::mem::take(&mut self.open);
        open.into_iter().map(|(agent, (turn, _))| Expired { agent, turn }).collect()
    }

    /// The turn that is open for an agent.
    #[must_use]
    pub fn open_turn(&self, agent: AgentId) -> Option<Turn> {
        self.open.get(&agent).map(|(turn, _)| *turn)
    }

    /// When `expire` has something to do, at the earliest.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        self.open.values().map(|(_, due)| *due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const A: AgentId = AgentId(0);
    const B: AgentId = AgentId(1);

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn an_answer_closes_its_turn_once() {
        let (mut gate, start) = (TurnGate::default(), epoch());
        let turn = Turn::new(0, 7);
        gate.open(A, turn, at(start, 100));
        assert_eq!(gate.answer(A, turn), Ok(()));
        assert_eq!(gate.answer(A, turn), Err(Late { agent: A, turn }));
        assert_eq!(gate.next_due(), None);
    }

    #[test]
    fn an_answer_for_another_turn_leaves_the_open_one_open() {
        let (mut gate, start) = (TurnGate::default(), epoch());
        gate.open(A, Turn::new(0, 8), at(start, 100));
        assert!(gate.answer(A, Turn::new(0, 7)).is_err());
        assert_eq!(gate.open_turn(A), Some(Turn::new(0, 8)));
    }

    #[test]
    fn a_new_turn_supersedes_the_open_one() {
        let (mut gate, start) = (TurnGate::default(), epoch());
        gate.open(A, Turn::new(0, 1), at(start, 100));
        let old = gate.open(A, Turn::new(0, 2), at(start, 200));
        assert_eq!(old, Some(Expired { agent: A, turn: Turn::new(0, 1) }));
    }

    #[test]
    fn only_turns_that_are_due_expire() {
        let (mut gate, start) = (TurnGate::default(), epoch());
        gate.open(B, Turn::new(0, 1), at(start, 100));
        gate.open(A, Turn::new(0, 1), at(start, 300));
        assert_eq!(gate.expire(at(start, 99)), []);
        assert_eq!(gate.expire(at(start, 100)), [Expired { agent: B, turn: Turn::new(0, 1) }]);
        assert_eq!(gate.next_due(), Some(at(start, 300)));
        assert_eq!(gate.close_all(), [Expired { agent: A, turn: Turn::new(0, 1) }]);
    }

    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn epoch() -> Instant {
        Instant::now()
    }
}
