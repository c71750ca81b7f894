//! What became of each agent's turns, turn by turn.

use phalanx_proto::v1::Turn;
use phalanx_proto::v1::match_event::Kind;
use std::collections::{BTreeMap, VecDeque};

/// Turns that are remembered: as many as a wide terminal has columns.
const TURNS_KEPT: usize = 240;
/// What is told late belongs to one of so many last turns.
const TURNS_BACK: usize = 32;

/// What became of an agent's turn; the later ones are worse and count before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Its script decided.
    Decided,
    /// An operator's order was sent.
    Ordered,
    /// The harmless action was sent, as an operator wants it.
    Held,
    /// The harmless action was sent, since its script failed.
    Fallback,
    /// Its connection answered by itself, or nobody did.
    Defaulted,
    /// Its answer came too late.
    Late,
}

impl Outcome {
    /// What an event says of the turn of its agent, where it says anything.
    pub(super) fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::Decided(_) => Some(Self::Decided),
            Kind::Ordered(_) => Some(Self::Ordered),
            Kind::Held(_) => Some(Self::Held),
            Kind::Fallback(_) => Some(Self::Fallback),
            Kind::Defaulted(_) => Some(Self::Defaulted),
            Kind::Late(_) => Some(Self::Late),
            Kind::SeatChanged(_)
            | Kind::RoundStarted(_)
            | Kind::ScriptError(_)
            | Kind::Notice(_)
            | Kind::ScriptLog(_)
            | Kind::TurnDone(_)
            | Kind::RoundOver(_)
            | Kind::MatchOver(_)
            | Kind::EventsLost(_)
            | Kind::GenerationActivated(_)
            | Kind::StrategyRefused(_)
            | Kind::GenerationTakenBack(_)
            | Kind::ParamSet(_)
            | Kind::ScriptRan(_)
            | Kind::RoleSet(_)
            | Kind::Steered(_)
            | Kind::Left(_)
            | Kind::Returned(_)
            | Kind::AlertBegan(_)
            | Kind::AlertEnded(_)
            | Kind::AgentAdded(_)
            | Kind::AgentRemoved(_)
            | Kind::BoardSet(_)
            | Kind::Retuned(_)
            | Kind::Resumed(_)
            | Kind::CheckpointRefused(_) => None,
        }
    }

    /// Something went wrong that nobody wanted.
    pub(super) fn is_trouble(self) -> bool {
        self >= Self::Fallback
    }

    /// A letter for it; without colours it is all that tells.
    pub(super) fn sign(self) -> char {
        match self {
            Self::Decided => '▪',
            Self::Ordered => 'o',
            Self::Held => '-',
            Self::Fallback => 'F',
            Self::Defaulted => 'D',
            Self::Late => 'L',
        }
    }
}

/// The last turns of a team, the newest last.
#[derive(Debug, Default)]
pub(super) struct Heat {
    turns: VecDeque<(Turn, BTreeMap<String, Outcome>)>,
}

impl Heat {
    /// What became of an agent's turn; the worst that is told of a turn counts.
    pub(super) fn add(&mut self, turn: Turn, agent: &str, outcome: Outcome) {
        let known = self.turns.iter_mut().rev().take(TURNS_BACK).find(|(known, _)| *known == turn);
        let agents = match known {
            Some((_, agents)) => agents,
            None => {
                if self.turns.len() >= TURNS_KEPT {
                    self.turns.pop_front();
                }
                self.turns.push_back((turn, BTreeMap::new()));
                let Some((_, agents)) = self.turns.back_mut() else { return };
                agents
            }
        };
        match agents.get_mut(agent) {
            Some(known) => *known = outcome.max(*known),
            None => {
                agents.insert(agent.to_owned(), outcome);
            }
        }
    }

    /// What became of the last so many turns of an agent, the newest last; `None`: it was not asked.
    pub(super) fn strip(&self, agent: &str, columns: usize) -> Vec<Option<Outcome>> {
        let first = self.turns.len().saturating_sub(columns);
        self.turns.iter().skip(first).map(|(_, agents)| agents.get(agent).copied()).collect()
    }

    /// Turns that are known.
    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(step: u32) -> Turn {
        Turn { round: 0, step }
    }

    #[test]
    fn the_worst_that_is_told_of_a_turn_counts_even_when_it_is_told_late() {
        let mut heat = Heat::default();
        heat.add(turn(1), "a1", Outcome::Decided);
        heat.add(turn(2), "a1", Outcome::Fallback);
        heat.add(turn(2), "a1", Outcome::Decided);
        heat.add(turn(2), "a2", Outcome::Decided);
        heat.add(turn(1), "a1", Outcome::Late);
        assert_eq!(heat.strip("a1", 9), [Some(Outcome::Late), Some(Outcome::Fallback)]);
        assert_eq!(heat.strip("a2", 9), [None, Some(Outcome::Decided)]);
        assert_eq!(heat.strip("a2", 1), [Some(Outcome::Decided)]);
    }

    #[test]
    fn it_remembers_only_the_last_turns() {
        let mut heat = Heat::default();
        for step in 0..1_000 {
            heat.add(turn(step), "a1", Outcome::Held);
        }
        assert_eq!((heat.len(), heat.strip("a1", 1_000).len()), (TURNS_KEPT, TURNS_KEPT));
    }
}
