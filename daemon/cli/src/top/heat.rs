//! The outcome of each agent's turns.

use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::Turn;
use phalanx_proto::v1::match_event::Kind;
use std::collections::VecDeque;

/// Turns that are kept: the columns of a wide terminal.
const TURNS_KEPT: usize = 240;
/// An outcome that arrives late belongs to one of this many last turns.
const TURNS_BACK: usize = 32;

/// The outcome of an agent's turn. Later variants are worse and take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Its script decided.
    Decided,
    /// An operator's order was sent.
    Ordered,
    /// The fallback was sent because an operator paused the agent.
    Held,
    /// The fallback was sent because its script failed.
    Fallback,
    /// Its seat sent the fallback, or no answer was sent in time.
    Defaulted,
    /// Its answer came after the deadline.
    Late,
}

impl Outcome {
    /// The outcome that an event reports, if any.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other kinds are not about a turn")]
    pub(super) fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::Decided(_) => Some(Self::Decided),
            Kind::Ordered(_) => Some(Self::Ordered),
            Kind::Held(_) => Some(Self::Held),
            Kind::Fallback(_) => Some(Self::Fallback),
            Kind::Defaulted(_) => Some(Self::Defaulted),
            Kind::Late(_) => Some(Self::Late),
            _ => None,
        }
    }

    /// Whether it is an unwanted outcome.
    pub(super) fn is_trouble(self) -> bool {
        self >= Self::Fallback
    }

    /// Its letter, which distinguishes it without colours.
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
    turns: VecDeque<(Turn, SortedMap<String, Outcome>)>,
}

impl Heat {
    /// Adds an outcome of an agent's turn; the worst outcome of a turn counts.
    pub(super) fn add(&mut self, turn: Turn, agent: &str, outcome: Outcome) {
        let known = self.turns.iter_mut().rev().take(TURNS_BACK).find(|(known, _)| *known == turn);
        let agents = match known {
            Some((_, agents)) => agents,
            None => {
                if self.turns.len() >= TURNS_KEPT {
                    self.turns.pop_front();
                }
                self.turns.push_back((turn, SortedMap::new()));
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

    /// The outcomes of an agent's last `columns` turns, the newest last; `None`: it was not asked.
    pub(super) fn strip(&self, agent: &str, columns: usize) -> Vec<Option<Outcome>> {
        let first = self.turns.len().saturating_sub(columns);
        self.turns.iter().skip(first).map(|(_, agents)| agents.get(agent).copied()).collect()
    }

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
